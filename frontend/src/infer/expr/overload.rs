//! Operators on structs, enums, tuples and arrays: calls of the `impl`, or comparisons field by
//! field.
use crate::{
    hir::{Call, Expr, ExprKind},
    infer::{
        Infer,
        call::reject,
        items::signature::receiver_reference,
        traits::member::{Member, MemberKind},
    },
    syntax::{error::Reported, span::SpanRange},
    types::{Prim, Ty, Type},
};
use syn::{BinOp, FnArg, ReturnType};
use warpwise_compiler::ir::CompareOp;

impl<'a> Infer<'a> {
    /// Returns true if an `impl` defines the operators of a type.
    pub(crate) fn is_overloaded(&self, ty: Ty) -> bool {
        matches!(self.types.get(self.types.pointee(ty)), Type::Adt(..))
    }

    /// Returns true if a type is compared part by part.
    pub(crate) fn is_compound(&self, ty: Ty) -> bool {
        matches!(
            self.types.get(ty),
            Type::Adt(..) | Type::Tuple(_) | Type::Array(..) | Type::Unit | Type::Ref { .. }
        )
    }

    /// Returns true for a slice, perhaps after references.
    pub(crate) fn is_slice(&self, ty: Ty) -> bool {
        matches!(self.types.get(self.types.pointee(ty)), Type::Slice(_))
    }

    /// Infers an operator that an `impl` defines.
    pub(crate) fn infer_overloaded(
        &mut self,
        token: &BinOp,
        lhs: Expr,
        rhs: Expr,
        at: SpanRange,
    ) -> Expr {
        let Some((of_trait, method)) = operator_trait(token) else {
            let reported = self.errors.report(at, "kernel code does not know this operator");
            return self.make_reported(reported, at);
        };
        match self.find_operator_impl(of_trait, method, lhs.ty, Some(rhs.ty)) {
            Some(member) => self.make_operator_call(member, lhs, Some(rhs), at),
            None if let Some(slice) = self.slice_operand(token, lhs.ty, rhs.ty)
                && let Some(member) =
                    self.find_operator_impl(of_trait, method, lhs.ty, Some(slice)) =>
            {
                let rhs = self.coerce(rhs, slice);
                self.make_operator_call(member, lhs, Some(rhs), at)
            }
            None => self.report_no_operator(of_trait, method, &lhs, at),
        }
    }

    /// Returns the slice reference that the only `impl` of an operator takes, if the operand is a
    /// reference to an array.
    fn slice_operand(&mut self, token: &BinOp, lhs: Ty, rhs: Ty) -> Option<Ty> {
        let Type::Ref { to: array, .. } = self.types.get(rhs) else { return None };
        let only = self.only_right_operand_type(token, lhs)?;
        let Type::Ref { to: slice, .. } = self.types.get(only) else { return None };
        let (Type::Array(given, _), Type::Slice(taken)) =
            (self.types.get(array), self.types.get(slice))
        else {
            return None;
        };
        self.types.could_unify(given, taken).then_some(only)
    }

    /// Infers `-value` and `!value` that an `impl` defines.
    pub(crate) fn infer_overloaded_unary(
        &mut self,
        of_trait: &str,
        method: &str,
        value: Expr,
        at: SpanRange,
    ) -> Expr {
        match self.find_operator_impl(of_trait, method, value.ty, None) {
            Some(member) => self.make_operator_call(member, value, None, at),
            None => self.report_no_operator(of_trait, method, &value, at),
        }
    }

    /// Returns true for a type of std, whose operators rustc knows.
    fn is_of_std(&self, ty: Ty) -> bool {
        match self.types.get(ty) {
            Type::Adt(id, _) => self.program().is_of_library(id),
            _ => false,
        }
    }

    fn report_no_operator(
        &mut self,
        of_trait: &str,
        method: &str,
        lhs: &Expr,
        at: SpanRange,
    ) -> Expr {
        let shown = self.types.show(lhs.ty);
        let fact = format!("kernel code does not know this operator on `{shown}`");
        let reported = match self.vector_type(lhs.ty) {
            Some(_) => self.errors.advise(
                at,
                fact,
                "a vector has the operators of its lanes, with vectors of its own type and with \
                 numbers of its lanes'",
            ),
            None if self.is_of_std(lhs.ty) => self.errors.mistyped(at, fact),
            None if let Some(help) = reject::host_blocks(at, method, &shown)
                .or_else(|| reject::host_blocks(at, "deref", &shown)) =>
            {
                self.errors.advise(at, fact, help)
            }
            // The `impl` is in another file, or there is none.
            None => {
                let help = format!("mark its `impl {of_trait}` `#[device]`");
                self.errors.advise_unless_rustc(at, fact, help)
            }
        };
        self.make_reported(reported, at)
    }

