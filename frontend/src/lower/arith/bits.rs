//! Bit manipulation of integers, and logarithms, which count bits.
use crate::{
    hir::SpanId,
    lower::{
        Lowerer,
        arith::{check::max_value, math::MethodCall},
        control::loops::unsigned_of_same_size,
    },
    types::method::BitMethod,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

impl Lowerer<'_> {
    pub(crate) fn lower_bit_method(&mut self, method: BitMethod, applied: MethodCall) -> InstId {
        let MethodCall { operands, scalar, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        match method {
            BitMethod::Count(op) => self.count_bits(op, x, scalar, at),
            BitMethod::CountZeros => self.count_inverted(UnaryOp::CountOnes, x, scalar, at),
            BitMethod::LeadingOnes => self.count_inverted(UnaryOp::LeadingZeros, x, scalar, at),
            BitMethod::TrailingZeros => {
                let reversed = self.push_unary(UnaryOp::ReverseBits, x, scalar, at);
                self.count_bits(UnaryOp::LeadingZeros, reversed, scalar, at)
            }
            BitMethod::TrailingOnes => {
                let reversed = self.push_unary(UnaryOp::ReverseBits, x, scalar, at);
                self.count_inverted(UnaryOp::LeadingZeros, reversed, scalar, at)
            }
            BitMethod::RotateRight => {
                let zero = self.push_int(0, Scalar::U32, at);
                let amount = self.push_binary(BinaryOp::Sub, zero, y, Scalar::U32, at);
                self.push_binary(BinaryOp::RotateLeft, x, amount, scalar, at)
            }
            BitMethod::UnboundedShl => {
                let zero = self.push_int(0, scalar, at);
                self.shift_unbounded(BinaryOp::Shl, x, y, zero, scalar, at)
            }
            BitMethod::UnboundedShr => {
                let last = self.push_int(i128::from(bit_width(scalar)) - 1, Scalar::U32, at);
                let out = if scalar.is_signed() {
                    self.push_binary(BinaryOp::Shr, x, last, scalar, at)
                } else {
                    self.push_int(0, scalar, at)
                };
                self.shift_unbounded(BinaryOp::Shr, x, y, out, scalar, at)
            }
            BitMethod::IsPowerOfTwo => {
                let ones = self.push_unary(UnaryOp::CountOnes, x, scalar, at);
                let one = self.push_int(1, scalar, at);
                self.push_compare(CompareOp::Eq, ones, one, at)
            }
            BitMethod::NextPowerOfTwo => self.next_power_of_two(x, scalar, at),
            BitMethod::ILog2 => self.ilog2(x, scalar, at),
            BitMethod::ILog10 => self.ilog10(x, scalar, at),
        }
    }

    /// Counts bits, as a `u32`.
    fn count_bits(&mut self, op: UnaryOp, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let value = self.push_convert(value, scalar, unsigned_of_same_size(scalar), at);
        let count = self.push_unary(op, value, unsigned_of_same_size(scalar), at);
        self.push_convert(count, unsigned_of_same_size(scalar), Scalar::U32, at)
    }

    fn count_inverted(&mut self, op: UnaryOp, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let inverted = self.push_unary(UnaryOp::Not, value, scalar, at);
        self.count_bits(op, inverted, scalar, at)
    }

    /// Shifts all bits out if the amount is the width or more.
    fn shift_unbounded(
        &mut self,
        op: BinaryOp,
        value: InstId,
        amount: InstId,
        out: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let width = self.push_int(bit_width(scalar).into(), Scalar::U32, at);
        let inside = self.push_compare(CompareOp::Lt, amount, width, at);
        let shifted = self.push_binary(op, value, amount, scalar, at);
        self.push_select(inside, shifted, out, scalar, at)
    }

    /// All bits below the highest bit of `value - 1` are set; the result is one more.
    fn next_power_of_two(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let one = self.push_int(1, scalar, at);
        let below = self.push_binary(BinaryOp::Sub, value, one, scalar, at);
        let zeros = self.count_bits(UnaryOp::LeadingZeros, below, scalar, at);
        let all = self.push_int(max_value(scalar), scalar, at);
        let ones = self.push_binary(BinaryOp::Shr, all, zeros, scalar, at);
        let zero = self.push_int(0, scalar, at);
        let least = self.push_compare(CompareOp::Le, value, one, at);
        let ones = self.push_select(least, zero, ones, scalar, at);
        self.push_checked(BinaryOp::Add, ones, one, scalar, at)
    }

    fn ilog2(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        self.check_logarithm(value, scalar, at);
        let zeros = self.count_bits(UnaryOp::LeadingZeros, value, scalar, at);
        let last = self.push_int(i128::from(bit_width(scalar)) - 1, Scalar::U32, at);
        self.push_binary(BinaryOp::Sub, last, zeros, Scalar::U32, at)
    }

    /// Counts the powers of ten above 1 that do not exceed the value.
    fn ilog10(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        self.check_logarithm(value, scalar, at);
        let mut log = self.push_int(0, Scalar::U32, at);
        let mut power = 10;
        while power <= max_value(scalar) {
            let bound = self.push_int(power, scalar, at);
            let reached = self.push_compare(CompareOp::Ge, value, bound, at);
            let reached = self.push_inst(at, Op::Cast { value: reached }, Scalar::U32);
            log = self.push_binary(BinaryOp::Add, log, reached, Scalar::U32, at);
            power *= 10;
        }
        log
    }

    fn check_logarithm(&mut self, value: InstId, scalar: Scalar, at: SpanId) {
        let positive = self.compare_with_zero(CompareOp::Gt, value, scalar, at);
        self.push_check(positive, Fault::NonPositiveLogarithm, at);
    }
}

/// Returns the width of a concrete integer type.
fn bit_width(scalar: Scalar) -> u32 {
    scalar.bits().unwrap_or(64)
}
