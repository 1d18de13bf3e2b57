//! Instructions of the debugger and of drawn schedules: points that report to the debugger, and
//! yields.
use super::Emitter;
use crate::bytecode::{Atomic, AtomicKind, Change, DebugPoint, Instr, Operand, Stage};
use warpwise_compiler::ir::{CopyOp, InstId, MatrixOp, Op, Space, SyncOp, Ty, WarpOp};

impl Emitter<'_> {
    /// Emits the yield and the point before an instruction: a yield where the order of threads
    /// matters, and a point if it is reported before its execution.
    pub(super) fn emit_point_before(&mut self, id: InstId) {
        if !self.is_debugged {
            return;
        }
        let op = &self.kernel.insts[id].op;
        if is_order_sensitive(op, |ptr| self.kernel.space(ptr)) {
            self.emit(Instr::Yield);
        }
        if is_reported_before(op) {
            self.emit_point(DebugPoint {
                inst: id,
                stage: Stage::Reached,
                value: None,
                tells: true,
            });
        }
    }

    /// Emits the point after an instruction, with its value.
    pub(super) fn emit_point_after(&mut self, id: InstId) {
        let inst = &self.kernel.insts[id];
        let is_for = matches!(inst.op, Op::For { .. });
        if self.is_debugged && inst.ty != Ty::Unit && !is_for {
            let tells = !is_reported_before(&inst.op) && !is_operand_only(&inst.op);
            self.emit_value_point(id, Stage::Done, tells);
        }
    }

    /// Emits the point at the beginning of an iteration of a `for`, with its counter.
    pub(super) fn emit_iteration_point(&mut self, id: InstId) {
        if self.is_debugged {
            self.emit_value_point(id, Stage::Iteration, true);
        }
    }

    /// Emits a yield at the beginning of a body.
    pub(super) fn emit_yield(&mut self) {
        if self.is_debugged {
            self.emit(Instr::Yield);
        }
    }

    /// Emits the announcement of a change that the next instruction may make.
    pub(super) fn announce_change(&mut self, change: Change) {
        let reads = matches!(change, Change::Memory(Atomic { kind: AtomicKind::Load { .. }, .. }));
        if self.is_debugged && !reads {
            self.code.changes.push(change);
            let change = self.code.changes.len() as u32 - 1;
            self.emit(Instr::Change { change });
        }
    }

    fn emit_value_point(&mut self, id: InstId, stage: Stage, tells: bool) {
        let root = self.ranges.root(id);
        let lanes = self.lanes[root].map(Operand::Lanes);
        let affine = self.affines[root].map(Operand::Affine);
        let value = self.uniforms[root].map(Operand::Uniform).or(affine).or(lanes);
        if value.is_some() || tells {
            self.emit_point(DebugPoint { inst: id, stage, value, tells });
        }
    }

    fn emit_point(&mut self, point: DebugPoint) {
        self.code.points.push(point);
        let point = self.code.points.len() as u32 - 1;
        self.emit(Instr::DebugPoint { point });
    }
}

/// Returns true if other threads can observe the order in which threads execute it.
fn is_order_sensitive(op: &Op, space: impl Fn(InstId) -> Option<Space>) -> bool {
    match op {
        Op::Load { ptr, .. } | Op::Store { ptr, .. } => space(*ptr) != Some(Space::Local),
        Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Copy(
            CopyOp::AsyncWait { .. } | CopyOp::TensorStore { .. } | CopyOp::BulkStore { .. },
        )
        | Op::Warp(WarpOp::ActiveMask)
        | Op::Sync(SyncOp::MBarrierArrive { .. } | SyncOp::MBarrierWait { .. })
        | Op::Print { .. } => true,
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Builtin(_)
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Ternary { .. }
        | Op::Fma { .. }
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::MapShared { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Sync(_)
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Matrix(_)
        | Op::Warp(_)
        | Op::Texture { .. }
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::If { .. }
        | Op::For { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => false,
    }
}

/// Returns true if the instruction is reported before its execution: it has no value, or may end
/// threads.
fn is_reported_before(op: &Op) -> bool {
    match op {
        Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Set { .. }
        | Op::Store { .. }
        | Op::AtomicStore { .. }
        | Op::Sync(
            SyncOp::Barrier { reduce: None }
            | SyncOp::SyncGrid
            | SyncOp::SyncCluster
            | SyncOp::SyncWarp { .. }
            | SyncOp::NamedBarrier { .. }
            | SyncOp::ProxyFence
            | SyncOp::GridDependency(_)
            | SyncOp::MBarrierWait { .. }
            | SyncOp::Fence { .. },
        )
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
        | Op::Print { .. }
        | Op::If { .. }
        | Op::For { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => true,
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Builtin(_)
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Ternary { .. }
        | Op::Fma { .. }
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::MapShared { .. }
        | Op::Get(_)
        | Op::Load { .. }
        | Op::AtomicLoad { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Sync(SyncOp::Barrier { reduce: Some(_) } | SyncOp::MBarrierArrive { .. })
        | Op::Warp(_)
        | Op::Matrix(_)
        | Op::Texture { .. }
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::Loop { .. }
        | Op::Block { .. } => false,
    }
}

/// Returns true for an operand that is not reported itself: the instructions that use it show it.
fn is_operand_only(op: &Op) -> bool {
    matches!(
        op,
        Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
    )
}
