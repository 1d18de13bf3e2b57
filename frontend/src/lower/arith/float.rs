//! Lowering of the methods of floats.
use crate::{
    hir::SpanId,
    lower::{Flow, Lowerer, arith::math::MethodCall},
    types::method::FloatMethod,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, InstId, Op, Scalar, UnaryOp};

impl Lowerer<'_> {
    pub(crate) fn lower_float_method(
        &mut self,
        method: FloatMethod,
        applied: MethodCall,
    ) -> Flow<InstId> {
        let MethodCall { operands, scalar, at, .. } = applied;
        let (x, y) = (operands.lhs, operands.rhs);
        Ok(match method {
            FloatMethod::Round => self.lower_round(x, scalar, at),
            FloatMethod::Fract => {
                let whole = self.push_unary(UnaryOp::Trunc, x, scalar, at);
                self.push_binary(BinaryOp::Sub, x, whole, scalar, at)
            }
            FloatMethod::Recip => self.lower_recip(x, scalar, at),
            FloatMethod::Powi => self.lower_powi(x, (y, operands.known_rhs), scalar, at)?,
            FloatMethod::ToRadians => {
                self.mul_by_factor(x, [1f32.to_radians().into(), 1f64.to_radians()], scalar, at)
            }
            FloatMethod::ToDegrees => {
                self.mul_by_factor(x, [1f32.to_degrees().into(), 1f64.to_degrees()], scalar, at)
            }
            FloatMethod::Copysign => self.lower_copysign(x, y, scalar, at),
            FloatMethod::IsNan => self.push_compare(CompareOp::Ne, x, x, at),
            FloatMethod::IsFinite => {
                self.compare_magnitude(x, CompareOp::Lt, f64::INFINITY, scalar, at)
            }
            FloatMethod::IsInfinite => {
                self.compare_magnitude(x, CompareOp::Eq, f64::INFINITY, scalar, at)
            }
            FloatMethod::IsNormal => {
                let finite = self.compare_magnitude(x, CompareOp::Lt, f64::INFINITY, scalar, at);
                let large =
                    self.compare_magnitude(x, CompareOp::Ge, least_normal(scalar), scalar, at);
                self.push_binary(BinaryOp::And, finite, large, Scalar::Bool, at)
            }
            FloatMethod::IsSubnormal => {
                let some = self.compare_with_zero(CompareOp::Ne, x, scalar, at);
                let small =
                    self.compare_magnitude(x, CompareOp::Lt, least_normal(scalar), scalar, at);
                self.push_binary(BinaryOp::And, some, small, Scalar::Bool, at)
            }
            FloatMethod::IsSignNegative => self.compare_sign(x, CompareOp::Lt, scalar, at),
            FloatMethod::IsSignPositive => self.compare_sign(x, CompareOp::Ge, scalar, at),
        })
    }

    /// Compares the absolute value with a constant.
    fn compare_magnitude(
        &mut self,
        value: InstId,
        op: CompareOp,
        with: f64,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let magnitude = self.push_unary(UnaryOp::Abs, value, scalar, at);
        let with = self.push_float(with, scalar, at);
        self.push_compare(op, magnitude, with, at)
    }

    pub(crate) fn lower_recip(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let one = self.push_int(1, scalar, at);
        self.push_binary(BinaryOp::Div, one, value, scalar, at)
    }

    /// Rounds half away from zero: the fraction is exact, and so is its comparison with a half.
    fn lower_round(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let whole = self.push_unary(UnaryOp::Trunc, value, scalar, at);
        let rest = self.push_binary(BinaryOp::Sub, value, whole, scalar, at);
        let rest = self.push_unary(UnaryOp::Abs, rest, scalar, at);
        let half = self.push_float(0.5, scalar, at);
        let away = self.push_compare(CompareOp::Ge, rest, half, at);
        let negative = self.compare_with_zero(CompareOp::Lt, value, scalar, at);
        let (one, minus_one) = (self.push_int(1, scalar, at), self.push_int(-1, scalar, at));
        let step = self.push_select(negative, minus_one, one, scalar, at);
        let next = self.push_binary(BinaryOp::Add, whole, step, scalar, at);
        self.push_select(away, next, whole, scalar, at)
    }

    fn mul_by_factor(
        &mut self,
        value: InstId,
        [f32, f64]: [f64; 2],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let factor = self.push_float(if scalar == Scalar::F32 { f32 } else { f64 }, scalar, at);
        self.push_binary(BinaryOp::Mul, value, factor, scalar, at)
    }

    /// Computes `value ^ ((value ^ sign) & mask)`: one hardware instruction, unlike a form with two
    /// constants.
    pub(crate) fn lower_copysign(
        &mut self,
        value: InstId,
        sign: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let (bits, mask) = match scalar.bits() {
            Some(16) => (Scalar::U16, 1 << 15),
            Some(32) => (Scalar::U32, 1 << 31),
            _ => (Scalar::U64, 1 << 63),
        };
        let magnitude = self.push_inst(at, Op::Bitcast { value }, bits);
        let sign = self.push_inst(at, Op::Bitcast { value: sign }, bits);
        let mask = self.push_int(mask, bits, at);
        let differing = self.push_binary(BinaryOp::Xor, magnitude, sign, bits, at);
        let differing = self.push_binary(BinaryOp::And, differing, mask, bits, at);
        let value = self.push_binary(BinaryOp::Xor, magnitude, differing, bits, at);
        self.push_inst(at, Op::Bitcast { value }, scalar)
    }

    /// Compares the sign bit: the float's bits, as a signed integer, with 0.
    fn compare_sign(&mut self, value: InstId, op: CompareOp, scalar: Scalar, at: SpanId) -> InstId {
        let bits = match scalar.bits() {
            Some(16) => Scalar::I16,
            Some(32) => Scalar::I32,
            _ => Scalar::I64,
        };
        let bits_of = self.push_inst(at, Op::Bitcast { value }, bits);
        self.compare_with_zero(op, bits_of, bits, at)
    }
}

/// Returns the least positive normal number of a float type.
fn least_normal(scalar: Scalar) -> f64 {
    match scalar {
        // 2^-14
        Scalar::F16 => 6.103_515_625e-5,
        // `bf16` has the exponents of `f32`.
        Scalar::BF16 | Scalar::F32 => f32::MIN_POSITIVE.into(),
        _ => f64::MIN_POSITIVE,
    }
}
