//! `checked_*` and `overflowing_*`: results with whether they are exact.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow, Value, Variants,
        arith::{
            check::{Operands, max, min},
            math::Applied,
        },
    },
    types::method::{Exact, IntMethod},
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, BinaryOp, CompareOp, InstId, Op, Scalar, UnaryOp};

impl Emit<'_> {
    /// An `Option`, in which there is an exact result, if `checked`; the wrapped result and whether
    /// it is not exact if not.
    pub(crate) fn exact_method(
        &mut self,
        method: Exact,
        checked: bool,
        applied: Applied,
    ) -> Flow<Value> {
        let (value, fits) = self.exact(method, checked, applied)?;
        let value = Value::Scalar(value);
        if checked {
            let parts = vec![Some(Vec::new()), Some(vec![value])];
            return Ok(Value::Variants(Rc::new(Variants { tag: fits, parts })));
        }
        let overflows = self.not(fits, applied.at);
        Ok(Value::Parts(Rc::new([value, Value::Scalar(overflows)])))
    }

    /// A wrapped result, and whether it is exact.
    fn exact(&mut self, method: Exact, checked: bool, applied: Applied) -> Flow<(InstId, InstId)> {
        let Applied { operands, of, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        Ok(match method {
            Exact::Add => self.exact_sum(BinaryOp::Add, x, y, of, at),
            Exact::Sub => self.exact_sum(BinaryOp::Sub, x, y, of, at),
            Exact::Mul => {
                let product = self.binary_op(BinaryOp::Mul, x, y, of, at);
                (product, self.product_fits([x, y], product, of, at))
            }
            Exact::Pow => self.exact_power(x, (y, operands.known_rhs), of, at)?,
            Exact::Neg => (self.one(UnaryOp::Neg, x, of, at), self.is_negatable(x, of, at)),
            Exact::Abs => (self.one(UnaryOp::Abs, x, of, at), self.is_negatable(x, of, at)),
            Exact::Shl => self.exact_shift(BinaryOp::Shl, x, y, of, at),
            Exact::Shr => self.exact_shift(BinaryOp::Shr, x, y, of, at),
            Exact::AddOther => self.exact_with_other(BinaryOp::Add, x, y, of, at),
            Exact::SubOther => self.exact_with_other(BinaryOp::Sub, x, y, of, at),
            Exact::Div | Exact::Rem | Exact::DivEuclid | Exact::RemEuclid if checked => {
                self.checked_division(method, x, y, of, at)
            }
            Exact::Div => self.overflowing_division(IntMethod::WrappingDiv, operands, of, at),
            Exact::Rem => self.overflowing_division(IntMethod::WrappingRem, operands, of, at),
            Exact::DivEuclid => {
                self.overflowing_division(IntMethod::WrappingDivEuclid, operands, of, at)
            }
            Exact::RemEuclid => {
                self.overflowing_division(IntMethod::WrappingRemEuclid, operands, of, at)
            }
        })
    }

    fn exact_sum(
        &mut self,
        op: BinaryOp,
        x: InstId,
        y: InstId,
        of: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let wrapped = self.binary_op(op, x, y, of, at);
        let overflows = self.sum_overflows(op, [x, y, wrapped], of, at);
        (wrapped, self.not(overflows, at))
    }

    /// Whether `-x` is in the type: of unsigned integers that of 0 alone.
    fn is_negatable(&mut self, x: InstId, of: Scalar, at: SpanId) -> InstId {
        if of.is_unsigned() {
            return self.with_zero(CompareOp::Eq, x, of, at);
        }
        self.is_not_min(x, of, at)
    }

    fn exact_shift(
        &mut self,
        op: BinaryOp,
        x: InstId,
        amount: InstId,
        of: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let width = self.int(of.bits().unwrap_or(64).into(), Scalar::U32, at);
        let fits = self.compare(CompareOp::Lt, amount, width, at);
        (self.binary_op(op, x, amount, of, at), fits)
    }

    /// With an integer of the same size and another sign.
    fn exact_with_other(
        &mut self,
        op: BinaryOp,
        x: InstId,
        y: InstId,
        of: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let y = self.inst(at, Op::Bitcast { value: y }, of);
        let wrapped = self.binary_op(op, x, y, of, at);
        if of.is_signed() {
            let order = if op == BinaryOp::Add { CompareOp::Ge } else { CompareOp::Le };
            return (wrapped, self.compare(order, wrapped, x, at));
        }
        let most = self.int(max(of) >> 1, of, at);
        let up = self.compare(CompareOp::Le, y, most, at);
        let moved = self.compare(CompareOp::Ge, wrapped, x, at);
        (wrapped, self.compare(CompareOp::Eq, up, moved, at))
    }

    /// Divides by 1 where there is no quotient.
    fn checked_division(
        &mut self,
        method: Exact,
        x: InstId,
        y: InstId,
        of: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let some = self.with_zero(CompareOp::Ne, y, of, at);
        let inside = self.quotient_fits(x, y, of, at);
        let fits = self.binary_op(BinaryOp::And, some, inside, Scalar::Bool, at);
        let one = self.int(1, of, at);
        let divisor = self.select(fits, y, one, of, at);
        let value = match method {
            Exact::DivEuclid => self.div_euclid(x, divisor, of, at),
            Exact::RemEuclid => self.rem_euclid(x, divisor, of, at),
            Exact::Rem => self.binary_op(BinaryOp::Rem, x, divisor, of, at),
            Exact::Div
            | Exact::Add
            | Exact::Sub
            | Exact::Mul
            | Exact::Pow
            | Exact::Neg
            | Exact::Abs
            | Exact::Shl
            | Exact::Shr
            | Exact::AddOther
            | Exact::SubOther => self.binary_op(BinaryOp::Div, x, divisor, of, at),
        };
        (value, fits)
    }

    fn overflowing_division(
        &mut self,
        method: IntMethod,
        operands: Operands,
        of: Scalar,
        at: SpanId,
    ) -> (InstId, InstId) {
        let value = self.wrapping_division(method, operands, of, at);
        (value, self.quotient_fits(operands.lhs, operands.rhs, of, at))
    }

    /// Whether it is not `MIN / -1`.
    fn quotient_fits(&mut self, x: InstId, y: InstId, of: Scalar, at: SpanId) -> InstId {
        if of.is_unsigned() {
            return self.bits(1, Scalar::Bool, at);
        }
        let (least, minus_one) = (self.int(min(of), of, at), self.int(-1, of, at));
        let other = self.compare(CompareOp::Ne, x, least, at);
        let by_other = self.compare(CompareOp::Ne, y, minus_one, at);
        self.or(other, by_other, at)
    }

    /// A power, and whether each of its products is exact.
    pub(crate) fn exact_power(
        &mut self,
        x: InstId,
        exponent: (InstId, Option<i128>),
        of: Scalar,
        at: SpanId,
    ) -> Flow<(InstId, InstId)> {
        let exact = self.local("", Scalar::Bool, at);
        let value = self.bits(1, Scalar::Bool, at);
        self.inst(at, Op::Set { local: exact, value }, ir::Ty::Unit);
        let power = self.power(x, exponent, of, at, |this, a, b| {
            let product = this.binary_op(BinaryOp::Mul, a, b, of, at);
            let fits = this.product_fits([a, b], product, of, at);
            let so_far = this.inst(at, Op::Get(exact), Scalar::Bool);
            let value = this.binary_op(BinaryOp::And, so_far, fits, Scalar::Bool, at);
            this.inst(at, Op::Set { local: exact, value }, ir::Ty::Unit);
            product
        })?;
        Ok((power, self.inst(at, Op::Get(exact), Scalar::Bool)))
    }
}
