//! The user's source files, and places in them.
use std::{
    cell::OnceCell,
    collections::HashMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

/// Range in a file. Lines and columns count from 1, columns in characters; the end is the position
/// after the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    file: usize,
    /// Line and column.
    pub(crate) start: (usize, usize),
    /// Line and column.
    pub(crate) end: (usize, usize),
}

/// Files that contain places.
#[derive(Debug)]
pub(crate) struct Sources {
    root: PathBuf,
    files: Vec<File>,
    known: HashMap<PathBuf, usize>,
}

/// Source file.
#[derive(Debug)]
struct File {
    path: PathBuf,
    shown: String,
    text: OnceCell<Option<String>>,
}

impl Sources {
    /// Creates an empty set. Paths inside `root` are shown relative to it.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), files: Vec::new(), known: HashMap::new() }
    }

    /// Returns a place in the file at `path`.
    pub(crate) fn add_place(
        &mut self,
        path: PathBuf,
        start: (usize, usize),
        end: (usize, usize),
    ) -> Place {
        let file = match self.known.get(&path) {
            Some(&file) => file,
            None => {
                let shown = path.strip_prefix(&self.root).unwrap_or(&path);
                let shown = shown.display().to_string().replace('\\', "/");
                self.files.push(File { path: path.clone(), shown, text: OnceCell::new() });
                self.known.insert(path, self.files.len() - 1);
                self.files.len() - 1
            }
        };
        Place { file, start, end }
    }

    /// Returns the paths of all files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// Returns the displayed path of a place's file.
    pub(crate) fn display_path(&self, place: Place) -> &str {
        &self.files[place.file].shown
    }

    /// Returns the path of a place's file.
    pub(crate) fn file_path(&self, place: Place) -> &Path {
        &self.files[place.file].path
    }

    /// Formats `file:line:column`.
    pub(crate) fn display_place(&self, place: Place) -> String {
        format!("{}:{}:{}", self.display_path(place), place.start.0, place.start.1)
    }

    /// Returns the text of a place's file, if it can be read.
    pub(crate) fn file_text(&self, place: Place) -> Option<&str> {
        let file = &self.files[place.file];
        file.text.get_or_init(|| fs::read_to_string(&file.path).ok()).as_deref()
    }

    /// Returns the byte range of a place in its file; `None` if the text has no such place.
    pub(crate) fn byte_range(&self, place: Place) -> Option<Range<usize>> {
        let text = self.file_text(place)?;
        let (start, end) = (byte_offset(text, place.start)?, byte_offset(text, place.end)?);
        (start <= end).then_some(start..end)
    }

    /// Returns true if both places are in one file.
    pub(crate) const fn are_in_one_file(a: Place, b: Place) -> bool {
        a.file == b.file
    }

    /// Returns the sort key of a place: by displayed path, then from top to bottom.
    pub(crate) fn sort_key(&self, place: Place) -> (&str, (usize, usize), (usize, usize)) {
        (self.display_path(place), place.start, place.end)
    }
}

/// Returns the byte offset of a line and column.
fn byte_offset(text: &str, (line, column): (usize, usize)) -> Option<usize> {
    let index = line.checked_sub(1)?;
    let before: usize = text.split_inclusive('\n').take(index).map(str::len).sum();
    let rest = text.get(before..)?;
    if index > 0 && !text[..before].ends_with('\n') {
        return None;
    }
    let line = rest.split('\n').next().unwrap_or_default();
    let mut starts = line.char_indices().map(|(start, _)| start).chain([line.len()]);
    Some(before + starts.nth(column.checked_sub(1)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_characters_within_a_line() {
        let text = "ab\nöß x\n\nend";
        let at = |line, column| byte_offset(text, (line, column));
        assert_eq!(at(1, 1), Some(0));
        assert_eq!(at(1, 3), Some(2));
        assert_eq!(at(1, 4), None);
        assert_eq!(at(2, 3), Some(7));
        assert_eq!(at(3, 1), Some(10));
        assert_eq!(at(4, 4), Some(14));
        assert_eq!(at(5, 1), None);
        assert_eq!(at(0, 1), None);
    }

    #[test]
    fn paths_are_shown_from_the_root() {
        let mut sources = Sources::new(Path::new("/project"));
        let inside = sources.add_place("/project/src/lib.rs".into(), (3, 5), (3, 9));
        let outside = sources.add_place("/other/lib.rs".into(), (1, 1), (1, 2));
        assert_eq!(sources.display_place(inside), "src/lib.rs:3:5");
        assert_eq!(sources.display_place(outside), "/other/lib.rs:1:1");
        assert_eq!(sources.byte_range(outside), None);
    }
}
