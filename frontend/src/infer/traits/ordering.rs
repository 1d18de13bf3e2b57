//! Comparisons: methods of `PartialEq`, `PartialOrd` and `Ord`, and operators on slices and on
//! types with an `impl` of their own. Other composites are compared part by part. The methods
//! themselves are kernel code in the standard library.
use crate::{
    hir::{Call, Expr, ExprKind, GenericArg},
    infer::{
        Infer,
        call::device_call::ResolvedFunction,
        items::{scope::Env, signature::MAX_VISITED_TYPES},
        traits::member::{Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{Class, Prim, Ty, Type},
};
use syn::{ExprCall, ExprMethodCall};
use warpwise_compiler::ir::{CompareOp, UnaryOp};

impl<'a> Infer<'a> {
    /// Infers a comparison method of a type for which no `impl` of kernel code has it, or returns
    /// the receiver.
    pub(crate) fn try_comparison_method(
        &mut self,
        receiver: Expr,
        name: &str,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        if let ("cmp" | "partial_cmp", [arg]) =
            (name, call.args.iter().collect::<Vec<_>>().as_slice())
            && self.is_compared_by_impl(receiver.ty)
        {
            return Ok(self.make_order(receiver, name == "cmp", arg, at));
        }
        let Some(of) = self.find_comparer(name, receiver.ty) else { return Err(receiver) };
        let receiver = self.adjust_receiver(receiver, of.sig);
        Ok(self.infer_function_call(of, receiver, None, &call.args, at))
    }

    /// Infers `std::cmp::max(a, b)` and `Ord::cmp(&a, &b)` of types other than numbers.
    pub(crate) fn infer_comparison_call(
        &mut self,
        first: Ty,
        name: &str,
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        let comparer = self.find_comparer(name, first)?;
        Some(self.infer_function_call(comparer, None, None, &call.args, at))
    }

    /// Infers `cmp` or `partial_cmp` of a type with a part that an `impl` compares.
    fn make_order(&mut self, lhs: Expr, total: bool, arg: &syn::Expr, at: SpanRange) -> Expr {
        let reference = self.types.reference(false, lhs.ty);
        let rhs = self.infer_expr_coerce(arg, reference);
        let rhs = self.make_expr(ExprKind::Deref(Box::new(rhs)), lhs.ty, at);
        let ordering = self.program().std_item("Ordering").expect("the prelude has it");
        let nothing = self.types.list(Vec::new());
        let ordering = self.types.add(Type::Adt(ordering, nothing));
        let ty = if total { ordering } else { self.option_type(ordering) };
        let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
        self.make_expr(ExprKind::OrderingCall { total, lhs, rhs }, ty, at)
    }

    /// Returns true if the user's `impl` orders a type or a part of it.
    fn is_compared_by_impl(&mut self, ty: Ty) -> bool {
        let (mut open, mut visited) = (vec![ty], 0);
        while let Some(ty) = open.pop() {
            visited += 1;
            if visited > MAX_VISITED_TYPES {
                return false;
            }
            match self.types.get(ty) {
                Type::Ref { to, .. } | Type::Array(to, _) => open.push(to),
                Type::Tuple(list) => open.extend(self.types.parts(list)),
                Type::Adt(item, _) => {
                    let program = self.program();
                    if ["PartialOrd", "Ord"].iter().any(|of| program.has_impl(of, item)) {
                        return true;
                    }
                    open.extend(self.variant_field_types(ty).concat());
                }
                _ => {}
            }
        }
        false
    }

    /// Returns the library function that compares values of this type.
    fn find_comparer(&self, name: &str, this: Ty) -> Option<ResolvedFunction<'a>> {
        let name = match (name, self.types.get(this)) {
            ("total_cmp", Type::Prim(Prim::F32)) => "total_cmp_32",
            ("total_cmp", Type::Prim(Prim::F64)) => "total_cmp_64",
            ("total_cmp", Type::Prim(Prim::F16 | Prim::BF16)) => "total_cmp_16",
            (
                "cmp" | "partial_cmp" | "lt" | "le" | "gt" | "ge" | "eq" | "ne",
                Type::Prim(_)
                | Type::Unknown(Class::Int | Class::Float)
                | Type::Generic(_)
                | Type::Unit
                | Type::Tuple(_)
                | Type::Adt(..),
            )
            | (
                "max" | "min" | "clamp",
                Type::Prim(Prim::Bool)
                | Type::Unit
                | Type::Tuple(_)
                | Type::Adt(..)
                | Type::Array(..),
            ) => name,
            _ => return None,
        };
        let (callee, sig) = self.program().std_function("Compare", name)?;
        let args = [("T".to_owned(), GenericArg::Type(this))].into();
        let env = Env { args, home: Some(callee.item), self_ty: Some(this) };
        Some(ResolvedFunction { callee, sig, env, expected: None })
    }

    /// Infers `a == b`, `a < b` and so on, where one side is a slice.
    pub(crate) fn make_slice_comparison(
        &mut self,
        op: CompareOp,
        lhs: Expr,
        rhs: Expr,
        at: SpanRange,
    ) -> Expr {
        let (lhs, rhs) = (self.autoderef(lhs), self.autoderef(rhs));
        let elem = |this: &Self, ty| match this.types.get(ty) {
            Type::Slice(elem) | Type::Array(elem, _) => Some(elem),
            _ => None,
        };
        let (Some(mine), Some(theirs)) = (elem(self, lhs.ty), elem(self, rhs.ty)) else {
            let reported = self.report_mismatch(self.spans[rhs.at], rhs.ty, lhs.ty);
            return self.make_reported(reported, at);
        };
        self.unify(self.spans[rhs.at], theirs, mine);
        let (lhs, rhs) =
            (self.make_slice_reference(lhs, false), self.make_slice_reference(rhs, false));
        let slice = self.types.add(Type::Slice(mine));
        let Some(member) = self.find_member(slice, comparison_method_name(op), None) else {
            let reported = self.errors.report(at, "kernel code cannot compare these slices");
            return self.make_reported(reported, at);
        };
        let bool = self.prim(Prim::Bool);
        self.make_member_call(member, vec![lhs, rhs], bool, at)
    }

    /// Infers `<` and its kin: by an `impl PartialOrd` of kernel code, with its own method or its
    /// `partial_cmp`; without one, lexicographically over the parts.
    pub(crate) fn make_ordered_comparison(
        &mut self,
        op: CompareOp,
        lhs: Expr,
        rhs: Expr,
        at: SpanRange,
    ) -> Expr {
        let bool = self.prim(Prim::Bool);
        let ty = self.types.reference(false, rhs.ty);
        let mut found = |method| self.find_operator_impl("PartialOrd", method, lhs.ty, Some(ty));
        let own = found(comparison_method_name(op)).or_else(|| found("partial_cmp"));
        let Some(member) = own else {
            if let Some(reported) = self.reject_host_comparison("partial_cmp", [&lhs, &rhs], at) {
                return self.make_reported(reported, at);
            }
            self.unify(self.spans[rhs.at], rhs.ty, lhs.ty);
            let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
            return self.make_expr(ExprKind::OrderedCompare { op, lhs, rhs }, bool, at);
        };
        let rhs = self.make_expr(ExprKind::Borrow(Box::new(rhs)), ty, at);
        let result = self.make_operator_call(member, lhs, Some(rhs), at);
        if self.types.as_prim(result.ty).is_some() {
            return result;
        }
        let Some((callee, sig)) =
            self.program().std_function("Ordered", comparison_method_name(op))
        else {
            return result;
        };
        let env = Env { args: [].into(), home: Some(callee.item), self_ty: None };
        self.make_member_call(
            Member { callee, env, kind: MemberKind::Fn(sig) },
            vec![result],
            bool,
            at,
        )
    }

    /// Makes a call of a function whose generic parameters are known.
    fn make_member_call(
        &mut self,
        member: Member<'a>,
        args: Vec<Expr>,
        ret: Ty,
        at: SpanRange,
    ) -> Expr {
        let generics = member.env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee: member.callee, generics, self_ty: member.env.self_ty, args };
        self.make_expr(ExprKind::Call(Box::new(call)), ret, at)
    }

    /// Makes the negation of a `bool`.
    pub(crate) fn make_not(&mut self, value: Expr, at: SpanRange) -> Expr {
        let bool = self.prim(Prim::Bool);
        self.make_expr(ExprKind::Unary { op: UnaryOp::Not, value: Box::new(value) }, bool, at)
    }
}

/// Returns the method of an operator.
const fn comparison_method_name(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "eq",
        CompareOp::Ne => "ne",
        CompareOp::Lt => "lt",
        CompareOp::Le => "le",
        CompareOp::Gt => "gt",
        CompareOp::Ge => "ge",
    }
}
