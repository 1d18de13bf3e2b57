//! Functions of the module `directed`, all of which are one fused multiply-add that rounds in a direction.
//!
//! `directed` of the runtime is the same, written in Rust, for the host.
use crate::{
    hir::{Expr, SpanId},
    lower::{Emit, Flow},
    types::builtin::Directed,
};
use warpwise_compiler::ir::{Direction, InstId, Op, Scalar, TernaryOp, UnaryOp};

impl Emit<'_> {
    pub(crate) fn directed(
        &mut self,
        op: Directed,
        direction: Direction,
        args: &[Expr],
        at: SpanId,
    ) -> Flow<InstId> {
        let args: Vec<InstId> = args.iter().map(|arg| self.scalar(arg)).collect::<Flow<_>>()?;
        let (a, b, c) = match (op, args.as_slice()) {
            (Directed::Add, &[x, y]) => (x, self.float(1.0, Scalar::F32, at), y),
            (Directed::Sub, &[x, y]) => {
                let less = self.one(UnaryOp::Neg, y, Scalar::F32, at);
                (x, self.float(1.0, Scalar::F32, at), less)
            }
            (Directed::Mul, &[x, y]) => {
                // The zero that leaves the sign of a product that is zero.
                let zero = if direction == Direction::Down { 0.0 } else { -0.0 };
                (x, y, self.float(zero, Scalar::F32, at))
            }
            (Directed::MulAdd, &[x, y, z]) => (x, y, z),
            _ => return Err(self.bug(at)),
        };
        Ok(self.inst(at, Op::Ternary { op: TernaryOp::FmaTo(direction), a, b, c }, Scalar::F32))
    }
}
