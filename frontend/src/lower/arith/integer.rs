//! Arithmetic methods that only integers have.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow,
        arith::{check::Operands, math::Applied},
    },
    types::method::IntMethod,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

impl Emit<'_> {
    pub(crate) fn int_method(&mut self, method: IntMethod, applied: Applied) -> Flow<InstId> {
        let Applied { operands, of, ret, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        let exponent = (y, operands.known_rhs);
        Ok(match method {
            IntMethod::Pow => {
                let multiply = |this: &mut Self, a, b| this.checked(BinaryOp::Mul, a, b, of, at);
                self.power(x, exponent, of, at, multiply)?
            }
            IntMethod::WrappingPow => self.power(x, exponent, of, at, |this, a, b| {
                this.binary_op(BinaryOp::Mul, a, b, of, at)
            })?,
            IntMethod::SaturatingPow => self.saturating_pow(x, exponent, of, at)?,
            IntMethod::Saturating(method) => self.saturating(method, operands, of, at),
            IntMethod::Isqrt => self.isqrt(x, of, at),
            IntMethod::Carry(op) => {
                self.inst(at, Op::Ternary { op, a: x, b: y, c: applied.third }, of)
            }
            IntMethod::WrappingDiv
            | IntMethod::WrappingRem
            | IntMethod::WrappingDivEuclid
            | IntMethod::WrappingRemEuclid => self.wrapping_division(method, operands, of, at),
            IntMethod::WrappingWithOther(op) => {
                let y = self.inst(at, Op::Bitcast { value: y }, of);
                self.binary_op(op, x, y, of, at)
            }
            IntMethod::AbsDiff => {
                let high = self.binary_op(BinaryOp::Max, x, y, of, at);
                let low = self.binary_op(BinaryOp::Min, x, y, of, at);
                let difference = self.binary_op(BinaryOp::Sub, high, low, of, at);
                self.convert(difference, of, ret, at)
            }
            IntMethod::UnsignedAbs => {
                let magnitude = self.one(UnaryOp::Abs, x, of, at);
                self.convert(magnitude, of, ret, at)
            }
            IntMethod::Midpoint => self.midpoint(x, y, of, at),
            IntMethod::IsNegative => self.with_zero(CompareOp::Lt, x, of, at),
            IntMethod::IsPositive => self.with_zero(CompareOp::Gt, x, of, at),
            IntMethod::DivCeil => self.div_ceil(operands, of, at),
            IntMethod::NextMultipleOf => self.next_multiple_of(operands, of, at),
            IntMethod::IsMultipleOf => self.is_multiple_of(x, y, of, at),
        })
    }

    /// A division that wraps at `MIN / -1`: by -1 it is a negation.
    pub(crate) fn wrapping_division(
        &mut self,
        method: IntMethod,
        operands: Operands,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let Operands { lhs, rhs, known_rhs, .. } = operands;
        let euclid = matches!(method, IntMethod::WrappingDivEuclid | IntMethod::WrappingRemEuclid);
        if matches!(method, IntMethod::WrappingRem | IntMethod::WrappingRemEuclid) {
            self.check_divisor(rhs, known_rhs, Fault::RemainderByZero, of, at);
            let (divisor, _) = self.safe_divisor(rhs, of, at);
            return if euclid {
                self.rem_euclid(lhs, divisor, of, at)
            } else {
                self.binary_op(BinaryOp::Rem, lhs, divisor, of, at)
            };
        }
        self.check_divisor(rhs, known_rhs, Fault::DivideByZero, of, at);
        let (divisor, negates) = self.safe_divisor(rhs, of, at);
        let quotient = if euclid {
            self.div_euclid(lhs, divisor, of, at)
        } else {
            self.binary_op(BinaryOp::Div, lhs, divisor, of, at)
        };
        let Some(negates) = negates else { return quotient };
        let negated = self.one(UnaryOp::Neg, lhs, of, at);
        self.select(negates, negated, quotient, of, at)
    }

    /// 1 for a divisor that is -1, and whether it is; of unsigned integers the divisor.
    pub(crate) fn safe_divisor(
        &mut self,
        divisor: InstId,
        of: Scalar,
        at: SpanId,
    ) -> (InstId, Option<InstId>) {
        if of.is_unsigned() {
            return (divisor, None);
        }
        let (one, minus_one) = (self.int(1, of, at), self.int(-1, of, at));
        let negates = self.compare(CompareOp::Eq, divisor, minus_one, at);
        (self.select(negates, one, divisor, of, at), Some(negates))
    }

    fn div_ceil(&mut self, operands: Operands, of: Scalar, at: SpanId) -> InstId {
        let Operands { lhs, rhs, known_rhs, .. } = operands;
        self.check_divisor(rhs, known_rhs, Fault::DivideByZero, of, at);
        let quotient = self.binary_op(BinaryOp::Div, lhs, rhs, of, at);
        let rest = self.binary_op(BinaryOp::Rem, lhs, rhs, of, at);
        let some = self.with_zero(CompareOp::Ne, rest, of, at);
        let some = self.inst(at, Op::Cast { value: some }, of);
        self.binary_op(BinaryOp::Add, quotient, some, of, at)
    }

    fn next_multiple_of(&mut self, operands: Operands, of: Scalar, at: SpanId) -> InstId {
        let Operands { lhs, rhs, known_rhs, .. } = operands;
        self.check_divisor(rhs, known_rhs, Fault::RemainderByZero, of, at);
        let rest = self.binary_op(BinaryOp::Rem, lhs, rhs, of, at);
        let zero = self.int(0, of, at);
        let whole = self.compare(CompareOp::Eq, rest, zero, at);
        let missing = self.binary_op(BinaryOp::Sub, rhs, rest, of, at);
        let missing = self.select(whole, zero, missing, of, at);
        self.checked(BinaryOp::Add, lhs, missing, of, at)
    }

    /// Of multiples of zero there is one.
    fn is_multiple_of(&mut self, lhs: InstId, rhs: InstId, of: Scalar, at: SpanId) -> InstId {
        let none = self.with_zero(CompareOp::Eq, rhs, of, at);
        let one = self.int(1, of, at);
        let divisor = self.select(none, one, rhs, of, at);
        let rest = self.binary_op(BinaryOp::Rem, lhs, divisor, of, at);
        let rest = self.select(none, lhs, rest, of, at);
        self.with_zero(CompareOp::Eq, rest, of, at)
    }

    /// Rounds toward zero, and so up where the sum is negative and odd.
    fn midpoint(&mut self, x: InstId, y: InstId, of: Scalar, at: SpanId) -> InstId {
        let differ = self.binary_op(BinaryOp::Xor, x, y, of, at);
        let shared = self.binary_op(BinaryOp::And, x, y, of, at);
        let one = self.int(1, Scalar::U32, at);
        let half = self.binary_op(BinaryOp::Shr, differ, one, of, at);
        let below = self.binary_op(BinaryOp::Add, half, shared, of, at);
        if of.is_unsigned() {
            return below;
        }
        let negative = self.with_zero(CompareOp::Lt, below, of, at);
        let negative = self.inst(at, Op::Cast { value: negative }, of);
        let up = self.binary_op(BinaryOp::And, negative, differ, of, at);
        self.binary_op(BinaryOp::Add, below, up, of, at)
    }
}
