//! `macro_rules!` of a source file: their rules and their calls.
use crate::resolve::source_map::{
    Braces, LineColumn, SourceFile, items::ends_with_word, scanner::is_name,
};
use proc_macro2::TokenStream;

/// Returns the body of the last `macro_rules!` of this name that is in scope at `position`.
pub(crate) fn find_macro_rules(
    file: &SourceFile,
    name: &str,
    position: LineColumn,
) -> Option<TokenStream> {
    if !file.names().may_have_rules(name) {
        return None;
    }
    let places = macro_rules_places(file, name);
    let in_scope = |place: &LineColumn| {
        let around = |braces: &&Braces| braces.open < *place && *place < braces.close;
        file.scopes()
            .iter()
            .filter(around)
            .all(|braces| braces.open < position && position < braces.close)
    };
    let place = places.filter(|place| *place < position).filter(in_scope).last()?;
    let after = file.all_braces().iter().filter(|braces| braces.open > place);
    let braces = after.min_by_key(|braces| braces.open)?;
    file.text_between(braces.open, braces.close)?.parse().ok()
}

/// Returns the places of the names of the `macro_rules!` of this name.
fn macro_rules_places(file: &SourceFile, name: &str) -> impl Iterator<Item = LineColumn> {
    let words = file.code_text();
    let declared = words.text.match_indices(name).filter(move |(start, _)| {
        let before = words.text[..*start].trim_end();
        before
            .strip_suffix('!')
            .is_some_and(|before| ends_with_word(before.trim_end(), "macro_rules"))
            && !words.text[start + name.len()..].starts_with(is_name)
    });
    declared.map(|(start, _)| words.places[start])
}

/// Returns true if `file` has `macro_rules!` of this name, all behind `position`.
pub(crate) fn are_macro_rules_behind(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    let mut places = macro_rules_places(file, name).peekable();
    file.names().may_have_rules(name)
        && places.peek().is_some()
        && places.all(|place| place > position)
}

/// Returns the `macro_rules!` of the file, with its line, that is called in the module around
/// `position` with `name` as an argument, if neither has the word `device`.
pub(crate) fn find_making_macro(
    file: &SourceFile,
    name: &str,
    position: LineColumn,
) -> Option<(String, usize)> {
    let names = file.names();
    if names.has(name) || names.has_globs() {
        return None;
    }
    let words = file.code_text();
    let module = file.module_around(position);
    let is_word = |start: &usize| {
        !words.text[..*start].ends_with(is_name)
            && !words.text[start + name.len()..].starts_with(is_name)
    };
    let places = words.text.match_indices(name).map(|(start, _)| start).filter(is_word);
    places.into_iter().find_map(|start| {
        let (open, macro_name) = words.call_around(start)?;
        let place = words.places[open - 1];
        let is_here = file.module_around(place) == module && file.is_directly_in(place, module);
        let call = &words.text[open..start];
        if !is_here || !names.may_have_rules(&macro_name) || call.contains("device") {
            return None;
        }
        let rules = find_macro_rules(file, &macro_name, place)?;
        let (line, _) = macro_rules_places(file, &macro_name).next()?;
        (!rules.to_string().contains("device")).then_some((macro_name, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_where_they_are_in_scope() {
        let found = |text: &str| {
            let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
            let at = (before.len(), before.last().unwrap().chars().count() + 1);
            let found = find_macro_rules(&SourceFile::new(text.replace('@', " ")), "m", at);
            found.map(|tokens| tokens.to_string())
        };
        for text in [
            "macro_rules! m { () => { 1 } } fn k() { @ }",
            "// é m\nmacro_rules! m { () => { 2 } }\nmacro_rules! m { () => { 1 } } mod a { @ }",
            "mod a { macro_rules! m { () => { 1 } } fn k() { @ } }",
            "macro_rules! mm { () => { 2 } } macro_rules! m { () => { 1 } } macro_rules! n {} @",
        ] {
            assert_eq!(found(text).as_deref(), Some("() => { 1 }"), "{text}");
        }
        for text in [
            "fn k() { @ } macro_rules! m { () => { 1 } }",
            "mod a { macro_rules! m { () => { 1 } } } @",
            "fn k() { macro_rules! m { () => { 1 } } } fn l() { @ }",
            "// macro_rules! m { () => { 1 } }\n@",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
