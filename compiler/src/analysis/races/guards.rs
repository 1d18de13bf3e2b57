//! Whether guards can hold for all threads of a block at once.
//!
//! Behind `if i < n` all threads of a block go on but at an edge. Of one such guard there is always a
//! block in which it holds for all, and of several that bound from above by numbers that the
//! launch gives as well: then the launch is large. But `i < n` and `i >= n` never hold together, and nothing
//! keeps `i < 10` true for more than ten threads.
use crate::{
    analysis::{
        symbolic::{Shape, Split, Trace, What},
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
    /// Guards behind which some threads leave, with the event and the arm in which the others stay.
    leaves: Vec<(usize, InstId, usize)>,
}

/// Which blocks a guard lets pass as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    /// The second of a large launch, and its neighbours.
    Second,
    /// One at least.
    Some,
    /// None, for all that is known.
    None,
}

impl<'a> Guards<'a> {
    pub(super) fn new(kernel: &'a Kernel, uniformity: &'a Uniformity, trace: &Trace) -> Self {
        let (mut is_guard, parents) = (kernel.insts.facts(false), kernel.parents());
        let mut leaves = Vec::new();
        for (number, event) in trace.events.iter().enumerate() {
            if matches!(event.what, What::Branch(Split::Guard)) {
                is_guard[event.inst] = true;
                let Op::If { then, other, .. } = &kernel.insts[event.inst].op else { continue };
                let arms = [then, other].into_iter().enumerate();
                let left = arms.filter(|(_, body)| !kernel.falls_through(body));
                leaves.extend(left.map(|(arm, _)| (number, event.inst, 1 - arm)));
            }
        }
        Self { kernel, uniformity, shape: trace.shape, is_guard, parents, leaves }
    }

    /// Whether there is a block in which all threads pass the guards before each of these events, each given by
    /// its number and instruction; and if `neighbours`, two blocks side by side.
    pub(super) fn hold_together(&self, events: &[(usize, InstId)], neighbours: bool) -> bool {
        let mut guards: Vec<(InstId, usize)> =
            events.iter().flat_map(|&(number, inst)| self.of(number, inst)).collect();
        guards.sort_unstable();
        guards.dedup();
        let passes: Vec<Passes> =
            guards.iter().map(|&(guard, arm)| self.passes(guard, arm)).collect();
        match passes.as_slice() {
            [Passes::Some] => !neighbours,
            all => all.iter().all(|&of| of == Passes::Second),
        }
    }

    /// Whether `cond` is a guard that holds for all threads of two blocks side by side, or that fails for all.
    pub(super) fn passes_neighbours(&self, cond: InstId) -> bool {
        [true, false].iter().any(|&truth| self.condition(cond, truth) == Passes::Second)
    }

    /// The guards before an event, each with the arm that leads to it.
    fn of(&self, number: usize, inst: InstId) -> impl Iterator<Item = (InstId, usize)> {
        let around = std::iter::successors(self.parents[inst], |&(of, _)| self.parents[of]);
        let around = around.filter(|&(of, _)| self.is_guard[of]);
        let left = self.leaves.iter().filter(move |&&(at, ..)| at < number);
        around.chain(left.map(|&(_, guard, arm)| (guard, arm)))
    }

    fn passes(&self, guard: InstId, arm: usize) -> Passes {
        if let Op::If { cond, .. } = self.kernel.insts[guard].op {
            return self.condition(cond, arm == 0);
        }
        if let Op::For { end, .. } = self.kernel.insts[guard].op
            && self.uniformity.block.value[end].is_uniform()
            && self.number(end).is_none()
        {
            return Passes::Second;
        }
        Passes::None
    }

    /// For which blocks `cond` is `truth` in all threads.
    fn condition(&self, cond: InstId, truth: bool) -> Passes {
        let op = &self.kernel.insts[cond].op;
        if let Op::Binary { op: BinaryOp::And, lhs, rhs } = op {
            let both = [*lhs, *rhs].map(|side| self.condition(side, truth));
            return if truth && both == [Passes::Second; 2] {
                Passes::Second
            } else {
                Passes::Some
            };
        }
        let Op::Compare { op, lhs, rhs } = op else { return Passes::Some };
        let [left, right] = [*lhs, *rhs].map(|side| self.uniformity.block.value[side].is_uniform());
        let (below, bound) = match (left, right) {
            (false, true) => (is_below(*op), *rhs),
            (true, false) => (is_below(*op).map(|below| !below), *lhs),
            (true, true) | (false, false) => return Passes::Some,
        };
        let Some(below) = below else { return Passes::Some };
        let number = self.number(bound);
        let threads = self.shape.threads() as u64;
        match (below == truth, number) {
            (true, None) => Passes::Second,
            (true, Some(number)) if number >= 3 * threads => Passes::Second,
            (true, Some(_)) => Passes::None,
            (false, Some(number)) if number <= threads => Passes::Second,
            (false, Some(_) | None) => Passes::Some,
        }
    }

    fn number(&self, id: InstId) -> Option<u64> {
        let op = &self.kernel.insts[id].op;
        if let Op::Cast { value } = op {
            return self.number(*value);
        }
        if let Op::Const(bits) = op { Some(*bits) } else { None }
    }
}

/// Whether a comparison holds if its left side is small; `None` if that is not what matters.
fn is_below(op: CompareOp) -> Option<bool> {
    match op {
        CompareOp::Lt | CompareOp::Le => Some(true),
        CompareOp::Gt | CompareOp::Ge => Some(false),
        CompareOp::Eq | CompareOp::Ne => None,
    }
}
