//! Import resolution: replaces imported names in a function by their full paths.
//!
//! `#[device]` items are found by a macro of the same name (see [`device`](mod@crate::device)),
//! called beside the function, outside of the scope of imports in the function; and variants of
//! enums and std items have no such macro. So imports are resolved in advance, on a copy of the
//! function: rustc gets the function as written.
//!
//! Resolved are the `use`s inside of the function, and from the file's `use`s: enum variants,
//! renamed types and iterators of std, std modules, functions of `std::iter`, and types and modules
//! of Warpwise that are renamed. So are vectors that a module of the user's re-exports: rustc's
//! check of the witness covers a wrong guess. `PI` becomes `std::f32::consts::PI`, `Push(x)`
//! becomes `Op::Push(x)`, and `iter::once(x)` becomes `std::iter::once(x)`. A lower-case name alone
//! may be a variable, so only calls of it are resolved. The user's own macros are expanded first:
//! see [`macro_rules`].
use crate::{
    resolve::{inline_ptx, macro_rules, source_map},
    types::vector,
};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree, token_stream::IntoIter};
use quote::ToTokens;
use std::{cell::Cell, collections::HashMap, iter::Peekable};
use syn::{
    Block, Expr, ExprCall, ExprPath, Item, ItemFn, Macro, Pat, Path, PathSegment, Stmt,
    visit_mut::{self, VisitMut},
};

/// Resolves the imports of a kernel and expands its macros; also returns true if there were any
/// macro calls or new names of Warpwise's items, so that the names in the kernel are others than
/// those written.
pub(crate) fn resolve_kernel_imports(mut item: ItemFn) -> (ItemFn, bool) {
    let mut uses = ImportScopes::default();
    uses.visit_item_fn_mut(&mut item);
    if uses.calls_macros {
        item = macro_rules::expand_kernel(&item);
        ImportScopes::default().visit_item_fn_mut(&mut item);
    }
    let has_other_names = uses.calls_macros || uses.renames.get();
    (item, has_other_names)
}

/// Resolves the imports of a device item and expands its macros.
pub(crate) fn resolve_item_imports(mut item: Item) -> Item {
    let mut uses = ImportScopes::default();
    uses.visit_item_mut(&mut item);
    if uses.calls_macros {
        item = macro_rules::expand_item(&item);
        ImportScopes::default().visit_item_mut(&mut item);
    }
    item
}

/// Modules of std with items that kernel code knows.
const STD_MODULES: [&str; 11] = [
    "array", "atomic", "cmp", "consts", "convert", "iter", "marker", "mem", "ops", "slice", "sync",
];

/// Functions of `std::iter`.
const ITERATOR_FUNCTIONS: [&str; 10] = [
    "chain",
    "empty",
    "from_fn",
    "once",
    "once_with",
    "repeat",
    "repeat_n",
    "repeat_with",
    "successors",
    "zip",
];

/// The imports of the surrounding blocks, innermost last.
#[derive(Default)]
struct ImportScopes {
    scopes: Vec<HashMap<String, Vec<String>>>,
    /// True if there are calls of unknown macros; their arguments are left alone.
    calls_macros: bool,
    /// True if a name of the file's for an item of Warpwise was replaced.
    renames: Cell<bool>,
}

