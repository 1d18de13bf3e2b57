//! Lookup of host items in other modules, which kernel code reaches by a path or a `use`.
//!
//! rustc only reports a missing macro for such a path. For a better message, this module follows
//! the path through the files of the crate. It gives up at attributes on modules, re-exports, `*`
//! and other crates.
use crate::resolve::source_map::{
    At, File, file,
    items::{HostItem, host_item},
    names_of,
    scanner::is_name,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A host item in another module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FarItem {
    /// Its name there.
    pub(crate) name: String,
    /// Its kind and line.
    pub(crate) item: HostItem,
    /// Its file, if that is another one.
    pub(crate) file: Option<PathBuf>,
}

/// Maximum length of a chain of imports.
const MOST_USES: usize = 4;

/// Returns the host item in another module that `path` leads to from the position `at` in the file
/// `here`.
pub(crate) fn far_item(here: &Path, at: At, path: &[String]) -> Option<FarItem> {
    let start = Module::around(here, at)?;
    let (name, way) =
        full_path(&start, path)?.split_last().map(|(n, w)| (n.clone(), w.to_vec()))?;
    let module = way.iter().try_fold(start, |module, step| module.step(step))?;
    let item = host_item(&module.file, &name, module.inside())?;
    let file = (module.path != here).then_some(module.path);
    Some(FarItem { name, item, file })
}

/// Replaces the first name of `path` by its imported path; `None` if the path stays in this module.
fn full_path(start: &Module, path: &[String]) -> Option<Vec<String>> {
    let mut path = path.to_vec();
    for _ in 0..MOST_USES {
        let Some(imported) = start.imported(path.first()?) else { break };
        path.splice(0..1, imported);
    }
    (path.len() > 1).then_some(path)
}

/// A module: its file, and its opening brace if it is inline.
struct Module {
    path: PathBuf,
    file: Arc<File>,
    open: Option<At>,
}

impl Module {
    fn around(path: &Path, at: At) -> Option<Self> {
        let file = file(path)?;
        let open = file.module(at);
        Some(Self { path: path.to_owned(), file, open })
    }

    /// Returns the root module of a file.
    fn whole(path: PathBuf) -> Option<Self> {
        Some(Self { file: file(&path)?, path, open: None })
    }

    /// Returns a position inside of the module.
    fn inside(&self) -> At {
        self.open.map_or((1, 0), |(line, column)| (line, column + 1))
    }

    /// Follows one segment of a path.
    fn step(self, name: &str) -> Option<Self> {
        match name {
            "self" => Some(self),
            "super" => self.parent(),
            "crate" => self.root(),
            _ => self.child(name),
        }
    }

    /// Returns the path that a unique `use` in this module imports under `name`.
    fn imported(&self, name: &str) -> Option<Vec<String>> {
        let words = self.file.words();
        let mut found = words
            .uses(|text| text.contains(name))
            .filter(|(place, _)| self.file.module(*place) == self.open)
            .flat_map(|(_, item)| names_of(&item))
            .filter(|(known, path)| known == name && path.contains("::"))
            .map(|(_, path)| path.split("::").map(str::to_owned).collect());
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Returns the child module of this name, if it is declared exactly once and without
    /// attributes.
    fn child(&self, name: &str) -> Option<Self> {
        let words = self.file.words();
        let mut found = words.text.match_indices(name).filter_map(|(start, _)| {
            let (before, behind) =
                (&words.text[..start], words.text[start + name.len()..].trim_start());
            let before = before.trim_end().strip_suffix("mod").filter(|_| before.ends_with(' '))?;
            let is_here = self.file.module(words.places[start]) == self.open;
            (is_here && !before.ends_with(is_name)).then_some((before, behind))
        });
        let (before, behind) = found.next().filter(|_| found.next().is_none())?;
        let before = before.trim_end();
        let before = before.strip_suffix("pub").map_or(before, str::trim_end);
        if before.ends_with([']', ')']) {
            return None;
        }
        if behind.starts_with('{') {
            let open = words.places[words.text.len() - behind.len()];
            return Some(Self {
                open: Some(open),
                path: self.path.clone(),
                file: self.file.clone(),
            });
        }
        if !behind.starts_with(';') || self.open.is_some() {
            return None;
        }
        let directory = self.directory()?;
        only([directory.join(format!("{name}.rs")), directory.join(name).join("mod.rs")])
    }

    /// Returns the directory of the files of child modules.
    fn directory(&self) -> Option<PathBuf> {
        let (parent, stem) = (self.path.parent()?, self.path.file_stem()?);
        let is_root = stem == "mod" || is_root(&self.path);
        Some(if is_root { parent.to_owned() } else { parent.join(stem) })
    }

    fn parent(self) -> Option<Self> {
        if let Some(open) = self.open {
            return Self::around(&self.path, open);
        }
        if is_root(&self.path) {
            return None;
        }
        let parent = self.path.parent()?;
        let directory = match self.path.file_stem()? == "mod" {
            true => parent.parent()?,
            false => parent,
        };
        let beside = directory.with_extension("rs");
        only([
            beside,
            directory.join("mod.rs"),
            directory.join("lib.rs"),
            directory.join("main.rs"),
        ])
    }

    fn root(self) -> Option<Self> {
        if is_root(&self.path) {
            return Self::whole(self.path);
        }
        let directories = self.path.ancestors().skip(1);
        directories
            .into_iter()
            .find_map(|directory| only([directory.join("lib.rs"), directory.join("main.rs")]))
    }
}

/// Returns true if the file name is that of a crate root.
fn is_root(path: &Path) -> bool {
    let of = |path: &Path, names: &[&str]| {
        path.file_name().is_some_and(|name| names.iter().any(|known| name == *known))
    };
    of(path, &["lib.rs", "main.rs"])
        || path.parent().is_some_and(|parent| of(parent, &["tests", "examples", "benches", "bin"]))
}

/// Returns the module of the only existing file among `paths`.
fn only<const N: usize>(paths: [PathBuf; N]) -> Option<Module> {
    let mut there = paths.into_iter().filter(|path| path.is_file());
    let first = there.next()?;
    there.next().is_none().then(|| Module::whole(first)).flatten()
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
        let found = far_item(&root.join(of), at, &path);
        std::fs::remove_dir_all(&root).ok()?;
        let FarItem { name, item, file } = found?;
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
