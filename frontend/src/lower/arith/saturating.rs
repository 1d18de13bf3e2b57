//! Saturating arithmetic.
use crate::{
    hir::SpanId,
    lower::{
        Flow, Lowerer,
        arith::check::{Operands, max_value, min_value},
    },
    types::method::Saturating,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Scalar, UnaryOp};

impl Lowerer<'_> {
    pub(crate) fn lower_saturating(
        &mut self,
        method: Saturating,
        operands: Operands,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let (x, y) = (operands.lhs, operands.rhs);
        match method {
            Saturating::Add => self.add_saturating(BinaryOp::Add, x, y, scalar, at),
            Saturating::Sub => self.add_saturating(BinaryOp::Sub, x, y, scalar, at),
            Saturating::Mul => self.mul_saturating(x, y, scalar, at),
            Saturating::Div => {
                self.check_divisor(y, operands.known_rhs, Fault::DivideByZero, scalar, at);
                let (divisor, negates) = self.safe_divisor(y, scalar, at);
                let quotient = self.push_binary(BinaryOp::Div, x, divisor, scalar, at);
                let Some(negates) = negates else { return quotient };
                let negated = self.magnitude_saturating(UnaryOp::Neg, x, scalar, at);
                self.push_select(negates, negated, quotient, scalar, at)
            }
            Saturating::Neg => self.magnitude_saturating(UnaryOp::Neg, x, scalar, at),
            Saturating::Abs => self.magnitude_saturating(UnaryOp::Abs, x, scalar, at),
        }
    }

    /// Returns true if a wrapped sum or difference of integers is not exact.
    pub(crate) fn sum_overflows(
        &mut self,
        op: BinaryOp,
        [x, y, wrapped]: [InstId; 3],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let adds = op == BinaryOp::Add;
        if scalar.is_unsigned() {
            let order = if adds { CompareOp::Lt } else { CompareOp::Gt };
            return self.push_compare(order, wrapped, x, at);
        }
        let up = self.compare_with_zero(CompareOp::Ge, y, scalar, at);
        let order = if adds { CompareOp::Ge } else { CompareOp::Le };
        let moved = self.push_compare(order, wrapped, x, at);
        self.push_binary(BinaryOp::Xor, up, moved, Scalar::Bool, at)
    }

    fn add_saturating(
        &mut self,
        op: BinaryOp,
        x: InstId,
        y: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let adds = op == BinaryOp::Add;
        if !adds && scalar.is_unsigned() {
            // Neither operation wraps, so that ranges bound the `x.saturating_sub(1)` of an edge.
            let larger = self.push_binary(BinaryOp::Max, x, y, scalar, at);
            return self.push_binary(BinaryOp::Sub, larger, y, scalar, at);
        }
        let wrapped = self.push_binary(op, x, y, scalar, at);
        let overflows = self.sum_overflows(op, [x, y, wrapped], scalar, at);
        let (least, most) = (
            self.push_int(min_value(scalar), scalar, at),
            self.push_int(max_value(scalar), scalar, at),
        );
        let end = if scalar.is_unsigned() {
            most
        } else {
            let up = self.compare_with_zero(
                if adds { CompareOp::Ge } else { CompareOp::Lt },
                y,
                scalar,
                at,
            );
            self.push_select(up, most, least, scalar, at)
        };
        self.push_select(overflows, end, wrapped, scalar, at)
    }

    fn mul_saturating(&mut self, x: InstId, y: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let wrapped = self.push_binary(BinaryOp::Mul, x, y, scalar, at);
        let fits = self.product_fits([x, y], wrapped, scalar, at);
        let mut end = self.push_int(max_value(scalar), scalar, at);
        if scalar.is_signed() {
            let least = self.push_int(min_value(scalar), scalar, at);
            let signs = self.push_binary(BinaryOp::Xor, x, y, scalar, at);
            let negative = self.compare_with_zero(CompareOp::Lt, signs, scalar, at);
            end = self.push_select(negative, least, end, scalar, at);
        }
        self.push_select(fits, wrapped, end, scalar, at)
    }

    /// Computes `-x` or `|x|` of a signed integer, with `MAX` for `MIN`.
    fn magnitude_saturating(
        &mut self,
        op: UnaryOp,
        x: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let result = self.push_unary(op, x, scalar, at);
        let fits = self.is_not_min(x, scalar, at);
        let most = self.push_int(max_value(scalar), scalar, at);
        self.push_select(fits, result, most, scalar, at)
    }

    /// Computes a power; if one of its products overflows, the bound that it exceeds.
    pub(crate) fn power_saturating(
        &mut self,
        x: InstId,
        exponent: (InstId, Option<i128>),
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<InstId> {
        let (power, exact) = self.power_exact(x, exponent, scalar, at)?;
        let mut end = self.push_int(max_value(scalar), scalar, at);
        if scalar.is_signed() {
            let least = self.push_int(min_value(scalar), scalar, at);
            let negative = self.compare_with_zero(CompareOp::Lt, x, scalar, at);
            let low = self.push_int(1, Scalar::U32, at);
            let odd = self.push_binary(BinaryOp::And, exponent.0, low, Scalar::U32, at);
            let odd = self.compare_with_zero(CompareOp::Ne, odd, Scalar::U32, at);
            let below = self.push_binary(BinaryOp::And, negative, odd, Scalar::Bool, at);
            end = self.push_select(below, least, end, scalar, at);
        }
        Ok(self.push_select(exact, power, end, scalar, at))
    }
}
