//! Detection of paths into other crates, by the file that contains them.
//!
//! The name of a crate is one that the file neither imports nor declares as a module or item. If
//! such a path leads into this crate after all, no harm is done.
use crate::resolve::source_map::{
    LineColumn, SourceFile, collect_globs, imported_names, items::declares_module,
};

/// First names of paths within this crate, or into a known crate.
const KNOWN_ROOTS: [&str; 8] =
    ["crate", "self", "super", "Self", "std", "core", "alloc", "warpwise"];

/// Maximum length of a chain of imports.
const MAX_IMPORT_CHAIN: usize = 4;

/// Returns true if a path at `position` that begins with `name` leads to another crate. For a name
/// alone this requires that the module around `position` imports it, so that `self::name` is valid,
/// and that no block in the module imports a different one.
pub(crate) fn leads_to_other_crate(
    file: &SourceFile,
    name: &str,
    is_alone: bool,
    position: LineColumn,
) -> bool {
    let module = file.module_around(position);
    if !is_alone {
        return is_crate_name(file, name, module, MAX_IMPORT_CHAIN);
    }
    if file.names().may_declare(name) {
        return false;
    }
    match imports_of_name(file, name, module).as_slice() {
        [] => file.names().may_have_function(name) && has_foreign_glob(file, module),
        [(place, path)] => {
            file.is_directly_in(*place, module)
                && leaves_crate(file, path, module, MAX_IMPORT_CHAIN)
        }
        _ => false,
    }
}

/// Returns every `use` of this name in the module, including its blocks: position and path.
fn imports_of_name(
    file: &SourceFile,
    name: &str,
    module: Option<LineColumn>,
) -> Vec<(LineColumn, String)> {
    if !file.names().may_import(name) {
        return Vec::new();
    }
    let uses = file.code_text().use_items(|text| text.contains(name));
    let of_module = uses.filter(|(place, _)| file.module_around(*place) == module);
    let names = of_module.flat_map(|(place, item)| {
        imported_names(&item).into_iter().map(move |(known, path)| (place, known, path))
    });
    let of_name = names.filter(|(_, known, path)| known == name && path != name);
    of_name.map(|(place, _, path)| (place, path)).collect()
}

/// Returns true if a path in the module leads to another crate.
fn leaves_crate(
    file: &SourceFile,
    path: &str,
    module: Option<LineColumn>,
    most_uses: usize,
) -> bool {
    match path.split_once("::") {
        Some(("", _)) => true,
        Some((first, _)) => is_crate_name(file, first, module, most_uses),
        None => is_crate_name(file, path, module, most_uses),
    }
}

/// Returns true if the name stands for another crate in the module, or for an item of one.
fn is_crate_name(
    file: &SourceFile,
    name: &str,
    module: Option<LineColumn>,
    most_uses: usize,
) -> bool {
    if KNOWN_ROOTS.contains(&name) || most_uses == 0 {
        return false;
    }
    match imports_of_name(file, name, module).first() {
        Some((_, path)) => leaves_crate(file, path, module, most_uses - 1),
        None => !file.names().may_declare(name) && !declares_module(&file.text, name),
    }
}

/// Returns true if the module itself has a `use` with `*` of another crate, and no `use` with `*`
/// of this crate.
fn has_foreign_glob(file: &SourceFile, module: Option<LineColumn>) -> bool {
    let uses = file.code_text().use_items(|text| text.contains('*'));
    let is_known = |path: &str| ["std", "core", "alloc", "warpwise"].contains(&first_segment(path));
    let mut found = false;
    for (place, item) in uses.filter(|(place, _)| file.module_around(*place) == module) {
        let mut paths = Vec::new();
        collect_globs(&item.tree, &mut String::new(), &mut paths);
        for path in paths.iter().filter(|path| !is_known(path)) {
            let is_of_module = file.is_directly_in(place, module);
            if !is_of_module || !is_crate_name(file, first_segment(path), module, MAX_IMPORT_CHAIN)
            {
                return false;
            }
            found = true;
        }
    }
    found
}

/// Returns the first segment of a path.
fn first_segment(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for a path at the `@` of a text.
    fn is_other_at(path: &str, text: &str) -> bool {
        let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        leads_to_other_crate(
            &SourceFile::new(text.replace('@', " ")),
            first_segment(path),
            !path.contains("::"),
            at,
        )
    }

    #[test]
    fn paths_lead_to_other_crates() {
        for (path, text) in [
            ("geometry::far", "fn k() { @ }"),
            ("host::far", "use geometry::host; fn k() { @ }"),
            ("h::far", "use geometry::{self as g}; use g::host as h; fn k() { @ }"),
            ("far", "use geometry::far; fn k() { @ }"),
            ("f", "mod a { use ::geometry::far as f; fn k() { if true { @ } } }"),
            ("far", "use warpwise::prelude::*; use syn::*; fn k() { @ }"),
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
