//! The names that a source file declares or that its `use`s bring: collected once, since kernels ask for each of their
//! names.
use crate::resolve::source_map::items::{KEYWORDS, words};
use std::{collections::HashSet, mem::replace};

/// Names of a file, from its text alone: those in comments and literals are among them.
#[derive(Default)]
pub(crate) struct Names {
    /// Words after the keyword of an item.
    declared: HashSet<String>,
    /// Words after `fn`.
    functions: HashSet<String>,
    /// Words of a `use`.
    brought: HashSet<String>,
    /// True if a `use` has a `*` of other modules than preludes.
    is_open: bool,
    /// True if there are traits.
    has_traits: bool,
    /// Words after `macro_rules`.
    rules: HashSet<String>,
}

impl Names {
    pub(crate) fn of(text: &str) -> Self {
        let mut names = Self { has_traits: text.contains("trait "), ..Self::default() };
        for part in text.split(';') {
            let (mut before, mut is_use) = ("", false);
            for word in words(part) {
                let keyword = replace(&mut before, word);
                if is_use {
                    names.brought.insert(word.to_owned());
                }
                is_use |= word == "use";
                if keyword == "macro_rules" {
                    names.rules.insert(word.to_owned());
                }
                if KEYWORDS.contains(&keyword) {
                    names.declared.insert(word.to_owned());
                    if keyword == "fn" {
                        names.functions.insert(word.to_owned());
                    }
                }
            }
            let brought = part.split_once("use ").map_or("", |(_, brought)| brought);
            names.is_open |= brought.contains("::*") && !brought.contains("prelude::*");
        }
        names
    }

    /// True if an item of this name may be declared in the file; false if none is.
    pub(crate) fn may_declare(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    /// True if the file may declare a function of this name.
    pub(crate) fn may_declare_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// True if the file may have a `macro_rules!` of this name.
    pub(crate) fn may_have_rules(&self, name: &str) -> bool {
        self.rules.contains(name)
    }

    /// True if a `use` of the file may bring this name, by the name itself.
    pub(crate) fn may_bring(&self, name: &str) -> bool {
        self.brought.contains(name)
    }

    pub(crate) fn has_traits(&self) -> bool {
        self.has_traits
    }

    /// True if the file has a function of that name, or a `use` that may bring one: by its name, or with a `*` of other
    /// modules than preludes.
    pub(crate) fn may_have_function(&self, name: &str) -> bool {
        self.is_open || self.functions.contains(name) || self.brought.contains(name)
    }
}
