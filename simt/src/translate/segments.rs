//! Which instructions the same lanes run one behind the other, and which branches lanes may part at: of the kernel that
//! was written, whatever it is rewritten to.
//!
//! Instructions that the same lanes run one behind the other are a *segment*: who runs it is counted once, at its
//! beginning. A segment ends where lanes part, leave, wait for others or come from elsewhere. Behind a structure
//! that all lanes come out of, the segment before it goes on. A lane that a failed check ends counts to the end of
//! its segment. An instruction that only leaves and is all of an arm that lanes part for has none: it is not run, as lanes leave
//! by the branch.
//!
//! Branches are counted as hardware was measured to count them: one for each `if`, and for a `for`
//! one where it is entered, unless it surely has an iteration, and one behind each iteration. An
//! `if` that decides whether threads end is none: they leave by a predicated exit.
//!
//! An iteration of a loop begins with a segment, too: with that of its body, or with the one behind where lanes leave before
//! anything is stored, which is the condition of a `while`.
use super::{affine::meets_others, uniformity::Uniformity};
use warpwise_compiler::{
    id::Facts,
    ir::{Body, InstId, Kernel, Op},
};

/// The segments of a kernel, numbered as they begin.
pub(super) struct Segments {
    /// Of each instruction; of a `for`, of who comes to it.
    of: Facts<InstId, Option<u32>>,
    /// Of who comes to the end of an iteration of a `for`.
    iteration: Facts<InstId, Option<u32>>,
    /// The loops, each with the segment that an iteration begins with.
    loops: Vec<(InstId, Option<u32>)>,
    /// Whether who comes to it executes a branch.
    is_branch: Facts<InstId, bool>,
    /// The number of a branch that lanes may part at.
    branch: Facts<InstId, Option<u32>>,
    /// Of the first arm of an `if` that is such a branch.
    arm: Facts<InstId, Option<u32>>,
    count: u32,
    branches: u32,
}

impl Segments {
    /// Those of a kernel as it was written, of which it is known what varies.
    pub(super) fn of(kernel: &Kernel, uniformity: &Uniformity) -> Self {
        let mut exits = kernel.insts.facts(false);
        find_exits(kernel, &kernel.body, &mut exits);
        let none = || kernel.insts.facts(None);
        let segments = Self {
            of: none(),
            iteration: none(),
            loops: Vec::new(),
            is_branch: kernel.insts.facts(false),
            branch: none(),
            arm: none(),
            count: 0,
            branches: 0,
        };
        let mut walk = Walk { kernel, uniformity, exits, open: None, segments };
        walk.body(&kernel.body);
        walk.segments
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// How many branches lanes may part at.
    pub(super) fn branches(&self) -> usize {
        self.branches as usize
    }

    /// That of an instruction.
    pub(super) fn get(&self, id: InstId) -> Option<u32> {
        self.of[id]
    }

    /// That of the end of an iteration of a `for`.
    pub(super) fn iteration(&self, id: InstId) -> Option<u32> {
        self.iteration[id]
    }

    /// The loops, each with the segment that an iteration begins with, if it has one.
    pub(super) fn loops(&self) -> &[(InstId, Option<u32>)] {
        &self.loops
    }

    /// Whether who comes to an instruction executes a branch.
    pub(super) fn is_branch(&self, id: InstId) -> bool {
        self.is_branch[id]
    }

    /// The number of a branch that lanes may part at.
    pub(super) fn branch(&self, id: InstId) -> Option<u32> {
        self.branch[id]
    }

    /// That of the first arm of an `if` that lanes may part at.
    pub(super) fn arm(&self, id: InstId) -> Option<u32> {
        self.arm[id]
    }
}

struct Walk<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    exits: Facts<InstId, bool>,
    /// The segment that goes on here.
    open: Option<u32>,
    segments: Segments,
}

