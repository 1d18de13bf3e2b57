//! Steps that tell what threads do, and steps at which other threads may get their turn.
use super::Emitter;
use crate::bytecode::{Atomic, AtomicKind, Change, DebugPoint, Instr, Operand, Stage};
use warpwise_compiler::ir::{InstId, Op, Space, Ty};

impl Emitter<'_> {
    /// Before an instruction, or what comes first of a body: lets others have their turn, where it
    /// matters who comes first, and tells that threads have come here.
    pub(super) fn before(&mut self, id: InstId) {
        if !self.traced {
            return;
        }
        let op = &self.kernel.insts[id].op;
        if matters(op, |ptr| self.kernel.space(ptr)) {
            self.step(Instr::Yield);
        }
        if tells_before(op) {
            self.point(DebugPoint { inst: id, stage: Stage::Reached, value: None, tells: true });
        }
    }

    /// Behind an instruction: tells what it yields.
    pub(super) fn behind(&mut self, id: InstId) {
        let inst = &self.kernel.insts[id];
        let is_for = matches!(inst.op, Op::For { .. });
        if self.traced && inst.ty != Ty::Unit && !is_for {
            let tells = !tells_before(&inst.op) && !is_given(&inst.op);
            self.done(id, Stage::Done, tells);
        }
    }

    /// In an iteration of a `for`: tells which.
    pub(super) fn iteration(&mut self, id: InstId) {
        if self.traced {
            self.done(id, Stage::Iteration, true);
        }
    }

    /// At the beginning of a body.
    pub(super) fn turn(&mut self) {
        if self.traced {
            self.step(Instr::Yield);
        }
    }

    /// The next step may change something.
    pub(super) fn changes(&mut self, change: Change) {
        let reads = matches!(change, Change::Memory(Atomic { what: AtomicKind::Load { .. }, .. }));
        if self.traced && !reads {
            self.code.changes.push(change);
            let change = self.code.changes.len() as u32 - 1;
            self.step(Instr::Change { change });
        }
    }

    fn done(&mut self, id: InstId, stage: Stage, tells: bool) {
        let root = self.ranges.root(id);
        let lanes = self.lanes[root].map(Operand::Lanes);
        let affine = self.affines[root].map(Operand::Affine);
        let value = self.uniforms[root].map(Operand::Uniform).or(affine).or(lanes);
        if value.is_some() || tells {
            self.point(DebugPoint { inst: id, stage, value, tells });
        }
    }

    fn point(&mut self, point: DebugPoint) {
        self.code.points.push(point);
        let point = self.code.points.len() as u32 - 1;
        self.step(Instr::DebugPoint { point });
    }
}

/// Whether other threads can tell who comes first to it.
fn matters(op: &Op, space: impl Fn(InstId) -> Option<Space>) -> bool {
    match op {
        Op::Load { ptr } | Op::Store { ptr, .. } => space(*ptr) != Some(Space::Local),
        Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::ActiveMask
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
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Barrier { .. }
        | Op::SyncGrid
        | Op::SyncWarp { .. }
        | Op::Fence { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Reduce { .. }
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

/// Whether it is told when threads come to it: it yields nothing, or may end them.
fn tells_before(op: &Op) -> bool {
    match op {
        Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Set { .. }
        | Op::Store { .. }
        | Op::AtomicStore { .. }
        | Op::Barrier { reduce: None }
        | Op::SyncGrid
        | Op::SyncWarp { .. }
        | Op::Fence { .. }
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
        | Op::Get(_)
        | Op::Load { .. }
        | Op::AtomicLoad { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Barrier { reduce: Some(_) }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::ActiveMask
        | Op::Reduce { .. }
        | Op::Loop { .. }
        | Op::Block { .. } => false,
    }
}

/// Whether it is a part of instructions, and none itself: those that use it show it.
fn is_given(op: &Op) -> bool {
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
    )
}
