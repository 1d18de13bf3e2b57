//! Guards that hold for all threads of a block at once.
//!
//! All threads of a block pass `if i < n`, except at an edge. For one such guard there is always a
//! block in which it holds for all threads. The same is true of several guards that bound from
//! above by launch arguments: the launch is large then. But `i < n` and `i >= n` never hold
//! together, and `i < 10` is true for at most ten threads.
use crate::{
    analysis::{
        symbolic::{EventKind, Shape, Split, Trace},
        uniformity::Uniformity,
    },
    id::Facts,
    ir::{BinaryOp, CompareOp, InstId, Kernel, Op},
};

/// The guards of a kernel.
pub(super) struct Guards<'a> {
    kernel: &'a Kernel,
    uniformity: &'a Uniformity,
    shape: Shape,
    is_guard: Facts<InstId, bool>,
    parents: Facts<InstId, Option<(InstId, usize)>>,
    /// Early exits under a guard: the event, the guard, and the arm in which the other threads
    /// stay.
    exits: Vec<(usize, InstId, usize)>,
}

/// The blocks whose threads all pass a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PassingBlocks {
    /// The second block of a large launch, and its neighbours.
    Second,
    /// At least one block.
    Some,
    /// No block, as far as is known.
    None,
}

impl<'a> Guards<'a> {
    pub(super) fn new(kernel: &'a Kernel, uniformity: &'a Uniformity, trace: &Trace) -> Self {
        let (mut is_guard, parents) = (kernel.insts.facts(false), kernel.parents());
        let mut leaves = Vec::new();
        for (number, event) in trace.events.iter().enumerate() {
            if matches!(event.kind, EventKind::Branch(Split::Guard)) {
                is_guard[event.inst] = true;
                let Op::If { then, other, .. } = &kernel.insts[event.inst].op else { continue };
                let arms = [then, other].into_iter().enumerate();
                let left = arms.filter(|(_, body)| !kernel.falls_through(body));
                leaves.extend(left.map(|(arm, _)| (number, event.inst, 1 - arm)));
            }
        }
        Self { kernel, uniformity, shape: trace.shape, is_guard, parents, exits: leaves }
    }

    /// Returns true if there is a block in which all threads pass the guards before each of these
    /// events, each given by its index and instruction; with `neighbours`, two adjacent blocks.
    pub(super) fn hold_together(&self, events: &[(usize, InstId)], neighbours: bool) -> bool {
        let mut guards: Vec<(InstId, usize)> =
            events.iter().flat_map(|&(number, inst)| self.guards_before(number, inst)).collect();
        guards.sort_unstable();
        guards.dedup();
        let passes: Vec<PassingBlocks> =
            guards.iter().map(|&(guard, arm)| self.passing_blocks(guard, arm)).collect();
        match passes.as_slice() {
            [PassingBlocks::Some] => !neighbours,
            all => all.iter().all(|&of| of == PassingBlocks::Second),
        }
    }

    /// Returns true if `cond` is a guard that holds for all threads of two adjacent blocks, or
    /// fails for all of them.
    pub(super) fn passes_neighbours(&self, cond: InstId) -> bool {
        [true, false]
            .iter()
            .any(|&truth| self.passing_blocks_of_condition(cond, truth) == PassingBlocks::Second)
    }

    /// Returns the guards before an event, each with the arm that leads to it.
    fn guards_before(&self, number: usize, inst: InstId) -> impl Iterator<Item = (InstId, usize)> {
        let around = std::iter::successors(self.parents[inst], |&(of, _)| self.parents[of]);
        let around = around.filter(|&(of, _)| self.is_guard[of]);
        let left = self.exits.iter().filter(move |&&(at, ..)| at < number);
        around.chain(left.map(|&(_, guard, arm)| (guard, arm)))
    }

    fn passing_blocks(&self, guard: InstId, arm: usize) -> PassingBlocks {
        if let Op::If { cond, .. } = self.kernel.insts[guard].op {
            return self.passing_blocks_of_condition(cond, arm == 0);
        }
        if let Op::For { end, .. } = self.kernel.insts[guard].op
            && self.uniformity.block.value[end].is_uniform()
            && self.const_value(end).is_none()
        {
            return PassingBlocks::Second;
        }
        PassingBlocks::None
    }

    /// Returns the blocks in which `cond` is `truth` for all threads.
    fn passing_blocks_of_condition(&self, cond: InstId, truth: bool) -> PassingBlocks {
        let op = &self.kernel.insts[cond].op;
        if let Op::Binary { op: BinaryOp::And, lhs, rhs } = op {
            let both = [*lhs, *rhs].map(|side| self.passing_blocks_of_condition(side, truth));
            return if truth && both == [PassingBlocks::Second; 2] {
                PassingBlocks::Second
            } else {
                PassingBlocks::Some
            };
        }
        let Op::Compare { op, lhs, rhs } = op else { return PassingBlocks::Some };
        let [left, right] = [*lhs, *rhs].map(|side| self.uniformity.block.value[side].is_uniform());
        let (below, bound) = match (left, right) {
            (false, true) => (is_upper_bound(*op), *rhs),
            (true, false) => (is_upper_bound(*op).map(|below| !below), *lhs),
            (true, true) | (false, false) => return PassingBlocks::Some,
        };
        let Some(below) = below else { return PassingBlocks::Some };
        let number = self.const_value(bound);
        let threads = self.shape.thread_count() as u64;
        match (below == truth, number) {
            (true, None) => PassingBlocks::Second,
            (true, Some(number)) if number >= 3 * threads => PassingBlocks::Second,
            (true, Some(_)) => PassingBlocks::None,
            (false, Some(number)) if number <= threads => PassingBlocks::Second,
            (false, Some(_) | None) => PassingBlocks::Some,
        }
    }

    fn const_value(&self, id: InstId) -> Option<u64> {
        let op = &self.kernel.insts[id].op;
        if let Op::Cast { value } = op {
            return self.const_value(*value);
        }
        if let Op::Const(bits) = op { Some(*bits) } else { None }
    }
}

/// Returns true if a comparison holds for a small left side, false if for a large one; `None` if
/// its size is irrelevant.
fn is_upper_bound(op: CompareOp) -> Option<bool> {
    match op {
        CompareOp::Lt | CompareOp::Le => Some(true),
        CompareOp::Gt | CompareOp::Ge => Some(false),
        CompareOp::Eq | CompareOp::Ne => None,
    }
}
