//! Attributes in a source file: those of an item that a macro does not get, and those that decide
//! whether an item is kernel code, or is there at all.
use crate::resolve::source_map::{LineColumn, SourceFile, items::ends_with_word, scanner::is_name};
use syn::{Expr, ExprLit, Lit, Meta, MetaList, MetaNameValue, Token, punctuated::Punctuated};

/// Qualifiers between an item's attributes and its keyword.
const QUALIFIERS: [&str; 6] = ["pub", "const", "unsafe", "async", "auto", "extern"];

/// Returns true if a `#[cfg]` of the item at `place` does not hold in this build.
pub(super) fn is_configured_out(file: &SourceFile, place: LineColumn) -> bool {
    let Some(start) = file.offset_of(place) else { return false };
    let mut before = file.text[..start].trim_end();
    loop {
        before = without_comment(before);
        if let Some(rest) = without_qualifier(before) {
            before = rest.trim_end();
        } else if let Some((rest, attribute)) = split_last_attribute(before) {
            let holds = syn::parse_str::<Meta>(attribute).ok().and_then(|meta| match meta {
                Meta::List(list) if list.path.is_ident("cfg") => {
                    cfg_holds(&list.parse_args().ok()?)
                }
                _ => None,
            });
            if holds == Some(false) {
                return true;
            }
            before = rest;
        } else {
            return false;
        }
    }
}

/// Returns whether the condition of a `#[cfg]` holds, as far as rustc's arguments show: `test`,
/// features, and combinations of those.
fn cfg_holds(condition: &Meta) -> Option<bool> {
    let parts = |list: &MetaList| {
        let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
        Some(parts.iter().map(cfg_holds).collect::<Vec<_>>())
    };
    match condition {
        Meta::Path(path) if path.is_ident("test") => has_rustc_argument("--test"),
        Meta::NameValue(MetaNameValue {
            path,
            value: Expr::Lit(ExprLit { lit: Lit::Str(feature), .. }),
            ..
        }) if path.is_ident("feature") => {
            has_rustc_argument(&format!("feature=\"{}\"", feature.value()))
        }
        Meta::List(list) if list.path.is_ident("not") => {
            cfg_holds(&list.parse_args().ok()?).map(|holds| !holds)
        }
        Meta::List(list) if list.path.is_ident("all") => match parts(list)? {
            parts if parts.contains(&Some(false)) => Some(false),
            parts => parts.into_iter().try_fold(true, |all, part| part.map(|holds| all && holds)),
        },
        Meta::List(list) if list.path.is_ident("any") => match parts(list)? {
            parts if parts.contains(&Some(true)) => Some(true),
            parts => parts.into_iter().try_fold(false, |any, part| part.map(|holds| any || holds)),
        },
        _ => None,
    }
}

/// Returns true if rustc was called with this argument; `None` if its arguments are in a file.
fn has_rustc_argument(wanted: &str) -> Option<bool> {
    let mut is_found = false;
    for argument in std::env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        if argument.starts_with('@') {
            return None;
        }
        is_found |= argument == wanted;
    }
    Some(is_found)
}

/// Returns true if the item at `start` is, or may be, kernel code by an attribute, or if the text
/// before it shows that it is not an item. The `text` is that of `file`, or its code alone.
pub(super) fn may_be_device_item(file: &SourceFile, text: &str, start: usize) -> bool {
    let mut before = text[..start].trim_end();
    loop {
        before = without_comment(before);
        if let Some(rest) = without_qualifier(before) {
            before = rest.trim_end();
        } else if let Some((rest, attribute)) = split_last_attribute(before) {
            if may_be_ours(file, attribute) {
                return true;
            }
            before = rest;
        } else {
            return !(before.is_empty() || before.ends_with([';', '{', '}', ']']));
        }
    }
}

/// Returns true if an attribute is, or may become, `#[device]` or `#[kernel]`. One with a longer
/// name has to come from somewhere: by a path, or by a `use` in the file.
fn may_be_ours(file: &SourceFile, attribute: &str) -> bool {
    if attribute.contains("macro") {
        return true;
    }
    let words = || attribute.split(|char| !is_name(char)).filter(|word| !word.is_empty());
    if words().any(|word| word == "device" || word == "kernel") {
        return true;
    }
    let Some(name) = words().next() else { return false };
    let names = file.names();
    let is_brought = attribute.contains("::") || names.may_import(name) || names.has_globs();
    let is_similar = |known: &&str| {
        attribute.contains(*known) || file.text.contains(&format!("{known} as {name}"))
    };
    is_brought && ["device", "kernel"].iter().any(is_similar)
}

