//! Methods of numbers. Each does exactly what std documents; the longer ones follow std's code.
use super::{
    Emit, Flow,
    check::{Operands, known},
};
use crate::lower::{
    method::Method,
    tree::{At, Expr},
    types::Type,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

impl Emit<'_> {
    pub(super) fn method(&mut self, method: Method, args: &[Expr], expr: &Expr) -> Flow<InstId> {
        let at = expr.at;
        let Some(first) = args.first() else { return Err(self.bug(at)) };
        let of = self.scalar_of(first.ty, first.at)?;
        let ret = self.scalar_of(expr.ty, at)?;
        let values: Vec<InstId> = args.iter().map(|arg| self.scalar(arg)).collect::<Flow<_>>()?;
        let x = values[0];
        let y = values.get(1).copied().unwrap_or(x);
        let operands = Operands {
            lhs: x,
            rhs: y,
            known_lhs: known(first),
            known_rhs: args.get(1).and_then(known),
        };
        Ok(match method {
            Method::Convert => self.convert(x, of, ret, at),
            Method::ToBits | Method::FromBits => self.inst(at, Op::Bitcast { value: x }, ret),
            Method::MulAdd => {
                let c = values.get(2).copied().unwrap_or(x);
                self.inst(at, Op::Fma { a: x, b: y, c }, of)
            }
            Method::Abs => self.abs(x, of, matches!(self.ty(first.ty), Type::Prim(_)), at),
            Method::WrappingAbs => self.one(UnaryOp::Abs, x, of, at),
            Method::WrappingNeg => self.one(UnaryOp::Neg, x, of, at),
            Method::Sqrt => self.one(UnaryOp::Sqrt, x, of, at),
            Method::Floor => self.one(UnaryOp::Floor, x, of, at),
            Method::Ceil => self.one(UnaryOp::Ceil, x, of, at),
            Method::Trunc => self.one(UnaryOp::Trunc, x, of, at),
            Method::RoundTiesEven => self.one(UnaryOp::RoundTiesEven, x, of, at),
            Method::Min => self.binary_op(BinaryOp::Min, x, y, of, at),
            Method::Max => self.binary_op(BinaryOp::Max, x, y, of, at),
            Method::WrappingAdd => self.binary_op(BinaryOp::Add, x, y, of, at),
            Method::WrappingSub => self.binary_op(BinaryOp::Sub, x, y, of, at),
            Method::WrappingMul => self.binary_op(BinaryOp::Mul, x, y, of, at),
            Method::WrappingShl => self.binary_op(BinaryOp::Shl, x, y, of, at),
            Method::WrappingShr => self.binary_op(BinaryOp::Shr, x, y, of, at),
            Method::Round => self.round(x, of, at),
            Method::Fract => {
                let whole = self.one(UnaryOp::Trunc, x, of, at);
                self.binary_op(BinaryOp::Sub, x, whole, of, at)
            }
            Method::Recip => {
                let one = self.int(1, of, at);
                self.binary_op(BinaryOp::Div, one, x, of, at)
            }
            Method::ToRadians => {
                self.scaled(x, [1f32.to_radians().into(), 1f64.to_radians()], of, at)
            }
            Method::ToDegrees => {
                self.scaled(x, [1f32.to_degrees().into(), 1f64.to_degrees()], of, at)
            }
            Method::Copysign => self.copysign(x, y, of, at),
            Method::Signum => self.signum(x, of, at),
            Method::IsNan => self.compare(CompareOp::Ne, x, x, at),
            Method::IsFinite | Method::IsInfinite => {
                let magnitude = self.one(UnaryOp::Abs, x, of, at);
                let infinity = self.float(f64::INFINITY, of, at);
                let finite = method == Method::IsFinite;
                let op = if finite { CompareOp::Lt } else { CompareOp::Eq };
                self.compare(op, magnitude, infinity, at)
            }
            Method::IsSignNegative => self.sign(x, CompareOp::Lt, of, at),
            Method::IsSignPositive => self.sign(x, CompareOp::Ge, of, at),
            Method::IsNegative => self.with_zero(CompareOp::Lt, x, of, at),
            Method::IsPositive => self.with_zero(CompareOp::Gt, x, of, at),
            Method::IsPowerOfTwo => self.is_power_of_two(x, of, at),
            Method::AbsDiff => {
                let high = self.binary_op(BinaryOp::Max, x, y, of, at);
                let low = self.binary_op(BinaryOp::Min, x, y, of, at);
                let difference = self.binary_op(BinaryOp::Sub, high, low, of, at);
                self.convert(difference, of, ret, at)
            }
            Method::UnsignedAbs => {
                let magnitude = self.one(UnaryOp::Abs, x, of, at);
                self.convert(magnitude, of, ret, at)
            }
            Method::RotateLeft => self.rotate([BinaryOp::Shl, BinaryOp::Shr], x, y, of, at),
            Method::RotateRight => self.rotate([BinaryOp::Shr, BinaryOp::Shl], x, y, of, at),
            Method::SaturatingAdd => self.saturating(BinaryOp::Add, x, y, of, at),
            Method::SaturatingSub => self.saturating(BinaryOp::Sub, x, y, of, at),
            Method::RemEuclid => self.rem_euclid(operands, of, at),
            Method::DivEuclid => self.div_euclid(operands, of, at),
            Method::DivCeil => self.div_ceil(operands, of, at),
        })
    }

    fn one(&mut self, op: UnaryOp, value: InstId, scalar: Scalar, at: At) -> InstId {
        self.inst(at, Op::Unary { op, value }, scalar)
    }

    fn select(&mut self, cond: InstId, then: InstId, other: InstId, of: Scalar, at: At) -> InstId {
        self.inst(at, Op::Select { cond, then, other }, of)
    }

    fn with_zero(&mut self, op: CompareOp, value: InstId, of: Scalar, at: At) -> InstId {
        let zero = self.int(0, of, at);
        self.compare(op, value, zero, at)
    }

    /// That of `Num` wraps; that of a type of its own is checked as `-` is.
    fn abs(&mut self, value: InstId, of: Scalar, own: bool, at: At) -> InstId {
        if of.is_unsigned() {
            return value;
        }
        if own {
            self.check_negation(value, of, at);
        }
        self.one(UnaryOp::Abs, value, of, at)
    }

    /// Half away from zero: what is cut off is exact, and so is the comparison with a half.
    fn round(&mut self, value: InstId, of: Scalar, at: At) -> InstId {
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

    fn scaled(&mut self, value: InstId, [f32, f64]: [f64; 2], of: Scalar, at: At) -> InstId {
        let factor = self.float(if of == Scalar::F32 { f32 } else { f64 }, of, at);
        self.binary_op(BinaryOp::Mul, value, factor, of, at)
    }

    fn copysign(&mut self, value: InstId, sign: InstId, of: Scalar, at: At) -> InstId {
        let (bits, mask) = match of {
            Scalar::F32 => (Scalar::U32, 1 << 31),
            _ => (Scalar::U64, 1 << 63),
        };
        let magnitude = self.inst(at, Op::Bitcast { value }, bits);
        let sign = self.inst(at, Op::Bitcast { value: sign }, bits);
        let others = self.int(mask - 1, bits, at);
        let mask = self.int(mask, bits, at);
        let magnitude = self.binary_op(BinaryOp::And, magnitude, others, bits, at);
        let sign = self.binary_op(BinaryOp::And, sign, mask, bits, at);
        let value = self.binary_op(BinaryOp::Or, magnitude, sign, bits, at);
        self.inst(at, Op::Bitcast { value }, of)
    }

    /// Compares the sign bit: the float's bits, as a signed integer, with 0.
    fn sign(&mut self, value: InstId, op: CompareOp, of: Scalar, at: At) -> InstId {
        let bits = if of == Scalar::F32 { Scalar::I32 } else { Scalar::I64 };
        let bits_of = self.inst(at, Op::Bitcast { value }, bits);
        self.with_zero(op, bits_of, bits, at)
    }

    fn signum(&mut self, value: InstId, of: Scalar, at: At) -> InstId {
        let one = self.int(1, of, at);
        if of.is_float() {
            let signed = self.copysign(one, value, of, at);
            let nan = self.compare(CompareOp::Ne, value, value, at);
            return self.select(nan, value, signed, of, at);
        }
        let (zero, minus_one) = (self.int(0, of, at), self.int(-1, of, at));
        let positive = self.compare(CompareOp::Gt, value, zero, at);
        let negative = self.compare(CompareOp::Lt, value, zero, at);
        let other = self.select(negative, minus_one, zero, of, at);
        self.select(positive, one, other, of, at)
    }

    fn is_power_of_two(&mut self, value: InstId, of: Scalar, at: At) -> InstId {
        let one = self.int(1, of, at);
        let below = self.binary_op(BinaryOp::Sub, value, one, of, at);
        let shared = self.binary_op(BinaryOp::And, value, below, of, at);
        let single = self.with_zero(CompareOp::Eq, shared, of, at);
        let some = self.with_zero(CompareOp::Ne, value, of, at);
        self.binary_op(BinaryOp::And, some, single, Scalar::Bool, at)
    }

    /// Shifts of the unsigned integer of the same size; amounts are taken modulo the width.
    fn rotate(
        &mut self,
        [there, back]: [BinaryOp; 2],
        value: InstId,
        amount: InstId,
        of: Scalar,
        at: At,
    ) -> InstId {
        let bits = match of {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 => Scalar::U32,
            Scalar::I64 => Scalar::U64,
            other => other,
        };
        let value = self.convert(value, of, bits, at);
        let zero = self.int(0, Scalar::U32, at);
        let rest = self.binary_op(BinaryOp::Sub, zero, amount, Scalar::U32, at);
        let moved = self.binary_op(there, value, amount, bits, at);
        let around = self.binary_op(back, value, rest, bits, at);
        let rotated = self.binary_op(BinaryOp::Or, moved, around, bits, at);
        self.convert(rotated, bits, of, at)
    }

    fn saturating(&mut self, op: BinaryOp, x: InstId, y: InstId, of: Scalar, at: At) -> InstId {
        let adds = op == BinaryOp::Add;
        let wrapped = self.binary_op(op, x, y, of, at);
        let bits = of.bits().unwrap_or(64);
        if of.is_unsigned() {
            let overflows =
                self.compare(if adds { CompareOp::Lt } else { CompareOp::Gt }, wrapped, x, at);
            let end = self.int(if adds { (1 << bits) - 1 } else { 0 }, of, at);
            return self.select(overflows, end, wrapped, of, at);
        }
        let up = self.with_zero(CompareOp::Ge, y, of, at);
        let order = if adds { CompareOp::Ge } else { CompareOp::Le };
        let moved = self.compare(order, wrapped, x, at);
        let overflows = self.binary_op(BinaryOp::Xor, up, moved, Scalar::Bool, at);
        let min = self.int(-(1i128 << (bits - 1)), of, at);
        let max = self.int((1i128 << (bits - 1)) - 1, of, at);
        let (above, below) = if adds { (max, min) } else { (min, max) };
        let end = self.select(up, above, below, of, at);
        self.select(overflows, end, wrapped, of, at)
    }

    fn rem_euclid(&mut self, operands: Operands, of: Scalar, at: At) -> InstId {
        let faults = [Fault::RemainderByZero, Fault::RemainderOverflow];
        self.check_division(operands, faults, of, at);
        let rest = self.binary_op(BinaryOp::Rem, operands.lhs, operands.rhs, of, at);
        if of.is_unsigned() {
            return rest;
        }
        let negative = self.with_zero(CompareOp::Lt, rest, of, at);
        let distance = self.one(UnaryOp::Abs, operands.rhs, of, at);
        let positive = self.binary_op(BinaryOp::Add, rest, distance, of, at);
        self.select(negative, positive, rest, of, at)
    }

    fn div_euclid(&mut self, operands: Operands, of: Scalar, at: At) -> InstId {
        let Operands { lhs, rhs, .. } = operands;
        let faults = [Fault::DivideByZero, Fault::DivideOverflow];
        self.check_division(operands, faults, of, at);
        let quotient = self.binary_op(BinaryOp::Div, lhs, rhs, of, at);
        if of.is_unsigned() {
            return quotient;
        }
        let rest = self.binary_op(BinaryOp::Rem, lhs, rhs, of, at);
        let negative = self.with_zero(CompareOp::Lt, rest, of, at);
        let up = self.with_zero(CompareOp::Gt, rhs, of, at);
        let (one, minus_one) = (self.int(1, of, at), self.int(-1, of, at));
        let step = self.select(up, minus_one, one, of, at);
        let next = self.binary_op(BinaryOp::Add, quotient, step, of, at);
        self.select(negative, next, quotient, of, at)
    }

    fn div_ceil(&mut self, operands: Operands, of: Scalar, at: At) -> InstId {
        let Operands { lhs, rhs, .. } = operands;
        let faults = [Fault::DivideByZero, Fault::DivideOverflow];
        self.check_division(operands, faults, of, at);
        let quotient = self.binary_op(BinaryOp::Div, lhs, rhs, of, at);
        let rest = self.binary_op(BinaryOp::Rem, lhs, rhs, of, at);
        let some = self.with_zero(CompareOp::Ne, rest, of, at);
        let some = self.inst(at, Op::Cast { value: some }, of);
        self.binary_op(BinaryOp::Add, quotient, some, of, at)
    }
}
