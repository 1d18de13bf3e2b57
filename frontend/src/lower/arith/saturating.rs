//! Arithmetic that stops at the ends of its type.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow,
        arith::check::{Operands, max, min},
    },
    types::method::Saturating,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Scalar, UnaryOp};

impl Emit<'_> {
    pub(crate) fn saturating(
        &mut self,
        method: Saturating,
        operands: Operands,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let (x, y) = (operands.lhs, operands.rhs);
        match method {
            Saturating::Add => self.saturating_sum(BinaryOp::Add, x, y, of, at),
            Saturating::Sub => self.saturating_sum(BinaryOp::Sub, x, y, of, at),
            Saturating::Mul => self.saturating_mul(x, y, of, at),
            Saturating::Div => {
                self.check_divisor(y, operands.known_rhs, Fault::DivideByZero, of, at);
                let (divisor, negates) = self.safe_divisor(y, of, at);
                let quotient = self.binary_op(BinaryOp::Div, x, divisor, of, at);
                let Some(negates) = negates else { return quotient };
                let negated = self.saturating_magnitude(UnaryOp::Neg, x, of, at);
                self.select(negates, negated, quotient, of, at)
            }
            Saturating::Neg => self.saturating_magnitude(UnaryOp::Neg, x, of, at),
            Saturating::Abs => self.saturating_magnitude(UnaryOp::Abs, x, of, at),
        }
    }

    /// Whether a wrapped sum or difference of integers is not the exact one.
    pub(crate) fn sum_overflows(
        &mut self,
        op: BinaryOp,
        [x, y, wrapped]: [InstId; 3],
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let adds = op == BinaryOp::Add;
        if of.is_unsigned() {
            let order = if adds { CompareOp::Lt } else { CompareOp::Gt };
            return self.compare(order, wrapped, x, at);
        }
        let up = self.with_zero(CompareOp::Ge, y, of, at);
        let order = if adds { CompareOp::Ge } else { CompareOp::Le };
        let moved = self.compare(order, wrapped, x, at);
        self.binary_op(BinaryOp::Xor, up, moved, Scalar::Bool, at)
    }

    fn saturating_sum(
        &mut self,
        op: BinaryOp,
        x: InstId,
        y: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let adds = op == BinaryOp::Add;
        let wrapped = self.binary_op(op, x, y, of, at);
        let overflows = self.sum_overflows(op, [x, y, wrapped], of, at);
        let (least, most) = (self.int(min(of), of, at), self.int(max(of), of, at));
        let end = if of.is_unsigned() {
            if adds { most } else { least }
        } else {
            let up = self.with_zero(if adds { CompareOp::Ge } else { CompareOp::Lt }, y, of, at);
            self.select(up, most, least, of, at)
        };
        self.select(overflows, end, wrapped, of, at)
    }

    fn saturating_mul(&mut self, x: InstId, y: InstId, of: Scalar, at: SpanId) -> InstId {
        let wrapped = self.binary_op(BinaryOp::Mul, x, y, of, at);
        let fits = self.product_fits([x, y], wrapped, of, at);
        let mut end = self.int(max(of), of, at);
        if of.is_signed() {
            let least = self.int(min(of), of, at);
            let signs = self.binary_op(BinaryOp::Xor, x, y, of, at);
            let negative = self.with_zero(CompareOp::Lt, signs, of, at);
            end = self.select(negative, least, end, of, at);
        }
        self.select(fits, wrapped, end, of, at)
    }

    /// `-x` or `|x|` of a signed integer, where that of `MIN` is `MAX`.
    fn saturating_magnitude(&mut self, op: UnaryOp, x: InstId, of: Scalar, at: SpanId) -> InstId {
        let result = self.one(op, x, of, at);
        let fits = self.is_not_min(x, of, at);
        let most = self.int(max(of), of, at);
        self.select(fits, result, most, of, at)
    }

    /// A power; where one of its products overflows, the end that it leaves by.
    pub(crate) fn saturating_pow(
        &mut self,
        x: InstId,
        exponent: (InstId, Option<i128>),
        of: Scalar,
        at: SpanId,
    ) -> Flow<InstId> {
        let (power, exact) = self.exact_power(x, exponent, of, at)?;
        let mut end = self.int(max(of), of, at);
        if of.is_signed() {
            let least = self.int(min(of), of, at);
            let negative = self.with_zero(CompareOp::Lt, x, of, at);
            let low = self.int(1, Scalar::U32, at);
            let odd = self.binary_op(BinaryOp::And, exponent.0, low, Scalar::U32, at);
            let odd = self.with_zero(CompareOp::Ne, odd, Scalar::U32, at);
            let below = self.binary_op(BinaryOp::And, negative, odd, Scalar::Bool, at);
            end = self.select(below, least, end, of, at);
        }
        Ok(self.select(exact, power, end, of, at))
    }
}