/// Returns the traits that `#[derive(..)]` attributes directly above `position` name: the last
/// names of their paths.
pub(crate) fn derives_above(file: &SourceFile, position: LineColumn) -> Vec<String> {
    // No scan of the whole file: most types have nothing above `#[device]`.
    let Some(end) = file.offset_of(position) else { return Vec::new() };
    let mut before = file.text[..end].trim_end().trim_end_matches("#[").trim_end();
    let mut found = Vec::new();
    while let Some((rest, attribute)) = split_last_attribute(without_comment(before)) {
        let derived = attribute.trim().strip_prefix("derive").map(str::trim_start);
        let names = derived.and_then(|list| list.strip_prefix('(')?.strip_suffix(')'));
        found.extend(names.into_iter().flat_map(|names| names.split(',')).filter_map(|name| {
            let name = name.rsplit("::").next()?.trim();
            (!name.is_empty()).then(|| name.to_owned())
        }));
        before = rest;
    }
    found
}

/// Returns the text before the attribute at the end of `text`, and what is between its brackets.
fn split_last_attribute(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(']')?;
    let open = inner.rfind("#[")?;
    Some((inner[..open].trim_end(), &inner[open + 2..]))
}

/// Returns `text` without trailing comments: whole lines, and those behind an attribute.
fn without_comment(mut text: &str) -> &str {
    loop {
        let line = text.rfind('\n').map_or(0, |end| end + 1);
        let Some(comment) = text[line..].find("//") else { return text };
        let code = text[line..line + comment].trim_end();
        if !code.is_empty() && !code.ends_with(']') {
            return text;
        }
        text = text[..line + comment].trim_end();
    }
}

/// Returns `text` without a trailing item qualifier: `pub`, `pub(crate)`, `unsafe`, `extern "C"`.
pub(super) fn without_qualifier(text: &str) -> Option<&str> {
    if text.ends_with(')')
        && let Some(open) = text.rfind('(')
    {
        let before = text[..open].trim_end();
        return ends_with_word(before, "pub").then(|| &before[..before.len() - 3]);
    }
    let text = text.strip_suffix("\"C\"").map_or(text, str::trim_end);
    let word = QUALIFIERS.into_iter().find(|word| ends_with_word(text, word))?;
    Some(&text[..text.len() - word.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_nothing_imports_are_not_ours() {
        let is_ours = |text: &str| {
            let file = SourceFile::new(text.to_owned());
            may_be_device_item(&file, text, text.find("fn f").unwrap())
        };
        assert!(is_ours("#[device] fn f() {}"));
        assert!(is_ours("#[warpwise::device]\n#[inline] fn f() {}"));
        assert!(is_ours("#[cfg_attr(a, device)] fn f() {}"));
        assert!(is_ours("use mine::gpu_device; #[gpu_device] fn f() {}"));
        assert!(is_ours("use syn::*; #[gpu_device] fn f() {}"));
        assert!(is_ours("use warpwise::Num; use crate::prelude::*; #[gpu_device] fn f() {}"));
        assert!(is_ours("use warpwise::{device as gpu, kernel}; #[gpu] fn f() {}"));
        assert!(!is_ours("use warpwise::prelude::*; #[cuda_device] fn f() {}"));
        assert!(!is_ours("#[inline] fn f() {}"));
    }

    #[test]
    fn derives_above_an_attribute_are_found() {
        let derived = |text: &str| {
            let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
            let at = (before.len(), before.last().unwrap().chars().count() + 1);
            derives_above(&SourceFile::new(text.replace('@', "#")), at).join(" ")
        };
        assert_eq!(derived("#[derive(Clone, Copy)]\n@[device] struct S;"), "Clone Copy");
        let with_comments =
            "#[derive(std::cmp::PartialEq,)] // x\n/// Docs.\n#[repr(C)] // ]\n  // x\n@[device]";
        assert_eq!(derived(with_comments), "PartialEq");
        assert_eq!(derived("#[derive(Clone)] struct A;\n@[device] struct S;"), "");
        assert_eq!(derived("@[device] #[derive(Clone)] struct S;"), "");
    }
}
