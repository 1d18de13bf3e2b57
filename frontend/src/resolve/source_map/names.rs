//! The names that a source file declares or imports, collected once since kernels look up every
//! name.
use crate::resolve::source_map::items::{ITEM_KEYWORDS, split_words};
use crate::{
    attr::build_settings::Build,
    resolve::source_map::{SourceFile, scanner::is_name},
    syntax::{item, suggest::edit_distance},
};
use std::{collections::HashSet, mem::replace};

/// The names of a file by a text search, including those in comments and literals.
#[derive(Default)]
pub(crate) struct FileNames {
    /// Words after the keyword of an item.
    declared: HashSet<String>,
    /// Words after `fn`.
    functions: HashSet<String>,
    /// Words after `mod`.
    modules: HashSet<String>,
    /// Words of a `use`.
    imported: HashSet<String>,
    /// True if there is a glob import other than those of Warpwise's prelude and root, or if the
    /// imports are those of a file that includes this one.
    has_globs: bool,
    /// True if there is such a glob import other than `super::*`.
    has_far_globs: bool,
    /// True if a prelude is imported, which may be one that has Warpwise's.
    has_prelude: bool,
    /// True if a macro other than std's and Warpwise's is called outside of functions, where it may
    /// make items.
    has_macros: bool,
    /// True if the file declares traits.
    has_traits: bool,
    /// Words after `macro_rules`.
    rules: HashSet<String>,
}

impl FileNames {
    pub(crate) fn collect(file: &SourceFile) -> Self {
        let text = file.text.as_str();
        // Most files call no such macro, and need no scan by character.
        let calls_unknown = unknown_macros(text).next().is_some();
        let has_macros = calls_unknown && may_make_items(&file.code_text().text);
        let has_traits = text.contains("trait ");
        let mut names = Self { has_traits, has_macros, ..Self::default() };
        // The globs, and the words of the other imports.
        let (mut globs_of, mut explicit) = (Vec::new(), HashSet::new());
        // A `use` ends at its semicolon, so each part has at most one.
        for part in text.split(';') {
            let (mut before, mut is_use, mut used) = ("", false, Vec::new());
            for word in split_words(part) {
                // `static mut NAME`
                let keyword = match (before, word) {
                    ("static", "mut") => "",
                    _ => replace(&mut before, word),
                };
                if is_use {
                    names.imported.insert(word.to_owned());
                    used.push(word);
                }
                is_use |= word == "use";
                if keyword == "macro_rules" {
                    names.rules.insert(word.to_owned());
                }
                if keyword == "mod" {
                    names.modules.insert(word.to_owned());
                }
                if ITEM_KEYWORDS.contains(&keyword) {
                    names.declared.insert(word.to_owned());
                    if keyword == "fn" {
                        names.functions.insert(word.to_owned());
                    }
                }
            }
            let mut uses = part.match_indices("use ").map(|(at, _)| part.split_at(at));
            let tree = uses.find(|(before, _)| !before.ends_with(is_name));
            let tree = tree.map_or("", |(_, tree)| &tree["use ".len()..]);
            let tree: String = tree.split_whitespace().collect();
            let tree = tree.replace("{*}", "*");
            let globs = count_globs(&tree);
            // The root of Warpwise has what its prelude has.
            let of_prelude = ["prelude::*", "prelude::{*"].iter().any(|glob| tree.contains(glob))
                || tree == "warpwise::*";
            let is_ours = of_prelude && tree.starts_with("warpwise::") && globs == 1;
            if globs > 0 && !is_ours {
                globs_of.push(tree);
            } else {
                explicit.extend(used);
            }
            names.has_prelude |= of_prelude;
        }
        // If all of them are of crates that are no dependencies, rustc rejects them.
        let may_bring_names = |tree: &String| {
            let first = tree.split(|char| !is_name(char)).next().unwrap_or_default();
            const KNOWN: [&str; 8] =
                ["", "alloc", "core", "crate", "self", "std", "super", "warpwise"];
            KNOWN.contains(&first)
                || explicit.contains(first)
                || names.modules.contains(first)
                || names.declared.contains(first)
                || Build::may_be_dependency(first)
        };
        if !globs_of.iter().any(may_bring_names) {
            globs_of.clear();
        }
        names.has_globs = !globs_of.is_empty();
        names.has_far_globs = globs_of.iter().any(|tree| tree != "super::*");
        // `#[kernel]` has to be imported, so another file includes this one.
        let has_code = text.contains("#[kernel") || text.contains("#[device");
        names.has_globs |= has_code && !text.contains("warpwise");
        names
    }

