//! Places: indexing, references, and mutability.
use crate::{
    hir::{Expr, ExprKind},
    infer::Infer,
    syntax::span::SpanRange,
    types::{Prim, Ty, Type, vector::Vector},
};
use syn::{ExprIndex, ExprReference};

impl Infer<'_> {
    /// Dereferences `expr` until it is no reference.
    pub(crate) fn autoderef(&mut self, mut expr: Expr) -> Expr {
        while let Type::Ref { to, .. } = self.types.get(expr.ty) {
            let at = self.spans[expr.at];
            expr = self.make_expr(ExprKind::Deref(Box::new(expr)), to, at);
        }
        expr
    }

    pub(crate) fn infer_deref(&mut self, expr: &syn::Expr, at: SpanRange) -> Expr {
        let value = self.infer_expr(expr, None);
        match self.types.get(value.ty) {
            Type::Ref { to, .. } => self.make_expr(ExprKind::Deref(Box::new(value)), to, at),
            Type::Reported(proof) => self.make_reported(proof, at),
            _ => match self.try_deref(value, at) {
                Ok(place) => place,
                Err(value) => {
                    let ty = self.types.show(value.ty);
                    let fact = format_args!("type `{ty}` cannot be dereferenced");
                    let reported = self.errors.mistyped(at, fact);
                    self.make_reported(reported, at)
                }
            },
        }
    }

    /// Dereferences the base of an index: through references, then through `Deref` while there is
    /// no `impl` of `Index`.
    fn deref_to_indexable(&mut self, base: Expr, at: SpanRange) -> Expr {
        let base = self.autoderef(base);
        if self.vector_type(base.ty).is_some()
            || self.find_operator_impl("Index", "index", base.ty, None).is_some()
        {
            return base;
        }
        match self.try_deref(base, at) {
            Ok(place) => self.with_deref_depth(|this| this.deref_to_indexable(place, at)),
            Err(base) => base,
        }
    }

    pub(crate) fn infer_index(&mut self, expr: &ExprIndex) -> Expr {
        let at = SpanRange::expr(&expr.expr).to(SpanRange::token(expr.bracket_token.span.close()));
        let base = self.infer_expr(&expr.expr, None);
        let base = self.deref_to_indexable(base, at);
        // Before the index is inferred: a literal range may omit its bounds.
        if let (syn::Expr::Range(range), Type::Slice(elem) | Type::Array(elem, _)) =
            (&*expr.index, self.types.get(base.ty))
        {
            return self.infer_slice_part(base, elem, range, at);
        }
        let index_at = SpanRange::expr(&expr.index);
        let usize = self.prim(Prim::Usize);
        let lane = self.vector_type(base.ty).map(|vector| self.prim(vector.lane));
        let by_impl = matches!(self.types.get(base.ty), Type::Adt(..)) && lane.is_none();
        // Without an `impl`, literals in the index are `usize`s; an `impl` decides its own type.
        let index = self.infer_expr(&expr.index, (!by_impl).then_some(usize));
        if by_impl {
            return self.index_by_impl(base, index, at);
        }
        // A range in a variable.
        if let (Some((chain, _)), Type::Slice(elem) | Type::Array(elem, _)) =
            (self.as_iterator(index.ty), self.types.get(base.ty))
            && let Some(inclusive) = chain.is_range()
        {
            return self.make_slice_by_range(base, elem, index, inclusive, at);
        }
        if self.is_range_to(index.ty) {
            let (fact, help) = crate::infer::call::reject::slice_by_range_to();
            let reported = self.errors.advise(index_at, fact, help);
            return self.make_reported(reported, at);
        }
        let elem = match self.types.get(base.ty) {
            Type::Adt(..) if let Some(lane) = lane => lane,
            Type::Slice(elem) | Type::Array(elem, _) => elem,
            Type::Reported(proof) => return self.make_reported(proof, at),
            _ => {
                let ty = self.types.show(base.ty);
                let reported = self
                    .errors
                    .mistyped(at, format_args!("cannot index into a value of type `{ty}`"));
                return self.make_reported(reported, at);
            }
        };
        if self.types.unify(index.ty, usize).is_err() && !self.is_never(index.ty) {
            let ty = self.types.show(index.ty);
            let fact = format_args!("an index is a `usize`, not `{ty}`");
            self.errors.mistyped(index_at, fact);
        }
        self.make_expr(ExprKind::Index { base: Box::new(base), index: Box::new(index) }, elem, at)
    }

    /// Returns the vector type with this entry.
    pub(crate) fn vector_type(&self, ty: Ty) -> Option<Vector> {
        match self.types.get(ty) {
            Type::Adt(item, _) => self.program().vector(item),
            _ => None,
        }
    }

    pub(crate) fn infer_reference(&mut self, expr: &ExprReference, hint: Option<Ty>) -> Expr {
        let hint = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Ref { to, .. }) => Some(to),
            _ => None,
        };
        let place = self.infer_expr(&expr.expr, hint);
        self.make_borrow(place, expr)
    }

    /// Makes `&place` or `&mut place`.
    pub(crate) fn make_borrow(&mut self, place: Expr, expr: &ExprReference) -> Expr {
        let inner = SpanRange::expr(&expr.expr);
        let at = SpanRange { first: expr.and_token.spans[0], ..inner };
        let mutable = expr.mutability.is_some();
        if mutable && place.is_place() {
            self.require_mutable(&place);
        }
        let ty = self.types.reference(mutable, place.ty);
        self.make_expr(ExprKind::Borrow(Box::new(place)), ty, at)
    }

    /// Reports a place that cannot be assigned.
    pub(crate) fn require_settable(&mut self, place: &Expr) {
        if let ExprKind::Var(var) = place.kind {
            if !self.vars[var].settable {
                let name = self.vars[var].name.clone();
                self.report_immutable(place, &format!("`{name}` is not `mut`"));
            }
        } else if place.is_place() {
            self.require_mutable(place);
        } else if !self.types.is_reported(place.ty) {
            self.report_immutable(place, "this is no place");
        }
    }

    /// Reports a place that cannot be mutated through a reference.
    pub(crate) fn require_mutable(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Var(var) if !self.vars[*var].mutable => {
                let name = self.vars[*var].name.clone();
                self.report_immutable(place, &format!("`{name}` is not `mut`"));
            }
            ExprKind::Deref(inner) => {
                if let Type::Ref { mutable: false, .. } = self.types.get(inner.ty) {
                    self.report_immutable(place, "it is behind a `&` reference");
                }
            }
            ExprKind::Index { base, .. }
            | ExprKind::Slice { base, .. }
            | ExprKind::Field { base, .. } => {
                self.require_mutable(base);
            }
            _ => {}
        }
    }

    /// Returns true if a place is mutable.
    pub(crate) fn is_mutable(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Var(var) => self.vars[*var].mutable,
            ExprKind::Deref(inner) => {
                matches!(self.types.get(inner.ty), Type::Ref { mutable: true, .. })
            }
            ExprKind::Index { base, .. } | ExprKind::Field { base, .. } => self.is_mutable(base),
            _ => true,
        }
    }

    fn report_immutable(&mut self, place: &Expr, why: &str) {
        let at = self.spans[place.at];
        self.errors.mistyped(at, format_args!("this cannot be changed: {why}"));
    }
}