    /// Returns the right operand type of an operator, if only one `impl` has it for the left
    /// operand.
    pub(crate) fn only_right_operand_type(&mut self, token: &BinOp, lhs: Ty) -> Option<Ty> {
        let Type::Adt(..) = self.types.get(lhs) else { return None };
        let (of_trait, method) = operator_trait(token)?;
        let mut found = None;
        for item in self.program().impls_with_member(method) {
            let Some(syn::Item::Impl(defined)) = self.program().item(item) else { continue };
            let named = defined.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            if named.is_none_or(|named| named.ident != of_trait) {
                continue;
            }
            let Some((_, sig)) = self.program().impl_method(item, method) else { continue };
            let Some((env, this)) = self.instantiate_impl(item) else { continue };
            if !self.types.could_unify(this, lhs) {
                continue;
            }
            let Some(FnArg::Typed(second)) = sig.inputs.iter().nth(1) else { continue };
            if found.is_some() || self.types.unify(this, lhs).is_err() {
                return None;
            }
            found = Some(self.resolve_type_in(&second.ty, &env));
        }
        found
    }

    /// Returns the `impl` of an operator that fits both operands.
    pub(crate) fn find_operator_impl(
        &mut self,
        of_trait: &str,
        method: &str,
        lhs: Ty,
        rhs: Option<Ty>,
    ) -> Option<Member<'a>> {
        for item in self.program().impls_with_member(method) {
            let Some(syn::Item::Impl(defined)) = self.program().item(item) else { continue };
            let named = defined.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            if named.is_none_or(|named| named.ident != of_trait) {
                continue;
            }
            let Some((callee, sig)) = self.program().impl_method(item, method) else { continue };
            let Some((env, this)) = self.instantiate_impl(item) else { continue };
            let reference = matches!(self.types.get(lhs), Type::Ref { .. });
            let assigns = of_trait.ends_with("Assign");
            if !assigns && reference != matches!(self.types.get(this), Type::Ref { .. })
                || !self.types.could_unify(this, lhs)
            {
                continue;
            }
            let second = match sig.inputs.iter().nth(1) {
                Some(FnArg::Typed(second)) => Some(self.resolve_type_in(&second.ty, &env)),
                _ => None,
            };
            if let (Some(second), Some(rhs)) = (second, rhs)
                && !self.types.could_unify(second, rhs)
            {
                continue;
            }
            let _ = self.types.unify(this, lhs);
            return Some(Member { callee, env, kind: MemberKind::Fn(sig) });
        }
        None
    }

    /// Infers `base[index]` by an `impl`: `IndexMut` if there is one and the base is mutable, else
    /// `Index`.
    pub(crate) fn index_by_impl(&mut self, base: Expr, index: Expr, at: SpanRange) -> Expr {
        let mutable = self.is_mutable(&base);
        let by_mut = mutable
            .then(|| self.find_operator_impl("IndexMut", "index_mut", base.ty, Some(index.ty)));
        let found = by_mut
            .flatten()
            .or_else(|| self.find_operator_impl("Index", "index", base.ty, Some(index.ty)));
        let Some(member) = found else {
            return self.report_no_operator("Index", "index", &base, at);
        };
        let call = self.make_operator_call(member, base, Some(index), at);
        match self.types.get(call.ty) {
            Type::Ref { to, .. } => self.make_expr(ExprKind::Deref(Box::new(call)), to, at),
            _ => call,
        }
    }

    pub(crate) fn make_operator_call(
        &mut self,
        member: Member<'a>,
        lhs: Expr,
        rhs: Option<Expr>,
        at: SpanRange,
    ) -> Expr {
        let Member { callee, env, kind: MemberKind::Fn(sig) } = member else {
            let reported = self.errors.mistyped(at, "an operator is a function");
            return self.make_reported(reported, at);
        };
        let ret = match &sig.output {
            ReturnType::Default => self.types.unit(),
            ReturnType::Type(_, ty) => self.resolve_type_in(ty, &env),
        };
        let first = match sig.inputs.first() {
            Some(FnArg::Receiver(by)) => match receiver_reference(by) {
                Some(mutable) => {
                    let ty = self.types.reference(mutable, lhs.ty);
                    self.make_expr(ExprKind::Borrow(Box::new(lhs)), ty, at)
                }
                None => lhs,
            },
            Some(FnArg::Typed(first)) => {
                let ty = self.resolve_type_in(&first.ty, &env);
                // A receiver was dereferenced completely before.
                let lhs = match (self.types.get(ty), self.types.get(lhs.ty)) {
                    (_, Type::Ref { .. }) => lhs,
                    (Type::Ref { .. }, _) => {
                        self.make_expr(ExprKind::Borrow(Box::new(lhs)), ty, at)
                    }
                    _ => lhs,
                };
                self.coerce(lhs, ty)
            }
            None => lhs,
        };
        let mut args = vec![first];
        if let Some(rhs) = rhs {
            let ty = match sig.inputs.iter().nth(1) {
                Some(FnArg::Typed(second)) => self.resolve_type_in(&second.ty, &env),
                _ => rhs.ty,
            };
            args.push(self.coerce(rhs, ty));
        }
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee, generics, self_ty: env.self_ty, args };
        self.make_expr(ExprKind::Call(Box::new(call)), ret, at)
    }

    /// Infers `==`, `<` and so on of a composite type.
    pub(crate) fn make_compound_comparison(
        &mut self,
        op: CompareOp,
        lhs: Expr,
        rhs: Expr,
        at: SpanRange,
    ) -> Expr {
        let negated = match op {
            CompareOp::Eq => Some(false),
            CompareOp::Ne => Some(true),
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => None,
        };
        let (lhs, rhs) = (self.autoderef(lhs), self.autoderef(rhs));
        if let Some(negated) = negated {
            let ty = self.types.reference(false, rhs.ty);
            if let Some(member) = self.find_operator_impl("PartialEq", "eq", lhs.ty, Some(ty)) {
                let rhs = self.make_expr(ExprKind::Borrow(Box::new(rhs)), ty, at);
                let equal = self.make_operator_call(member, lhs, Some(rhs), at);
                return if negated { self.make_not(equal, at) } else { equal };
            }
        }
        let Some(negated) = negated else { return self.make_ordered_comparison(op, lhs, rhs, at) };
        if let Some(reported) = self.reject_host_comparison("eq", [&lhs, &rhs], at) {
            return self.make_reported(reported, at);
        }
        self.unify(self.spans[rhs.at], rhs.ty, lhs.ty);
        let bool = self.prim(Prim::Bool);
        let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
        self.make_expr(ExprKind::Equality { negated, lhs, rhs }, bool, at)
    }

    /// Reports a comparison of two types for which only the host has the `impl` with `method`.
    pub(crate) fn reject_host_comparison(
        &mut self,
        method: &str,
        [lhs, rhs]: [&Expr; 2],
        at: SpanRange,
    ) -> Option<Reported> {
        if self.types.could_unify(rhs.ty, lhs.ty) {
            return None;
        }
        let help = reject::host_blocks(at, method, &self.types.show(lhs.ty))?;
        let [shown, other] = [lhs.ty, rhs.ty].map(|ty| self.types.show(ty));
        let fact = format!("kernel code cannot compare `{shown}` with `{other}`");
        Some(self.errors.advise(at, fact, help))
    }
}

