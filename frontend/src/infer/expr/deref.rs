//! `Deref` and `DerefMut` of types of one's own: a value with such an `impl` is taken for what it refers
//! to wherever it has not itself what is asked of it.
use crate::{
    hir::{Expr, Kind},
    infer::Infer,
    syntax::span::SpanRange,
    types::{Ty, Type},
};

/// How many types that refer to others a value is taken through: one may refer to itself.
const MAX_DEREFERENCES: usize = 32;

impl Infer<'_> {
    /// Goes on with what a value refers to.
    pub(crate) fn behind_reference<T>(&mut self, go_on: impl FnOnce(&mut Self) -> T) -> T {
        self.dereferences += 1;
        let result = go_on(self);
        self.dereferences -= 1;
        result
    }

    /// What `base` refers to, by an `impl` of `DerefMut` where there is one and it can be changed; `base`
    /// back if it refers to nothing.
    pub(crate) fn referred(&mut self, base: Expr, at: SpanRange) -> Result<Expr, Expr> {
        if !matches!(self.types.get(base.ty), Type::Adt(..)) {
            return Err(base);
        }
        if self.dereferences >= MAX_DEREFERENCES {
            let shown = self.types.show(base.ty);
            self.errors.mistyped(at, format_args!("`{shown}` refers to itself without end"));
            return Err(base);
        }
        let by_mut = self.is_mutable(&base);
        let by_mut = by_mut.then(|| self.operator_impl("DerefMut", "deref_mut", base.ty, None));
        let found =
            by_mut.flatten().or_else(|| self.operator_impl("Deref", "deref", base.ty, None));
        let Some(member) = found else { return Err(base) };
        let call = self.operator_call(member, base, None, at);
        Ok(match self.types.get(call.ty) {
            Type::Ref { to, .. } => self.make(Kind::Deref(Box::new(call)), to, at),
            _ => call,
        })
    }

    /// What the receiver of a method refers to, where it has no such method itself by what it derives.
    pub(crate) fn referred_receiver(
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
            _ => return self.referred(receiver, at),
        };
        match self.program().derives(item, derived) {
            true => Err(receiver),
            false => self.referred(receiver, at),
        }
    }

    /// A reference to what a value refers to, of which there is a reference, where one to `wanted` is needed.
    pub(crate) fn referred_as(&mut self, expr: Expr, wanted: Ty) -> Result<Expr, Expr> {
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
        let at = self.places[expr.at];
        let base = Kind::Deref(Box::new(expr));
        let base = self.make(base, from, at);
        match self.referred(base, at) {
            Ok(place) => {
                let ty = self.types.reference(mutable && by_mut, place.ty);
                Ok(self.make(Kind::Borrow(Box::new(place)), ty, at))
            }
            Err(base) => match base.kind {
                Kind::Deref(expr) => Err(*expr),
                _ => Err(base),
            },
        }
    }
}
