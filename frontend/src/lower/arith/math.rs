//! Lowering of the methods of numbers, exactly as std documents them; the longer ones follow std's
//! code.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        Flow, Lowerer, Value,
        arith::check::{Operands, literal_value},
    },
    types::{
        Type,
        method::{FloatMethod, Method},
    },
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Fault, InstId, Op, Scalar, UnaryOp};

/// Method call with its operands. The receiver stands in for missing operands.
#[derive(Clone, Copy)]
pub(crate) struct MethodCall {
    pub(crate) operands: Operands,
    pub(crate) third: InstId,
    /// Type of the receiver.
    pub(crate) scalar: Scalar,
    /// Type of the result.
    pub(crate) ret: Scalar,
    pub(crate) at: SpanId,
}

impl Lowerer<'_> {
    pub(crate) fn lower_method(
        &mut self,
        method: Method,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let Some(first) = args.first() else { return Err(self.report_bug(at)) };
        let scalar = self.expect_scalar_type(first.ty, first.at)?;
        // The inverse root is one operation: test for it before the operand is lowered as a root.
        if let Method::Float(FloatMethod::Recip) = method
            && let Some(inverse) = self.inverse_root(first, scalar, at)?
        {
            return Ok(Value::Scalar(inverse));
        }
        let values: Vec<InstId> =
            args.iter().map(|arg| self.lower_scalar(arg)).collect::<Flow<_>>()?;
        let lhs = values[0];
        let operands = Operands {
            lhs,
            rhs: values.get(1).copied().unwrap_or(lhs),
            known_lhs: literal_value(first),
            known_rhs: args.get(1).and_then(literal_value),
        };
        let third = values.get(2).copied().unwrap_or(lhs);
        let applied = MethodCall { operands, third, scalar, ret: scalar, at };
        match method {
            Method::Checked(exact) => self.lower_exact_method(exact, true, applied),
            Method::Overflowing(exact) => self.lower_exact_method(exact, false, applied),
            Method::Math(math) => self.lower_math(math, &values, scalar, at),
            _ => {
                let own = matches!(self.type_of(first.ty), Type::Prim(_));
                let ret = self.expect_scalar_type(expr.ty, at)?;
                self.lower_simple_method(method, MethodCall { ret, ..applied }, own)
                    .map(Value::Scalar)
            }
        }
    }

    /// Lowers a method; `own` if it is the type's own method instead of one of `Num`.
    fn lower_simple_method(
        &mut self,
        method: Method,
        applied: MethodCall,
        own: bool,
    ) -> Flow<InstId> {
        let MethodCall { operands, third, scalar, ret, at } = applied;
        let Operands { lhs, rhs, .. } = operands;
        Ok(match method {
            Method::Convert => self.push_convert(lhs, scalar, ret, at),
            Method::Bits => self.push_inst(at, Op::Bitcast { value: lhs }, ret),
            Method::Same => lhs,
            Method::Unary(op) => self.push_unary(op, lhs, scalar, at),
            Method::Binary(op) => self.push_binary(op, lhs, rhs, scalar, at),
            Method::MulAdd => self.push_inst(at, Op::Fma { a: lhs, b: rhs, c: third }, scalar),
            Method::Abs => self.lower_abs(lhs, scalar, own, at),
            Method::Clamp => self.lower_clamp([lhs, rhs, third], scalar, at),
            Method::Signum => self.lower_signum(lhs, scalar, at),
            Method::DivEuclid => {
                let faults = [Fault::DivideByZero, Fault::DivideOverflow];
                self.check_division(operands, faults, scalar, at);
                self.lower_div_euclid(lhs, rhs, scalar, at)
            }
            Method::RemEuclid => {
                let faults = [Fault::RemainderByZero, Fault::RemainderOverflow];
                self.check_division(operands, faults, scalar, at);
                self.lower_rem_euclid(lhs, rhs, scalar, at)
            }
            Method::Checked(_) | Method::Overflowing(_) | Method::Math(_) => {
                return Err(self.report_bug(at));
            }
            Method::Int(method) => self.lower_int_method(method, applied)?,
            Method::Bit(method) => self.lower_bit_method(method, applied),
            Method::Float(method) => self.lower_float_method(method, applied)?,
        })
    }

    pub(crate) fn push_unary(
        &mut self,
        op: UnaryOp,
        value: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        self.push_inst(at, Op::Unary { op, value }, scalar)
    }

    pub(crate) fn push_select(
        &mut self,
        cond: InstId,
        then: InstId,
        other: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        self.push_inst(at, Op::Select { cond, then, other }, scalar)
    }

    pub(crate) fn compare_with_zero(
        &mut self,
        op: CompareOp,
        value: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let zero = self.push_int(0, scalar, at);
        self.push_compare(op, value, zero, at)
    }

    /// Lowers `abs`: that of `Num` wraps, and a type's own is checked as `-` is.
    fn lower_abs(&mut self, value: InstId, scalar: Scalar, own: bool, at: SpanId) -> InstId {
        if scalar.is_unsigned() {
            return value;
        }
        if own {
            self.check_negation(value, scalar, at);
        }
        self.push_unary(UnaryOp::Abs, value, scalar, at)
    }

    /// Lowers `clamp`: a NaN stays NaN; bounds that are NaN or out of order are a fault.
    fn lower_clamp(
        &mut self,
        [value, low, high]: [InstId; 3],
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let ordered = self.push_compare(CompareOp::Le, low, high, at);
        self.push_check(ordered, Fault::ClampBounds, at);
        let below = self.push_compare(CompareOp::Lt, value, low, at);
        let value = self.push_select(below, low, value, scalar, at);
        let above = self.push_compare(CompareOp::Gt, value, high, at);
        self.push_select(above, high, value, scalar, at)
    }

    fn lower_signum(&mut self, value: InstId, scalar: Scalar, at: SpanId) -> InstId {
        let one = self.push_int(1, scalar, at);
        if scalar.is_float() {
            let signed = self.lower_copysign(one, value, scalar, at);
            let nan = self.push_compare(CompareOp::Ne, value, value, at);
            return self.push_select(nan, value, signed, scalar, at);
        }
        let (zero, minus_one) = (self.push_int(0, scalar, at), self.push_int(-1, scalar, at));
        let positive = self.push_compare(CompareOp::Gt, value, zero, at);
        let negative = self.push_compare(CompareOp::Lt, value, zero, at);
        let other = self.push_select(negative, minus_one, zero, scalar, at);
        self.push_select(positive, one, other, scalar, at)
    }

    /// Returns the non-negative remainder of a division that cannot fault.
    pub(crate) fn lower_rem_euclid(
        &mut self,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let rest = self.push_binary(BinaryOp::Rem, lhs, rhs, scalar, at);
        if scalar.is_unsigned() {
            return rest;
        }
        let negative = self.compare_with_zero(CompareOp::Lt, rest, scalar, at);
        let distance = self.push_unary(UnaryOp::Abs, rhs, scalar, at);
        let positive = self.push_binary(BinaryOp::Add, rest, distance, scalar, at);
        self.push_select(negative, positive, rest, scalar, at)
    }

    /// Returns the quotient for the remainder of [`Self::lower_rem_euclid`].
    pub(crate) fn lower_div_euclid(
        &mut self,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        let mut quotient = self.push_binary(BinaryOp::Div, lhs, rhs, scalar, at);
        if scalar.is_unsigned() {
            return quotient;
        }
        if scalar.is_float() {
            quotient = self.push_unary(UnaryOp::Trunc, quotient, scalar, at);
        }
        let rest = self.push_binary(BinaryOp::Rem, lhs, rhs, scalar, at);
        let negative = self.compare_with_zero(CompareOp::Lt, rest, scalar, at);
        let up = self.compare_with_zero(CompareOp::Gt, rhs, scalar, at);
        let (one, minus_one) = (self.push_int(1, scalar, at), self.push_int(-1, scalar, at));
        let step = self.push_select(up, minus_one, one, scalar, at);
        let next = self.push_binary(BinaryOp::Add, quotient, step, scalar, at);
        self.push_select(negative, next, quotient, scalar, at)
    }
}
