//! Edits that remedy findings, computed from the help of a finding and the source.
//!
//! A remedy may have several forms, such as a barrier before an access or before the loop around
//! it. [`fix_run`](super::fix_run) keeps the first one after which the code compiles and the
//! finding is gone.
use crate::{
    project::Finding,
    sources::{Place, Sources},
};
use std::ops::Range;

/// Maximum number of blocks around an access before which a barrier is tried.
const MAX_ENCLOSING_BLOCKS: usize = 3;

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// A place in the file.
    pub(crate) file: Place,
    /// The bytes to replace.
    pub(crate) range: Range<usize>,
    /// The text that replaces them.
    pub(crate) text: String,
}

/// Returns the edits that may remedy `finding`, the likeliest first.
pub(crate) fn find_fixes(finding: &Finding, sources: &Sources) -> Vec<Edit> {
    let (Some(help), Some(text)) = (&finding.help, sources.file_text(finding.place)) else {
        return Vec::new();
    };
    let at = finding.place;
    let edit = |(range, text): (Range<usize>, String)| Edit { file: at, range, text };
    let argument = |argument: &str| {
        let text = sources.file_text(finding.kernel_place)?;
        let name = sources.byte_range(finding.kernel_place)?;
        let (range, text) = add_kernel_argument(text, name.start, argument)?;
        Some(Edit { file: finding.kernel_place, range, text })
    };
    let Some(bytes) = sources.byte_range(at) else { return Vec::new() };
    let barrier = match finding.code.as_str() {
        "gpu_missing_barriers" => Some("sync_threads();"),
        "gpu_missing_warp_syncs" => Some("sync_warp();"),
        _ => None,
    };
    if let Some(barrier) = barrier {
        let labels =
            finding.labels.iter().filter(|(place, _)| Sources::are_in_one_file(*place, at));
        let starts = labels.filter_map(|(place, _)| Some(sources.byte_range(*place)?.start));
        let starts: Vec<usize> = [bytes.start].into_iter().chain(starts).collect();
        return barrier_places(text, &starts)
            .into_iter()
            .map(|(place, indent)| edit((place..place, format!("{indent}{barrier}\n"))))
            .collect();
    }
    let found = match finding.code.as_str() {
        "gpu_bank_conflicts" | "gpu_vector_bank_conflicts" => {
            resize_row(text, bytes.start, help).map(edit)
        }
        "gpu_redundant_barriers" if help == "leave it out" => {
            Some(edit((statement_range(text, bytes), String::new())))
        }
        "gpu_unknown_block_shape" | "gpu_unguarded_indices" => {
            code_after(help, "`#[kernel(").and_then(|code| argument(code.strip_suffix(")]")?))
        }
        _ if help.starts_with("leave `.block()` out") => text[bytes.clone()]
            .find(".block()")
            .map(|start| bytes.start + start)
            .map(|start| edit((start..start + ".block()".len(), String::new()))),
        _ => None,
    };
    found.into_iter().collect()
}

/// Returns the code of `help` that begins with `` `start ``, without that start.
fn code_after<'h>(help: &'h str, start: &str) -> Option<&'h str> {
    help.split_once(start)?.1.split('`').next()
}

/// Returns the replacement of a `shared!` before the offset `at` by the one of `help`, with rows of
/// another length.
fn resize_row(text: &str, at: usize, help: &str) -> Option<(Range<usize>, String)> {
    let shortened = || code_after(help, "shorten the row to what is accessed: `");
    let resized = code_after(help, "pad the row: `").or_else(shortened)?;
    let name = code_after(help, "every access to `")?;
    let declared = text[..at].match_indices("shared!").filter(|(start, _)| {
        let before = text[..*start].trim_end();
        let before = before.strip_suffix('=').unwrap_or_default().trim_end();
        before.strip_suffix(name).is_some_and(|rest| rest.ends_with(char::is_whitespace))
    });
    let (start, _) = declared.last()?;
    let end = matching_end(text, start + text[start..].find('(')?)?;
    Some((start..end, resized.to_owned()))
}

/// Returns the offset after the parenthesis that closes the one at `open`.
fn matching_end(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, character) in text[open..].char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(open + index + 1);
        }
    }
    None
}

/// Returns the change of the `#[kernel]` above the name at `name` that adds `argument`; `None` if
/// the attribute has that argument.
fn add_kernel_argument(text: &str, name: usize, argument: &str) -> Option<(Range<usize>, String)> {
    const START: &str = "#[kernel";
    let end = text[..name].rfind(START)? + START.len();
    let word = argument.split(|char: char| !char.is_alphanumeric() && char != '_').next()?;
    if text[end..].starts_with(']') {
        return Some((end..end, format!("({argument})")));
    }
    let close = matching_end(text, end).filter(|_| text[end..].starts_with('('))?;
    let arguments = &text[end + 1..close - 1];
    let known = arguments.match_indices(word).find(|(start, _)| {
        let after = &arguments[start + word.len()..];
        !arguments[..*start].ends_with(|char: char| char.is_alphanumeric() || char == '_')
            && after.trim_start().starts_with(['=', '('])
    });
    match (known, argument.strip_prefix("requires(")) {
        (None, _) => Some((end + 1..end + 1, format!("{argument}, "))),
        (Some((start, _)), Some(conditions)) => {
            let inside = end + 1 + start + "requires(".len();
            Some((inside..inside, format!("{}, ", conditions.strip_suffix(')')?)))
        }
        (Some(_), None) => None,
    }
}

