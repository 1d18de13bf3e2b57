//! Methods that only floats have.
use crate::{
    hir::SpanId,
    lower::{Emit, Flow, arith::math::Applied},
    types::method::FloatMethod,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, InstId, Op, Scalar, UnaryOp};

impl Emit<'_> {
    pub(crate) fn float_method(&mut self, method: FloatMethod, applied: Applied) -> Flow<InstId> {
        let Applied { operands, of, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        Ok(match method {
            FloatMethod::Round => self.round(x, of, at),
            FloatMethod::Fract => {
                let whole = self.one(UnaryOp::Trunc, x, of, at);
                self.binary_op(BinaryOp::Sub, x, whole, of, at)
            }
            FloatMethod::Recip => self.recip(x, of, at),
            FloatMethod::Powi => self.powi(x, (y, operands.known_rhs), of, at)?,
            FloatMethod::ToRadians => {
                self.scaled(x, [1f32.to_radians().into(), 1f64.to_radians()], of, at)
            }
            FloatMethod::ToDegrees => {
                self.scaled(x, [1f32.to_degrees().into(), 1f64.to_degrees()], of, at)
            }
            FloatMethod::Copysign => self.copysign(x, y, of, at),
            FloatMethod::IsNan => self.compare(CompareOp::Ne, x, x, at),
            FloatMethod::IsFinite => self.magnitude(x, CompareOp::Lt, f64::INFINITY, of, at),
            FloatMethod::IsInfinite => self.magnitude(x, CompareOp::Eq, f64::INFINITY, of, at),
            FloatMethod::IsNormal => {
                let finite = self.magnitude(x, CompareOp::Lt, f64::INFINITY, of, at);
                let large = self.magnitude(x, CompareOp::Ge, least_normal(of), of, at);
                self.binary_op(BinaryOp::And, finite, large, Scalar::Bool, at)
            }
            FloatMethod::IsSubnormal => {
                let some = self.with_zero(CompareOp::Ne, x, of, at);
                let small = self.magnitude(x, CompareOp::Lt, least_normal(of), of, at);
                self.binary_op(BinaryOp::And, some, small, Scalar::Bool, at)
            }
            FloatMethod::IsSignNegative => self.sign(x, CompareOp::Lt, of, at),
            FloatMethod::IsSignPositive => self.sign(x, CompareOp::Ge, of, at),
        })
    }

    /// Compares the absolute value.
    fn magnitude(
        &mut self,
        value: InstId,
        op: CompareOp,
        with: f64,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let magnitude = self.one(UnaryOp::Abs, value, of, at);
        let with = self.float(with, of, at);
        self.compare(op, magnitude, with, at)
    }

    pub(crate) fn recip(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
        let one = self.int(1, of, at);
        self.binary_op(BinaryOp::Div, one, value, of, at)
    }

    /// Half away from zero: what is cut off is exact, and so is the comparison with a half.
    fn round(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
        let whole = self.one(UnaryOp::Trunc, value, of, at);
        let rest = self.binary_op(BinaryOp::Sub, value, whole, of, at);
        let rest = self.one(UnaryOp::Abs, rest, of, at);
        let half = self.float(0.5, of, at);
        let away = self.compare(CompareOp::Ge, rest, half, at);
        let negative = self.with_zero(CompareOp::Lt, value, of, at);
        let (one, minus_one) = (self.int(1, of, at), self.int(-1, of, at));
        let step = self.select(negative, minus_one, one, of, at);
        let next = self.binary_op(BinaryOp::Add, whole, step, of, at);
        self.select(away, next, whole, of, at)
    }

    fn scaled(&mut self, value: InstId, [f32, f64]: [f64; 2], of: Scalar, at: SpanId) -> InstId {
        let factor = self.float(if of == Scalar::F32 { f32 } else { f64 }, of, at);
        self.binary_op(BinaryOp::Mul, value, factor, of, at)
    }

    /// `value ^ ((value ^ sign) & mask)`: one instruction of the hardware's, as two constants would not be.
    pub(crate) fn copysign(
        &mut self,
        value: InstId,
        sign: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let (bits, mask) = match of.bits() {
            Some(16) => (Scalar::U16, 1 << 15),
            Some(32) => (Scalar::U32, 1 << 31),
            _ => (Scalar::U64, 1 << 63),
        };
        let magnitude = self.inst(at, Op::Bitcast { value }, bits);
        let sign = self.inst(at, Op::Bitcast { value: sign }, bits);
        let mask = self.int(mask, bits, at);
        let differing = self.binary_op(BinaryOp::Xor, magnitude, sign, bits, at);
        let differing = self.binary_op(BinaryOp::And, differing, mask, bits, at);
        let value = self.binary_op(BinaryOp::Xor, magnitude, differing, bits, at);
        self.inst(at, Op::Bitcast { value }, of)
    }

    /// Compares the sign bit: the float's bits, as a signed integer, with 0.
    fn sign(&mut self, value: InstId, op: CompareOp, of: Scalar, at: SpanId) -> InstId {
        let bits = match of.bits() {
            Some(16) => Scalar::I16,
            Some(32) => Scalar::I32,
            _ => Scalar::I64,
        };
        let bits_of = self.inst(at, Op::Bitcast { value }, bits);
        self.with_zero(op, bits_of, bits, at)
    }
}

/// The least positive float of the type that is not subnormal.
fn least_normal(of: Scalar) -> f64 {
    match of {
        // 2^-14
        Scalar::F16 => 6.103_515_625e-5,
        // `bf16` has the exponents of `f32`.
        Scalar::BF16 | Scalar::F32 => f32::MIN_POSITIVE.into(),
        _ => f64::MIN_POSITIVE,
    }
}
