//! Blocks of a source file: the module, function, `impl`, trait or macro call around a place.
use crate::resolve::source_map::{
    Braces, CodeText, LineColumn, SourceFile,
    attributes::may_be_device_item,
    items::{ends_with_word, find_declarations},
    scanner::is_name,
};

/// The word before an opening brace that decides where the items in the braces are in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpeningWord {
    /// `extern "C" {`
    Extern,
    /// The call of a macro.
    Macro,
    /// A function, an `impl`, or another block.
    Other,
}

impl SourceFile {
    /// Returns the text between the brackets at two positions.
    pub(super) fn text_between(&self, open: LineColumn, close: LineColumn) -> Option<&str> {
        self.text.get(self.offset_of(open)? + 1..self.offset_of(close)?)
    }

    /// Returns the offset of a position in the text.
    pub(super) fn offset_of(&self, (line, column): LineColumn) -> Option<usize> {
        let start: usize = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let (position, _) = self.text[start..].char_indices().nth(column - 1)?;
        Some(start + position)
    }

    /// Returns the innermost braces around `place`.
    pub(super) fn innermost_braces(&self, place: LineColumn) -> Option<&Braces> {
        let around = |braces: &&Braces| braces.open < place && place < braces.close;
        self.all_braces().iter().filter(around).max_by_key(|braces| braces.open)
    }

    /// Returns true if `place` is directly in the module: not inside of a function, `impl`, trait
    /// or macro call in it.
    pub(crate) fn is_directly_in(&self, place: LineColumn, module: Option<LineColumn>) -> bool {
        self.innermost_braces(place).map(|braces| braces.open) == module
    }
}

impl CodeText {
    /// Returns the declarations of this name directly in the module around `position`: offset,
    /// keyword, position.
    pub(super) fn module_declarations(
        &self,
        file: &SourceFile,
        name: &str,
        position: LineColumn,
    ) -> Vec<(usize, &'static str, LineColumn)> {
        let module = |position| file.module_around(position);
        find_declarations(&self.text, name)
            .map(|(start, keyword)| (start, keyword, self.places[start]))
            .filter(|&(_, _, place)| file.is_directly_in(place, module(place)))
            .filter(|&(_, _, place)| module(place) == module(position))
            .collect()
    }

    /// Returns the kind of block that an opening brace begins.
    pub(super) fn opening_word(&self, open: LineColumn) -> OpeningWord {
        let Ok(start) = self.places.binary_search(&open) else { return OpeningWord::Other };
        let before = self.text[..start].trim_end();
        match before.ends_with('!') {
            true => OpeningWord::Macro,
            false if ends_with_word(before, "extern") => OpeningWord::Extern,
            false => OpeningWord::Other,
        }
    }

    /// Returns the macro call around the offset `start`: the offset after its opening bracket, and
    /// the name of the macro.
    pub(super) fn call_around(&self, start: usize) -> Option<(usize, String)> {
        let mut depth = 0;
        let open = self.text[..start].rfind(|char| {
            depth += i32::from("([{".contains(char)) - i32::from(")]}".contains(char));
            depth == 1
        })?;
        let before = self.text[..open].trim_end().strip_suffix('!')?;
        let name = before.rsplit(|char| !is_name(char)).next().filter(|name| !name.is_empty())?;
        Some((before.len(), name.to_owned()))
    }

    /// Returns the `impl` or the trait that directly contains the offset `start`: the offset of its
    /// keyword, and its header in one line.
    pub(super) fn block_around(&self, start: usize) -> Option<(usize, String)> {
        let mut depth = 0;
        let open = self.text[..start].rfind(|char| {
            depth += i32::from(char == '{') - i32::from(char == '}');
            depth == 1
        })?;
        let begin = self.text[..open].rfind(['{', '}']).map_or(0, |end| end + 1);
        let before = &self.text[begin..open];
        let is_word = |position: usize, keyword: &str| {
            !before[..position].ends_with(is_name)
                && !before[position + keyword.len()..].starts_with(is_name)
        };
        let keywords = ["impl", "trait"].into_iter().filter_map(|keyword| {
            let mut found = before.rmatch_indices(keyword).map(|(position, _)| position);
            found.find(|position| is_word(*position, keyword))
        });
        let position = keywords.max()?;
        let written = before[position..].split(" where ").next()?;
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((begin + position, written))
    }

    /// Returns the trait that directly contains the offset `start`: the offset of its keyword, and
    /// its name.
    pub(super) fn trait_around(&self, start: usize) -> Option<(usize, String)> {
        let before = &self.text[..start];
        let keyword =
            before.rfind("trait ").filter(|position| !before[..*position].ends_with(is_name))?;
        let between = &before[keyword..];
        let depth = between.matches('{').count().checked_sub(between.matches('}').count())?;
        let name = between["trait ".len()..].split(|char| !is_name(char)).next()?;
        (depth == 1 && !name.is_empty()).then(|| (keyword, name.to_owned()))
    }

    /// Returns the text before the item at `start`, from the end of the item before it: its
    /// attributes.
    pub(super) fn attributes_of(&self, start: usize) -> &str {
        let before = &self.text[..start];
        before.rfind([';', '{', '}']).map_or(before, |end| &before[end..])
    }

    /// Returns true if `#[device]` is on the item at `start`, or on a module around it.
    pub(super) fn is_device_item(&self, file: &SourceFile, start: usize) -> bool {
        self.attributes_of(start).contains("device]") || self.is_in_device_module(file, start)
    }

    /// Returns true if `#[device]` is on a module around the item at `start`.
    pub(super) fn is_in_device_module(&self, file: &SourceFile, start: usize) -> bool {
        let place = self.places[start];
        let around =
            file.scopes().iter().filter(|braces| braces.open < place && place < braces.close);
        around
            .filter_map(|braces| self.places.iter().position(|position| *position == braces.open))
            .any(|open| {
                let before = self.text[..open].trim_end().trim_end_matches(is_name).trim_end();
                before
                    .strip_suffix("mod")
                    .is_some_and(|before| may_be_device_item(file, &self.text, before.len()))
            })
    }
}
