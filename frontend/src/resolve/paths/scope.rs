//! Scopes of the variables and generic parameters that an item declares.
use crate::syntax::item;
use proc_macro2::Ident;
use syn::{Block, GenericParam, Generics, Item, Stmt};

/// The names in scope.
#[derive(Default)]
pub(crate) struct Scope {
    names: Vec<(String, NameKind)>,
}

/// The kind of a name: only an item may begin a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Variable,
    /// A type or const parameter, or an item of a block.
    Item,
}

impl Scope {
    /// Returns the scope of a nested function: without variables.
    pub(crate) fn without_variables(&self) -> Self {
        let names = self.names.iter().filter(|(_, kind)| *kind == NameKind::Item);
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
    pub(crate) fn declare_variable(&mut self, name: &Ident) {
        self.names.push((name.to_string(), NameKind::Variable));
    }

    /// Declares generic parameters.
    pub(crate) fn declare_generics(&mut self, generics: &Generics) {
        for param in &generics.params {
            match param {
                GenericParam::Type(param) => self.declare_item(&param.ident),
                GenericParam::Const(param) => self.declare_item(&param.ident),
                GenericParam::Lifetime(_) => {}
            }
        }
    }

    fn declare_item(&mut self, name: &Ident) {
        self.names.push((name.to_string(), NameKind::Item));
    }

    /// Declares the items of a block, which are in scope in all of it.
    pub(crate) fn declare_items(&mut self, block: &Block) {
        for statement in &block.stmts {
            match statement {
                // `item_name` leaves these out, which no device item can be. They shadow others.
                Stmt::Item(Item::Static(item)) => self.declare_item(&item.ident),
                Stmt::Item(Item::Mod(item)) => self.declare_item(&item.ident),
                Stmt::Item(item) => {
                    item::item_name(item).into_iter().for_each(|name| self.declare_item(name))
                }
                Stmt::Local(_) | Stmt::Expr(..) | Stmt::Macro(_) => {}
            }
        }
    }

    /// Returns true if the plain name `name` is declared.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Returns true if `name` can begin a path: a variable cannot.
    pub(crate) fn declares_path_start(&self, name: &str) -> bool {
        self.names.iter().any(|(known, kind)| *kind == NameKind::Item && known == name)
    }
}