impl ImportScopes {
    /// Returns the path that a name stands for, as the segments; `is_alone` if the name is the
    /// whole path and not only its first segment.
    fn imported_path(&self, name: &Ident, is_alone: bool) -> Option<Vec<String>> {
        let text = name.to_string();
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(&text)).cloned();
        found.or_else(|| {
            // Imports inside of the function take precedence. Of the file, upper-case names may be
            // types or variants, and lower-case ones are looked up only if kernel code knows them:
            // in a path of its own an iterator function, otherwise a module.
            let path = if is_type_name(&text) {
                let found = source_map::imported_variant(name)
                    .or_else(|| source_map::imported_std_type(name))
                    .or_else(|| self.renamed_item(name));
                found.or_else(|| source_map::atomic_ordering(name).filter(|_| is_alone))
            } else if is_alone && ITERATOR_FUNCTIONS.contains(&text.as_str()) {
                source_map::imported_std_path(name).filter(|path| path.contains("::iter::"))
            } else if !is_alone && STD_MODULES.contains(&text.as_str()) {
                source_map::imported_std_path(name)
            } else if !is_alone {
                self.renamed_item(name)
            } else {
                None
            };
            Some(path?.split("::").map(str::to_owned).collect())
        })
    }

    /// Returns the path of an item of Warpwise to which the file gives this name.
    fn renamed_item(&self, name: &Ident) -> Option<String> {
        let path = source_map::renamed_item(name)?;
        self.renames.set(true);
        Some(path)
    }

    /// Replaces the first segment of a path.
    fn write_out_path(&self, path: &mut Path) {
        if path.leading_colon.is_some() {
            return;
        }
        let Some(first) = path.segments.first() else { return };
        if let Some(place) = vector_place(path) {
            let warpwise = PathSegment::from(Ident::new("warpwise", first.ident.span()));
            let rest = path.segments.iter().skip(place).cloned();
            path.segments = std::iter::once(warpwise).chain(rest).collect();
            return;
        }
        let Some(names) = self.imported_path(&first.ident, path.segments.len() == 1) else {
            return;
        };
        let (arguments, span) = (first.arguments.clone(), first.ident.span());
        let mut segments: Vec<PathSegment> =
            names.iter().map(|name| PathSegment::from(make_ident(name, span))).collect();
        if let Some(last) = segments.last_mut() {
            last.arguments = arguments;
        }
        path.segments = segments.into_iter().chain(path.segments.iter().skip(1).cloned()).collect();
    }

    /// Replaces names in the arguments of a macro.
    fn write_out_tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        let mut follows = false;
        while let Some(token) = tokens.next() {
            let is_punct = |token: &TokenTree, chars: &[char]| matches!(token, TokenTree::Punct(punct) if chars.contains(&punct.as_char()));
            let before = std::mem::replace(&mut follows, is_punct(&token, &['.', ':']));
            match token {
                TokenTree::Group(group) => {
                    let mut inner =
                        Group::new(group.delimiter(), self.write_out_tokens(group.stream()));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(name)
                    if tokens.peek().is_some_and(macro_rules::is_bang)
                        && !macro_rules::is_known_macro(&name) =>
                {
                    self.calls_macros = true;
                    let arguments = [tokens.next(), tokens.next()].into_iter().flatten();
                    out.extend([TokenTree::Ident(name)].into_iter().chain(arguments));
                }
                TokenTree::Ident(name) if !before => {
                    let called = matches!(tokens.peek(), Some(TokenTree::Group(group))
                        if group.delimiter() == Delimiter::Parenthesis);
                    let is_path = tokens.peek().is_some_and(|next| is_punct(next, &[':']));
                    if !is_type_name(&name.to_string())
                        && name != "warpwise"
                        && let Some(count) = tokens_before_vector(tokens.clone())
                    {
                        out.extend([TokenTree::Ident(Ident::new("warpwise", name.span()))]);
                        tokens.by_ref().take(count).for_each(drop);
                        continue;
                    }
                    // A plain lower-case name that is not called may be a variable or field.
                    let may_be = is_type_name(&name.to_string()) || called || is_path;
                    match may_be.then(|| self.imported_path(&name, !is_path)).flatten() {
                        Some(names) => {
                            let mut path = Path::from(name);
                            let span = path.segments[0].ident.span();
                            let segments = names.iter().map(|name| make_ident(name, span));
                            path.segments = segments.map(PathSegment::from).collect();
                            path.to_tokens(&mut out);
                        }
                        None => out.extend([TokenTree::Ident(name)]),
                    }
                }
                token => out.extend([token]),
            }
        }
        out
    }
}

fn make_ident(name: &str, span: Span) -> Ident {
    match name {
        "self" | "super" | "crate" | "Self" => Ident::new(name, span),
        name => syn::parse_str::<Ident>(name).map_or_else(
            |_| Ident::new_raw(name.trim_start_matches("r#"), span),
            |mut ident| {
                ident.set_span(span);
                ident
            },
        ),
    }
}

/// Returns the place of a vector's name in a path through modules of the user's, which re-export
/// it: 1 of `types::F32x4::new`. No item of the user's has such a name.
fn vector_place(path: &Path) -> Option<usize> {
    let mut segments = path.segments.iter();
    let place = segments.position(|segment| is_type_name(&segment.ident.to_string()))?;
    let is_vector = vector::is_name(&path.segments[place].ident.to_string());
    (place > 0 && is_vector && path.segments[0].ident != "warpwise").then_some(place)
}