    /// Returns false only if the file declares no item of this name.
    pub(crate) fn may_declare(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// Returns true if the file may declare a function of this name.
    pub(crate) fn may_declare_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// Returns true if the file may have a `macro_rules!` of this name.
    pub(crate) fn may_have_rules(&self, name: &str) -> bool {
        self.rules.contains(name)
    }

    /// Returns true if a `use` of the file may import this name explicitly.
    pub(crate) fn may_import(&self, name: &str) -> bool {
        self.imported.contains(name)
    }

    /// Returns true if the file declares or imports this name explicitly.
    pub(crate) fn has(&self, name: &str) -> bool {
        [&self.declared, &self.modules, &self.imported, &self.rules]
            .iter()
            .any(|names| names.contains(name))
    }

    /// Returns true if there is a glob import other than those of Warpwise's prelude and root, and
    /// `super::*`.
    pub(crate) fn has_far_globs(&self) -> bool {
        self.has_far_globs
    }

    /// Returns true if a macro other than std's and Warpwise's is called outside of functions.
    pub(crate) fn has_macros(&self) -> bool {
        self.has_macros
    }

    /// Returns the declared name that differs from `name` by a letter or two.
    pub(crate) fn similar_name(&self, name: &str) -> Option<&str> {
        let mut close: Vec<&String> =
            self.declared.iter().filter(|known| is_similar(known, name)).collect();
        close.sort();
        close.first().map(|known| known.as_str())
    }

    /// Returns true if there is a glob import other than those of Warpwise's prelude and root.
    pub(crate) fn has_globs(&self) -> bool {
        self.has_globs
    }

    /// Returns true if the prelude of Warpwise may be in scope somewhere in the file.
    pub(crate) fn has_prelude(&self) -> bool {
        self.has_prelude || self.has_globs
    }

    /// Returns true if every name that the file can use is written in it, but for those of std and
    /// of Warpwise: no macro and no glob import brings others.
    pub(crate) fn is_complete(&self) -> bool {
        !self.has_macros && !self.has_globs && self.imported.contains("warpwise")
    }

    pub(crate) fn has_traits(&self) -> bool {
        self.has_traits
    }

    /// Returns true if the file declares a function of that name, or has a `use` that may import
    /// one: by name, or by a glob other than those of Warpwise's prelude and root.
    pub(crate) fn may_have_function(&self, name: &str) -> bool {
        self.has_globs || self.functions.contains(name) || self.imported.contains(name)
    }
}

/// Returns the number of globs in the tree of a `use`, written without spaces: `a::*`, `a::{b, *}`.
fn count_globs(tree: &str) -> usize {
    let stars = tree.match_indices('*');
    stars.filter(|(at, _)| tree[..*at].ends_with([':', '{', ','])).count()
}

/// Returns true if one letter was left out of, added to or replaced in a name of three letters or
/// more.
pub(crate) fn is_similar(known: &str, name: &str) -> bool {
    let shorter = known.chars().count().min(name.chars().count());
    shorter >= 3 && edit_distance(known, name) == 1
}

/// Returns the calls of macros that neither std nor Warpwise has, and the declarations of macros: the
/// position of the `!`, and the name before it.
fn unknown_macros(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('!').filter_map(|(position, _)| {
        let (before, after) = (&text[..position], text[position + 1..].trim_start());
        let name = before.rsplit(|char| !is_name(char)).next().unwrap_or_default();
        let is_call = after.starts_with(['(', '[', '{']) || name == "macro_rules";
        // The names that `thread_local!` declares are written in it.
        let is_known = matches!(name, "shared" | "shared_dyn" | "ptx" | "thread_local")
            || item::is_std_macro_name(name) && name != "include";
        (!name.is_empty() && is_call && !is_known).then_some((position, name))
    })
}

/// Returns true if `code`, a text without comments and literals, calls an unknown macro where it may
/// make items that other functions see.
fn may_make_items(code: &str) -> bool {
    let mut calls = unknown_macros(code).filter(|(_, name)| *name != "macro_rules");
    calls.any(|(position, name)| name == "include" || !is_in_function(&code[..position]))
}

/// Returns true if the innermost block that is open at the end of `before` is that of a function, or
/// inside of one.
fn is_in_function(before: &str) -> bool {
    let mut closed = 0;
    let open = before.rfind(|char| {
        match char {
            '}' => closed += 1,
            '{' if closed == 0 => return true,
            '{' => closed -= 1,
            _ => {}
        }
        false
    });
    let header = open.and_then(|open| before[..open].rsplit([';', '{', '}']).next());
    header.is_some_and(|header| {
        let mut words = header.split(|char| !is_name(char));
        words.clone().any(|word| word == "fn")
            || !words.any(|word| matches!(word, "extern" | "impl" | "mod" | "trait"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_in_braces_are_globs() {
        let has_globs =
            |tree: &str| SourceFile::new(format!("mod a {{}} use {tree};")).names().has_globs();
        for tree in ["a::*", "a::{*}", "a::{ b, * }", "a::{b::{*}, c}", "a::prelude::*"] {
            assert!(has_globs(tree), "{tree}");
        }
        for tree in ["a::b", "warpwise::prelude::*", "warpwise::prelude::{*}"] {
            assert!(!has_globs(tree), "{tree}");
        }
        let text = "mod house { use warpwise::prelude::*; }".to_owned();
        assert!(!SourceFile::new(text).names().has_globs());
    }

    #[test]
    fn a_glob_of_a_missing_crate_brings_nothing() {
        let has_globs = |text: &str| SourceFile::new(text.to_owned()).names().has_globs();
        assert!(!has_globs("use missing::*;"));
        for text in [
            "use crate::missing::*;",
            "mod missing; use missing::*;",
            "use super::missing; use missing::*;",
            "use super::*; use missing::*;",
            "use syn::*;",
        ] {
            assert!(has_globs(text), "{text}");
        }
    }

    #[test]
    fn a_macro_makes_items_outside_of_functions() {
        let has_macros = |text: &str| SourceFile::new(text.to_owned()).names().has_macros();
        for text in [
            "m!();",
            "a::m! { fn f() {} }",
            "mod a { m!(); }",
            "impl P { m!(); }",
            "fn f() {} m!();",
            "fn f() { mod a { m!(); } }",
            "include!(\"other.rs\");",
        ] {
            assert!(has_macros(text), "{text}");
        }
        for text in [
            "fn f() { log::info!(\"m!();\"); }",
            "fn f(x: impl Fn()) { if true { m![1]; } }",
            "impl P { fn f(&self) { let x = m!(); } }",
            "mod a { fn f() { match x { _ => m!() } } } // m!();",
            "thread_local!(static N: u32 = 1);",
            "macro_rules! m { () => { fn f() { n!() } } } fn g() { m!() }",
        ] {
            assert!(!has_macros(text), "{text}");
        }
    }

    #[test]
    fn names_are_similar_if_one_letter_differs() {
        for name in ["LIMT", "LIMITS", "LIMIK", "IMIT", "LINIT", "XLIMIT"] {
            assert!(is_similar("LIMIT", name), "{name}");
        }
        for name in ["LIMIT", "LIM", "LMIIT", "COUNT"] {
            assert!(!is_similar("LIMIT", name), "{name}");
        }
        assert!(!is_similar("N", "M"));
    }
}