/// Returns the statement `call;`, with its line if it is alone there.
fn statement_range(text: &str, call: Range<usize>) -> Range<usize> {
    let after = &text[call.end..];
    let end = call.end + usize::from(after.starts_with(';'));
    let line = text[..call.start].rfind('\n').map_or(0, |end| end + 1);
    let rest = text[end..].find('\n').map_or(text.len(), |length| end + length + 1);
    let is_alone = text[line..call.start].trim().is_empty() && text[end..rest].trim().is_empty();
    if is_alone { line..rest } else { call.start..end }
}

/// Returns the starts of lines before which a barrier may stand, with their indentation: those of
/// the statements at `starts`, and of the blocks around them.
fn barrier_places(text: &str, starts: &[usize]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for &start in starts {
        let mut line = first_line_of_statement(text, start);
        for _ in 0..=MAX_ENCLOSING_BLOCKS {
            let place = (line, indentation(&text[line..]).to_owned());
            if !found.contains(&place) {
                found.push(place);
            }
            match enclosing_line(text, line) {
                Some(outer) => line = outer,
                None => break,
            }
        }
    }
    found
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the start of the line on which the statement around an offset begins.
fn first_line_of_statement(text: &str, offset: usize) -> usize {
    let mut line = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    while line > 0 {
        let before = text[..line - 1].rfind('\n').map_or(0, |end| end + 1);
        let last = text[before..line].trim();
        if last.is_empty() || last.ends_with([';', '{', '}']) || last.starts_with("//") {
            break;
        }
        line = before;
    }
    line
}

/// Returns the start of the line that opens the block around a line; `None` at a function's.
fn enclosing_line(text: &str, line: usize) -> Option<usize> {
    let inner = indentation(&text[line..]).len();
    let mut at = line;
    while at > 0 {
        let before = text[..at - 1].rfind('\n').map_or(0, |end| end + 1);
        let content = text[before..at].trim();
        if content.ends_with('{') && indentation(&text[before..]).len() < inner {
            let is_function =
                content.split_whitespace().any(|word| word == "fn") || content == ") {";
            return (!is_function).then_some(before);
        }
        at = before;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, (range, new): (Range<usize>, String)) -> String {
        let mut text = text.to_owned();
        text.replace_range(range, &new);
        text
    }

    #[test]
    fn arguments_join_those_of_the_attribute() {
        let add = |text: &str, argument: &str| {
            add_kernel_argument(text, text.find("fn").unwrap(), argument)
                .map(|change| applied(text, change))
        };
        let added = |text: &str, argument: &str| add(text, argument).unwrap();
        assert_eq!(added("#[kernel]\nfn k()", "block = 256"), "#[kernel(block = 256)]\nfn k()");
        assert_eq!(
            added("#[kernel(contract = false)]\nfn k()", "block = (16, 16)"),
            "#[kernel(block = (16, 16), contract = false)]\nfn k()"
        );
        assert_eq!(
            added("#[kernel(requires(a > 1))] fn k()", "requires(b > f(2))"),
            "#[kernel(requires(b > f(2), a > 1))] fn k()"
        );
        assert_eq!(add("#[kernel(block = 32)] fn k()", "block = 256"), None);
    }

    #[test]
    fn the_row_of_the_named_array_is_resized() {
        let text = "let b = shared!([f32; 8]);\nlet tile = shared!([[f32; 32]; 32]);\ntile[0]";
        let help = "pad the row: `shared!([[f32; 33]; 32])`, which frees every access to `tile` of conflicts";
        let change = resize_row(text, text.len(), help).unwrap();
        let expected = "let b = shared!([f32; 8]);\nlet tile = shared!([[f32; 33]; 32]);\ntile[0]";
        assert_eq!(applied(text, change), expected);
        let help = "shorten the row to what is accessed: `shared!([[f32; 16]; 32])`, which frees every access to `tile` of conflicts";
        let change = resize_row(text, text.len(), help).unwrap();
        assert_eq!(applied(text, change), text.replace("[f32; 32]", "[f32; 16]"));
    }

    #[test]
    fn a_barrier_may_stand_before_a_statement_and_the_blocks_around_it() {
        let text =
            "fn k() {\n    a();\n    if b {\n        c(\n            d,\n        );\n    }\n}\n";
        let places = barrier_places(text, &[text.find('d').unwrap()]);
        let lines: Vec<&str> =
            places.iter().map(|(start, _)| text[*start..].lines().next().unwrap()).collect();
        assert_eq!(lines, ["        c(", "    if b {"]);
    }

    #[test]
    fn a_statement_is_removed_with_its_line() {
        let text = "a();\n    b();\nc(); d();";
        let removed = |call: &str| {
            let start = text.find(call).unwrap();
            applied(text, (statement_range(text, start..start + call.len()), String::new()))
        };
        assert_eq!(removed("b()"), "a();\nc(); d();");
        assert_eq!(removed("d()"), "a();\n    b();\nc(); ");
    }
}
