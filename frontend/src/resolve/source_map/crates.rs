//! Detection of paths into other crates, by the file that contains them.
//!
//! The name of a crate is one that the file neither imports nor declares as a module or item. If
//! such a path leads into this crate after all, no harm is done.
use crate::resolve::source_map::{At, File, items::is_module_in, names_of, starred};

/// First names of paths within this crate, or into a known crate.
const KNOWN: [&str; 8] = ["crate", "self", "super", "Self", "std", "core", "alloc", "warpwise"];

/// Maximum length of a chain of imports.
const MOST_USES: usize = 4;

/// Returns true if a path at `at` that begins with `name` leads to another crate. For a name alone
/// this requires that the module around `at` imports it, so that `self::name` is valid, and that no
/// block in the module imports a different one.
pub(crate) fn is_other(file: &File, name: &str, is_alone: bool, at: At) -> bool {
    let module = file.module(at);
    if !is_alone {
        return is_crate(file, name, module, MOST_USES);
    }
    if file.names().may_declare(name) {
        return false;
    }
    match uses(file, name, module).as_slice() {
        [] => file.names().may_have_function(name) && has_all_of_others(file, module),
        [(place, path)] => {
            file.is_of_module(*place, module) && leads_out(file, path, module, MOST_USES)
        }
        _ => false,
    }
}

/// Returns every `use` of this name in the module, including its blocks: position and path.
fn uses(file: &File, name: &str, module: Option<At>) -> Vec<(At, String)> {
    if !file.names().may_bring(name) {
        return Vec::new();
    }
    let uses = file.words().uses(|text| text.contains(name));
    let of_module = uses.filter(|(place, _)| file.module(*place) == module);
    let names = of_module.flat_map(|(place, item)| {
        names_of(&item).into_iter().map(move |(known, path)| (place, known, path))
    });
    let of_name = names.filter(|(_, known, path)| known == name && path != name);
    of_name.map(|(place, _, path)| (place, path)).collect()
}

/// Returns true if a path in the module leads to another crate.
fn leads_out(file: &File, path: &str, module: Option<At>, most_uses: usize) -> bool {
    match path.split_once("::") {
        Some(("", _)) => true,
        Some((first, _)) => is_crate(file, first, module, most_uses),
        None => is_crate(file, path, module, most_uses),
    }
}

/// Returns true if the name stands for another crate in the module, or for an item of one.
fn is_crate(file: &File, name: &str, module: Option<At>, most_uses: usize) -> bool {
    if KNOWN.contains(&name) || most_uses == 0 {
        return false;
    }
    match uses(file, name, module).first() {
        Some((_, path)) => leads_out(file, path, module, most_uses - 1),
        None => !file.names().may_declare(name) && !is_module_in(&file.text, name),
    }
}

/// Returns true if the module itself has a `use` with `*` of another crate, and no `use` with `*`
/// of this crate.
fn has_all_of_others(file: &File, module: Option<At>) -> bool {
    let uses = file.words().uses(|text| text.contains('*'));
    let is_known = |path: &str| ["std", "core", "alloc", "warpwise"].contains(&first(path));
    let mut found = false;
    for (place, item) in uses.filter(|(place, _)| file.module(*place) == module) {
        let mut paths = Vec::new();
        starred(&item.tree, &mut String::new(), &mut paths);
        for path in paths.iter().filter(|path| !is_known(path)) {
            let is_of_module = file.is_of_module(place, module);
            if !is_of_module || !is_crate(file, first(path), module, MOST_USES) {
                return false;
            }
            found = true;
        }
    }
    found
}

/// Returns the first segment of a path.
fn first(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for a path at the `@` of a text.
    fn is_other_at(path: &str, text: &str) -> bool {
        let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        is_other(&File::read(text.replace('@', " ")), first(path), !path.contains("::"), at)
    }

    #[test]
    fn paths_lead_to_other_crates() {
        for (path, text) in [
            ("geometry::far", "fn k() { @ }"),
            ("host::far", "use geometry::host; fn k() { @ }"),
            ("h::far", "use geometry::{self as g}; use g::host as h; fn k() { @ }"),
            ("far", "use geometry::far; fn k() { @ }"),
            ("f", "mod a { use ::geometry::far as f; fn k() { if true { @ } } }"),
            ("far", "use warpwise::prelude::*; use geometry::*; fn k() { @ }"),
        ] {
            assert!(is_other_at(path, text), "{path} in {text}");
        }
    }

    #[test]
    fn paths_of_this_crate_do_not() {
        for (path, text) in [
            ("geometry::far", "mod geometry; fn k() { @ }"),
            ("crate::far", "fn k() { @ }"),
            ("host::far", "use super::host; fn k() { @ }"),
            ("std::far", "fn k() { @ }"),
            ("far", "fn k() { @ }"),
            ("far", "fn far() {} fn k() { @ }"),
            ("far", "use crate::far; fn k() { @ }"),
            ("far", "use warpwise::prelude::*; fn k() { @ }"),
            ("far", "use geometry::*; use super::*; fn k() { @ }"),
        ] {
            assert!(!is_other_at(path, text), "{path} in {text}");
        }
    }

    #[test]
    fn names_that_a_block_may_have_are_not_the_modules() {
        for text in [
            "use geometry::far; fn f() { fn far() {} fn k() { @ } }",
            "fn f() { use geometry::far; fn k() { @ } }",
            "fn f() { use geometry::*; fn k() { @ } }",
            "use geometry::far; fn f() { use a::far; fn k() { @ } }",
        ] {
            assert!(!is_other_at("far", text), "{text}");
        }
    }
}
