//! Atomic operations of a block's scope, at places of a buffer that data let several blocks choose.
//!
//! ```text
//! if keys[i] > 0 { counts[t].block().fetch_add(1, ..); }      // data decide who comes
//! counts[keys[i]].block().fetch_add(1, ..);                   // data decide where
//! ```
//! Whether two blocks meet is up to the data, and so this is no proof. But nothing in the kernel keeps them apart
//! either: each of them decides by the same rule, from what its own threads read. It is another matter, and
//! nothing is said, where
//! - the place or a condition, but for a guard, is computed from the block's index;
//! - a whole block decides as one by what it reads: it may be one of them that is chosen, or a part of the buffer may be its own;
//! - at most one thread of a block comes, for a value that is not known;
//! - an atomic operation decides, which may let one block through only;
//! - fences or ordered operations stand in the kernel.
use super::{
    Among, Doubt, Why,
    accesses::Access,
    across::{Across, is_of_launch},
    order::{Exit, exits_in},
};
use crate::{
    analysis::symbolic::Split,
    ir::{Builtin, InstId, Op, Scope},
};

impl Across<'_> {
    /// The first operation of `list`, which is all that is done to a buffer, that is of a block's scope although nothing
    /// but data keeps blocks apart.
    pub(super) fn too_narrow(&self, list: &[&Access<'_>]) -> Option<Doubt> {
        if self.axes.is_empty() || self.is_ordered {
            return None;
        }
        let exits = self.exits();
        let mut narrow = list.iter().filter(|of| of.writes && of.atomic == Some(Scope::Block));
        let found = narrow.find(|of| {
            let deciders = self.deciders(of.inst, &exits);
            self.guards.hold_together(&[(of.number, of.inst)], true)
                && self.is_of_data_where(of, &exits)
                && deciders.iter().all(|&decider| self.is_of_data_who(decider, &exits))
                && self.is_about_blocks(of.inst, &deciders)
        })?;
        Some(Doubt { insts: [found.inst; 2], among: Among::Grid, why: Why::Scope })
    }

    /// Whether all blocks choose the place of an access by one rule.
    fn is_of_data_where(&self, access: &Access<'_>, exits: &[Leaves]) -> bool {
        let mut operands = self.kernel.insts[access.inst].op.operands();
        match access.offset {
            Some(_) => self.meeting(access, access).is_some(),
            None => operands.next().is_some_and(|place| self.are_one_rule(vec![place], exits)),
        }
    }

    /// Whether all blocks decide by one rule which of their threads go on at `decider`.
    fn is_of_data_who(&self, decider: InstId, exits: &[Leaves]) -> bool {
        let parts = self.decided_by(decider);
        match self.trace.branch(decider) {
            None | Some(Split::Guard | Split::Known(_)) => true,
            Some(Split::AtMostOne) => false,
            Some(Split::Uniform) => parts.iter().all(|&part| is_of_launch(self.kernel, part)),
            Some(Split::UniformInWarps | Split::OnePerWarp | Split::Unknown) => {
                self.are_one_rule(parts, exits)
            }
        }
    }

    /// Whether values are computed by one rule in all blocks: from numbers of the launch, from the thread's index and from
    /// what each thread reads.
    fn are_one_rule(&self, mut open: Vec<InstId>, exits: &[Leaves]) -> bool {
        let mut seen = self.kernel.insts.facts(false);
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) || self.guards.passes_neighbours(id) {
                continue;
            }
            let op = &self.kernel.insts[id].op;
            if let Op::Load { ptr } = op {
                let by_block = self.values.uniformity.block.value[*ptr].is_uniform();
                if by_block && !is_of_launch(self.kernel, *ptr) {
                    return false;
                }
                continue;
            }
            if matches!(op, Op::Builtin(builtin) if is_of_block(*builtin))
                || super::accesses::atomic(op).is_some()
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
                        open.extend(deciders.flat_map(|decider| self.decided_by(decider)));
                    }
                }
            }
        }
        true
    }

    /// Whether what an access does, or that it happens, depends on the block's index, be it by data. If not, one block
    /// may be meant.
    fn is_about_blocks(&self, inst: InstId, deciders: &[InstId]) -> bool {
        let operands = self.kernel.insts[inst].op.operands();
        let decided_by = deciders.iter().flat_map(|&decider| self.decided_by(decider));
        self.values.are_function_of(operands.chain(decided_by).collect(), &is_of_block)
    }

    /// The instructions that decide whether a thread comes to `inst`.
    fn deciders(&self, inst: InstId, exits: &[Leaves]) -> Vec<InstId> {
        let around: Vec<InstId> = self.order.ancestors(inst).map(|(of, _)| of).collect();
        let leaves = exits.iter().filter(|(_, exit)| match exit {
            Exit::End => true,
            Exit::Behind(of) | Exit::Next(of) => around.contains(of),
        });
        let mut deciders: Vec<InstId> = leaves.map(|&(of, _)| of).collect();
        deciders.extend(around);
        deciders.sort_unstable();
        deciders.dedup();
        deciders
    }

    /// What an `if` or a loop depends on.
    fn decided_by(&self, decider: InstId) -> Vec<InstId> {
        self.kernel.insts[decider].op.operands().collect()
    }

    /// Every `if` of the kernel behind which threads may leave.
    fn exits(&self) -> Vec<Leaves> {
        let ifs = self.kernel.insts.iter().filter(|(_, inst)| matches!(inst.op, Op::If { .. }));
        ifs.flat_map(|(id, _)| exits_in(self.kernel, id).into_iter().map(move |exit| (id, exit)))
            .collect()
    }
}

/// An `if`, and where threads in it may leave for.
type Leaves = (InstId, Exit);

/// Whether a builtin differs between blocks.
pub(super) const fn is_of_block(builtin: Builtin) -> bool {
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
