//! The names that a source file declares or imports, collected once since kernels look up every
//! name.
use crate::resolve::source_map::items::{ITEM_KEYWORDS, split_words};
use std::{collections::HashSet, mem::replace};

/// The names of a file by a text search, including those in comments and literals.
#[derive(Default)]
pub(crate) struct FileNames {
    /// Words after the keyword of an item.
    declared: HashSet<String>,
    /// Words after `fn`.
    functions: HashSet<String>,
    /// Words of a `use`.
    imported: HashSet<String>,
    /// True if there is a glob import other than a prelude's.
    has_globs: bool,
    /// True if the file declares traits.
    has_traits: bool,
    /// Words after `macro_rules`.
    rules: HashSet<String>,
}

impl FileNames {
    pub(crate) fn collect(text: &str) -> Self {
        let mut names = Self { has_traits: text.contains("trait "), ..Self::default() };
        // A `use` ends at its semicolon, so each part has at most one.
        for part in text.split(';') {
            let (mut before, mut is_use) = ("", false);
            for word in split_words(part) {
                let keyword = replace(&mut before, word);
                if is_use {
                    names.imported.insert(word.to_owned());
                }
                is_use |= word == "use";
                if keyword == "macro_rules" {
                    names.rules.insert(word.to_owned());
                }
                if ITEM_KEYWORDS.contains(&keyword) {
                    names.declared.insert(word.to_owned());
                    if keyword == "fn" {
                        names.functions.insert(word.to_owned());
                    }
                }
            }
            let brought = part.split_once("use ").map_or("", |(_, brought)| brought);
            names.has_globs |= brought.contains("::*") && !brought.contains("prelude::*");
        }
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

    pub(crate) fn has_traits(&self) -> bool {
        self.has_traits
    }

    /// Returns true if the file declares a function of that name, or has a `use` that may import
    /// one: by name, or by a glob other than a prelude's.
    pub(crate) fn may_have_function(&self, name: &str) -> bool {
        self.has_globs || self.functions.contains(name) || self.imported.contains(name)
    }
}
