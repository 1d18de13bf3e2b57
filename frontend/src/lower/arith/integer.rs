//! Lowering of the arithmetic methods of integers.
use crate::{
    hir::SpanId,
    lower::{
        Flow, Lowerer,
        arith::{check::Operands, math::MethodCall},
    },
    types::method::IntMethod,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

impl Lowerer<'_> {
    pub(crate) fn lower_int_method(
        &mut self,
        method: IntMethod,
        applied: MethodCall,
    ) -> Flow<InstId> {
        let MethodCall { operands, scalar, ret, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        let exponent = (y, operands.known_rhs);
        Ok(match method {
            IntMethod::Pow => {
                let multiply =
                    |this: &mut Self, a, b| this.push_checked(BinaryOp::Mul, a, b, scalar, at);
                self.lower_power(x, exponent, scalar, at, multiply)?
            }
            IntMethod::WrappingPow => self.lower_power(x, exponent, scalar, at, |this, a, b| {
                this.push_binary(BinaryOp::Mul, a, b, scalar, at)
            })?,
            IntMethod::SaturatingPow => self.power_saturating(x, exponent, scalar, at)?,
            IntMethod::Saturating(method) => self.lower_saturating(method, operands, scalar, at),
            IntMethod::Isqrt => self.lower_isqrt(x, scalar, at),
            IntMethod::Carry(op) => {
                self.push_inst(at, Op::Ternary { op, a: x, b: y, c: applied.third }, scalar)
            }
            IntMethod::WrappingDiv
            | IntMethod::WrappingRem
            | IntMethod::WrappingDivEuclid
            | IntMethod::WrappingRemEuclid => self.divide_wrapping(method, operands, scalar, at),
            IntMethod::WrappingWithOther(op) => {
                let y = self.push_inst(at, Op::Bitcast { value: y }, scalar);
                self.push_binary(op, x, y, scalar, at)
            }
            IntMethod::AbsDiff => {
                let high = self.push_binary(BinaryOp::Max, x, y, scalar, at);
                let low = self.push_binary(BinaryOp::Min, x, y, scalar, at);
                let difference = self.push_binary(BinaryOp::Sub, high, low, scalar, at);
                self.push_convert(difference, scalar, ret, at)
            }
            IntMethod::UnsignedAbs => {
                let magnitude = self.push_unary(UnaryOp::Abs, x, scalar, at);
                self.push_convert(magnitude, scalar, ret, at)
            }
            IntMethod::Midpoint => self.lower_midpoint(x, y, scalar, at),
            IntMethod::IsNegative => self.compare_with_zero(CompareOp::Lt, x, scalar, at),
            IntMethod::IsPositive => self.compare_with_zero(CompareOp::Gt, x, scalar, at),
            IntMethod::DivCeil => self.lower_div_ceil(operands, scalar, at),
            IntMethod::NextMultipleOf => self.lower_next_multiple_of(operands, scalar, at),
            IntMethod::IsMultipleOf => self.lower_is_multiple_of(x, y, scalar, at),
        })
    }

    /// Divides with wrapping at `MIN / -1`: division by -1 is a negation.
    pub(crate) fn divide_wrapping(
        &mut self,
        method: IntMethod,
        operands: Operands,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let Operands { lhs, rhs, known_rhs, .. } = operands;
        let euclid = matches!(method, IntMethod::WrappingDivEuclid | IntMethod::WrappingRemEuclid);
        if matches!(method, IntMethod::WrappingRem | IntMethod::WrappingRemEuclid) {
            self.check_divisor(rhs, known_rhs, Fault::RemainderByZero, scalar, at);
            let (divisor, _) = self.safe_divisor(rhs, scalar, at);
            return if euclid {
                self.lower_rem_euclid(lhs, divisor, scalar, at)
            } else {
                self.push_binary(BinaryOp::Rem, lhs, divisor, scalar, at)
            };
        }
        self.check_divisor(rhs, known_rhs, Fault::DivideByZero, scalar, at);
        let (divisor, negates) = self.safe_divisor(rhs, scalar, at);
        let quotient = if euclid {
            self.lower_div_euclid(lhs, divisor, scalar, at)
        } else {
            self.push_binary(BinaryOp::Div, lhs, divisor, scalar, at)
        };
        let Some(negates) = negates else { return quotient };
        let negated = self.push_unary(UnaryOp::Neg, lhs, scalar, at);
        self.push_select(negates, negated, quotient, scalar, at)
    }

    /// Replaces the divisor -1 by 1, and returns true for it; returns an unsigned divisor as it is.
    pub(crate) fn safe_divisor(
        &mut self,
        divisor: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> (InstId, Option<InstId>) {
        if scalar.is_unsigned() {
            return (divisor, None);
        }
        let (one, minus_one) = (self.push_int(1, scalar, at), self.push_int(-1, scalar, at));
        let negates = self.push_compare(CompareOp::Eq, divisor, minus_one, at);
        (self.push_select(negates, one, divisor, scalar, at), Some(negates))
    }

    fn lower_div_ceil(&mut self, operands: Operands, scalar: Scalar, at: SpanId) -> InstId {
        let Operands { lhs, rhs, known_rhs, .. } = operands;
        self.check_divisor(rhs, known_rhs, Fault::DivideByZero, scalar, at);
        let quotient = self.push_binary(BinaryOp::Div, lhs, rhs, scalar, at);
        let rest = self.push_binary(BinaryOp::Rem, lhs, rhs, scalar, at);
        let some = self.compare_with_zero(CompareOp::Ne, rest, scalar, at);
        let some = self.push_inst(at, Op::Cast { value: some }, scalar);
        self.push_binary(BinaryOp::Add, quotient, some, scalar, at)
    }

    fn lower_next_multiple_of(&mut self, operands: Operands, scalar: Scalar, at: SpanId) -> InstId {
        let Operands { lhs, rhs, known_rhs, .. } = operands;
        self.check_divisor(rhs, known_rhs, Fault::RemainderByZero, scalar, at);
        let rest = self.push_binary(BinaryOp::Rem, lhs, rhs, scalar, at);
        let zero = self.push_int(0, scalar, at);
        let whole = self.push_compare(CompareOp::Eq, rest, zero, at);
        let missing = self.push_binary(BinaryOp::Sub, rhs, rest, scalar, at);
        let missing = self.push_select(whole, zero, missing, scalar, at);
        self.push_checked(BinaryOp::Add, lhs, missing, scalar, at)
    }

    /// The only multiple of zero is zero.
    fn lower_is_multiple_of(
        &mut self,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let none = self.compare_with_zero(CompareOp::Eq, rhs, scalar, at);
        let one = self.push_int(1, scalar, at);
        let divisor = self.push_select(none, one, rhs, scalar, at);
        let rest = self.push_binary(BinaryOp::Rem, lhs, divisor, scalar, at);
        let rest = self.push_select(none, lhs, rest, scalar, at);
        self.compare_with_zero(CompareOp::Eq, rest, scalar, at)
    }

    /// Rounds toward zero: up if the sum is negative and odd.
    fn lower_midpoint(&mut self, x: InstId, y: InstId, scalar: Scalar, at: SpanId) -> InstId {
        // `(x & y) + ((x ^ y) >> 1)` is the mean, rounded down, without overflow.
        let differ = self.push_binary(BinaryOp::Xor, x, y, scalar, at);
        let shared = self.push_binary(BinaryOp::And, x, y, scalar, at);
        let one = self.push_int(1, Scalar::U32, at);
        let half = self.push_binary(BinaryOp::Shr, differ, one, scalar, at);
        let below = self.push_binary(BinaryOp::Add, half, shared, scalar, at);
        if scalar.is_unsigned() {
            return below;
        }
        let negative = self.compare_with_zero(CompareOp::Lt, below, scalar, at);
        let negative = self.push_inst(at, Op::Cast { value: negative }, scalar);
        let up = self.push_binary(BinaryOp::And, negative, differ, scalar, at);
        self.push_binary(BinaryOp::Add, below, up, scalar, at)
    }
}
