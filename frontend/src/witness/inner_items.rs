//! Witnesses of items inside of a function: in the function's witness they replace the items.
use crate::witness::{CheckedMethod, mentions, strip_attributes, witness_body, witness_name};
use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::{
    Block, ImplItem, Item, ItemFn, ItemImpl, Signature, Stmt,
    visit_mut::{self, VisitMut},
};

/// Witnesses of the items inside of a function.
pub(crate) struct InnerWitnesses {
    /// Names of the items.
    names: Vec<Ident>,
    /// Witnesses of the functions.
    pub(crate) functions: Vec<Item>,
    /// Per `impl`, known by its [`impl_key`], the items that replace it.
    impls: Vec<(String, Vec<Item>)>,
}

impl InnerWitnesses {
    /// Creates an empty set for a function that declares these names.
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a Ident>) -> Self {
        Self { names: names.cloned().collect(), functions: Vec::new(), impls: Vec::new() }
    }

    /// Returns true if there are no witnesses.
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.impls.is_empty()
    }

    /// Returns true if an `impl` involves a type or trait of the function. The witness declares
    /// that again, so that it needs an `impl` of its own; a second `impl` for anything else would
    /// be a conflict.
    pub(crate) fn involves_inner_item(&self, item: &ItemImpl) -> bool {
        let of_trait = item.trait_.as_ref().map(|(path, _)| path.to_token_stream());
        let mut header = item.self_ty.to_token_stream();
        header.extend(of_trait);
        self.names.iter().any(|name| mentions(header.clone(), name))
    }

    /// Adds the items that replace an `impl`.
    pub(crate) fn replace_impl(&mut self, item: &ItemImpl, witnesses: Vec<Item>) {
        self.impls.push((impl_key(item), witnesses));
    }
}

/// Returns a key of an `impl`: its types and the names of its members.
fn impl_key(item: &ItemImpl) -> String {
    let mut key = item.self_ty.to_token_stream();
    key.extend(item.trait_.as_ref().map(|(path, _)| path.to_token_stream()));
    key.extend(item.generics.where_clause.to_token_stream());
    for member in &item.items {
        match member {
            ImplItem::Fn(method) => method.sig.ident.to_tokens(&mut key),
            ImplItem::Const(constant) => constant.ident.to_tokens(&mut key),
            _ => {}
        }
    }
    key.to_string()
}

/// Returns the witness of an `impl` for an item inside of a function: a copy with the witnesses of
/// its methods.
pub(crate) fn inner_impl_witness(item: &ItemImpl, methods: &[CheckedMethod]) -> Item {
    let mut own = item.clone();
    own.attrs.clear();
    for CheckedMethod { member, function, notes } in methods {
        if let Some(ImplItem::Fn(method)) = own.items.get_mut(*member) {
            method.attrs.clear();
            method.block = witness_body(&method.block, None, function, notes);
            remove_endless_loop(&method.sig, &mut method.block);
            strip_attributes(&mut method.sig);
        }
    }
    Item::Impl(own)
}

/// Removes the endless loop from the witness of a `const fn`, which a constant beside it may call.
fn remove_endless_loop(sig: &Signature, block: &mut Block) {
    if sig.constness.is_some() {
        block.stmts.remove(0);
    }
}

impl VisitMut for &InnerWitnesses {
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
            remove_endless_loop(&item.sig, &mut item.block);
        }
        visit_mut::visit_item_fn_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        for statement in std::mem::take(&mut block.stmts) {
            let found = match &statement {
                Stmt::Item(Item::Impl(item)) => {
                    let key = impl_key(item);
                    self.impls.iter().find(|(known, _)| *known == key)
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
