//! Functions of the module `directed`: one fused multiply-add each, with directed rounding.
//!
//! The runtime's `directed` module is the same in Rust, for the host.
use crate::{
    hir::{Expr, SpanId},
    lower::{Flow, Lowerer},
    types::builtin::Directed,
};
use warpwise_compiler::ir::{Direction, InstId, Op, Scalar, TernaryOp, UnaryOp};

impl Lowerer<'_> {
    pub(crate) fn lower_directed(
        &mut self,
        op: Directed,
        direction: Direction,
        args: &[Expr],
        at: SpanId,
    ) -> Flow<InstId> {
        let args: Vec<InstId> =
            args.iter().map(|arg| self.lower_scalar(arg)).collect::<Flow<_>>()?;
        let (a, b, c) = match (op, args.as_slice()) {
            (Directed::Add, &[x, y]) => (x, self.push_float(1.0, Scalar::F32, at), y),
            (Directed::Sub, &[x, y]) => {
                let less = self.push_unary(UnaryOp::Neg, y, Scalar::F32, at);
                (x, self.push_float(1.0, Scalar::F32, at), less)
            }
            (Directed::Mul, &[x, y]) => {
                // The zero that preserves the sign of a zero product.
                let zero = if direction == Direction::Down { 0.0 } else { -0.0 };
                (x, y, self.push_float(zero, Scalar::F32, at))
            }
            (Directed::MulAdd, &[x, y, z]) => (x, y, z),
            _ => return Err(self.report_bug(at)),
        };
        Ok(self.push_inst(
            at,
            Op::Ternary { op: TernaryOp::FmaTo(direction), a, b, c },
            Scalar::F32,
        ))
    }
}
