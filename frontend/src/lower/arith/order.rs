//! Comparisons of what has values in it that an `impl` compares: it is called for them, and only where the parts before them are the
//! same, as derives and tuples do in Rust.
use crate::{
    hir::{Expr, SpanId},
    infer::{self, program::InstanceArgs},
    lower::{
        Emit, Flow, Value, Variants, arith::compare::in_common, control::matching::Test,
        memory::storage::placed,
    },
    resolve::device_set::Callee,
    types::mono::{self, Mono},
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar};

/// What stands for an order, beside -1, 0 and 1: that there is none.
const NONE: i128 = 2;

/// The type of an order.
const ORDER: Scalar = Scalar::I32;

/// A function of an `impl`, and the type of what it gives.
type Own = (Callee, InstanceArgs, Mono);

impl Emit<'_> {
    /// Whether values of a type are compared by an `impl` of this trait, or have a part that is.
    pub(crate) fn has_own(&mut self, of_trait: &str, mono: &Mono, at: SpanId) -> Flow<bool> {
        let parts = match mono {
            Mono::Ref { to, .. } => return self.has_own(of_trait, to, at),
            Mono::Adt(item, _) if self.program.has_impl(of_trait, *item) => return Ok(true),
            _ => self.inner(mono, at)?,
        };
        self.has_own_among(of_trait, &parts, at)
    }

    /// The same of any of these types.
    pub(crate) fn has_own_among(
        &mut self,
        of_trait: &str,
        types: &[Mono],
        at: SpanId,
    ) -> Flow<bool> {
        for ty in types {
            if self.has_own(of_trait, ty, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The function of the `impl` by which values of this type are compared with each other.
    pub(crate) fn own_comparison(
        &mut self,
        of_trait: &str,
        method: &str,
        mono: &Mono,
    ) -> Option<Own> {
        let Mono::Adt(item, _) = mono else { return None };
        if !self.program.has_impl(of_trait, *item) {
            return None;
        }
        let generics = self.frame.function.types.generics.clone();
        infer::find_comparison_impl(self.program, [of_trait, method], mono, &generics, self.errors)
    }

    pub(crate) fn compared_by(
        &mut self,
        (callee, given, ret): Own,
        [a, b]: [&Value; 2],
        at: SpanId,
    ) -> Flow<Value> {
        let args = [a, b].map(|value| Value::Ref(Box::new(placed(value.clone()))));
        self.call_made(callee, given, &ret, at, |_| Ok(args.into()))
    }

    /// Whether parts are the same, which is only asked where those before them are: what an `impl` says may do anything.
    pub(crate) fn same_behind(
        &mut self,
        before: InstId,
        at: SpanId,
        same: impl FnOnce(&mut Self) -> Flow<InstId>,
    ) -> Flow<InstId> {
        match self.only_if(before, at, |this| same(this).map(Test::If))? {
            Test::If(both) => Ok(both),
            Test::Always | Test::Never => Err(self.bug(at)),
        }
    }

    /// `a < b` and its kin, by what is said of the order of the parts.
    pub(crate) fn ordered_by(&mut self, op: CompareOp, order: InstId, at: SpanId) -> InstId {
        let compared = self.with_zero(op, order, ORDER, at);
        match op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Eq | CompareOp::Ne => compared,
            CompareOp::Gt | CompareOp::Ge => {
                let none = self.int(NONE, ORDER, at);
                let is_some = self.compare(CompareOp::Ne, order, none, at);
                self.binary_op(BinaryOp::And, compared, is_some, Scalar::Bool, at)
            }
        }
    }

    /// `a.cmp(&b)` if `total`, and `a.partial_cmp(&b)` if not, of what has a part that an `impl` compares.
    pub(crate) fn order_of(
        &mut self,
        total: bool,
        lhs: &Expr,
        rhs: &Expr,
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let (a, b, mono) = (self.value(lhs)?, self.value(rhs)?, self.mono(lhs.ty, at)?);
        let order = self.order(&a, &b, &mono, total, at)?;
        let mono = self.mono(expr.ty, at)?;
        if total {
            return self.ordering(order, &mono, at);
        }
        let Mono::Adt(_, args) = &mono else { return Err(self.bug(at)) };
        let Some(of) = mono::type_args(args).into_iter().next() else { return Err(self.bug(at)) };
        let none = self.int(NONE, ORDER, at);
        let tag = self.compare(CompareOp::Ne, order, none, at);
        let some = vec![self.ordering(order, &of, at)?];
        let parts = vec![Some(Vec::new()), Some(some)];
        Ok(Value::Variants(Rc::new(Variants { tag, parts })))
    }

    /// An order as an `Ordering`, which is this type.
    fn ordering(&mut self, order: InstId, mono: &Mono, at: SpanId) -> Flow<Value> {
        let Some(tag) = self.adt(mono, at)?.tag else { return Err(self.bug(at)) };
        let tag = self.convert(order, ORDER, tag, at);
        Ok(Value::Variants(Rc::new(Variants { tag, parts: vec![Some(Vec::new()); 3] })))
    }

    /// The order of two values: -1, 0, 1, or that there is none.
    pub(crate) fn order(
        &mut self,
        a: &Value,
        b: &Value,
        mono: &Mono,
        total: bool,
        at: SpanId,
    ) -> Flow<InstId> {
        let (a, b) = if self.is_reverse(mono) { (b, a) } else { (a, b) };
        if total && let Some(own) = self.own_comparison("Ord", "cmp", mono) {
            let ordering = self.compared_by(own, [a, b], at)?;
            return self.number_of(&ordering, at);
        }
        if let Some(own) = self.own_comparison("PartialOrd", "partial_cmp", mono) {
            let found = self.compared_by(own, [a, b], at)?;
            let Value::Variants(found) = found else { return Err(self.bug(at)) };
            let none = self.int(NONE, ORDER, at);
            let Some([ordering]) = found.parts.get(1).and_then(|some| some.as_deref()) else {
                return Ok(none);
            };
            let number = self.number_of(ordering, at)?;
            return Ok(self.select(found.tag, number, none, ORDER, at));
        }
        if !self.has_own("PartialOrd", mono, at)? && !self.has_own("Ord", mono, at)? {
            return self.plain_order(a, b, mono, at);
        }
        let local = self.local("", ORDER, at);
        match (a, b) {
            (Value::Parts(a), Value::Parts(b)) => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                self.keep(local, 0, at);
                self.order_parts(local, [a, b], &types, total, at)?;
            }
            (Value::Variants(a), Value::Variants(b)) => {
                let adt = self.adt(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.bug(at)) };
                let tag = crate::lower::memory::storage::tag_type(scalar);
                let tags = [a.tag, b.tag].map(Value::Scalar);
                let value = self.plain_order(&tags[0], &tags[1], &tag, at)?;
                self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
                let same = self.compare(CompareOp::Eq, a.tag, b.tag, at);
                for (variant, types, parts) in in_common(&adt, a, b) {
                    if types.is_empty() {
                        continue;
                    }
                    let variant = self.int(variant, scalar, at);
                    let is = self.compare(CompareOp::Eq, a.tag, variant, at);
                    let cond = self.binary_op(BinaryOp::And, is, same, Scalar::Bool, at);
                    let op = Op::If { cond, then: Body::default(), other: Body::default() };
                    self.begin(at, op, ir::Ty::Unit)?;
                    let done = self.order_parts(local, parts, types, total, at);
                    self.build.end();
                    done?;
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                let Mono::Array(elem, len) = mono else { return Err(self.bug(at)) };
                let len = self.extent(len, at)?;
                self.keep(local, 0, at);
                self.each(&len, at, |this, index| {
                    this.order_behind(local, at, |this| {
                        let (a, b) = (this.nth(a, index, elem, at)?, this.nth(b, index, elem, at)?);
                        let (a, b) = (this.load(&a, elem, at)?, this.load(&b, elem, at)?);
                        this.order(&a, &b, elem, total, at)
                    })
                })?;
            }
            (Value::Ref(a), Value::Ref(b)) => {
                let Mono::Ref { to, .. } = mono else { return Err(self.bug(at)) };
                let (a, b) = (self.get(a, to, at)?, self.get(b, to, at)?);
                return self.order(&a, &b, to, total, at);
            }
            _ => return Err(self.bug(at)),
        }
        Ok(self.inst(at, Op::Get(local), ORDER))
    }

    fn order_parts(
        &mut self,
        local: ir::LocalId,
        [a, b]: [&[Value]; 2],
        types: &[Mono],
        total: bool,
        at: SpanId,
    ) -> Flow<()> {
        for ((a, b), ty) in a.iter().zip(b).zip(types) {
            self.order_behind(local, at, |this| this.order(a, b, ty, total, at))?;
        }
        Ok(())
    }

    /// Sets an order to that of the next parts, if those before are the same.
    fn order_behind(
        &mut self,
        local: ir::LocalId,
        at: SpanId,
        order: impl FnOnce(&mut Self) -> Flow<InstId>,
    ) -> Flow<()> {
        let before = self.inst(at, Op::Get(local), ORDER);
        let cond = self.with_zero(CompareOp::Eq, before, ORDER, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let done = order(self);
        if let Ok(value) = done {
            self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        }
        self.build.end();
        done.map(|_| ())
    }

    fn keep(&mut self, local: ir::LocalId, value: i128, at: SpanId) {
        let value = self.int(value, ORDER, at);
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
    }

    /// The order of values without a part that an `impl` compares.
    fn plain_order(&mut self, a: &Value, b: &Value, mono: &Mono, at: SpanId) -> Flow<InstId> {
        let mut order = self.int(NONE, ORDER, at);
        for (op, number) in [(CompareOp::Le, 0), (CompareOp::Gt, 1), (CompareOp::Lt, -1)] {
            let holds = self.ordered(op, a, b, mono, at)?;
            let number = self.int(number, ORDER, at);
            order = self.select(holds, number, order, ORDER, at);
        }
        Ok(order)
    }

    /// The number that an `Ordering` is.
    fn number_of(&mut self, ordering: &Value, at: SpanId) -> Flow<InstId> {
        let Value::Variants(ordering) = ordering else { return Err(self.bug(at)) };
        match self.build.kernel.insts[ordering.tag].ty {
            ir::Ty::Scalar(scalar) => Ok(self.convert(ordering.tag, scalar, ORDER, at)),
            ir::Ty::Unit | ir::Ty::Ptr(_) => Err(self.bug(at)),
        }
    }
}
