//! Uniformity: the values that are the same in every lane of a strand, and the structures in which
//! lanes diverge.
//!
//! A value is uniform if all its operands are. A structure is *framed* if lanes may wait in it
//! while others run: an `if` on a varying value, and a loop or block that is left, or continued,
//! from inside such a structure. Everything starts uniform, and variation spreads until nothing
//! changes.
//!
//! A local is uniform if it is only set to uniform values, and every access is in the same arm of
//! the same framed `if` (or in none) and in no framed loop or block: then no lane waits while
//! another sets it.
use warpwise_compiler::{
    id::Facts,
    ir::{Body, Builtin, InstId, Kernel, LocalId, MatrixOp, Op, Space, SyncOp},
};

/// The values, locals and structures that vary between the lanes of a strand.
pub(super) struct Uniformity {
    varies: Facts<InstId, bool>,
    local_varies: Facts<LocalId, bool>,
    framed: Facts<InstId, bool>,
}

/// An arm of a structure.
type Arm = (InstId, usize);

impl Uniformity {
    pub(super) fn analyze(kernel: &Kernel) -> Self {
        let mut facts = Self {
            varies: kernel.insts.facts(false),
            local_varies: kernel.locals.facts(false),
            framed: kernel.insts.facts(false),
        };
        loop {
            let mut round = Round {
                kernel,
                seen: kernel.locals.facts(None),
                facts,
                arms: Vec::new(),
                changed: false,
            };
            round.visit_body(&kernel.body);
            facts = round.facts;
            if !round.changed {
                return facts;
            }
        }
    }

    /// Returns true if the value differs between lanes.
    pub(super) fn varies(&self, value: InstId) -> bool {
        self.varies[value]
    }

    /// Returns true if the local differs between lanes.
    pub(super) fn local_varies(&self, local: LocalId) -> bool {
        self.local_varies[local]
    }

    /// Returns true if lanes may wait in the structure.
    pub(super) fn is_framed(&self, structure: InstId) -> bool {
        self.framed[structure]
    }
}

/// One traversal of the kernel.
struct Round<'k> {
    kernel: &'k Kernel,
    facts: Uniformity,
    /// The innermost arm of a framed `if` at the first access to each local.
    seen: Facts<LocalId, Option<Option<Arm>>>,
    /// The arms around the current instruction, outermost first.
    arms: Vec<Arm>,
    changed: bool,
}

/// Sets a fact that only changes from false to true, and records whether it changed.
fn raise_fact(fact: &mut bool, to: bool, changed: &mut bool) {
    if to && !*fact {
        *fact = true;
        *changed = true;
    }
}

impl Round<'_> {
    fn visit_body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.visit_inst(id);
            for (arm, inner) in self.kernel.insts[id].op.bodies().enumerate() {
                self.arms.push((id, arm));
                self.visit_body(inner);
                self.arms.pop();
            }
        }
    }

    fn visit_inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        let operands_vary = op.operands().any(|operand| self.facts.varies[operand]);
        let varies = match op {
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            // The outputs of inline PTX are zeros here.
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted => false,
            // Each lane has its own array.
            Op::Load { ptr, .. } if kernel.space(*ptr) == Some(Space::Local) => true,
            Op::Builtin(builtin) => differs_between_threads(*builtin),
            Op::Unary { .. }
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
            | Op::Load { .. } => operands_vary,
            // The result is the index, not the length.
            Op::Bounds { index, .. } => self.facts.varies[*index],
            Op::Get(local) => {
                self.record_access(*local);
                self.facts.local_varies[*local]
            }
            Op::Set { local, .. } => {
                self.record_access(*local);
                raise_fact(&mut self.facts.local_varies[*local], operands_vary, &mut self.changed);
                false
            }
            // Each lane receives its own result, even if the operands are equal.
            Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Warp(_)
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
            | Op::Sync(SyncOp::MBarrierArrive { .. })
            | Op::Texture { .. } => true,
            Op::If { .. } => {
                raise_fact(&mut self.facts.framed[id], operands_vary, &mut self.changed);
                false
            }
            Op::For { .. } => {
                raise_fact(&mut self.facts.framed[id], operands_vary, &mut self.changed);
                operands_vary
            }
            Op::Break(target) | Op::Continue(target) => {
                self.record_exit(*target);
                false
            }
            Op::Check { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => false,
        };
        raise_fact(&mut self.facts.varies[id], varies, &mut self.changed);
    }

    /// Records that lanes leave `target` from here: from inside a framed structure, not all do.
    fn record_exit(&mut self, target: InstId) {
        let inside = self.arms.iter().rev().take_while(|(structure, _)| *structure != target);
        let diverges = inside.into_iter().any(|(structure, _)| self.facts.framed[*structure]);
        raise_fact(&mut self.facts.framed[target], diverges, &mut self.changed);
    }

    fn record_access(&mut self, local: LocalId) {
        let framed = || self.arms.iter().filter(|(structure, _)| self.facts.framed[*structure]);
        let is_if = |structure| matches!(self.kernel.insts[structure].op, Op::If { .. });
        let in_loop = framed().any(|(structure, _)| !is_if(*structure));
        let here = framed().next_back().copied();
        let first = *self.seen[local].get_or_insert(here);
        raise_fact(
            &mut self.facts.local_varies[local],
            in_loop || first != here,
            &mut self.changed,
        );
    }
}

fn differs_between_threads(builtin: Builtin) -> bool {
    match builtin {
        Builtin::ThreadIdx(_)
        | Builtin::GlobalIdx(_)
        | Builtin::LaneId
        | Builtin::WarpId
        | Builtin::LaneMask(_) => true,
        Builtin::BlockIdx(_)
        | Builtin::BlockDim(_)
        | Builtin::GridDim(_)
        | Builtin::CoarseningFactor => false,
    }
}
