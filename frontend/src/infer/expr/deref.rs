//! User-defined `Deref` and `DerefMut`: a value is dereferenced if its own type lacks the requested
//! member.
use crate::{
    hir::{Expr, ExprKind},
    infer::Infer,
    syntax::span::SpanRange,
    types::{Ty, Type},
};

/// The greatest number of chained dereferences: a type may dereference to itself.
const MAX_DEREFERENCES: usize = 32;

impl Infer<'_> {
    /// Runs inference one dereference deeper.
    pub(crate) fn with_deref_depth<T>(&mut self, go_on: impl FnOnce(&mut Self) -> T) -> T {
        self.deref_depth += 1;
        let result = go_on(self);
        self.deref_depth -= 1;
        result
    }

    /// Dereferences `base` by its `impl`: `DerefMut` if there is one and the place is mutable, else
    /// `Deref`. Gives `base` back as the `Err` if there is none.
    pub(crate) fn try_deref(&mut self, base: Expr, at: SpanRange) -> Result<Expr, Expr> {
        if !matches!(self.types.get(base.ty), Type::Adt(..)) {
            return Err(base);
        }
        if self.deref_depth >= MAX_DEREFERENCES {
            let shown = self.types.show(base.ty);
            self.errors.mistyped(at, format_args!("`{shown}` refers to itself without end"));
            return Err(base);
        }
        let mut found = None;
        if self.is_mutable(&base) {
            found = self.find_operator_impl("DerefMut", "deref_mut", base.ty, None);
        }
        let found = found.or_else(|| self.find_operator_impl("Deref", "deref", base.ty, None));
        let Some(member) = found else { return Err(base) };
        let call = self.make_operator_call(member, base, None, at);
        Ok(match self.types.get(call.ty) {
            Type::Ref { to, .. } => self.make_expr(ExprKind::Deref(Box::new(call)), to, at),
            _ => call,
        })
    }

    /// Dereferences the receiver of a method, unless its type derives a trait with this method.
    pub(crate) fn try_deref_receiver(
        &mut self,
        receiver: Expr,
        name: &str,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let Type::Adt(item, _) = self.types.get(receiver.ty) else { return Err(receiver) };
        let derived = match name {
            "clone" => "Clone",
            "eq" | "ne" => "PartialEq",
            "partial_cmp" | "lt" | "le" | "gt" | "ge" => "PartialOrd",
            "cmp" | "max" | "min" | "clamp" => "Ord",
            _ => return self.try_deref(receiver, at),
        };
        if self.program().derives_trait(item, derived) {
            Err(receiver)
        } else {
            self.try_deref(receiver, at)
        }
    }

    /// Coerces a reference to the dereferenced type, if `wanted` is a reference to another type.
    pub(crate) fn try_deref_coercion(&mut self, expr: Expr, wanted: Ty) -> Result<Expr, Expr> {
        let (Type::Ref { mutable, to: from }, Type::Ref { mutable: by_mut, to }) =
            (self.types.get(expr.ty), self.types.get(wanted))
        else {
            return Err(expr);
        };
        let is_other = matches!(self.types.get(from), Type::Adt(..))
            && !matches!(self.types.get(to), Type::Unknown(_) | Type::Reported(_))
            && !self.types.could_unify(from, to);
        if !is_other {
            return Err(expr);
        }
        let at = self.spans[expr.at];
        let base = ExprKind::Deref(Box::new(expr));
        let base = self.make_expr(base, from, at);
        match self.try_deref(base, at) {
            Ok(place) => {
                let ty = self.types.reference(mutable && by_mut, place.ty);
                Ok(self.make_expr(ExprKind::Borrow(Box::new(place)), ty, at))
            }
            // The dereference that was wrapped around `expr` above is taken off again.
            Err(base) => match base.kind {
                ExprKind::Deref(expr) => Err(*expr),
                _ => Err(base),
            },
        }
    }
}