/// Returns the trait and the method of an operator.
fn operator_trait(token: &BinOp) -> Option<(&'static str, &'static str)> {
    Some(match token {
        BinOp::Add(_) => ("Add", "add"),
        BinOp::Sub(_) => ("Sub", "sub"),
        BinOp::Mul(_) => ("Mul", "mul"),
        BinOp::Div(_) => ("Div", "div"),
        BinOp::Rem(_) => ("Rem", "rem"),
        BinOp::BitXor(_) => ("BitXor", "bitxor"),
        BinOp::BitAnd(_) => ("BitAnd", "bitand"),
        BinOp::BitOr(_) => ("BitOr", "bitor"),
        BinOp::Shl(_) => ("Shl", "shl"),
        BinOp::Shr(_) => ("Shr", "shr"),
        BinOp::AddAssign(_) => ("AddAssign", "add_assign"),
        BinOp::SubAssign(_) => ("SubAssign", "sub_assign"),
        BinOp::MulAssign(_) => ("MulAssign", "mul_assign"),
        BinOp::DivAssign(_) => ("DivAssign", "div_assign"),
        BinOp::RemAssign(_) => ("RemAssign", "rem_assign"),
        BinOp::BitXorAssign(_) => ("BitXorAssign", "bitxor_assign"),
        BinOp::BitAndAssign(_) => ("BitAndAssign", "bitand_assign"),
        BinOp::BitOrAssign(_) => ("BitOrAssign", "bitor_assign"),
        BinOp::ShlAssign(_) => ("ShlAssign", "shl_assign"),
        BinOp::ShrAssign(_) => ("ShrAssign", "shr_assign"),
        _ => return None,
    })
}
