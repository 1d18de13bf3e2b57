//! Moves checks ahead of what would have to be undone where they fail.
//!
//! Threads that run side by side leave for the loop where a check fails, before they store anything
//! and before they part. That may also be earlier than needed: a check that is moved ahead of an
//! `if` fails where the `if` would have skipped it, and the loop finds that out. So checks go ahead
//! of loads and stores of their body, and out of conditions on data, with what their operands are
//! computed from. They stay behind conditions on which threads leave the body, which are there for
//! them.
use super::{
    super::version_loops::{OmittedChecks, mark_set_locals},
    Threads,
    variance::{Variance, Varies},
};
use crate::{
    id::Facts,
    ir::{BinaryOp, Body, Effect, InstId, Kernel, LocalId, Op},
};

/// Lifts the checks of `body` that are not `omitted`.
pub(super) fn lift_checks(
    kernel: &mut Kernel,
    threads: &Threads,
    omitted: &OmittedChecks,
    body: &mut Body,
) {
    let (variance, _) = Variance::of(kernel, threads, omitted, body);
    let mut sets = kernel.locals.facts(false);
    mark_set_locals(kernel, body, &mut sets);
    Lift { kernel, variance, sets, threads, omitted }.body(body);
}

struct Lift<'k> {
    kernel: &'k mut Kernel,
    variance: Variance,
    /// The locals that the body sets.
    sets: Facts<LocalId, bool>,
    threads: &'k Threads,
    omitted: &'k OmittedChecks,
}

impl Lift<'_> {
    fn body(&mut self, list: &mut Body) {
        let mut lifted = Vec::with_capacity(list.0.len());
        for &id in &list.0 {
            if !self.kernel.insts[id].op.is_leaf() {
                // Taken out while its bodies are walked.
                let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                let is_apart = self.variance.is_apart[id];
                for inner in op.bodies_mut() {
                    self.body(inner);
                    if is_apart {
                        let (first, rest) = self.split(&inner.0);
                        lifted.extend(first);
                        inner.0 = rest;
                    }
                }
                self.kernel.insts[id].op = op;
            }
            lifted.push(id);
        }
        list.0.clear();
        for piece in lifted.split_inclusive(|&id| self.may_leave(id)) {
            let (first, rest) = self.split(piece);
            list.0.extend(first);
            list.0.extend(rest);
        }
    }

    /// Returns the checks of `list` that need nothing of the rest, with what they are computed
    /// from, and the rest.
    fn split(&self, list: &[InstId]) -> (Vec<InstId>, Vec<InstId>) {
        let insts = &self.kernel.insts;
        // In the order of the list, so an operand that is neither in it nor known to be fixed is
        // from outside.
        let mut fixed = Vec::new();
        for &id in list {
            let is_fixed = |operand: InstId| !list.contains(&operand) || fixed.contains(&operand);
            if self.is_movable(id) && insts[id].op.operands().all(is_fixed) {
                fixed.push(id);
            }
        }
        let is_check =
            |id: &InstId| insts[*id].op.effect() == Effect::Fault && !self.omitted.contains(*id);
        let mut needed: Vec<InstId> = fixed.iter().copied().filter(is_check).collect();
        let mut first = Vec::new();
        while let Some(id) = needed.pop() {
            if !first.contains(&id) {
                first.push(id);
                needed.extend(insts[id].op.operands().filter(|operand| fixed.contains(operand)));
            }
        }
        list.iter().partition(|id| first.contains(id))
    }

    /// True if `id` may run earlier, wherever its operands are known.
    fn is_movable(&self, id: InstId) -> bool {
        let op = &self.kernel.insts[id].op;
        match op {
            Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, .. } => false,
            Op::Get(local) => !self.sets[*local],
            // What differs by data would have threads leave again and again.
            Op::Bounds { .. } if self.omitted.contains(id) => true,
            Op::Bounds { .. } | Op::Check { .. } => self.variance.value[id] != Varies::ByData,
            _ => op.effect() == Effect::None,
        }
    }

    /// True if threads may leave the body around `id` in it.
    fn may_leave(&self, id: InstId) -> bool {
        let op = &self.kernel.insts[id].op;
        op.bodies().any(|body| self.leaves(body, matches!(op, Op::If { .. })))
    }

    fn leaves(&self, list: &Body, in_if: bool) -> bool {
        list.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            match *op {
                Op::Break(target) | Op::Continue(target) => {
                    let Threads { side_by_side, template, .. } = *self.threads;
                    in_if || target == side_by_side || target == template
                }
                _ => op.bodies().any(|body| self.leaves(body, in_if)),
            }
        })
    }
}
