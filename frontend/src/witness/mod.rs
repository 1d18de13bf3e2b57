//! Witnesses: copies of functions in which rustc checks the inferred types.
//!
//! A witness is the function with the inferred type on every `let` and as suffix of every literal.
//! Where rustc infers another type, the result is a compile error, never a kernel that differs from
//! the Rust program. Inference recognizes kernel-side functions by name; the witness makes rustc
//! check that each name refers to Warpwise's function: two function items have the same type only
//! if they are the same.
//!
//! Methods that a device trait gives to types of other crates, or to type parameters, have no
//! witness, since it would be in an `impl` without the trait, which rustc allows in the type's own
//! crate only.
//!
//! A witness begins with `loop {}`: rustc type-checks the unreachable rest but does not
//! borrow-check it, so it reports errors in the user's function once. A `const fn` inside of a
//! function has no `loop`, since a constant may call it.
mod inner_items;
mod splice_types;
mod type_tokens;

use crate::{
    attr::requires::Condition,
    hir::Function,
    resolve::std_paths::StdItem,
    syntax::tokens::Tokens,
    types::{Ty, Types},
    witness::{
        splice_types::splice_types,
        type_tokens::{suffixed_literal, type_tokens},
    },
};
pub(crate) use crate::{
    infer::notes::Notes,
    witness::inner_items::{InnerWitnesses, inner_impl_witness},
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
    ext::IdentExt as _,
    punctuated::Punctuated,
    token::{Brace, Colon},
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// Returns the witness of a function; `tokens` are its flattened tokens, if available.
pub(crate) fn function_witness(
    item: &ItemFn,
    tokens: Option<&Tokens>,
    requires: &[Condition],
    function: &Function,
    notes: &Notes,
) -> ItemFn {
    let mut block = witness_body(&item.block, tokens, function, notes);
    // After the endless loop, which is statement 0.
    let conditions =
        requires.iter().map(|condition| requirement_check(&condition.expr, function, notes));
    block.stmts.splice(1..1, conditions);
    let mut sig = item.sig.clone();
    strip_attributes(&mut sig);
    sig.ident = Ident::new(&witness_name(&item.sig.ident), Span::call_site());
    let (attrs, vis) = (Vec::new(), syn::Visibility::Inherited);
    ItemFn { attrs, vis, modifiers: item.modifiers.clone(), sig, block: Box::new(block) }
}

fn witness_name(function: &Ident) -> String {
    format!("witness_of_{}", function.unraw())
}

/// A method of an `impl` with its inferred types.
pub(crate) struct CheckedMethod {
    /// Its index in the `impl`.
    pub(crate) member: usize,
    pub(crate) function: Function,
    pub(crate) notes: Notes,
}

/// Returns the witness of a method, in an inherent `impl` for its type.
pub(crate) fn method_witness(
    item: &ItemImpl,
    others: &[&ItemImpl],
    checked: &CheckedMethod,
) -> Option<ItemImpl> {
    let &CheckedMethod { member, ref function, ref notes } = checked;
    let ImplItem::Fn(written) = item.items.get(member)? else { return None };
    let mut method = written.clone();
    method.block = witness_body(&written.block, None, function, notes);
    strip_attributes(&mut method.sig);
    let mut hasher = DefaultHasher::new();
    item.to_token_stream().to_string().hash(&mut hasher);
    let name = format!("__warpwise_{}_{:x}", written.sig.ident.unraw(), hasher.finish());
    method.sig.ident = Ident::new(&name, Span::call_site());
    method.vis = syn::Visibility::Inherited;
    method.attrs.clear();
    AssociatedTypes { own: declared_types(item).collect(), item, others }
        .visit_impl_item_fn_mut(&mut method);
    let generics = split_generics(item, &mut method.sig.generics);
    let (attrs, items) = (Vec::new(), vec![ImplItem::Fn(method)]);
    Some(ItemImpl { attrs, trait_: None, items, generics, ..item.clone() })
}

/// Returns the generic parameters that the type of an `impl` mentions. Moves the others, which only
/// its trait mentions, to `method`, with their predicates and the bounds that mention them.
fn split_generics(item: &ItemImpl, method: &mut Generics) -> Generics {
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
    let mentions_moved = |tokens: TokenStream| {
        moved.iter().any(|param| match param {
            GenericParam::Type(param) => mentions(tokens.clone(), &param.ident),
            GenericParam::Const(param) => mentions(tokens.clone(), &param.ident),
            GenericParam::Lifetime(_) => false,
        })
    };
    // A bound of a parameter that stays may mention one that does not: `T: Scale<U>`.
    for param in own.type_params_mut() {
        let (moved, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut param.bounds)
            .into_iter()
            .partition(|bound| mentions_moved(bound.to_token_stream()));
        param.bounds = kept.into_iter().collect();
        if !moved.is_empty() {
            let name = &param.ident;
            method.make_where_clause().predicates.push(syn::parse_quote!(#name: #(#moved)+*));
        }
    }
    if let Some(clause) = &mut own.where_clause {
        let (moved, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut clause.predicates)
            .into_iter()
            .partition(|predicate| mentions_moved(predicate.to_token_stream()));
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

/// Returns true if `name` occurs in `tokens`.
fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Returns the associated types that an `impl` declares.
fn declared_types(item: &ItemImpl) -> impl Iterator<Item = (String, &syn::Type)> {
    item.items.iter().filter_map(|member| match member {
        ImplItem::Type(ty) => Some((ty.ident.to_string(), &ty.ty)),
        _ => None,
    })
}

/// Replaces `Self::Output` and the like, which are valid only in the trait's own `impl`.
struct AssociatedTypes<'a> {
    /// The associated types of the `impl`.
    own: HashMap<String, &'a syn::Type>,
    item: &'a ItemImpl,
    /// Other `impl`s of the same type, with associated types of supertraits.
    others: &'a [&'a ItemImpl],
}

impl AssociatedTypes<'_> {
    /// Returns the type that an associated type of `Self` is.
    fn resolve(&self, name: &str) -> Option<syn::Type> {
        if let Some(own) = self.own.get(name) {
            return Some((*own).clone());
        }
        let (of_trait, _) = self.item.trait_.as_ref()?;
        let last = of_trait.segments.last()?;
        let (known, args) = (last.ident.to_string(), &last.arguments);
        // These traits have their associated type in a supertrait.
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
        let this = self.item.self_ty.to_token_stream().to_string();
        let others = self.others.iter().filter(|other| {
            other.trait_.is_some() && other.self_ty.to_token_stream().to_string() == this
        });
        let found = others.flat_map(|other| declared_types(other)).find(|(other, _)| other == name);
        found.map(|(_, ty)| ty.clone())
    }
}

impl VisitMut for AssociatedTypes<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if let syn::Type::Path(path) = ty
            && path.qself.is_none()
            && path.path.segments.len() == 2
            && path.path.segments[0].ident == "Self"
            && let Some(written) = self.resolve(&path.path.segments[1].ident.to_string())
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
            && let Some(written) = self.resolve(&name.to_string())
        {
            let rest: Punctuated<PathSegment, Token![::]> =
                expr.path.segments.iter().skip(2).cloned().collect();
            *expr = syn::parse_quote!(<#written>::#rest);
        }
        visit_mut::visit_expr_path_mut(self, expr);
    }
}

/// Removes every attribute from a signature.
fn strip_attributes(sig: &mut syn::Signature) {
    AttributeStripper.visit_signature_mut(sig);
}

/// Returns the body of a witness: an endless loop, checks of names, and the annotated body.
fn witness_body(
    written: &Block,
    tokens: Option<&Tokens>,
    function: &Function,
    notes: &Notes,
) -> Block {
    let mut reader = SyntaxReader { notes, noted: Vec::new() };
    reader.visit_block(written);
    let (found, types) = (reader.noted, &function.types);
    let copy = match tokens.and_then(|tokens| splice_types(tokens, &found, types)) {
        Some(tokens) => opaque_statement(tokens),
        None => {
            let mut block = written.clone();
            TypeWriter { types, found: found.into_iter() }.visit_block_mut(&mut block);
            Stmt::Expr(Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block }), None)
        }
    };
    let mut stmts = vec![opaque_statement(quote!(loop {}))];
    if !notes.builtins.is_empty() {
        let same = function_checks(notes);
        stmts.push(opaque_statement(quote!({ #same })));
    }
    stmts.extend(notes.orders.iter().map(|(path, name)| ordering_check(path, name)));
    stmts.extend(notes.constants.iter().map(|(path, name)| constant_check(path, name)));
    stmts.push(copy);
    Block { brace_token: Brace::default(), stmts }
}

/// Returns a statement of opaque tokens: parsing them would take longer than the rest of this
/// module.
const fn opaque_statement(tokens: TokenStream) -> Stmt {
    Stmt::Expr(Expr::Verbatim(tokens), None)
}

/// Returns a launch requirement as an annotated statement.
fn requirement_check(written: &Expr, function: &Function, notes: &Notes) -> Stmt {
    let mut reader = SyntaxReader { notes, noted: Vec::new() };
    reader.visit_expr(written);
    let mut expr = written.clone();
    let mut writer = TypeWriter { types: &function.types, found: reader.noted.into_iter() };
    writer.visit_expr_mut(&mut expr);
    opaque_statement(quote!(let _: bool = #expr;))
}

/// Returns the span of a path's last name.
fn last_name_span(path: &Path) -> Span {
    path.segments.last().map_or_else(Span::call_site, |last| last.ident.span())
}

/// Returns the message for a name that does not refer to the `expected` item.
fn wrong_name_message(expected: &str) -> String {
    format!("kernel code takes this for `{expected}`, and it is another one")
}

/// Returns statements that compile only if each path refers to the expected function.
fn function_checks(notes: &Notes) -> TokenStream {
    let checks = notes.builtins.iter().map(|(path, absolute)| {
        let span = last_name_span(path);
        let names = absolute.split("::").map(|name| Ident::new(name, span));
        let generic = path.segments.last().map(|last| &last.arguments);
        quote_spanned!(span=> same(#path, #(::#names)* #generic);)
    });
    quote! {
        const fn same<F: ::core::marker::Copy>(_: F, _: F) {}
        #(#checks)*
    }
}

/// Returns a statement that compiles only if the path refers to the expected ordering.
fn ordering_check(path: &Path, name: &str) -> Stmt {
    let span = last_name_span(path);
    let name = Ident::new(name, span);
    let ordering = quote_spanned!(span=> ::core::sync::atomic::Ordering::#name);
    let message = wrong_name_message(&format!("Ordering::{name}"));
    opaque_statement(quote_spanned! {span=>
        const _: () = ::core::assert!(::core::matches!(#path, #ordering), #message);
    })
}

/// Returns a statement that compiles only if the path refers to the expected constant.
fn constant_check(path: &Path, StdItem { path: absolute }: &StdItem) -> Stmt {
    let span = last_name_span(path);
    let std_path = absolute.split("::").map(|part| Ident::new(part, span));
    let std_path = quote_spanned!(span=> #(::#std_path)*);
    let message = wrong_name_message(absolute);
    // Comparing values suffices: no two of these constants are equal, within one type or across
    // types.
    opaque_statement(quote_spanned! {span=>
        const _: () = ::core::assert!(#path as f64 == #std_path as f64, #message);
    })
}

/// A literal or a `let`, with its inferred type.
struct NotedSyntax<'ast> {
    /// `None` for a `let`.
    literal: Option<&'ast Lit>,
    ty: Option<Ty>,
}

/// Collects literals and `let`s in visiting order, except `true` and `false`, whose type is known.
struct SyntaxReader<'a, 'ast> {
    notes: &'a Notes,
    noted: Vec<NotedSyntax<'ast>>,
}

impl<'ast> Visit<'ast> for SyntaxReader<'_, 'ast> {
    fn visit_lit(&mut self, lit: &'ast Lit) {
        if let Lit::Bool(_) = lit {
            return;
        }
        let ty = self.notes.types.get(&ptr::from_ref(lit).addr()).copied();
        self.noted.push(NotedSyntax { literal: Some(lit), ty });
    }
    fn visit_local(&mut self, local: &'ast Local) {
        let ty = self.notes.types.get(&ptr::from_ref(local).addr()).copied();
        self.noted.push(NotedSyntax { literal: None, ty });
        visit::visit_local(self, local);
    }
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_item_struct(&mut self, _: &'ast ItemStruct) {}
    fn visit_item_enum(&mut self, _: &'ast ItemEnum) {}
}

/// Annotates a copy of the visited code, in the order of [`SyntaxReader`]. Removes every attribute
/// except on types, which may derive traits.
struct TypeWriter<'a, 'ast> {
    types: &'a Types,
    found: std::vec::IntoIter<NotedSyntax<'ast>>,
}

impl TypeWriter<'_, '_> {
    fn next_type(&mut self) -> Option<Ty> {
        self.found.next()?.ty
    }
}

impl VisitMut for TypeWriter<'_, '_> {
    fn visit_lit_mut(&mut self, lit: &mut Lit) {
        if let Lit::Bool(_) = lit {
            return;
        }
        let prim = self.next_type().and_then(|ty| self.types.as_prim(ty));
        if let Some(literal) = prim.and_then(|prim| suffixed_literal(lit, prim)) {
            *lit = Lit::Verbatim(literal);
        }
    }
    fn visit_local_mut(&mut self, local: &mut Local) {
        let ty = self.next_type();
        visit_mut::visit_local_mut(self, local);
        if let Some(ty) = ty.and_then(|ty| type_tokens(ty, self.types)) {
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

/// Removes every attribute.
struct AttributeStripper;

impl VisitMut for AttributeStripper {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.clear();
    }
}
