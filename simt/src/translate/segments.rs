//! Segments: runs of instructions that the same lanes execute, and the branches at which lanes may
//! diverge; of the kernel as it was written, whatever it is rewritten to.
//!
//! The lanes of a *segment* are counted once, at its beginning. A segment ends where lanes diverge,
//! leave, wait for others or arrive from elsewhere. After a structure that all lanes come out of,
//! the segment before it continues. A lane that a failed check ends counts to the end of its
//! segment. An exit that is the whole arm of a divergent branch has no segment: it is not executed,
//! because lanes leave by the branch.
//!
//! Branches are counted as hardware was measured to count them: one for each `if`, and for a `for`
//! one where it is entered, unless it surely has an iteration, and one after each iteration. An
//! `if` that decides whether threads end is none: they leave by a predicated exit. Nor is one whose
//! arms run under a [predicate](warpwise_compiler::analysis::predication).
//!
//! An iteration of a loop begins with a segment, too: with that of its body, or with the one after
//! the exit, if lanes leave before anything is stored, as by the condition of a `while`.
use super::{affine::waits_for_others, uniformity::Uniformity};
use warpwise_compiler::{
    id::Facts,
    ir::{Body, InstId, Kernel, Op},
};

/// The segments of a kernel, numbered in the order of their beginnings.
pub(super) struct Segments {
    /// Per instruction, its segment; of a `for`, that of the lanes that enter it.
    segment: Facts<InstId, Option<u32>>,
    /// The segment of the lanes that reach the end of an iteration of a `for`.
    iteration: Facts<InstId, Option<u32>>,
    /// The loops, each with the first segment of an iteration.
    loops: Vec<(InstId, Option<u32>)>,
    /// True if an execution of the instruction is a branch.
    is_branch: Facts<InstId, bool>,
    /// The number of a branch at which lanes may diverge.
    branch: Facts<InstId, Option<u32>>,
    /// The segment of the first arm of an `if` that is such a branch.
    arm: Facts<InstId, Option<u32>>,
    count: u32,
    branches: u32,
}

impl Segments {
    /// Finds the segments of a kernel as it was written, in which the `if`s that are `predicated`
    /// are no branches.
    pub(super) fn analyze(
        kernel: &Kernel,
        uniformity: &Uniformity,
        predicated: &Facts<InstId, bool>,
    ) -> Self {
        let mut exits = kernel.insts.facts(false);
        find_exits(kernel, &kernel.body, &mut exits);
        let none = || kernel.insts.facts(None);
        let segments = Self {
            segment: none(),
            iteration: none(),
            loops: Vec::new(),
            is_branch: kernel.insts.facts(false),
            branch: none(),
            arm: none(),
            count: 0,
            branches: 0,
        };
        let mut walk = SegmentWalk { kernel, uniformity, predicated, exits, open: None, segments };
        walk.visit_body(&kernel.body);
        walk.segments
    }

    /// Returns the number of segments.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns the number of branches at which lanes may diverge.
    pub(super) fn branches(&self) -> usize {
        self.branches as usize
    }

    /// Returns the segment of an instruction.
    pub(super) fn get(&self, id: InstId) -> Option<u32> {
        self.segment[id]
    }

    /// Returns the segment of the end of an iteration of a `for`.
    pub(super) fn iteration(&self, id: InstId) -> Option<u32> {
        self.iteration[id]
    }

    /// Returns the loops, each with the first segment of an iteration, if it has one.
    pub(super) fn loops(&self) -> &[(InstId, Option<u32>)] {
        &self.loops
    }

    /// Returns true if an execution of the instruction is a branch.
    pub(super) fn is_branch(&self, id: InstId) -> bool {
        self.is_branch[id]
    }

    /// Returns the number of a branch at which lanes may diverge.
    pub(super) fn branch(&self, id: InstId) -> Option<u32> {
        self.branch[id]
    }

    /// Returns the segment of the first arm of an `if` at which lanes may diverge.
    pub(super) fn arm(&self, id: InstId) -> Option<u32> {
        self.arm[id]
    }
}

struct SegmentWalk<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    predicated: &'k Facts<InstId, bool>,
    exits: Facts<InstId, bool>,
    /// The segment that continues here.
    open: Option<u32>,
    segments: Segments,
}

