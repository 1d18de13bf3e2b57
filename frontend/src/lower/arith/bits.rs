//! Methods that see an integer as bits, and logarithms, which count them.
use crate::{
    hir::SpanId,
    lower::{
        Emit,
        arith::{check::max, math::Applied},
        control::looping::unsigned,
    },
    types::method::BitMethod,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

impl Emit<'_> {
    pub(crate) fn bit_method(&mut self, method: BitMethod, applied: Applied) -> InstId {
        let Applied { operands, of, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        match method {
            BitMethod::Count(op) => self.count(op, x, of, at),
            BitMethod::CountZeros => self.count_inverted(UnaryOp::CountOnes, x, of, at),
            BitMethod::LeadingOnes => self.count_inverted(UnaryOp::LeadingZeros, x, of, at),
            BitMethod::TrailingZeros => {
                let reversed = self.one(UnaryOp::ReverseBits, x, of, at);
                self.count(UnaryOp::LeadingZeros, reversed, of, at)
            }
            BitMethod::TrailingOnes => {
                let reversed = self.one(UnaryOp::ReverseBits, x, of, at);
                self.count_inverted(UnaryOp::LeadingZeros, reversed, of, at)
            }
            BitMethod::RotateRight => {
                let zero = self.int(0, Scalar::U32, at);
                let amount = self.binary_op(BinaryOp::Sub, zero, y, Scalar::U32, at);
                self.binary_op(BinaryOp::RotateLeft, x, amount, of, at)
            }
            BitMethod::UnboundedShl => {
                let zero = self.int(0, of, at);
                self.unbounded(BinaryOp::Shl, x, y, zero, of, at)
            }
            BitMethod::UnboundedShr => {
                let last = self.int(i128::from(bits(of)) - 1, Scalar::U32, at);
                let out = if of.is_signed() {
                    self.binary_op(BinaryOp::Shr, x, last, of, at)
                } else {
                    self.int(0, of, at)
                };
                self.unbounded(BinaryOp::Shr, x, y, out, of, at)
            }
            BitMethod::IsPowerOfTwo => {
                let ones = self.one(UnaryOp::CountOnes, x, of, at);
                let one = self.int(1, of, at);
                self.compare(CompareOp::Eq, ones, one, at)
            }
            BitMethod::NextPowerOfTwo => self.next_power_of_two(x, of, at),
            BitMethod::ILog2 => self.ilog2(x, of, at),
            BitMethod::ILog10 => self.ilog10(x, of, at),
        }
    }

    /// A count of bits, as a `u32`.
    fn count(&mut self, op: UnaryOp, value: InstId, of: Scalar, at: SpanId) -> InstId {
        let value = self.convert(value, of, unsigned(of), at);
        let count = self.one(op, value, unsigned(of), at);
        self.convert(count, unsigned(of), Scalar::U32, at)
    }

    fn count_inverted(&mut self, op: UnaryOp, value: InstId, of: Scalar, at: SpanId) -> InstId {
        let inverted = self.one(UnaryOp::Not, value, of, at);
        self.count(op, inverted, of, at)
    }

    /// A shift that moves everything out where the amount is the width or more.
    fn unbounded(
        &mut self,
        op: BinaryOp,
        value: InstId,
        amount: InstId,
        out: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let width = self.int(bits(of).into(), Scalar::U32, at);
        let inside = self.compare(CompareOp::Lt, amount, width, at);
        let shifted = self.binary_op(op, value, amount, of, at);
        self.select(inside, shifted, out, of, at)
    }

    /// What is one less has only ones from its highest bit down; that and one more.
    fn next_power_of_two(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
        let one = self.int(1, of, at);
        let below = self.binary_op(BinaryOp::Sub, value, one, of, at);
        let zeros = self.count(UnaryOp::LeadingZeros, below, of, at);
        let all = self.int(max(of), of, at);
        let ones = self.binary_op(BinaryOp::Shr, all, zeros, of, at);
        let zero = self.int(0, of, at);
        let least = self.compare(CompareOp::Le, value, one, at);
        let ones = self.select(least, zero, ones, of, at);
        self.checked(BinaryOp::Add, ones, one, of, at)
    }

    fn ilog2(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
        self.check_logarithm(value, of, at);
        let zeros = self.count(UnaryOp::LeadingZeros, value, of, at);
        let last = self.int(i128::from(bits(of)) - 1, Scalar::U32, at);
        self.binary_op(BinaryOp::Sub, last, zeros, Scalar::U32, at)
    }

    /// How many powers of ten above 1 are not above the value.
    fn ilog10(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
        self.check_logarithm(value, of, at);
        let mut log = self.int(0, Scalar::U32, at);
        let mut power = 10;
        while power <= max(of) {
            let bound = self.int(power, of, at);
            let reached = self.compare(CompareOp::Ge, value, bound, at);
            let reached = self.inst(at, Op::Cast { value: reached }, Scalar::U32);
            log = self.binary_op(BinaryOp::Add, log, reached, Scalar::U32, at);
            power *= 10;
        }
        log
    }

    fn check_logarithm(&mut self, value: InstId, of: Scalar, at: SpanId) {
        let positive = self.with_zero(CompareOp::Gt, value, of, at);
        self.check(positive, Fault::NonPositiveLogarithm, at);
    }
}

/// The width of an integer type that is known.
fn bits(of: Scalar) -> u32 {
    of.bits().unwrap_or(64)
}
