//! Functions of the module `fast`: instructions of the hardware, with constants for other bases.
//!
//! `fast` of the runtime is the same, written in Rust, for the host.
use crate::{
    hir::{Expr, SpanId},
    lower::{Emit, Flow, Value},
    types::builtin::Fast,
};
use std::f32::consts::{LN_2, LOG2_E, LOG10_2};
use warpwise_compiler::ir::{Approx, BinaryOp, InstId, Scalar, UnaryOp};

impl Emit<'_> {
    pub(crate) fn fast(&mut self, fast: Fast, args: &[Expr], at: SpanId) -> Flow<Value> {
        let args: Vec<InstId> = args.iter().map(|arg| self.scalar(arg)).collect::<Flow<_>>()?;
        let (Some(&x), Some(&y)) = (args.first(), args.last()) else { return Err(self.bug(at)) };
        let value = match fast {
            Fast::Plain(op) => self.approx(op, x, at),
            Fast::Exp => {
                let power = self.times_constant(x, LOG2_E, at);
                self.approx(Approx::Exp2, power, at)
            }
            Fast::Ln => {
                let log = self.approx(Approx::Log2, x, at);
                self.times_constant(log, LN_2, at)
            }
            Fast::Log10 => {
                let log = self.approx(Approx::Log2, x, at);
                self.times_constant(log, LOG10_2, at)
            }
            Fast::Powf => {
                let log = self.approx(Approx::Log2, x, at);
                let power = self.times(log, y, at);
                self.approx(Approx::Exp2, power, at)
            }
            Fast::Tan => {
                let (sin, cos) = self.sine_and_cosine(x, at);
                self.quotient(sin, cos, at)
            }
            Fast::Div => self.quotient(x, y, at),
            Fast::SinCos => {
                let (sin, cos) = self.sine_and_cosine(x, at);
                return Ok(Value::Parts([sin, cos].map(Value::Scalar).into()));
            }
        };
        Ok(Value::Scalar(value))
    }

    fn approx(&mut self, op: Approx, value: InstId, at: SpanId) -> InstId {
        self.one(UnaryOp::Approx(op), value, Scalar::F32, at)
    }

    fn times(&mut self, lhs: InstId, rhs: InstId, at: SpanId) -> InstId {
        self.binary_op(BinaryOp::Mul, lhs, rhs, Scalar::F32, at)
    }

    fn times_constant(&mut self, value: InstId, by: f32, at: SpanId) -> InstId {
        let by = self.float(by.into(), Scalar::F32, at);
        self.times(value, by, at)
    }

    fn quotient(&mut self, lhs: InstId, rhs: InstId, at: SpanId) -> InstId {
        let inverse = self.approx(Approx::Recip, rhs, at);
        self.times(lhs, inverse, at)
    }

    fn sine_and_cosine(&mut self, angle: InstId, at: SpanId) -> (InstId, InstId) {
        (self.approx(Approx::Sin, angle, at), self.approx(Approx::Cos, angle, at))
    }
}
