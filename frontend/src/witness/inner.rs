//! Witnesses of what is declared inside of a function: they stand in the function's own, in the place of what they are of.
use crate::witness::{Checked, body, mentions, strip, witness_name};
use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::{
    Block, ImplItem, Item, ItemFn, ItemImpl, Signature, Stmt,
    visit_mut::{self, VisitMut},
};

/// Witnesses of what is declared inside of a function.
pub(crate) struct Inner {
    /// Names of what is declared there.
    names: Vec<Ident>,
    /// Those of its functions.
    pub(crate) functions: Vec<Item>,
    /// What stands for each `impl`, which is known by what it says of itself.
    impls: Vec<(String, Vec<Item>)>,
}

impl Inner {
    /// Of a function that declares what has these names.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a Ident>) -> Self {
        Self { names: names.cloned().collect(), functions: Vec::new(), impls: Vec::new() }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.impls.is_empty()
    }

    /// Whether an `impl` is of what is declared in the function, so that it is another one in its witness. Of anything else there cannot be two.
    pub(crate) fn is_own(&self, item: &ItemImpl) -> bool {
        let of_trait = item.trait_.as_ref().map(|(path, _)| path.to_token_stream());
        let mut of = item.self_ty.to_token_stream();
        of.extend(of_trait);
        self.names.iter().any(|name| mentions(of.clone(), name))
    }

    /// Adds what stands for an `impl`.
    pub(crate) fn add(&mut self, of: &ItemImpl, witnesses: Vec<Item>) {
        self.impls.push((said_by(of), witnesses));
    }
}

/// What an `impl` says of itself: the types that it is of, and the names of its functions.
fn said_by(item: &ItemImpl) -> String {
    let mut said = item.self_ty.to_token_stream();
    said.extend(item.trait_.as_ref().map(|(path, _)| path.to_token_stream()));
    said.extend(item.generics.where_clause.to_token_stream());
    for member in &item.items {
        match member {
            ImplItem::Fn(method) => method.sig.ident.to_tokens(&mut said),
            ImplItem::Const(constant) => constant.ident.to_tokens(&mut said),
            _ => {}
        }
    }
    said.to_string()
}

/// The witness of an `impl` of what is declared in a function: the same, with those of its methods.
pub(crate) fn own_impl(item: &ItemImpl, methods: &[Checked]) -> Item {
    let mut own = item.clone();
    own.attrs.clear();
    for Checked { member, function, notes } in methods {
        if let Some(ImplItem::Fn(method)) = own.items.get_mut(*member) {
            method.attrs.clear();
            method.block = body(&method.block, None, function, notes);
            may_be_called(&method.sig, &mut method.block);
            strip(&mut method.sig);
        }
    }
    Item::Impl(own)
}

/// Takes the endless loop out of a witness that a constant beside it may call.
fn may_be_called(sig: &Signature, block: &mut Block) {
    if sig.constness.is_some() {
        block.stmts.remove(0);
    }
}

impl VisitMut for &Inner {
    fn visit_item_fn_mut(&mut self, item: &mut ItemFn) {
        let name = witness_name(&item.sig.ident);
        let found = self.functions.iter().find_map(|witness| match witness {
            Item::Fn(witness) if witness.sig.ident == name => Some(witness),
            _ => None,
        });
        if let Some(witness) = found {
            let ident = item.sig.ident.clone();
            *item = witness.clone();
            item.sig.ident = ident;
            may_be_called(&item.sig, &mut item.block);
        }
        visit_mut::visit_item_fn_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in std::mem::take(&mut block.stmts) {
            let found = match &statement {
                Stmt::Item(Item::Impl(item)) => {
                    let said = said_by(item);
                    self.impls.iter().find(|(known, _)| *known == said)
                }
                _ => None,
            };
            match found {
                Some((_, witnesses)) => {
                    block.stmts.extend(witnesses.iter().cloned().map(Stmt::Item));
                }
                None => block.stmts.push(statement),
            }
        }
        visit_mut::visit_block_mut(self, block);
    }
}
