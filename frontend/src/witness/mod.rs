//! Copies of a function for rustc to check what was inferred.
//!
//! A witness is the function with every `let` annotated with the type that was inferred and every
//! literal suffixed with its own, so that where rustc infers otherwise, it says so instead of a
//! kernel meaning something else than the Rust that it is. Kernel-side functions are known by
//! their names alone; the witness makes rustc check that each name leads to ours: two function
//! items are of one type only if they are the same.
//!
//! It begins with a `loop {}`: what is behind it is type-checked, but not borrow-checked, so that
//! rustc says what is wrong with the user's function once. In a `const fn` inside of a function there is none, for a
//! constant there may call it.
mod inner;
mod spelled;
mod spliced;

use crate::{
    attr::requires::Condition,
    hir::Function,
    resolve::std_paths::StdName,
    syntax::tokens::Tokens,
    types::{Prim, Ty, Types, vector::Vector},
    witness::{
        spelled::{suffixed, written},
        spliced::spliced,
    },
};
pub(crate) use crate::{
    infer::notes::Notes,
    witness::inner::{Inner, own_impl},
};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    ptr,
};
use syn::{
    Attribute, Block, Expr, ExprBlock, ExprPath, GenericParam, Generics, Ident, ImplItem, ItemEnum,
    ItemFn, ItemImpl, ItemStruct, Lit, Local, Pat, PatType, Path, PathSegment, Stmt, Token,
    WherePredicate,
    punctuated::Punctuated,
    token::{Brace, Colon},
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// The witness of a function, which has these `tokens`, should they be at hand.
pub(crate) fn witness(
    item: &ItemFn,
    tokens: Option<&Tokens>,
    requires: &[Condition],
    function: &Function,
    notes: &Notes,
) -> ItemFn {
    let mut block = body(&item.block, tokens, function, notes);
    // Behind the endless loop.
    let conditions = requires.iter().map(|condition| written_out(&condition.expr, function, notes));
    block.stmts.splice(1..1, conditions);
    let mut sig = item.sig.clone();
    strip(&mut sig);
    sig.ident = Ident::new(&witness_name(&item.sig.ident), Span::call_site());
    let (attrs, vis) = (Vec::new(), syn::Visibility::Inherited);
    ItemFn { attrs, vis, modifiers: item.modifiers.clone(), sig, block: Box::new(block) }
}

fn witness_name(function: &Ident) -> String {
    format!("witness_of_{}", plain(function))
}

/// A method of an `impl`, and what was inferred of it.
pub(crate) struct Checked {
    /// Its number in the `impl`.
    pub(crate) member: usize,
    pub(crate) function: Function,
    pub(crate) notes: Notes,
}

/// The witness of a method, in an `impl` of its own; `None` where there can be none, as for
/// types that are not of this crate.
pub(crate) fn method(item: &ItemImpl, others: &[&ItemImpl], checked: &Checked) -> Option<ItemImpl> {
    let &Checked { member, ref function, ref notes } = checked;
    let is_parameter = |name: &Ident| item.generics.type_params().any(|param| param.ident == *name);
    if !may_have_methods(&item.self_ty, is_parameter) {
        return None;
    }
    let ImplItem::Fn(written) = item.items.get(member)? else { return None };
    let mut method = written.clone();
    method.block = body(&written.block, None, function, notes);
    strip(&mut method.sig);
    let mut hasher = DefaultHasher::new();
    item.to_token_stream().to_string().hash(&mut hasher);
    let name = format!("__warpwise_{}_{:x}", plain(&written.sig.ident), hasher.finish());
    method.sig.ident = Ident::new(&name, Span::call_site());
    method.vis = syn::Visibility::Inherited;
    method.attrs.clear();
    Associated { own: own_types(item).collect(), of: item, others }
        .visit_impl_item_fn_mut(&mut method);
    let generics = own_generics(item, &mut method.sig.generics);
    let (attrs, items) = (Vec::new(), vec![ImplItem::Fn(method)]);
    Some(ItemImpl { attrs, trait_: None, items, generics, ..item.clone() })
}

/// The generic parameters of an `impl` that its type mentions; the others, which only its trait does,
/// go to `method`, with what is said of them.
fn own_generics(item: &ItemImpl, method: &mut Generics) -> Generics {
    let mut own = item.generics.clone();
    let this = item.self_ty.to_token_stream();
    let is_own = |param: &GenericParam| match param {
        GenericParam::Type(param) => mentions(this.clone(), &param.ident),
        GenericParam::Const(param) => mentions(this.clone(), &param.ident),
        GenericParam::Lifetime(_) => true,
    };
    let (kept, moved): (Vec<_>, Vec<_>) =
        std::mem::take(&mut own.params).into_iter().partition(is_own);
    own.params = kept.into_iter().collect();
    if moved.is_empty() {
        return own;
    }
    let is_of_moved = |predicate: &WherePredicate| {
        moved.iter().any(|param| match param {
            GenericParam::Type(param) => mentions(predicate.to_token_stream(), &param.ident),
            GenericParam::Const(param) => mentions(predicate.to_token_stream(), &param.ident),
            GenericParam::Lifetime(_) => false,
        })
    };
    if let Some(clause) = &mut own.where_clause {
        let (moved, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut clause.predicates).into_iter().partition(is_of_moved);
        clause.predicates = kept.into_iter().collect();
        method.make_where_clause().predicates.extend(moved);
    }
    // Lifetimes come first.
    let at = method.lifetimes().count();
    for (index, param) in moved.into_iter().enumerate() {
        method.params.insert(at + index, param);
    }
    own
}

/// Whether a name is among tokens.
fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether methods can be added to a type.
fn may_have_methods(ty: &syn::Type, is_parameter: impl Fn(&Ident) -> bool) -> bool {
    match ty {
        syn::Type::Path(path) => {
            path.qself.is_none()
                && !path.path.get_ident().is_some_and(is_parameter)
                && path.path.segments.last().is_some_and(|last| {
                    let name = last.ident.to_string();
                    let known =
                        Prim::from_name(&name).is_some() || Vector::from_name(&name).is_some();
                    !known && !matches!(name.as_str(), "Option" | "Result")
                })
        }
        _ => false,
    }
}

/// The associated types that an `impl` declares.
fn own_types(item: &ItemImpl) -> impl Iterator<Item = (String, &syn::Type)> {
    item.items.iter().filter_map(|member| match member {
        ImplItem::Type(ty) => Some((ty.ident.to_string(), &ty.ty)),
        _ => None,
    })
}

/// Writes out `Self::Output` and the like, which only the trait's own `impl` knows.
struct Associated<'a> {
    /// Those that the `impl` declares.
    own: HashMap<String, &'a syn::Type>,
    of: &'a ItemImpl,
    /// The `impl`s in which those of other traits may be.
    others: &'a [&'a ItemImpl],
}

