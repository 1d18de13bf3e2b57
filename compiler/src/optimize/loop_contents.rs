//! The contents of a loop, for passes that put copies of its rounds one after the other.
use super::hoist_loads::is_constant_load;
use crate::{
    analysis::uniformity::Varying,
    ir::{Body, Effect, InstId, Kernel, Op, SyncOp},
};

/// The contents of an innermost loop whose rounds can be repeated: nothing leaves or continues it
/// early, and where threads of a block or a warp meet in it, they do so in each round.
#[derive(Default)]
pub(super) struct LoopContents {
    /// The number of instructions, constants not counted.
    pub(super) size: usize,
    /// True if there are loads or stores under conditions.
    pub(super) has_guarded_access: bool,
    /// True if there are loads of memory that nobody writes.
    pub(super) has_constant_load: bool,
    /// True if threads meet.
    pub(super) meets: bool,
    /// True if they meet elsewhere than at barriers of the block.
    pub(super) meets_elsewhere: bool,
    /// True if something is left early: a block inside, or a loop around.
    exits: bool,
}

impl LoopContents {
    /// Returns the contents of the loop `of`, which is `body`; `None` if its rounds cannot be
    /// repeated.
    pub(super) fn of(kernel: &Kernel, of: InstId, body: &Body) -> Option<Self> {
        let mut found = Self::default();
        found.look_at(kernel, of, body, false).then_some(found)
    }

    /// Adds `list`. Returns false if it cannot be repeated.
    fn look_at(&mut self, kernel: &Kernel, of: InstId, list: &Body, is_guarded: bool) -> bool {
        list.0.iter().all(|&id| {
            let op = &kernel.insts[id].op;
            let accesses = matches!(op, Op::Load { .. } | Op::Store { .. });
            let meets = op.effect() == Effect::Sync;
            self.size += usize::from(!matches!(op, Op::Const(_)));
            self.has_guarded_access |= is_guarded && accesses;
            self.has_constant_load |= is_constant_load(kernel, id);
            self.meets |= meets;
            self.meets_elsewhere |= meets && !matches!(op, Op::Sync(SyncOp::Barrier { .. }));
            self.exits |= matches!(op, Op::Break(_) | Op::Continue(_));
            let leaves = matches!(op, Op::Break(target) | Op::Continue(target) if *target == of);
            let is_excluded = matches!(
                op,
                Op::For { .. } | Op::Loop { .. } | Op::Sync(SyncOp::SyncGrid | SyncOp::SyncCluster)
            );
            !(leaves || is_excluded || meets && is_guarded)
                && op.bodies().all(|inner| self.look_at(kernel, of, inner, true))
        })
    }

    /// True if all threads of a block that have not ended are in the same round of the loop `of`,
    /// which counts by these numbers.
    pub(super) fn runs_together(&self, varying: &Varying, of: InstId, numbers: &[InstId]) -> bool {
        varying.control[of].is_uniform()
            && !self.exits
            && numbers.iter().all(|&number| varying.value[number].is_uniform())
    }
}
