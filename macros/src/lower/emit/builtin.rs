//! Kernel-side functions.
use super::{Emit, Flow, Value};
use crate::lower::{
    builtin::Builtin,
    tree::{Expr, Kind},
};
use warpwise_compiler::ir::{self, BarrierOp, BinaryOp, InstId, Op, Scalar, ShuffleOp, VoteOp};

/// Lanes of a warp: a distance of so many is past every edge.
const LANES: u64 = 32;

impl Emit<'_> {
    pub(super) fn builtin(&mut self, which: Builtin, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let (op, ty): (Op, ir::Ty) = match which {
            Builtin::Index(index) => (Op::Builtin(index), Scalar::U64.into()),
            Builtin::Fence(scope) => (Op::Fence { scope }, ir::Ty::Unit),
            Builtin::Barrier(None) => (Op::Barrier { reduce: None }, ir::Ty::Unit),
            Builtin::Barrier(Some(op)) => {
                let value = self.argument(args, 0, expr)?;
                let ty = match op {
                    BarrierOp::Count => Scalar::U64,
                    BarrierOp::And | BarrierOp::Or => Scalar::Bool,
                };
                (Op::Barrier { reduce: Some((op, value)) }, ty.into())
            }
            Builtin::SyncWarp { masked } => {
                let mask = self.mask(masked, args, expr)?;
                (Op::SyncWarp { mask }, ir::Ty::Unit)
            }
            Builtin::Vote { op, masked } => {
                let mask = self.mask(masked, args, expr)?;
                let value = self.argument(args, usize::from(masked), expr)?;
                let ty = match op {
                    VoteOp::All | VoteOp::Any => Scalar::Bool,
                    VoteOp::Ballot => Scalar::U32,
                };
                (Op::Vote { op, value, mask }, ty.into())
            }
            Builtin::Shuffle { op, masked, width } => {
                let mask = self.mask(masked, args, expr)?;
                let value = self.argument(args, usize::from(masked), expr)?;
                let lane = self.lane(op, args.get(usize::from(masked) + 1), expr)?;
                let ty = self.scalar_of(expr.ty, at)?;
                (Op::Shuffle { op, value, lane, width, mask }, ty.into())
            }
        };
        let inst = self.inst(at, op, ty);
        Ok(if ty == ir::Ty::Unit { Value::Unit } else { Value::Scalar(inst) })
    }

    fn argument(&mut self, args: &[Expr], index: usize, expr: &Expr) -> Flow<InstId> {
        match args.get(index) {
            Some(arg) => self.scalar(arg),
            None => Err(self.bug(expr.at)),
        }
    }

    fn mask(&mut self, masked: bool, args: &[Expr], expr: &Expr) -> Flow<Option<InstId>> {
        if masked { self.argument(args, 0, expr).map(Some) } else { Ok(None) }
    }

    /// A lane or distance, a `usize`, as a `u32`: lanes are counted modulo the width, of which
    /// cutting takes nothing; a distance that is cut must not become a small one.
    fn lane(&mut self, op: ShuffleOp, lane: Option<&Expr>, expr: &Expr) -> Flow<InstId> {
        let Some(lane) = lane else { return Err(self.bug(expr.at)) };
        let at = lane.at;
        let counts = op == ShuffleOp::Index;
        if let Kind::Int(value) = lane.kind {
            let value = if counts { value as u64 % LANES } else { (value as u64).min(LANES) };
            return Ok(self.bits(value, Scalar::U32, at));
        }
        let mut value = self.scalar(lane)?;
        if !counts {
            let most = self.bits(LANES, Scalar::U64, at);
            value = self.binary_op(BinaryOp::Min, value, most, Scalar::U64, at);
        }
        Ok(self.convert(value, Scalar::U64, Scalar::U32, at))
    }
}
