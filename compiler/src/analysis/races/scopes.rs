//! Atomic operations of block scope, at places of a buffer that data let several blocks choose.
//!
//! ```text
//! if keys[i] > 0 { counts[t].block().fetch_add(1, ..); }      // data decide the threads
//! counts[keys[i]].block().fetch_add(1, ..);                   // data decide the address
//! ```
//! The collision of two blocks depends on the data, so this is no proof. But nothing in the kernel
//! keeps the blocks apart either: each of them decides by the same rule, from data that its own
//! threads read. The analysis reports nothing where
//! - the address or a condition, other than a guard, is computed from the block's index;
//! - a whole block decides uniformly by data: one block may be chosen, or own a part of the buffer;
//! - at most one thread of a block takes part, for an unknown value;
//! - an atomic operation decides, which may let only one block through;
//! - the kernel has fences or ordered operations.
use super::{
    Doubt, DoubtReason, ThreadGroup,
    accesses::SharedAccess,
    grid::{GridRaces, is_launch_constant},
    order::{ExitTarget, exit_targets},
};
use crate::{
    analysis::symbolic::Split,
    ir::{Builtin, InstId, Op, Scope},
};

impl GridRaces<'_> {
    /// Returns a doubt for the first operation of block scope in `list`, all operations on one
    /// buffer, if nothing but data keeps blocks apart.
    pub(super) fn find_narrow_scope(&self, list: &[&SharedAccess<'_>]) -> Option<Doubt> {
        if self.axes.is_empty() || self.is_ordered {
            return None;
        }
        let exits = self.early_exits();
        let mut narrow = list.iter().filter(|of| of.writes && of.atomic == Some(Scope::Block));
        let found = narrow.find(|of| {
            let deciders = self.deciders(of.inst, &exits);
            self.guards.hold_together(&[(of.event_index, of.inst)], true)
                && self.has_block_independent_address(of, &exits)
                && deciders
                    .iter()
                    .all(|&decider| self.has_block_independent_condition(decider, &exits))
                && self.depends_on_block_index(of.inst, &deciders)
        })?;
        Some(Doubt { insts: [found.inst; 2], among: ThreadGroup::Grid, reason: DoubtReason::Scope })
    }

    /// Returns true if all blocks choose the address of an access by one rule.
    fn has_block_independent_address(
        &self,
        access: &SharedAccess<'_>,
        exits: &[EarlyExit],
    ) -> bool {
        let mut operands = self.kernel.insts[access.inst].op.operands();
        match access.offset {
            Some(_) => self.find_collision(access, access).is_some(),
            None => {
                operands.next().is_some_and(|place| self.are_block_independent(vec![place], exits))
            }
        }
    }

    /// Returns true if all blocks decide by one rule which of their threads go on at `decider`.
    fn has_block_independent_condition(&self, decider: InstId, exits: &[EarlyExit]) -> bool {
        let parts = self.decision_operands(decider);
        match self.trace.worst_split(decider) {
            None | Some(Split::Guard | Split::Known(_)) => true,
            Some(Split::AtMostOne) => false,
            Some(Split::Uniform) => parts.iter().all(|&part| is_launch_constant(self.kernel, part)),
            Some(Split::UniformInWarps | Split::OnePerWarp | Split::Unknown) => {
                self.are_block_independent(parts, exits)
            }
        }
    }

    /// Returns true if values are computed by one rule in all blocks: from launch arguments, from
    /// the thread's index and from data that each thread reads.
    fn are_block_independent(&self, mut open: Vec<InstId>, exits: &[EarlyExit]) -> bool {
        let mut seen = self.kernel.insts.facts(false);
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) || self.guards.passes_neighbours(id) {
                continue;
            }
            let op = &self.kernel.insts[id].op;
            if let Op::Load { ptr, .. } = op {
                let by_block = self.values.uniformity.block.value[*ptr].is_uniform();
                if by_block && !is_launch_constant(self.kernel, *ptr) {
                    return false;
                }
                continue;
            }
            if matches!(op, Op::Builtin(builtin) if differs_between_blocks(*builtin))
                || super::accesses::atomic_order(op).is_some()
            {
                return false;
            }
            open.extend(op.operands());
            if let Op::Get(local) = op {
                for (set, inst) in self.kernel.insts.iter() {
                    if let Op::Set { local: of, value } = inst.op
                        && of == *local
                    {
                        open.push(value);
                        let deciders = self.deciders(set, exits).into_iter();
                        open.extend(deciders.flat_map(|decider| self.decision_operands(decider)));
                    }
                }
            }
        }
        true
    }

    /// Returns true if the effect or the execution of an access depends on the block's index,
    /// possibly through data. Otherwise the kernel may be meant for one block.
    fn depends_on_block_index(&self, inst: InstId, deciders: &[InstId]) -> bool {
        let operands = self.kernel.insts[inst].op.operands();
        let decided_by = deciders.iter().flat_map(|&decider| self.decision_operands(decider));
        self.values.are_computed_from(operands.chain(decided_by).collect(), &differs_between_blocks)
    }

    /// Returns the instructions that decide whether a thread reaches `inst`.
    fn deciders(&self, inst: InstId, exits: &[EarlyExit]) -> Vec<InstId> {
        let around: Vec<InstId> = self.order.ancestors(inst).map(|(of, _)| of).collect();
        let leaves = exits.iter().filter(|(_, exit)| match exit {
            ExitTarget::End => true,
            ExitTarget::After(of) | ExitTarget::Next(of) => around.contains(of),
        });
        let mut deciders: Vec<InstId> = leaves.map(|&(of, _)| of).collect();
        deciders.extend(around);
        deciders.sort_unstable();
        deciders.dedup();
        deciders
    }

    /// Returns the operands that an `if` or a loop depends on.
    fn decision_operands(&self, decider: InstId) -> Vec<InstId> {
        self.kernel.insts[decider].op.operands().collect()
    }

    /// Returns every `if` of the kernel in whose arms threads may leave.
    fn early_exits(&self) -> Vec<EarlyExit> {
        let ifs = self.kernel.insts.iter().filter(|(_, inst)| matches!(inst.op, Op::If { .. }));
        ifs.flat_map(|(id, _)| {
            exit_targets(self.kernel, id).into_iter().map(move |exit| (id, exit))
        })
        .collect()
    }
}

/// An `if`, and the target that threads in it may leave for.
type EarlyExit = (InstId, ExitTarget);

/// Returns true if a builtin differs between blocks.
pub(super) const fn differs_between_blocks(builtin: Builtin) -> bool {
    match builtin {
        Builtin::BlockIdx(_) | Builtin::GlobalIdx(_) => true,
        Builtin::ThreadIdx(_)
        | Builtin::BlockDim(_)
        | Builtin::GridDim(_)
        | Builtin::LaneId
        | Builtin::WarpId
        | Builtin::LaneMask(_)
        | Builtin::CoarseningFactor => false,
    }
}
