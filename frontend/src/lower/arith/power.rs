//! Powers by squaring, and integer square roots.
use crate::{
    hir::SpanId,
    lower::{Emit, Flow, arith::check::max},
};
use warpwise_compiler::ir::{
    self, BinaryOp, Body, CompareOp, Fault, InstId, Op, Scalar, Ty, UnaryOp,
};

impl Emit<'_> {
    /// `base` to the power of a `u32`, by squaring, as std does it: nothing is multiplied that
    /// does not go into the result.
    pub(crate) fn power(
        &mut self,
        base: InstId,
        (exponent, known): (InstId, Option<i128>),
        of: Scalar,
        at: SpanId,
        mut multiply: impl FnMut(&mut Self, InstId, InstId) -> InstId,
    ) -> Flow<InstId> {
        match known.and_then(|known| u32::try_from(known).ok()) {
            Some(exponent) => Ok(self.known_power(base, exponent, of, at, multiply)),
            None => self.power_loop(base, exponent, of, at, &mut multiply),
        }
    }

    fn known_power(
        &mut self,
        mut base: InstId,
        mut exponent: u32,
        of: Scalar,
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
        result.unwrap_or_else(|| self.int(1, of, at))
    }

    fn power_loop(
        &mut self,
        base: InstId,
        exponent: InstId,
        of: Scalar,
        at: SpanId,
        multiply: &mut impl FnMut(&mut Self, InstId, InstId) -> InstId,
    ) -> Flow<InstId> {
        let [result, square] = [(); 2].map(|()| self.local("", of, at));
        let left = self.local("", Scalar::U32, at);
        let one = self.int(1, of, at);
        for (local, value) in [(result, one), (square, base), (left, exponent)] {
            self.inst(at, Op::Set { local, value }, Ty::Unit);
        }
        let round = self.begin(at, Op::Loop { body: Body::default() }, Ty::Unit)?;
        let exponent = self.inst(at, Op::Get(left), Scalar::U32);
        let low = self.int(1, Scalar::U32, at);
        let odd = self.binary_op(BinaryOp::And, exponent, low, Scalar::U32, at);
        let odd = self.with_zero(CompareOp::Ne, odd, Scalar::U32, at);
        let done = self.when(odd, at, |this| {
            let a = this.inst(at, Op::Get(result), of);
            let b = this.inst(at, Op::Get(square), of);
            let value = multiply(this, a, b);
            this.inst(at, Op::Set { local: result, value }, Ty::Unit);
        });
        let value = self.binary_op(BinaryOp::Shr, exponent, low, Scalar::U32, at);
        self.inst(at, Op::Set { local: left, value }, Ty::Unit);
        let last = self.with_zero(CompareOp::Eq, value, Scalar::U32, at);
        let done = done.and(self.when(last, at, |this| {
            this.inst(at, Op::Break(round), Ty::Unit);
        }));
        let base = self.inst(at, Op::Get(square), of);
        let value = multiply(self, base, base);
        self.inst(at, Op::Set { local: square, value }, Ty::Unit);
        self.build.end();
        done?;
        Ok(self.inst(at, Op::Get(result), of))
    }

    /// Emits something where a condition is true.
    fn when(&mut self, cond: InstId, at: SpanId, then: impl FnOnce(&mut Self)) -> Flow<()> {
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        then(self);
        self.build.end();
        Ok(())
    }

    /// A float to the power of an `i32`: that of its absolute value, and one divided by it if
    /// the exponent is negative.
    pub(crate) fn powi(
        &mut self,
        base: InstId,
        (exponent, known): (InstId, Option<i128>),
        of: Scalar,
        at: SpanId,
    ) -> Flow<InstId> {
        let magnitude = self.one(UnaryOp::Abs, exponent, Scalar::I32, at);
        let magnitude = self.convert(magnitude, Scalar::I32, Scalar::U32, at);
        let multiply = |this: &mut Self, a, b| this.binary_op(BinaryOp::Mul, a, b, of, at);
        let power = self.power(base, (magnitude, known.map(i128::abs)), of, at, multiply)?;
        Ok(match known {
            Some(0..) => power,
            Some(_) => self.recip(power, of, at),
            None => {
                let inverse = self.recip(power, of, at);
                let negative = self.with_zero(CompareOp::Lt, exponent, Scalar::I32, at);
                self.select(negative, inverse, power, of, at)
            }
        })
    }

    /// The root of a float is off by one at most; it is corrected by squaring.
    pub(crate) fn isqrt(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
        if of.is_signed() {
            let positive = self.with_zero(CompareOp::Ge, value, of, at);
            self.check(positive, Fault::NegativeSquareRoot, at);
        }
        let wide = of.bits() == Some(64);
        let float = if wide { Scalar::F64 } else { Scalar::F32 };
        let root = self.convert(value, of, float, at);
        let root = self.one(UnaryOp::Sqrt, root, float, at);
        let root = self.convert(root, float, of, at);
        let most = self.int(greatest_root(of), of, at);
        let root = self.binary_op(BinaryOp::Min, root, most, of, at);

        let square = self.binary_op(BinaryOp::Mul, root, root, of, at);
        let above = self.compare(CompareOp::Gt, square, value, at);
        let above = self.inst(at, Op::Cast { value: above }, of);
        let root = self.binary_op(BinaryOp::Sub, root, above, of, at);

        let one = self.int(1, of, at);
        let next = self.binary_op(BinaryOp::Add, root, one, of, at);
        let next = self.binary_op(BinaryOp::Min, next, most, of, at);
        let square = self.binary_op(BinaryOp::Mul, next, next, of, at);
        let below = self.compare(CompareOp::Le, square, value, at);
        self.select(below, next, root, of, at)
    }
}

/// The square root of the greatest value of an integer type.
fn greatest_root(of: Scalar) -> i128 {
    max(of).isqrt()
}
