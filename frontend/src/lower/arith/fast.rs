//! Functions of the module `fast`: hardware instructions, with constant factors for other bases.
//!
//! The runtime's `fast` module is the same in Rust, for the host.
use crate::{
    hir::{Expr, SpanId},
    lower::{Flow, Lowerer, Value},
    types::builtin::Fast,
};
use std::f32::consts::{LN_2, LOG2_E, LOG10_2};
use warpwise_compiler::ir::{Approx, BinaryOp, InstId, Scalar, UnaryOp};

impl Lowerer<'_> {
    pub(crate) fn lower_fast(&mut self, fast: Fast, args: &[Expr], at: SpanId) -> Flow<Value> {
        let args: Vec<InstId> =
            args.iter().map(|arg| self.lower_scalar(arg)).collect::<Flow<_>>()?;
        let (Some(&x), Some(&y)) = (args.first(), args.last()) else {
            return Err(self.report_bug(at));
        };
        let value = match fast {
            Fast::Plain(op) => self.push_approx(op, x, at),
            Fast::Exp => {
                let power = self.mul_constant(x, LOG2_E, at);
                self.push_approx(Approx::Exp2, power, at)
            }
            Fast::Ln => {
                let log = self.push_approx(Approx::Log2, x, at);
                self.mul_constant(log, LN_2, at)
            }
            Fast::Log10 => {
                let log = self.push_approx(Approx::Log2, x, at);
                self.mul_constant(log, LOG10_2, at)
            }
            Fast::Powf => {
                let log = self.push_approx(Approx::Log2, x, at);
                let power = self.push_mul(log, y, at);
                self.push_approx(Approx::Exp2, power, at)
            }
            Fast::Tan => {
                let (sin, cos) = self.sine_and_cosine(x, at);
                self.divide_approx(sin, cos, at)
            }
            Fast::Div => self.divide_approx(x, y, at),
            Fast::SinCos => {
                let (sin, cos) = self.sine_and_cosine(x, at);
                return Ok(Value::Parts([sin, cos].map(Value::Scalar).into()));
            }
        };
        Ok(Value::Scalar(value))
    }

    fn push_approx(&mut self, op: Approx, value: InstId, at: SpanId) -> InstId {
        self.push_unary(UnaryOp::Approx(op), value, Scalar::F32, at)
    }

    fn push_mul(&mut self, lhs: InstId, rhs: InstId, at: SpanId) -> InstId {
        self.push_binary(BinaryOp::Mul, lhs, rhs, Scalar::F32, at)
    }

    fn mul_constant(&mut self, value: InstId, by: f32, at: SpanId) -> InstId {
        let by = self.push_float(by.into(), Scalar::F32, at);
        self.push_mul(value, by, at)
    }

    fn divide_approx(&mut self, lhs: InstId, rhs: InstId, at: SpanId) -> InstId {
        let inverse = self.push_approx(Approx::Recip, rhs, at);
        self.push_mul(lhs, inverse, at)
    }

    fn sine_and_cosine(&mut self, angle: InstId, at: SpanId) -> (InstId, InstId) {
        (self.push_approx(Approx::Sin, angle, at), self.push_approx(Approx::Cos, angle, at))
    }
}
