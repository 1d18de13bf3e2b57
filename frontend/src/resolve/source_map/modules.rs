//! Lookup of host items in other modules, which kernel code reaches by a path or a `use`.
//!
//! rustc only reports a missing macro for such a path. For a better message, this module follows
//! the path through the files of the crate. It gives up at attributes on modules, re-exports, `*`
//! and other crates.
use crate::resolve::source_map::{
    LineColumn, SourceFile, imported_names,
    items::{HostItem, find_host_item, has_plain_device_item, has_private_item},
    load_file,
    scanner::is_name,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A host item in another module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ItemElsewhere {
    /// Its name there.
    pub(crate) name: String,
    /// Its kind and line.
    pub(crate) item: HostItem,
    /// Its file, if that is another one.
    pub(crate) file: Option<PathBuf>,
}

/// Maximum length of a chain of imports.
const MAX_IMPORT_CHAIN: usize = 4;

/// Returns the host item in another module that `path` leads to from the position `position` in the
/// file `here`.
pub(crate) fn find_item_elsewhere(
    here: &Path,
    position: LineColumn,
    path: &[String],
) -> Option<ItemElsewhere> {
    let start = SourceModule::around(here, position)?;
    let (name, way) =
        resolve_first_name(&start, path)?.split_last().map(|(n, w)| (n.clone(), w.to_vec()))?;
    let module = way.iter().try_fold(start, |module, step| module.resolve_segment(step))?;
    let item = find_host_item(&module.file, &name, module.position_inside())?;
    let file = (module.path != here).then_some(module.path);
    Some(ItemElsewhere { name, item, file })
}

/// Returns true if `path` leads from the position `position` in the file `here` to an item that is
/// private in a module that is not around the position.
pub(crate) fn is_private_elsewhere(here: &Path, position: LineColumn, path: &[String]) -> bool {
    let find = || {
        let start = SourceModule::around(here, position)?;
        let path = resolve_first_name(&start, path)?;
        let (name, way) = path.split_last()?;
        let module = way.iter().try_fold(start, |module, step| module.resolve_segment(step))?;
        let mut around = SourceModule::around(here, position);
        while let Some(current) = around {
            if (&current.path, current.open) == (&module.path, module.open) {
                return None;
            }
            around = current.parent_module();
        }
        Some(has_private_item(&module.file, name, module.position_inside()))
    };
    find() == Some(true)
}

/// Returns true if `path` leads from the position `position` in the file `here` to an item with
/// `#[device]`, as a plain name, in a module that imports nothing which may be that attribute.
pub(crate) fn lacks_attribute(here: &Path, position: LineColumn, path: &[String]) -> bool {
    let find = || {
        let start = SourceModule::around(here, position)?;
        let path = resolve_first_name(&start, path)?;
        let (name, way) = path.split_last()?;
        let module = way.iter().try_fold(start, |module, step| module.resolve_segment(step))?;
        let imports_it = |place: LineColumn, text: &str| {
            module.file.module_around(place) == module.open
                && (text.contains('*') || text.contains("device"))
        };
        let words = module.file.code_text();
        let mut uses = words.text.match_indices("use ");
        let is_imported = uses.any(|(start, _)| {
            let rest = &words.text[start..];
            imports_it(words.places[start], &rest[..rest.find(';').unwrap_or(rest.len())])
        });
        let has_item = has_plain_device_item(&module.file, name, module.position_inside());
        Some(!is_imported && !words.text.contains("macro_use") && has_item)
    };
    find() == Some(true)
}

/// Returns the path of the item of Warpwise that re-exports give another name, from the position
/// `position` in the file `here`: `warpwise::F32x2` for a `Pair` of `use crate::types::Pair`, where
/// `types` has `pub use warpwise::F32x2 as Pair`.
pub(crate) fn find_reexported_item(
    here: &Path,
    position: LineColumn,
    name: &str,
) -> Option<String> {
    let mut module = SourceModule::around(here, position)?;
    let mut path = module.unique_import(name)?;
    for _ in 0..MAX_IMPORT_CHAIN {
        let (last, way) = path.split_last()?;
        if path[0] == "warpwise" {
            return (last != name).then(|| path.join("::"));
        }
        module = way.iter().try_fold(module, |module, step| module.resolve_segment(step))?;
        path = module.unique_import(last)?;
    }
    None
}

/// Replaces the first name of `path` by its imported path; `None` if the path stays in this module.
fn resolve_first_name(start: &SourceModule, path: &[String]) -> Option<Vec<String>> {
    let mut path = path.to_vec();
    for _ in 0..MAX_IMPORT_CHAIN {
        let Some(imported) = start.unique_import(path.first()?) else { break };
        path.splice(0..1, imported);
    }
    (path.len() > 1).then_some(path)
}

/// A module: its file, and its opening brace if it is inline.
struct SourceModule {
    path: PathBuf,
    file: Arc<SourceFile>,
    open: Option<LineColumn>,
}

impl SourceModule {
    fn around(path: &Path, position: LineColumn) -> Option<Self> {
        let file = load_file(path)?;
        let open = file.module_around(position);
        Some(Self { path: path.to_owned(), file, open })
    }

    /// Returns the root module of a file.
    fn whole_file(path: PathBuf) -> Option<Self> {
        Some(Self { file: load_file(&path)?, path, open: None })
    }

    /// Returns a position inside of the module.
    fn position_inside(&self) -> LineColumn {
        self.open.map_or((1, 0), |(line, column)| (line, column + 1))
    }

    /// Follows one segment of a path.
    fn resolve_segment(self, name: &str) -> Option<Self> {
        match name {
            "self" => Some(self),
            "super" => self.parent_module(),
            "crate" => self.root_module(),
            _ => self.child_module(name),
        }
    }

    /// Returns the path that a unique `use` in this module imports under `name`.
    fn unique_import(&self, name: &str) -> Option<Vec<String>> {
        let words = self.file.code_text();
        let mut found = words
            .use_items(|text| text.contains(name))
            .filter(|(place, _)| self.file.module_around(*place) == self.open)
            .flat_map(|(_, item)| imported_names(&item))
            .filter(|(known, path)| known == name && path.contains("::"))
            .map(|(_, path)| path.split("::").map(str::to_owned).collect());
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Returns the child module of this name, if it is declared exactly once and without
    /// attributes other than `#[device]`.
    fn child_module(&self, name: &str) -> Option<Self> {
        let words = self.file.code_text();
        let mut found = words.text.match_indices(name).filter_map(|(start, _)| {
            let (before, after) =
                (&words.text[..start], words.text[start + name.len()..].trim_start());
            let before = before.trim_end().strip_suffix("mod").filter(|_| before.ends_with(' '))?;
            let is_here = self.file.module_around(words.places[start]) == self.open;
            (is_here && !before.ends_with(is_name)).then_some((before, after))
        });
        let (before, after) = found.next().filter(|_| found.next().is_none())?;
        let before = before.trim_end();
        let before = before.strip_suffix("pub").map_or(before, str::trim_end);
        let before = before.strip_suffix("#[device]").map_or(before, str::trim_end);
        if before.ends_with([']', ')']) {
            return None;
        }
        if after.starts_with('{') {
            let open = words.places[words.text.len() - after.len()];
            return Some(Self {
                open: Some(open),
                path: self.path.clone(),
                file: self.file.clone(),
            });
        }
        if !after.starts_with(';') || self.open.is_some() {
            return None;
        }
        let directory = self.submodule_directory()?;
        only_existing([directory.join(format!("{name}.rs")), directory.join(name).join("mod.rs")])
    }

    /// Returns the directory of the files of child modules.
    fn submodule_directory(&self) -> Option<PathBuf> {
        let (parent, stem) = (self.path.parent()?, self.path.file_stem()?);
        let is_root = stem == "mod" || is_crate_root(&self.path);
        Some(if is_root { parent.to_owned() } else { parent.join(stem) })
    }

    fn parent_module(self) -> Option<Self> {
        if let Some(open) = self.open {
            return Self::around(&self.path, open);
        }
        if is_crate_root(&self.path) {
            return None;
        }
        let parent = self.path.parent()?;
        let directory = if self.path.file_stem()? == "mod" { parent.parent()? } else { parent };
        let beside = directory.with_extension("rs");
        only_existing([
            beside,
            directory.join("mod.rs"),
            directory.join("lib.rs"),
            directory.join("main.rs"),
        ])
    }

    fn root_module(self) -> Option<Self> {
        if is_crate_root(&self.path) {
            return Self::whole_file(self.path);
        }
        let directories = self.path.ancestors().skip(1);
        directories.into_iter().find_map(|directory| {
            only_existing([directory.join("lib.rs"), directory.join("main.rs")])
        })
    }
}

/// Returns true if the file name is that of a crate root.
fn is_crate_root(path: &Path) -> bool {
    let has_name = |path: &Path, names: &[&str]| {
        path.file_name().is_some_and(|name| names.iter().any(|known| name == *known))
    };
    has_name(path, &["lib.rs", "main.rs"])
        || path
            .parent()
            .is_some_and(|parent| has_name(parent, &["tests", "examples", "benches", "bin"]))
}

/// Returns the module of the only existing file among `paths`.
fn only_existing<const N: usize>(paths: [PathBuf; N]) -> Option<SourceModule> {
    let mut there = paths.into_iter().filter(|path| path.is_file());
    let first = there.next()?;
    there.next().is_none().then(|| SourceModule::whole_file(first)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the host item that `path` leads to at the `@` of the file `of`, with `files` written
    /// to a test folder.
    fn far(test: &str, files: &[(&str, &str)], of: &str, path: &str) -> Option<(String, String)> {
        let root = std::env::temp_dir().join(format!("warpwise-{test}-{}", std::process::id()));
        let mut at = (1, 1);
        for (name, text) in files {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent()?).ok()?;
            if let Some((before, _)) = text.split_once('@').filter(|_| *name == of) {
                at = (before.matches('\n').count() + 1, before.rsplit('\n').next()?.len() + 1);
            }
            std::fs::write(file, text.replace('@', " ")).ok()?;
        }
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        let found = find_item_elsewhere(&root.join(of), at, &path);
        std::fs::remove_dir_all(&root).ok()?;
        let ItemElsewhere { name, item, file } = found?;
        let file = file.map(|file| file.strip_prefix(&root).unwrap().display().to_string());
        Some((format!("{} {name} {}", item.keyword, item.line), file.unwrap_or_default()))
    }

    #[test]
    fn modules_of_the_file_are_gone_through() {
        let text = "use a::{b, W as V};\npub mod a {\n  pub const W: u32 = 1; use super::top;\n  \
                    pub mod b { pub fn f() {} mod c { @ } }\n  #[device] pub fn g() {}\n  pub use b::f as h; }\n\
                    fn top() {} #[cfg(x)] mod d { pub fn f() {} }";
        let at = |path| far("inline", &[("lib.rs", text)], "lib.rs", path).map(|found| found.0);
        assert_eq!(at("super::f").as_deref(), Some("fn f 4"));
        assert_eq!(at("super::super::W").as_deref(), Some("const W 3"));
        assert_eq!(at("crate::top").as_deref(), Some("fn top 7"));
        for path in ["f", "super::super::g", "crate::d::f", "crate::a::h", "other::f", "super::x"] {
            assert_eq!(at(path), None, "{path}");
        }
        let top = text.replace('@', " ") + " @";
        let at = |path| far("use", &[("lib.rs", &top)], "lib.rs", path).map(|found| found.0);
        assert_eq!(at("b::f").as_deref(), Some("fn f 4"));
        assert_eq!(at("V").as_deref(), Some("const W 3"));
        assert_eq!(at("W"), None);
    }

    #[test]
    fn private_items_are_visible_inside_of_their_module() {
        let text = "mod a { #[device] const fn f() {} pub(crate) fn g() {} pub const unsafe fn h() {} }\n\
                    #[device] mod b { mod c {   } fn f() {} pub fn g() {} }\nfn top() {}";
        let file = std::env::temp_dir().join(format!("warpwise-private-{}.rs", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let is_private = |position, path: &str| {
            let path: Vec<String> = path.split("::").map(str::to_owned).collect();
            is_private_elsewhere(&file, position, &path)
        };
        assert!(is_private((3, 1), "a::f"));
        assert!(is_private((3, 1), "b::f"));
        for path in ["a::g", "a::h", "a::i", "b::g", "top", "self::top", "c::f"] {
            assert!(!is_private((3, 1), path), "{path}");
        }
        assert!(!is_private((2, 27), "super::f"));
        assert!(!is_private((2, 27), "super::super::top"));
        assert!(is_private((2, 27), "super::super::a::f"));
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn attributes_that_a_module_does_not_import_are_known() {
        let text = "use warpwise::prelude::*;\nmod a { #[device] pub fn f() {} pub fn g() {} }\n\
                    mod b { use warpwise::device; #[device] pub fn f() {} }\n\
                    mod c { use super::*; #[device] pub fn f() {} }\n\
                    mod d { #[warpwise::device] pub fn f() {} }\n#[device] fn f() {}";
        let file =
            std::env::temp_dir().join(format!("warpwise-attributes-{}.rs", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let lacks = |path: &str| {
            let path: Vec<String> = path.split("::").map(str::to_owned).collect();
            lacks_attribute(&file, (1, 1), &path)
        };
        assert!(lacks("a::f"));
        for path in ["a::g", "b::f", "c::f", "d::f", "self::f"] {
            assert!(!lacks(path), "{path}");
        }
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn renames_are_followed_through_reexports() {
        let text = "use types::{Pair, b, Own, bits};\n\
                    mod types { pub use super::inner::V as Pair; pub use warpwise::bits as b;\n \
                    pub use warpwise::bits; \
                    pub struct Own; }\n\
                    mod inner { pub use warpwise::F32x2 as V; }";
        let file =
            std::env::temp_dir().join(format!("warpwise-reexports-{}.rs", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let found = |name| find_reexported_item(&file, (1, 1), name);
        assert_eq!(found("Pair").as_deref(), Some("warpwise::F32x2"));
        assert_eq!(found("b").as_deref(), Some("warpwise::bits"));
        for name in ["Own", "V", "bits"] {
            assert_eq!(found(name), None, "{name}");
        }
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn files_are_gone_through() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub fn f() {}\n#[path = \"b.rs\"] mod c;"),
            ("a.rs", "use crate::b::Pair;\nuse super::b::d::g;\n@"),
            ("b/mod.rs", "pub struct Pair; pub mod d; pub mod e;"),
            ("b/d.rs", "\npub fn g() {} #[device] fn h() {} @"),
            ("b/e.rs", ""),
            ("b/e/mod.rs", "pub fn f() {}"),
        ];
        let at = |test, of, path| {
            far(test, &files, of, path).map(|(item, file)| format!("{item} {file}"))
        };
        assert_eq!(at("1", "a.rs", "Pair").as_deref(), Some("struct Pair 1 b/mod.rs"));
        assert_eq!(at("2", "a.rs", "g").as_deref(), Some("fn g 2 b/d.rs"));
        assert_eq!(at("3", "a.rs", "crate::f").as_deref(), Some("fn f 3 lib.rs"));
        assert_eq!(at("4", "b/d.rs", "super::super::f").as_deref(), Some("fn f 3 lib.rs"));
        assert_eq!(at("5", "b/d.rs", "super::Pair").as_deref(), Some("struct Pair 1 b/mod.rs"));
        for (test, path) in
            [("6", "crate::b::d::h"), ("7", "crate::b::e::f"), ("8", "crate::c::Pair")]
        {
            assert_eq!(at(test, "a.rs", path), None, "{path}");
        }
    }
}
