//! Methods of numbers. Each does exactly what std documents; the longer ones follow std's code.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        Emit, Flow, Value,
        arith::check::{Operands, known},
    },
    types::{
        Type,
        method::{FloatMethod, Method},
    },
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

/// A method with the values that it is called on. What it does not take is its receiver again.
#[derive(Clone, Copy)]
pub(crate) struct Applied {
    pub(crate) operands: Operands,
    pub(crate) third: InstId,
    /// The type that has the method.
    pub(crate) of: Scalar,
    /// The type of its result.
    pub(crate) ret: Scalar,
    pub(crate) at: SpanId,
}

impl Emit<'_> {
    pub(crate) fn method(&mut self, method: Method, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let Some(first) = args.first() else { return Err(self.bug(at)) };
        let of = self.scalar_of(first.ty, first.at)?;
        if let Method::Float(FloatMethod::Recip) = method
            && let Some(inverse) = self.inverse_root(first, of, at)?
        {
            return Ok(Value::Scalar(inverse));
        }
        let values: Vec<InstId> = args.iter().map(|arg| self.scalar(arg)).collect::<Flow<_>>()?;
        let lhs = values[0];
        let operands = Operands {
            lhs,
            rhs: values.get(1).copied().unwrap_or(lhs),
            known_lhs: known(first),
            known_rhs: args.get(1).and_then(known),
        };
        let third = values.get(2).copied().unwrap_or(lhs);
        let applied = Applied { operands, third, of, ret: of, at };
        match method {
            Method::Checked(exact) => self.exact_method(exact, true, applied),
            Method::Overflowing(exact) => self.exact_method(exact, false, applied),
            Method::Math(math) => self.math(math, &values, of, at),
            _ => {
                let own = matches!(self.ty(first.ty), Type::Prim(_));
                let ret = self.scalar_of(expr.ty, at)?;
                self.apply(method, Applied { ret, ..applied }, own).map(Value::Scalar)
            }
        }
    }

    /// `own` if the method is a type's own, and not one of `Num`.
    fn apply(&mut self, method: Method, applied: Applied, own: bool) -> Flow<InstId> {
        let Applied { operands, third, of, ret, at } = applied;
        let Operands { lhs, rhs, .. } = operands;
        Ok(match method {
            Method::Convert => self.convert(lhs, of, ret, at),
            Method::Bits => self.inst(at, Op::Bitcast { value: lhs }, ret),
            Method::Same => lhs,
            Method::Unary(op) => self.one(op, lhs, of, at),
            Method::Binary(op) => self.binary_op(op, lhs, rhs, of, at),
            Method::MulAdd => self.inst(at, Op::Fma { a: lhs, b: rhs, c: third }, of),
            Method::Abs => self.abs(lhs, of, own, at),
            Method::Clamp => self.clamp([lhs, rhs, third], of, at),
            Method::Signum => self.signum(lhs, of, at),
            Method::DivEuclid => {
                let faults = [Fault::DivideByZero, Fault::DivideOverflow];
                self.check_division(operands, faults, of, at);
                self.div_euclid(lhs, rhs, of, at)
            }
            Method::RemEuclid => {
                let faults = [Fault::RemainderByZero, Fault::RemainderOverflow];
                self.check_division(operands, faults, of, at);
                self.rem_euclid(lhs, rhs, of, at)
            }
            Method::Checked(_) | Method::Overflowing(_) | Method::Math(_) => {
                return Err(self.bug(at));
            }
            Method::Int(method) => self.int_method(method, applied)?,
            Method::Bit(method) => self.bit_method(method, applied),
            Method::Float(method) => self.float_method(method, applied)?,
        })
    }

    pub(crate) fn one(&mut self, op: UnaryOp, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        self.inst(at, Op::Unary { op, value }, scalar)
    }

    pub(crate) fn select(
        &mut self,
        cond: InstId,
        then: InstId,
        other: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        self.inst(at, Op::Select { cond, then, other }, of)
    }

    pub(crate) fn with_zero(
        &mut self,
        op: CompareOp,
        value: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let zero = self.int(0, of, at);
        self.compare(op, value, zero, at)
    }

    /// That of `Num` wraps; that of a type of its own is checked as `-` is.
    fn abs(&mut self, value: InstId, of: Scalar, own: bool, at: SpanId) -> InstId {
        if of.is_unsigned() {
            return value;
        }
        if own {
            self.check_negation(value, of, at);
        }
        self.one(UnaryOp::Abs, value, of, at)
    }

    /// A NaN stays one; bounds that are NaN, or no range, are a fault.
    fn clamp(&mut self, [value, low, high]: [InstId; 3], of: Scalar, at: SpanId) -> InstId {
        let ordered = self.compare(CompareOp::Le, low, high, at);
        self.check(ordered, Fault::ClampBounds, at);
        let below = self.compare(CompareOp::Lt, value, low, at);
        let value = self.select(below, low, value, of, at);
        let above = self.compare(CompareOp::Gt, value, high, at);
        self.select(above, high, value, of, at)
    }

    fn signum(&mut self, value: InstId, of: Scalar, at: SpanId) -> InstId {
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

    /// The remainder that is not negative, of a division without fault.
    pub(crate) fn rem_euclid(
        &mut self,
        lhs: InstId,
        rhs: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let rest = self.binary_op(BinaryOp::Rem, lhs, rhs, of, at);
        if of.is_unsigned() {
            return rest;
        }
        let negative = self.with_zero(CompareOp::Lt, rest, of, at);
        let distance = self.one(UnaryOp::Abs, rhs, of, at);
        let positive = self.binary_op(BinaryOp::Add, rest, distance, of, at);
        self.select(negative, positive, rest, of, at)
    }

    /// The quotient that goes with it.
    pub(crate) fn div_euclid(
        &mut self,
        lhs: InstId,
        rhs: InstId,
        of: Scalar,
        at: SpanId,
    ) -> InstId {
        let mut quotient = self.binary_op(BinaryOp::Div, lhs, rhs, of, at);
        if of.is_unsigned() {
            return quotient;
        }
        if of.is_float() {
            quotient = self.one(UnaryOp::Trunc, quotient, of, at);
        }
        let rest = self.binary_op(BinaryOp::Rem, lhs, rhs, of, at);
        let negative = self.with_zero(CompareOp::Lt, rest, of, at);
        let up = self.with_zero(CompareOp::Gt, rhs, of, at);
        let (one, minus_one) = (self.int(1, of, at), self.int(-1, of, at));
        let step = self.select(up, minus_one, one, of, at);
        let next = self.binary_op(BinaryOp::Add, quotient, step, of, at);
        self.select(negative, next, quotient, of, at)
    }
}