impl SegmentWalk<'_> {
    fn visit_body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.segments.segment[id] = Some(self.current());
            self.visit_inst(id);
        }
    }

    /// Returns the segment that continues here, or begins one.
    fn current(&mut self) -> u32 {
        match self.open {
            Some(open) => open,
            None => self.begin_segment(),
        }
    }

    fn begin_segment(&mut self) -> u32 {
        let new = self.segments.count;
        self.segments.count += 1;
        self.open = Some(new);
        new
    }

    fn visit_inst(&mut self, id: InstId) {
        let op = &self.kernel.insts[id].op;
        let before = self.open;
        match op {
            Op::If { cond, then, other } => {
                let ends = decides_to_end(self.kernel, then, other);
                self.segments.is_branch[id] = !self.exits[id] && !ends && !self.predicated[id];
                if self.uniformity.varies(*cond) {
                    self.visit_divergent_arms(id, then, other);
                } else {
                    self.enter_body(then);
                    self.enter_body(other);
                }
            }
            Op::For { body, .. } => {
                self.segments.is_branch[id] = !has_iterations(self.kernel, op);
                if self.uniformity.varies(id) {
                    self.number_branch(id);
                }
                self.enter_body(body);
                if has_continue(self.kernel, id) {
                    self.open = None;
                }
                let end = self.current();
                self.segments.iteration[id] = Some(end);
                let first = body.0.first().map_or(Some(end), |&first| self.segments.segment[first]);
                self.segments.loops.push((id, first));
            }
            Op::Loop { body } => {
                self.enter_body(body);
                let first = first_of_iteration(self.kernel, body)
                    .and_then(|first| self.segments.segment[first]);
                self.segments.loops.push((id, first));
            }
            Op::Block { body } => self.visit_body(body),
            op if op.is_exit() || waits_for_others(op) => self.open = None,
            _ => {}
        }
        if !op.is_leaf() {
            let all = all_lanes_rejoin(self.kernel, id, &mut Vec::new());
            self.open = before.filter(|_| all);
        }
    }

    /// Visits a body that is reached by other lanes than the instruction before it.
    fn enter_body(&mut self, body: &Body) {
        self.open = None;
        self.visit_body(body);
    }

    /// Visits the arms of an `if` at which lanes diverge.
    fn visit_divergent_arms(&mut self, id: InstId, then: &Body, other: &Body) {
        self.number_branch(id);
        let leave = (other.0.is_empty() && self.only_leaves(then))
            || (then.0.is_empty() && self.only_leaves(other));
        if leave {
            return;
        }
        self.open = None;
        if self.segments.branch[id].is_some() && !then.0.is_empty() {
            self.segments.arm[id] = Some(self.begin_segment());
        }
        self.visit_body(then);
        self.enter_body(other);
    }

    /// Returns true if a body only leaves, either for good or to where lanes may wait.
    fn only_leaves(&self, body: &Body) -> bool {
        let [only] = body.0[..] else { return false };
        match self.kernel.insts[only].op {
            Op::Break(target) | Op::Continue(target) => self.uniformity.is_framed(target),
            ref op => matches!(op, Op::Return),
        }
    }

    /// Numbers a branch at which lanes may diverge.
    fn number_branch(&mut self, id: InstId) {
        let is_for = matches!(self.kernel.insts[id].op, Op::For { .. });
        if is_for || self.segments.is_branch[id] {
            self.segments.branch[id] = Some(self.segments.branches);
            self.segments.branches += 1;
        }
    }
}

/// Returns the first instruction of an iteration: after the loop's condition, if it has one and
/// instructions follow it.
fn first_of_iteration(kernel: &Kernel, body: &Body) -> Option<InstId> {
    let first = body.0.first().copied();
    for (at, &id) in body.0.iter().enumerate() {
        if is_observable(kernel, id) {
            break;
        }
        if !all_lanes_rejoin(kernel, id, &mut Vec::new()) {
            return body.0.get(at + 1).copied().or(first);
        }
    }
    first
}

/// Returns true if other threads or the host can observe an instruction.
fn is_observable(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    waits_for_others(op)
        || matches!(op, Op::Store { .. } | Op::AtomicStore { .. } | Op::Print { .. })
        || op.bodies().flat_map(|body| &body.0).any(|&inner| is_observable(kernel, inner))
}

/// Finds the `if`s after which a thread that skips them has nothing left to do.
fn find_exits(kernel: &Kernel, body: &Body, exits: &mut Facts<InstId, bool>) {
    let Some(&last) = body.0.last() else { return };
    if let Op::If { then, other, .. } = &kernel.insts[last].op {
        exits[last] = then.0.is_empty() || other.0.is_empty();
        find_exits(kernel, then, exits);
        find_exits(kernel, other, exits);
    }
}

/// Returns true if one arm only ends the thread.
fn decides_to_end(kernel: &Kernel, then: &Body, other: &Body) -> bool {
    let ends = |body: &Body| {
        let [only] = body.0[..] else { return false };
        matches!(kernel.insts[only].op, Op::Return)
    };
    (ends(then) && other.0.is_empty()) || (ends(other) && then.0.is_empty())
}

/// Returns true if a `for` over constants has at least one iteration.
fn has_iterations(kernel: &Kernel, op: &Op) -> bool {
    let Op::For { start, end, .. } = op else { return false };
    let bounds = (&kernel.insts[*start].op, &kernel.insts[*end].op);
    let (Op::Const(start), Op::Const(end)) = bounds else { return false };
    // Below 2^7 the signedness of the type makes no difference.
    start < end && *end < 1 << 7
}

/// Returns true if some lane continues a loop from inside its body.
fn has_continue(kernel: &Kernel, structure: InstId) -> bool {
    fn contains_continue(kernel: &Kernel, body: &Body, structure: InstId) -> bool {
        body.0.iter().any(|&id| {
            let op = &kernel.insts[id].op;
            matches!(op, Op::Continue(target) if *target == structure)
                || op.bodies().any(|body| contains_continue(kernel, body, structure))
        })
    }
    kernel.insts[structure].op.bodies().any(|body| contains_continue(kernel, body, structure))
}

/// Returns true if all lanes that enter a structure come out of it, unless they fail, and none has
/// synchronized in it.
fn all_lanes_rejoin(kernel: &Kernel, structure: InstId, inside: &mut Vec<InstId>) -> bool {
    inside.push(structure);
    let mut insts = kernel.insts[structure].op.bodies().flat_map(|body| &body.0);
    let all = insts.all(|&id| match &kernel.insts[id].op {
        Op::Return => false,
        Op::Break(target) | Op::Continue(target) => inside.contains(target),
        op if op.is_leaf() => !waits_for_others(op),
        _ => all_lanes_rejoin(kernel, id, inside),
    });
    inside.pop();
    all
}