impl Associated<'_> {
    fn written_out(&self, name: &str) -> Option<syn::Type> {
        if let Some(own) = self.own.get(name) {
            return Some((*own).clone());
        }
        let (of_trait, _) = self.of.trait_.as_ref()?;
        let last = of_trait.segments.last()?;
        let (known, args) = (last.ident.to_string(), &last.arguments);
        match (known.as_str(), name) {
            ("DerefMut", "Target") => {
                return Some(syn::parse_quote!(<Self as ::core::ops::Deref>::Target));
            }
            ("IndexMut", "Output") => {
                return Some(syn::parse_quote!(<Self as ::core::ops::Index #args>::Output));
            }
            ("DoubleEndedIterator" | "ExactSizeIterator", "Item") => {
                return Some(syn::parse_quote!(<Self as ::core::iter::Iterator>::Item));
            }
            _ => {}
        }
        let this = self.of.self_ty.to_token_stream().to_string();
        let others = self.others.iter().filter(|other| {
            other.trait_.is_some() && other.self_ty.to_token_stream().to_string() == this
        });
        let found = others.flat_map(|other| own_types(other)).find(|(other, _)| other == name);
        found.map(|(_, ty)| ty.clone())
    }
}

impl VisitMut for Associated<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(path) = ty
            && path.qself.is_none()
            && path.path.segments.len() == 2
            && path.path.segments[0].ident == "Self"
            && let Some(written) = self.written_out(&path.path.segments[1].ident.to_string())
        {
            *ty = written;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_path_mut(&mut self, expr: &mut ExprPath) {
        let names: Vec<&Ident> = expr.path.segments.iter().map(|segment| &segment.ident).collect();
        if expr.qself.is_none()
            && let [this, name, _, ..] = names.as_slice()
            && *this == "Self"
            && let Some(written) = self.written_out(&name.to_string())
        {
            let rest: Punctuated<PathSegment, Token![::]> =
                expr.path.segments.iter().skip(2).cloned().collect();
            *expr = syn::parse_quote!(<#written>::#rest);
        }
        visit_mut::visit_expr_path_mut(self, expr);
    }
}

/// Takes every attribute out of a signature.
fn strip(sig: &mut syn::Signature) {
    Strip.visit_signature_mut(sig);
}

/// The body of a witness: with what was inferred written out, behind an endless loop.
fn body(written: &Block, tokens: Option<&Tokens>, function: &Function, notes: &Notes) -> Block {
    let mut reader = Reader { notes, found: Vec::new() };
    reader.visit_block(written);
    let (found, types) = (reader.found, &function.types);
    let copy = match tokens.and_then(|tokens| spliced(tokens, &found, types)) {
        Some(tokens) => statement(tokens),
        None => {
            let mut block = written.clone();
            Writer { types, found: found.into_iter() }.visit_block_mut(&mut block);
            Stmt::Expr(Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block }), None)
        }
    };
    let mut stmts = vec![statement(quote!(loop {}))];
    if !notes.builtins.is_empty() {
        let same = same(notes);
        stmts.push(statement(quote!({ #same })));
    }
    stmts.extend(notes.orders.iter().map(|(path, name)| ordering(path, name)));
    stmts.extend(notes.constants.iter().map(|(path, name)| constant(path, name)));
    stmts.push(copy);
    Block { brace_token: Brace::default(), stmts }
}

/// A statement that nobody looks into: parsing it would take longer than all else here.
const fn statement(tokens: TokenStream) -> Stmt {
    Stmt::Expr(Expr::Verbatim(tokens), None)
}

/// A condition that the kernel requires, as a statement.
fn written_out(written: &Expr, function: &Function, notes: &Notes) -> Stmt {
    let mut reader = Reader { notes, found: Vec::new() };
    reader.visit_expr(written);
    let mut expr = written.clone();
    let mut writer = Writer { types: &function.types, found: reader.found.into_iter() };
    writer.visit_expr_mut(&mut expr);
    statement(quote!(let _: bool = #expr;))
}

fn plain(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// Statements that compile only if each path leads to the function that it was taken for.
fn same(notes: &Notes) -> TokenStream {
    let checks = notes.builtins.iter().map(|(path, absolute)| {
        let span = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
        let names = absolute.split("::").map(|name| Ident::new(name, span));
        let generic = path.segments.last().map(|last| &last.arguments);
        quote_spanned!(span=> same(#path, #(::#names)* #generic);)
    });
    quote! {
        const fn same<F: ::core::marker::Copy>(_: F, _: F) {}
        #(#checks)*
    }
}

/// A statement that compiles only if the path leads to the ordering that it was taken for.
fn ordering(path: &Path, name: &str) -> Stmt {
    let span = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let name = Ident::new(name, span);
    let ordering = quote_spanned!(span=> ::core::sync::atomic::Ordering::#name);
    let wrong = format!("kernel code takes this for `Ordering::{name}`, and it is another one");
    statement(quote_spanned! {span=>
        const _: () = ::core::assert!(::core::matches!(#path, #ordering), #wrong);
    })
}

/// A statement that compiles only if the path leads to the constant that it was taken for.
fn constant(path: &Path, StdName { path: absolute }: &StdName) -> Stmt {
    let span = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let of_std = absolute.split("::").map(|part| Ident::new(part, span));
    let of_std = quote_spanned!(span=> #(::#of_std)*);
    let wrong = format!("kernel code takes this for `{absolute}`, and it is another one");
    // No two of them are the same number, of one type or of two.
    statement(quote_spanned! {span=>
        const _: () = ::core::assert!(#path as f64 == #of_std as f64, #wrong);
    })
}

/// A literal or a `let`, with the type that was noted of it.
struct Found<'ast> {
    /// `None` for a `let`.
    literal: Option<&'ast Lit>,
    ty: Option<Ty>,
}

/// Lists literals and `let`s, in the order of a visit: but for `true` and `false`, whose type is always the same.
struct Reader<'a, 'ast> {
    notes: &'a Notes,
    found: Vec<Found<'ast>>,
}

impl<'ast> Visit<'ast> for Reader<'_, 'ast> {
    fn visit_lit(&mut self, lit: &'ast Lit) {
        if let Lit::Bool(_) = lit {
            return;
        }
        let ty = self.notes.types.get(&ptr::from_ref(lit).addr()).copied();
        self.found.push(Found { literal: Some(lit), ty });
    }
    fn visit_local(&mut self, local: &'ast Local) {
        let ty = self.notes.types.get(&ptr::from_ref(local).addr()).copied();
        self.found.push(Found { literal: None, ty });
        visit::visit_local(self, local);
    }
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_item_struct(&mut self, _: &'ast ItemStruct) {}
    fn visit_item_enum(&mut self, _: &'ast ItemEnum) {}
}

/// Writes it into a copy, in the same order, and takes every attribute out but those of types, which may derive traits.
struct Writer<'a, 'ast> {
    types: &'a Types,
    found: std::vec::IntoIter<Found<'ast>>,
}

impl Writer<'_, '_> {
    fn ty(&mut self) -> Option<Ty> {
        self.found.next()?.ty
    }
}

impl VisitMut for Writer<'_, '_> {
    fn visit_lit_mut(&mut self, lit: &mut Lit) {
        if let Lit::Bool(_) = lit {
            return;
        }
        let prim = self.ty().and_then(|ty| self.types.as_prim(ty));
        if let Some(literal) = prim.and_then(|prim| suffixed(lit, prim)) {
            *lit = Lit::Verbatim(literal);
        }
    }
    fn visit_local_mut(&mut self, local: &mut Local) {
        let ty = self.ty();
        visit_mut::visit_local_mut(self, local);
        if let Some(ty) = ty.and_then(|ty| written(ty, self.types)) {
            let pat = local.pat.clone();
            let ty = syn::Type::Verbatim(ty);
            local.pat = Pat::Type(PatType {
                attrs: Vec::new(),
                pat: Box::new(pat),
                colon_token: Colon::default(),
                ty: Box::new(ty),
            });
        }
    }
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.clear();
    }
    fn visit_item_struct_mut(&mut self, _: &mut ItemStruct) {}
    fn visit_item_enum_mut(&mut self, _: &mut ItemEnum) {}
}

/// Takes every attribute out.
struct Strip;

impl VisitMut for Strip {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.clear();
    }
}