/// Returns how many tokens are between the first name of a path and the `::` before a vector's
/// name; `None` if the path names no vector.
fn tokens_before_vector(mut tokens: Peekable<IntoIter>) -> Option<usize> {
    let is_colon =
        |token: TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    for segment in 0.. {
        if !(is_colon(tokens.next()?) && is_colon(tokens.next()?)) {
            return None;
        }
        let TokenTree::Ident(name) = tokens.next()? else { return None };
        if is_type_name(&name.to_string()) {
            return vector::is_name(&name.to_string()).then_some(3 * segment);
        }
    }
    None
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

impl VisitMut for ImportScopes {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut scope = HashMap::new();
        for statement in &block.stmts {
            if let Stmt::Item(Item::Use(item)) = statement {
                for (name, path) in source_map::imported_names(item) {
                    scope.insert(name, path.split("::").map(str::to_owned).collect());
                }
            }
        }
        // Every lookup searches all scopes, so blocks without imports add none.
        let brings = !scope.is_empty();
        if brings {
            self.scopes.push(scope);
        }
        visit_mut::visit_block_mut(self, block);
        if brings {
            self.scopes.pop();
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        match path.get_ident() {
            Some(name) if !is_type_name(&name.to_string()) => return,
            Some(_) => {}
            None => visit_mut::visit_path_mut(self, path),
        }
        self.write_out_path(path);
    }

    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        // The path of `<T>::f` continues from the type.
        match &mut path.qself {
            Some(qself) => self.visit_type_mut(&mut qself.ty),
            None => self.visit_path_mut(&mut path.path),
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        if let Expr::Path(path) = &mut *call.func
            && path.qself.is_none()
            && path.path.get_ident().is_some_and(|name| !is_type_name(&name.to_string()))
        {
            self.write_out_path(&mut path.path);
        }
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let Pat::Ident(name) = pat
            && name.by_ref.is_none()
            && name.mutability.is_none()
            && name.subpat.is_none()
            && is_type_name(&name.ident.to_string())
            && self.imported_path(&name.ident, true).is_some()
        {
            let mut path = Path::from(name.ident.clone());
            self.write_out_path(&mut path);
            *pat = Pat::Path(ExprPath { attrs: Vec::new(), qself: None, path });
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        let is_unknown = |name: &Ident| !macro_rules::is_known_macro(name);
        if call.path.get_ident().is_some_and(is_unknown) || inline_ptx::is_call(call) {
            self.calls_macros = true;
            return;
        }
        call.tokens = self.write_out_tokens(std::mem::take(&mut call.tokens));
    }

    fn visit_item_use_mut(&mut self, _: &mut syn::ItemUse) {}
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn names_are_written_out_where_they_are_in_scope() {
        let item: ItemFn = syn::parse_quote!(
            fn f(x: &[f32]) -> f32 {
                use Op::{Minus, Plus as Add, Push};
                use std::{cmp::max, f32::consts::PI};
                {
                    use geometry as plane;
                    let max = plane::area::<f32>(max(1, 2));
                    assert!(matches!(op, Push(_) | Add), "{}", x.PI + PI * max(1, max));
                }
                match op {
                    Push(value) => value,
                    Add | Minus => plane::area(PI),
                }
            }
        );
        let expected = quote!(
            fn f(x: &[f32]) -> f32 {
                use Op::{Minus, Plus as Add, Push};
                use std::{cmp::max, f32::consts::PI};
                {
                    use geometry as plane;
                    let max = geometry::area::<f32>(std::cmp::max(1, 2));
                    assert!(
                        matches!(op, Op::Push(_) | Op::Plus),
                        "{}",
                        x.PI + std::f32::consts::PI * std::cmp::max(1, max)
                    );
                }
                match op {
                    Op::Push(value) => value,
                    Op::Plus | Op::Minus => plane::area(std::f32::consts::PI),
                }
            }
        );
        assert_eq!(
            resolve_kernel_imports(item).0.to_token_stream().to_string(),
            expected.to_string()
        );
    }

    #[test]
    fn vectors_are_warpwises_in_every_module() {
        let item: ItemFn = syn::parse_quote!(
            fn f(x: &[types::F32x4], y: &warpwise::F32x4, z: T::F32x4, w: types::F32) {
                let all = shared!([crate::types::F32x4; 4]);
                super::F32x4::new(types::two(), F32x4::ZERO.x)
            }
        );
        let expected = quote!(
            fn f(x: &[warpwise::F32x4], y: &warpwise::F32x4, z: T::F32x4, w: types::F32) {
                let all = shared!([warpwise::F32x4; 4]);
                warpwise::F32x4::new(types::two(), F32x4::ZERO.x)
            }
        );
        assert_eq!(
            resolve_kernel_imports(item).0.to_token_stream().to_string(),
            expected.to_string()
        );
    }

    #[test]
    fn self_of_no_path_is_the_module() {
        let item: ItemFn = syn::parse_quote!(
            fn f() {
                use ::{self as Made, *};
                Made::Sub
            }
        );
        let expected = quote!(
            fn f() {
                use ::{self as Made, *};
                self::Sub
            }
        );
        assert_eq!(
            resolve_kernel_imports(item).0.to_token_stream().to_string(),
            expected.to_string()
        );
    }
}
