//! Powers by squaring, and integer square roots.
use crate::{
    hir::SpanId,
    lower::{Flow, Lowerer, arith::check::max_value},
};
use warpwise_compiler::ir::{
    self, BinaryOp, Body, CompareOp, Fault, InstId, Op, Scalar, Ty, UnaryOp,
};

impl Lowerer<'_> {
    /// Raises `base` to the power of a `u32` by squaring, as std does: every product contributes to
    /// the result.
    pub(crate) fn lower_power(
        &mut self,
        base: InstId,
        (exponent, known): (InstId, Option<i128>),
        scalar: Scalar,
        at: SpanId,
        mut multiply: impl FnMut(&mut Self, InstId, InstId) -> InstId,
    ) -> Flow<InstId> {
        match known.and_then(|known| u32::try_from(known).ok()) {
            Some(exponent) => Ok(self.power_by_constant(base, exponent, scalar, at, multiply)),
            None => self.power_loop(base, exponent, scalar, at, &mut multiply),
        }
    }

    fn power_by_constant(
        &mut self,
        mut base: InstId,
        mut exponent: u32,
        scalar: Scalar,
        at: SpanId,
        mut multiply: impl FnMut(&mut Self, InstId, InstId) -> InstId,
    ) -> InstId {
        let mut result = None;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = Some(match result {
                    Some(result) => multiply(self, result, base),
                    None => base,
                });
            }
            exponent >>= 1;
            if exponent > 0 {
                base = multiply(self, base, base);
            }
        }
        result.unwrap_or_else(|| self.push_int(1, scalar, at))
    }

    fn power_loop(
        &mut self,
        base: InstId,
        exponent: InstId,
        scalar: Scalar,
        at: SpanId,
        multiply: &mut impl FnMut(&mut Self, InstId, InstId) -> InstId,
    ) -> Flow<InstId> {
        let [result, square] = [(); 2].map(|()| self.new_local("", scalar, at));
        let left = self.new_local("", Scalar::U32, at);
        let one = self.push_int(1, scalar, at);
        for (local, value) in [(result, one), (square, base), (left, exponent)] {
            self.push_inst(at, Op::Set { local, value }, Ty::Unit);
        }
        let loop_inst = self.begin_body(at, Op::Loop { body: Body::default() }, Ty::Unit)?;
        let exponent = self.push_inst(at, Op::Get(left), Scalar::U32);
        let low = self.push_int(1, Scalar::U32, at);
        let odd = self.push_binary(BinaryOp::And, exponent, low, Scalar::U32, at);
        let odd = self.compare_with_zero(CompareOp::Ne, odd, Scalar::U32, at);
        let done = self.push_if(odd, at, |this| {
            let a = this.push_inst(at, Op::Get(result), scalar);
            let b = this.push_inst(at, Op::Get(square), scalar);
            let value = multiply(this, a, b);
            this.push_inst(at, Op::Set { local: result, value }, Ty::Unit);
        });
        let value = self.push_binary(BinaryOp::Shr, exponent, low, Scalar::U32, at);
        self.push_inst(at, Op::Set { local: left, value }, Ty::Unit);
        let last = self.compare_with_zero(CompareOp::Eq, value, Scalar::U32, at);
        let done = done.and(self.push_if(last, at, |this| {
            this.push_inst(at, Op::Break(loop_inst), Ty::Unit);
        }));
        // After the `break`: the last square could overflow, and does not contribute to the result.
        let base = self.push_inst(at, Op::Get(square), scalar);
        let value = multiply(self, base, base);
        self.push_inst(at, Op::Set { local: square, value }, Ty::Unit);
        self.build.end();
        done?;
        Ok(self.push_inst(at, Op::Get(result), scalar))
    }

    /// Runs `then` where `cond` is true.
    fn push_if(&mut self, cond: InstId, at: SpanId, then: impl FnOnce(&mut Self)) -> Flow<()> {
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        then(self);
        self.build.end();
        Ok(())
    }

    /// Raises a float to the power of an `i32`: to the absolute value, with the reciprocal taken if
    /// the exponent is negative.
    pub(crate) fn lower_powi(
        &mut self,
        base: InstId,
        (exponent, known): (InstId, Option<i128>),
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<InstId> {
        let magnitude = self.push_unary(UnaryOp::Abs, exponent, Scalar::I32, at);
        let magnitude = self.push_convert(magnitude, Scalar::I32, Scalar::U32, at);
        let multiply = |this: &mut Self, a, b| this.push_binary(BinaryOp::Mul, a, b, scalar, at);
        let power =
            self.lower_power(base, (magnitude, known.map(i128::abs)), scalar, at, multiply)?;
        Ok(match known {
            Some(0..) => power,
            Some(_) => self.lower_recip(power, scalar, at),
            None => {
                let inverse = self.lower_recip(power, scalar, at);
                let negative = self.compare_with_zero(CompareOp::Lt, exponent, Scalar::I32, at);
                self.push_select(negative, inverse, power, scalar, at)
            }
        })
    }

    /// Computes the integer square root from the float root, which is off by at most one and
    /// corrected by squaring.
    pub(crate) fn lower_isqrt(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        if scalar.is_signed() {
            let positive = self.compare_with_zero(CompareOp::Ge, value, scalar, at);
            self.push_check(positive, Fault::NegativeSquareRoot, at);
        }
        let wide = scalar.bits() == Some(64);
        let float = if wide { Scalar::F64 } else { Scalar::F32 };
        let root = self.push_convert(value, scalar, float, at);
        let root = self.push_unary(UnaryOp::Sqrt, root, float, at);
        let root = self.push_convert(root, float, scalar, at);
        let most = self.push_int(max_root(scalar), scalar, at);
        let root = self.push_binary(BinaryOp::Min, root, most, scalar, at);

        // Subtract one if the root is too large, then add one if the next root still fits.
        let square = self.push_binary(BinaryOp::Mul, root, root, scalar, at);
        let above = self.push_compare(CompareOp::Gt, square, value, at);
        let above = self.push_inst(at, Op::Cast { value: above }, scalar);
        let root = self.push_binary(BinaryOp::Sub, root, above, scalar, at);

        let one = self.push_int(1, scalar, at);
        let next = self.push_binary(BinaryOp::Add, root, one, scalar, at);
        let next = self.push_binary(BinaryOp::Min, next, most, scalar, at);
        let square = self.push_binary(BinaryOp::Mul, next, next, scalar, at);
        let below = self.push_compare(CompareOp::Le, square, value, at);
        self.push_select(below, next, root, scalar, at)
    }
}

/// Returns the square root of the greatest value of an integer type.
fn max_root(scalar: Scalar) -> i128 {
    max_value(scalar).isqrt()
}
