//! Scopes of the variables and generic parameters that an item declares.
use crate::syntax::item;
use proc_macro2::Ident;
use syn::{Block, GenericParam, Generics, Item, Stmt};

/// The names in scope.
#[derive(Default)]
pub(crate) struct Scope {
    names: Vec<(String, Kind)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Variable,
    Generic,
}

impl Scope {
    /// Returns the scope of a nested function: without variables.
    pub(crate) fn inside(&self) -> Self {
        let names = self.names.iter().filter(|(_, kind)| *kind == Kind::Generic);
        Self { names: names.cloned().collect() }
    }

    /// Returns the position for [`Scope::forget`].
    pub(crate) fn mark(&self) -> usize {
        self.names.len()
    }

    /// Drops the names declared since `mark`.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.names.truncate(mark);
    }

    /// Declares a variable.
    pub(crate) fn variable(&mut self, name: &Ident) {
        self.names.push((name.to_string(), Kind::Variable));
    }

    /// Declares generic parameters.
    pub(crate) fn generics(&mut self, generics: &Generics) {
        for param in &generics.params {
            match param {
                GenericParam::Type(param) => self.generic(&param.ident),
                GenericParam::Const(param) => self.generic(&param.ident),
                GenericParam::Lifetime(_) => {}
            }
        }
    }

    fn generic(&mut self, name: &Ident) {
        self.names.push((name.to_string(), Kind::Generic));
    }

    /// Declares the items of a block, which are in scope in all of it.
    pub(crate) fn items(&mut self, block: &Block) {
        for statement in &block.stmts {
            match statement {
                Stmt::Item(Item::Static(item)) => self.generic(&item.ident),
                Stmt::Item(item) => {
                    item::name(item).into_iter().for_each(|name| self.generic(name))
                }
                Stmt::Local(_) | Stmt::Expr(..) | Stmt::Macro(_) => {}
            }
        }
    }

    /// Returns true if the plain name `name` is declared.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Returns true if `name` can begin a path: a variable cannot.
    pub(crate) fn has_generic(&self, name: &str) -> bool {
        self.names.iter().any(|(known, kind)| *kind == Kind::Generic && known == name)
    }
}
