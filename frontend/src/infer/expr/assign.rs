//! Assignments `a = value`, and destructuring assignments: `(a, _, [b, ..]) = value`.
use crate::{
    hir::{Block, Expr, ExprKind, Stmt, StmtKind},
    infer::{Infer, Obligation},
    syntax::span::SpanRange,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    ExprAssign, Ident, Pat, RangeLimits, parse::Parser, punctuated::Punctuated, spanned::Spanned,
};

/// The places on the left side, and the names that replace them in its pattern.
type AssignedPlaces<'e> = Vec<(Ident, &'e syn::Expr)>;

impl Infer<'_> {
    pub(crate) fn infer_assign(&mut self, expr: &ExprAssign) -> Expr {
        let at = SpanRange::expr(&expr.left).to(SpanRange::expr(&expr.right));
        let unit = self.types.unit();
        if let syn::Expr::Infer(_) = &*expr.left {
            let value = Box::new(self.infer_expr(&expr.right, None));
            return self.make_expr(ExprKind::Assign { place: None, value }, unit, at);
        }
        let mut places = AssignedPlaces::new();
        // A left side that parses neither as a pattern nor as a place is an error that rustc
        // reports.
        if let Some(pattern) = destructuring_pattern(&expr.left, &mut places)
            && let Ok(pattern) = Pat::parse_single.parse2(pattern)
        {
            return self.infer_destructuring_assign(&pattern, places, &expr.right, at);
        }
        let place = self.infer_expr(&expr.left, None);
        self.require_settable(&place);
        let value = self.infer_expr(&expr.right, Some(place.ty));
        self.make_assign(place, value, at)
    }

    /// Makes `place = value`; the caller has checked that the place is settable.
    fn make_assign(&mut self, place: Expr, value: Expr, at: SpanRange) -> Expr {
        let value = Box::new(self.coerce(value, place.ty));
        self.oblige(at, Obligation::Assigned(place.ty));
        let unit = self.types.unit();
        self.make_expr(ExprKind::Assign { place: Some(Box::new(place)), value }, unit, at)
    }

    /// Makes a destructuring assignment: the value is bound to a pattern, then each part is
    /// assigned, in Rust's order.
    fn infer_destructuring_assign(
        &mut self,
        pattern: &Pat,
        places: AssignedPlaces<'_>,
        right: &syn::Expr,
        at: SpanRange,
    ) -> Expr {
        let scope = self.scope.open();
        let value = self.infer_expr(right, None);
        let pattern = self.infer_irrefutable(pattern, value.ty);
        let kind = StmtKind::Let { pattern, init: Some(value), else_block: None };
        let mut stmts = vec![Stmt { kind, levels: Vec::new() }];
        for (name, place) in places {
            // The pattern reported a mismatch.
            let Some(var) = self.scope.find(&name) else { continue };
            let at = SpanRange::expr(place);
            let place = self.infer_expr(place, None);
            self.require_settable(&place);
            let ty = self.vars[var].ty;
            self.unify(at, ty, place.ty);
            let value = self.make_expr(ExprKind::Var(var), ty, at);
            let set = self.make_assign(place, value, at);
            stmts.push(Stmt { kind: StmtKind::Expr(set), levels: Vec::new() });
        }
        self.scope.close(scope);
        let unit = self.types.unit();
        let block = Block { stmts, tail: None };
        self.make_expr(ExprKind::Block { label: None, block }, unit, at)
    }
}

/// Returns the pattern of a destructuring left side, with a name for each place in it; `None` for a
/// plain place.
fn destructuring_pattern<'e>(
    left: &'e syn::Expr,
    places: &mut AssignedPlaces<'e>,
) -> Option<TokenStream> {
    let span = left.span();
    let parts = |parts: &'e Punctuated<syn::Expr, _>, places: &mut AssignedPlaces<'e>| {
        parts.iter().map(|part| destructuring_part(part, places)).collect::<Vec<_>>()
    };
    Some(match left {
        syn::Expr::Tuple(tuple) => {
            let parts = parts(&tuple.elems, places);
            quote_spanned!(span=> (#(#parts,)*))
        }
        syn::Expr::Array(array) => {
            let parts = parts(&array.elems, places);
            quote_spanned!(span=> [#(#parts),*])
        }
        syn::Expr::Call(call) if let syn::Expr::Path(path) = &*call.func => {
            let parts = parts(&call.args, places);
            quote_spanned!(span=> #path(#(#parts),*))
        }
        syn::Expr::Struct(shape) if shape.rest.is_none() => {
            let (path, rest) = (&shape.path, &shape.dot2_token);
            let fields = shape.fields.iter().map(|field| {
                let (member, part) = (&field.member, destructuring_part(&field.expr, places));
                quote!(#member: #part,)
            });
            quote_spanned!(span=> #path { #(#fields)* #rest })
        }
        _ => return None,
    })
}

fn destructuring_part<'e>(part: &'e syn::Expr, places: &mut AssignedPlaces<'e>) -> TokenStream {
    match part {
        syn::Expr::Infer(_) => quote!(_),
        syn::Expr::Range(range)
            if let (None, RangeLimits::HalfOpen(dots), None) =
                (&range.start, &range.limits, &range.end) =>
        {
            quote!(#dots)
        }
        syn::Expr::Paren(inner) => destructuring_part(&inner.expr, places),
        part => destructuring_pattern(part, places).unwrap_or_else(|| {
            let name = Ident::new(&format!("__assigned_{}", places.len()), part.span());
            places.push((name.clone(), part));
            quote!(#name)
        }),
    }
}
