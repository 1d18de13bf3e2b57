//! Weights of bodies: an estimate of the instructions, to tell branches from predication.
//!
//! The optimizer and `ptxas` compute both sides of a small `if` and select, or run it under a
//! predicate: it costs a few instructions, and no lane waits for another. (Measured: two arms that
//! store one of two values execute no branch; loops and long arms do.)
use super::wording;
use crate::ir::{BinaryOp, Body, InstId, Kernel, MatrixOp, Op, SyncOp, UnaryOp, WarpOp};

/// The smallest weight of an arm that is not run under a predicate, in instructions.
pub(crate) const MIN_BRANCH_WEIGHT: u32 = 8;
/// The weight of a loop, and the factor for its body.
const LOOP_WEIGHT: (u32, u32) = (MIN_BRANCH_WEIGHT, 4);

/// Returns the approximate number of instructions of `body`.
pub(crate) fn body_weight(kernel: &Kernel, body: &Body) -> u32 {
    body.0.iter().fold(0, |sum, &id| sum.saturating_add(inst_weight(kernel, id)))
}

/// Returns true if `body` has a loop.
pub(super) fn has_loop(kernel: &Kernel, body: &Body) -> bool {
    body.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        matches!(op, Op::For { .. } | Op::Loop { .. })
            || op.bodies().any(|inner| has_loop(kernel, inner))
    })
}

/// Returns true if lanes of a warp synchronize in `body`.
pub(super) fn has_warp_sync(kernel: &Kernel, body: &Body) -> bool {
    body.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        wording::warp_sync_call(op).is_some()
            || op.bodies().any(|inner| has_warp_sync(kernel, inner))
    })
}

fn inst_weight(kernel: &Kernel, id: InstId) -> u32 {
    match &kernel.insts[id].op {
        // Names, parts of addresses, and jumps cost nothing.
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Builtin(_)
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::MapShared { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Warp(WarpOp::ActiveMask)
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => 0,
        Op::Unary { op: UnaryOp::Sqrt | UnaryOp::Rsqrt, .. }
        | Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Sync(
            SyncOp::SyncWarp { .. }
            | SyncOp::NamedBarrier { .. }
            | SyncOp::ProxyFence
            | SyncOp::GridDependency(_)
            | SyncOp::MBarrierArrive { .. }
            | SyncOp::MBarrierWait { .. }
            | SyncOp::Fence { .. },
        )
        | Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
        | Op::Warp(WarpOp::Shuffle { .. } | WarpOp::Vote { .. } | WarpOp::Match { .. })
        | Op::Ptx { .. } => 4,
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Ternary { .. }
        | Op::Fma { .. }
        | Op::MulAdd { .. }
        | Op::Store { .. } => 1,
        // The other words are of the same instruction.
        Op::Texture { word: 1.., .. } => 0,
        Op::Texture { .. } => 4,
        Op::Load { .. } => 2,
        Op::Sync(SyncOp::Barrier { .. } | SyncOp::SyncGrid | SyncOp::SyncCluster)
        | Op::Warp(WarpOp::Reduce { .. })
        | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
        | Op::Print { .. } => MIN_BRANCH_WEIGHT,
        Op::If { then, other, .. } => 1_u32
            .saturating_add(body_weight(kernel, then))
            .saturating_add(body_weight(kernel, other)),
        Op::For { body, .. } | Op::Loop { body } => {
            body_weight(kernel, body).saturating_mul(LOOP_WEIGHT.1).saturating_add(LOOP_WEIGHT.0)
        }
        Op::Block { body } => body_weight(kernel, body),
    }
}