impl Walk<'_> {
    fn body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.segments.of[id] = Some(self.here());
            self.inst(id);
        }
    }

    /// The segment that goes on here, or begins.
    fn here(&mut self) -> u32 {
        match self.open {
            Some(open) => open,
            None => self.begin(),
        }
    }

    fn begin(&mut self) -> u32 {
        let new = self.segments.count;
        self.segments.count += 1;
        self.open = Some(new);
        new
    }

    fn inst(&mut self, id: InstId) {
        let op = &self.kernel.insts[id].op;
        let before = self.open;
        match op {
            Op::If { cond, then, other } => {
                let ends = decides_to_end(self.kernel, then, other);
                self.segments.is_branch[id] = !self.exits[id] && !ends;
                if self.uniformity.varies(*cond) {
                    self.part(id, then, other);
                } else {
                    self.arm(then);
                    self.arm(other);
                }
            }
            Op::For { body, .. } => {
                self.segments.is_branch[id] = !has_iterations(self.kernel, op);
                if self.uniformity.varies(id) {
                    self.branch(id);
                }
                self.arm(body);
                if continues(self.kernel, id) {
                    self.open = None;
                }
                let end = self.here();
                self.segments.iteration[id] = Some(end);
                let first = body.0.first().map_or(Some(end), |&first| self.segments.of[first]);
                self.segments.loops.push((id, first));
            }
            Op::Loop { body } => {
                self.arm(body);
                let first = first_of(self.kernel, body).and_then(|first| self.segments.of[first]);
                self.segments.loops.push((id, first));
            }
            Op::Block { body } => self.body(body),
            op if op.is_exit() || meets_others(op) => self.open = None,
            _ => {}
        }
        if !op.is_leaf() {
            let all = comes_out(self.kernel, id, &mut Vec::new());
            self.open = before.filter(|_| all);
        }
    }

    /// What is run from elsewhere than what stands before it.
    fn arm(&mut self, body: &Body) {
        self.open = None;
        self.body(body);
    }

    /// The arms of an `if` that lanes part at.
    fn part(&mut self, id: InstId, then: &Body, other: &Body) {
        self.branch(id);
        let leave =
            (other.0.is_empty() && self.leaves(then)) || (then.0.is_empty() && self.leaves(other));
        if leave {
            return;
        }
        self.open = None;
        if self.segments.branch[id].is_some() && !then.0.is_empty() {
            self.segments.arm[id] = Some(self.begin());
        }
        self.body(then);
        self.arm(other);
    }

    /// Whether a body only leaves for where lanes may wait, or for good.
    fn leaves(&self, body: &Body) -> bool {
        let [only] = body.0[..] else { return false };
        match self.kernel.insts[only].op {
            Op::Break(target) | Op::Continue(target) => self.uniformity.framed(target),
            ref op => matches!(op, Op::Return),
        }
    }

    /// Lanes may part here.
    fn branch(&mut self, id: InstId) {
        let is_for = matches!(self.kernel.insts[id].op, Op::For { .. });
        if is_for || self.segments.is_branch[id] {
            self.segments.branch[id] = Some(self.segments.branches);
            self.segments.branches += 1;
        }
    }
}

/// What an iteration of a loop begins with: behind its condition, if it has one and something stands behind it.
fn first_of(kernel: &Kernel, body: &Body) -> Option<InstId> {
    let first = body.0.first().copied();
    for (at, &id) in body.0.iter().enumerate() {
        if stores(kernel, id) {
            break;
        }
        if !comes_out(kernel, id, &mut Vec::new()) {
            return body.0.get(at + 1).copied().or(first);
        }
    }
    first
}

/// Whether others can see that an instruction was done.
fn stores(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    meets_others(op)
        || matches!(op, Op::Store { .. } | Op::AtomicStore { .. } | Op::Print { .. })
        || op.bodies().flat_map(|body| &body.0).any(|&inner| stores(kernel, inner))
}

/// Finds the `if`s behind which a thread that skips them has nothing left to do.
fn find_exits(kernel: &Kernel, body: &Body, exits: &mut Facts<InstId, bool>) {
    let Some(&last) = body.0.last() else { return };
    if let Op::If { then, other, .. } = &kernel.insts[last].op {
        exits[last] = then.0.is_empty() || other.0.is_empty();
        find_exits(kernel, then, exits);
        find_exits(kernel, other, exits);
    }
}

/// Whether the lanes of one arm end there and do nothing before.
fn decides_to_end(kernel: &Kernel, then: &Body, other: &Body) -> bool {
    let ends = |body: &Body| {
        let [only] = body.0[..] else { return false };
        matches!(kernel.insts[only].op, Op::Return)
    };
    (ends(then) && other.0.is_empty()) || (ends(other) && then.0.is_empty())
}

/// Whether a `for` over constants is entered whatever happens.
fn has_iterations(kernel: &Kernel, op: &Op) -> bool {
    let Op::For { start, end, .. } = op else { return false };
    let bounds = (&kernel.insts[*start].op, &kernel.insts[*end].op);
    let (Op::Const(start), Op::Const(end)) = bounds else { return false };
    // So small that it does not matter whether the type has a sign.
    start < end && *end < 1 << 7
}

/// Whether some lane goes on with the next iteration of a loop from inside its body.
fn continues(kernel: &Kernel, of: InstId) -> bool {
    fn any(kernel: &Kernel, body: &Body, of: InstId) -> bool {
        body.0.iter().any(|&id| {
            let op = &kernel.insts[id].op;
            matches!(op, Op::Continue(target) if *target == of)
                || op.bodies().any(|body| any(kernel, body, of))
        })
    }
    kernel.insts[of].op.bodies().any(|body| any(kernel, body, of))
}

/// Whether all lanes that come to a structure come out of it, unless they fail, and none has met
/// another in it.
fn comes_out(kernel: &Kernel, structure: InstId, inside: &mut Vec<InstId>) -> bool {
    inside.push(structure);
    let mut insts = kernel.insts[structure].op.bodies().flat_map(|body| &body.0);
    let all = insts.all(|&id| match &kernel.insts[id].op {
        Op::Return => false,
        Op::Break(target) | Op::Continue(target) => inside.contains(target),
        op if op.is_leaf() => !meets_others(op),
        _ => comes_out(kernel, id, inside),
    });
    inside.pop();
    all
}
