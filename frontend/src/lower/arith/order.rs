//! Comparisons of values that a user's `impl` compares in part.
//!
//! The `impl` is called for those parts, and only if the parts before them are equal, as in Rust's
//! derives and tuples.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        EnumValue, Flow, Lowerer, Value, arith::compare::common_variants,
        control::matching::PatternTest, derives::UserFunction, memory::storage::place_of_value,
    },
    types::mono::{self, Mono},
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar};

/// Number that represents the absence of an order, beside -1, 0 and 1.
const UNORDERED: i128 = 2;

/// Type of an order in the IR.
const ORDER_TYPE: Scalar = Scalar::I32;

impl Lowerer<'_> {
    pub(crate) fn call_comparison(
        &mut self,
        (callee, given, ret): UserFunction,
        [a, b]: [&Value; 2],
        at: SpanId,
    ) -> Flow<Value> {
        let args = [a, b].map(|value| Value::Ref(Box::new(place_of_value(value.clone()))));
        self.call_instance(callee, given, &ret, at, |_| Ok(args.into()))
    }

    /// Compares parts for equality only where those before are equal: an `impl` may have any
    /// effect.
    pub(crate) fn lower_eq_if(
        &mut self,
        before: InstId,
        at: SpanId,
        same: impl FnOnce(&mut Self) -> Flow<InstId>,
    ) -> Flow<InstId> {
        match self.test_only_if(before, at, |this| same(this).map(PatternTest::If))? {
            PatternTest::If(both) => Ok(both),
            PatternTest::Always | PatternTest::Never => Err(self.report_bug(at)),
        }
    }

    /// Lowers `a < b` and the like, given the order of the values.
    pub(crate) fn compare_order(&mut self, op: CompareOp, order: InstId, at: SpanId) -> InstId {
        let compared = self.compare_with_zero(op, order, ORDER_TYPE, at);
        match op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Eq | CompareOp::Ne => compared,
            CompareOp::Gt | CompareOp::Ge => {
                let none = self.push_int(UNORDERED, ORDER_TYPE, at);
                let is_some = self.push_compare(CompareOp::Ne, order, none, at);
                self.push_binary(BinaryOp::And, compared, is_some, Scalar::Bool, at)
            }
        }
    }

    /// Lowers `a.cmp(&b)` if `total`, and otherwise `a.partial_cmp(&b)`, of values that an `impl`
    /// compares in part.
    pub(crate) fn lower_cmp(
        &mut self,
        total: bool,
        lhs: &Expr,
        rhs: &Expr,
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let (a, b, mono) =
            (self.lower_value(lhs)?, self.lower_value(rhs)?, self.mono_type(lhs.ty, at)?);
        let order = self.lower_order(&a, &b, &mono, total, at)?;
        let mono = self.mono_type(expr.ty, at)?;
        if total {
            return self.order_to_ordering(order, &mono, at);
        }
        let Mono::Adt(_, args) = &mono else { return Err(self.report_bug(at)) };
        let Some(ordering_type) = mono::type_args(args).into_iter().next() else {
            return Err(self.report_bug(at));
        };
        let none = self.push_int(UNORDERED, ORDER_TYPE, at);
        let tag = self.push_compare(CompareOp::Ne, order, none, at);
        let some = vec![self.order_to_ordering(order, &ordering_type, at)?];
        let parts = vec![Some(Vec::new()), Some(some)];
        Ok(Value::Variants(Rc::new(EnumValue { tag, parts })))
    }

    /// Converts an order to an `Ordering` of this type.
    fn order_to_ordering(&mut self, order: InstId, mono: &Mono, at: SpanId) -> Flow<Value> {
        let Some(tag) = self.adt_of(mono, at)?.tag else { return Err(self.report_bug(at)) };
        let tag = self.push_convert(order, ORDER_TYPE, tag, at);
        Ok(Value::Variants(Rc::new(EnumValue { tag, parts: vec![Some(Vec::new()); 3] })))
    }

    /// Returns the order of two values: -1, 0, 1 or none.
    pub(crate) fn lower_order(
        &mut self,
        a: &Value,
        b: &Value,
        mono: &Mono,
        total: bool,
        at: SpanId,
    ) -> Flow<InstId> {
        let (a, b) = if self.is_reverse(mono) { (b, a) } else { (a, b) };
        // `cmp` prefers a user's `Ord`; both methods fall back to a user's `PartialOrd`, and then
        // compare the parts.
        if total && let Some(own) = self.find_user_function("Ord", "cmp", mono) {
            let ordering = self.call_comparison(own, [a, b], at)?;
            return self.ordering_to_order(&ordering, at);
        }
        if let Some(own) = self.find_user_function("PartialOrd", "partial_cmp", mono) {
            let found = self.call_comparison(own, [a, b], at)?;
            let Value::Variants(found) = found else { return Err(self.report_bug(at)) };
            let none = self.push_int(UNORDERED, ORDER_TYPE, at);
            let Some([ordering]) = found.parts.get(1).and_then(|some| some.as_deref()) else {
                return Ok(none);
            };
            let number = self.ordering_to_order(ordering, at)?;
            return Ok(self.push_select(found.tag, number, none, ORDER_TYPE, at));
        }
        self.require_comparison(if total { "Ord" } else { "PartialOrd" }, mono, at)?;
        if !self.has_user_impl("PartialOrd", mono, at)? && !self.has_user_impl("Ord", mono, at)? {
            return self.builtin_order(a, b, mono, at);
        }
        let local = self.new_local("", ORDER_TYPE, at);
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                self.set_order(local, 0, at);
                self.refine_by_parts(local, [a, b], &types, total, at)?;
            }
            (Value::Variants(a), Value::Variants(b)) => {
                let adt = self.adt_of(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.report_bug(at)) };
                let tag = crate::lower::memory::storage::tag_type(scalar);
                let tags = [a.tag, b.tag].map(Value::Scalar);
                let value = self.builtin_order(&tags[0], &tags[1], &tag, at)?;
                self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
                let same = self.push_compare(CompareOp::Eq, a.tag, b.tag, at);
                for (variant, types, parts) in common_variants(&adt, a, b) {
                    if types.is_empty() {
                        continue;
                    }
                    let variant = self.push_int(variant, scalar, at);
                    let is = self.push_compare(CompareOp::Eq, a.tag, variant, at);
                    let cond = self.push_binary(BinaryOp::And, is, same, Scalar::Bool, at);
                    let op = Op::If { cond, then: Body::default(), other: Body::default() };
                    self.begin_body(at, op, ir::Ty::Unit)?;
                    let done = self.refine_by_parts(local, parts, types, total, at);
                    self.build.end();
                    done?;
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                let Mono::Array(elem, len) = mono else { return Err(self.report_bug(at)) };
                let len = self.simplify_extent(len, at)?;
                self.set_order(local, 0, at);
                self.for_each_index(&len, at, |this, index| {
                    this.refine_order(local, at, |this| {
                        let (a, b) = (
                            this.element_at(a, index, elem, at)?,
                            this.element_at(b, index, elem, at)?,
                        );
                        let (a, b) = (this.load(&a, elem, at)?, this.load(&b, elem, at)?);
                        this.lower_order(&a, &b, elem, total, at)
                    })
                })?;
            }
            (Value::Ref(a), Value::Ref(b)) => {
                let Mono::Ref { to, .. } = mono else { return Err(self.report_bug(at)) };
                let (a, b) = (self.read_place(a, to, at)?, self.read_place(b, to, at)?);
                return self.lower_order(&a, &b, to, total, at);
            }
            _ => return Err(self.report_bug(at)),
        }
        Ok(self.push_inst(at, Op::Get(local), ORDER_TYPE))
    }

    fn refine_by_parts(
        &mut self,
        local: ir::LocalId,
        [a, b]: [&[Value]; 2],
        types: &[Mono],
        total: bool,
        at: SpanId,
    ) -> Flow<()> {
        for ((a, b), ty) in a.iter().zip(b).zip(types) {
            self.refine_order(local, at, |this| this.lower_order(a, b, ty, total, at))?;
        }
        Ok(())
    }

    /// Refines an order by that of the next parts, if those before are equal.
    fn refine_order(
        &mut self,
        local: ir::LocalId,
        at: SpanId,
        order: impl FnOnce(&mut Self) -> Flow<InstId>,
    ) -> Flow<()> {
        let before = self.push_inst(at, Op::Get(local), ORDER_TYPE);
        let cond = self.compare_with_zero(CompareOp::Eq, before, ORDER_TYPE, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let done = order(self);
        if let Ok(value) = done {
            self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        }
        self.build.end();
        done.map(|_| ())
    }

    fn set_order(&mut self, local: ir::LocalId, value: i128, at: SpanId) {
        let value = self.push_int(value, ORDER_TYPE, at);
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
    }

    /// Returns the order of values without a part that an `impl` compares.
    fn builtin_order(&mut self, a: &Value, b: &Value, mono: &Mono, at: SpanId) -> Flow<InstId> {
        // Later comparisons override earlier ones: `<` refines `<=`, and values that satisfy none
        // are unordered.
        let mut order = self.push_int(UNORDERED, ORDER_TYPE, at);
        for (op, number) in [(CompareOp::Le, 0), (CompareOp::Gt, 1), (CompareOp::Lt, -1)] {
            let holds = self.lower_ordered(op, a, b, mono, at)?;
            let number = self.push_int(number, ORDER_TYPE, at);
            order = self.push_select(holds, number, order, ORDER_TYPE, at);
        }
        Ok(order)
    }

    /// Converts an `Ordering` to an order.
    fn ordering_to_order(&mut self, ordering: &Value, at: SpanId) -> Flow<InstId> {
        let Value::Variants(ordering) = ordering else { return Err(self.report_bug(at)) };
        match self.build.kernel.insts[ordering.tag].ty {
            ir::Ty::Scalar(scalar) => Ok(self.push_convert(ordering.tag, scalar, ORDER_TYPE, at)),
            ir::Ty::Unit | ir::Ty::Ptr(_) => Err(self.report_bug(at)),
        }
    }
}
