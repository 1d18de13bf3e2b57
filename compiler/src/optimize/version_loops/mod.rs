//! Loop versioning: a copy of a loop without bounds checks, for launches in which none of them can
//! fail.
//!
//! A guard before the loop decides which version runs. Indices are computed from counters, whose
//! values lie between the start and the end of their `for`, and from values that are the same in
//! all iterations. So the largest index is known before the loop as a [term](terms), and the guard
//! [compares](bounds) it with the length and tests that nothing on the way to it wraps.
//!
//! ```text
//!                                         %n = .. + %end - 1
//! for %i from %start to %end {            if %n < %len && %end <= MAX {
//!   %k = bounds .. + %i, %len               for %i from %start to %end {
//!   load .. [%k]                     =>       load .. [.. + %i]
//! }                                         }
//!                                         } else {
//!                                           for %j from %start to %end {
//!                                             %k = bounds .. + %j, %len
//!                                             load .. [%k]
//!                                           }
//!                                         }
//! ```
//!
//! The second version is the loop as it was, so faults and all effects before them stay the same.
//! The bounds need not be tight for that: loose ones only make the second version run more often.
//!
//! - The outermost loop of a nest is versioned if its guard covers every check that guards of the
//!   inner loops would cover.
//! - A `loop`, which `while` becomes, has no counter: only conditions bound what its checks use, as
//!   in `while i < end { x[i] .. }` for an `end` that stays the same.
//! - Conditions around a check narrow its index, as in `if i > 0 { x[i - 1] }`. A check stays if
//!   none of them does and either one is the same in all iterations or the loop may end early: the
//!   largest index may never be used, and the second version would always run.
//! - In a loop in which threads meet, the guard is made of values that are the same in the whole
//!   block, so that all threads of a block run the same version.
//!
//! Why: a check costs a comparison and a branch for each access, `ptxas` moves no load above the
//! branch, and no two iterations overlap.
mod bounds;
mod terms;

use super::{copy::copy_body, replace::Replacements};
use crate::{
    analysis::{
        range::{self, Ranges},
        uniformity::{self, Varying},
    },
    id::{Facts, Id},
    ir::{Body, Effect, Inst, InstId, Kernel, LocalId, Op, SyncOp, Ty},
};
use bounds::{Around, prove};
use std::collections::{HashMap, HashSet};
use terms::{Emitter, Given, Terms, Test};

/// The most instructions of one kernel that are copied.
const MAX_COPIED_INSTRUCTIONS: usize = 1024;

/// The most comparisons in the guard of one loop: more cost a short loop more than they save.
const MAX_TESTS: usize = 16;

/// The fewest iterations of a loop that is versioned, where the number is known.
const MIN_ITERATIONS: i128 = 3;

/// Versions the loops of `kernel`, whose instructions are numbered in order; they are not
/// afterwards. Returns the second version of each, which runs where a check may fail.
pub(super) fn version_loops(kernel: &mut Kernel) -> HashSet<InstId> {
    let has_check = |list: &Body| contains(kernel, list, &|op| matches!(op, Op::Bounds { .. }));
    let is_candidate = |(_, inst): (InstId, &Inst)| loop_body(&inst.op).is_some_and(has_check);
    if !kernel.insts.iter().any(is_candidate) {
        return HashSet::new();
    }
    let plans = Planner::new(kernel).plans();
    let mut versions = HashMap::new();
    let mut budget = MAX_COPIED_INSTRUCTIONS;
    for plan in plans {
        if plan.size <= budget {
            budget -= plan.size;
            versions.insert(plan.of, plan);
        }
    }
    let mut fallbacks = HashSet::new();
    let list = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(kernel, list, &versions, &mut fallbacks);
    fallbacks
}

/// The body of a loop.
const fn loop_body(op: &Op) -> Option<&Body> {
    match op {
        Op::For { body, .. } | Op::Loop { body } => Some(body),
        _ => None,
    }
}

/// True if an operation of `list`, or inside it, is what is looked for.
pub(super) fn contains(kernel: &Kernel, list: &Body, is_found: &impl Fn(&Op) -> bool) -> bool {
    list.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        is_found(op) || op.bodies().any(|inner| contains(kernel, inner, is_found))
    })
}

/// Returns the number of instructions of `list`, with what is inside them.
fn size(kernel: &Kernel, list: &Body) -> usize {
    let of = |&id: &InstId| {
        1 + kernel.insts[id].op.bodies().map(|inner| size(kernel, inner)).sum::<usize>()
    };
    list.0.iter().map(of).sum()
}

/// A loop to version.
struct Plan {
    of: InstId,
    /// The checks that the first version omits.
    checks: HashSet<InstId>,
    /// The number of those in innermost loops.
    hot: usize,
    terms: Terms,
    tests: Vec<Test>,
    /// The number of instructions of the loop.
    size: usize,
}

/// The checks of a loop that pass wherever a guard before it holds.
pub(super) struct OmittedChecks {
    plan: Option<Plan>,
}

impl OmittedChecks {
    /// Finds them for the loop `of` of `kernel`, whose instructions are numbered in order.
    pub(super) fn of(kernel: &Kernel, of: InstId) -> Self {
        Self { plan: Planner::new(kernel).planned(of) }
    }

    /// True if `check` is one of them.
    pub(super) fn contains(&self, check: InstId) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.checks.contains(&check))
    }

    /// Makes the guard; yields its instructions and the `bool` that it is, unless it always holds.
    pub(super) fn guard(&self, kernel: &mut Kernel, of: InstId) -> Option<(Body, InstId)> {
        let plan = self.plan.as_ref().filter(|plan| !plan.tests.is_empty())?;
        let mut emitter = Emitter::new(kernel, &plan.terms, of);
        let holds = emitter.all(&plan.tests);
        Some((emitter.finish(), holds))
    }
}

/// A check in a loop.
struct Check {
    id: InstId,
    /// The conditions around it in the loop.
    conditions: Vec<(InstId, bool)>,
    /// True if a loop around it may end early.
    may_be_left_out: bool,
    /// True if it stands in an innermost loop.
    is_hot: bool,
}

/// The decision which loops to version.
struct Planner<'k> {
    kernel: &'k Kernel,
    ranges: Ranges,
    /// Uniform values of blocks, if threads meet in some loop.
    uniform: Option<Varying>,
}

impl<'k> Planner<'k> {
    fn new(kernel: &'k Kernel) -> Self {
        let meets = |(_, inst): (InstId, &Inst)| {
            let is_sync = |op: &Op| op.effect() == Effect::Sync;
            loop_body(&inst.op).is_some_and(|body| contains(kernel, body, &is_sync))
        };
        let uniform = kernel.insts.iter().any(meets).then(|| uniformity::analyze_blocks(kernel));
        Self { kernel, ranges: range::analyze(kernel), uniform }
    }

    fn plans(&self) -> Vec<Plan> {
        self.body(&self.kernel.body)
    }

    fn body(&self, list: &Body) -> Vec<Plan> {
        let mut plans = Vec::new();
        for &id in &list.0 {
            let op = &self.kernel.insts[id].op;
            let inner: Vec<Plan> = op.bodies().flat_map(|body| self.body(body)).collect();
            match self.plan(id).filter(|outer| outer.is_better(&inner, self.meets(outer.of))) {
                Some(outer) => plans.push(outer),
                None => plans.extend(inner),
            }
        }
        plans
    }

    fn meets(&self, id: InstId) -> bool {
        let bodies = &mut self.kernel.insts[id].op.bodies();
        bodies.any(|body| contains(self.kernel, body, &|op| op.effect() == Effect::Sync))
    }

    /// Returns the plan for `id`, if it is a loop and versioning it omits checks in innermost
    /// loops.
    fn plan(&self, id: InstId) -> Option<Plan> {
        let kernel = self.kernel;
        let body = loop_body(&kernel.insts[id].op)?;
        // Blocks that wait for each other may run different versions.
        let waits_for_grid = contains(kernel, body, &|op| {
            matches!(op, Op::Sync(SyncOp::SyncGrid | SyncOp::SyncCluster))
        });
        if waits_for_grid {
            return None;
        }
        if let Op::For { start, end, .. } = kernel.insts[id].op {
            let range = |id| self.ranges.get(kernel, id);
            if range(end)?.max - range(start)?.min < MIN_ITERATIONS {
                return None;
            }
        }
        self.planned(id).filter(|plan| plan.hot > 0)
    }

    /// Returns the plan for the loop `id`, unless it is too long.
    fn planned(&self, id: InstId) -> Option<Plan> {
        let kernel = self.kernel;
        let body = loop_body(&kernel.insts[id].op)?;
        let size = size(kernel, body);
        let mut is_set = kernel.locals.facts(false);
        if size > MAX_COPIED_INSTRUCTIONS {
            return None;
        }
        mark_set_locals(kernel, body, &mut is_set);
        let uniform = self.uniform.as_ref().filter(|_| self.meets(id));
        let around = Around { kernel, ranges: &self.ranges, uniform, id, is_set: &is_set };
        let mut checks = Checks { kernel, found: Vec::new(), conditions: Vec::new() };
        checks.in_loop(id, body, matches!(kernel.insts[id].op, Op::Loop { .. }));
        // Tests are few; the checks that run most often come first.
        checks.found.sort_by_key(|check| !check.is_hot);
        let mut plan = Plan {
            of: id,
            checks: HashSet::new(),
            hot: 0,
            terms: Terms::default(),
            tests: Vec::new(),
            size,
        };
        for check in checks.found {
            plan.add(&around, &check);
        }
        Some(plan)
    }
}

impl Plan {
    /// Omits `check`, if tests imply that it passes and they are few enough.
    fn add(&mut self, around: &Around<'_>, check: &Check) {
        let Some(tests) = prove(around, &mut self.terms, check) else { return };
        let mut all = self.tests.clone();
        for test in tests {
            let terms = &self.terms;
            // Relations hold where this check runs, and others may run elsewhere.
            if !all.iter().any(|known| known.implies(test, terms, Given::Relations)) {
                all.retain(|known| !test.implies(*known, terms, Given::Values));
                all.push(test);
            }
        }
        if all.len() <= MAX_TESTS {
            self.tests = all;
            self.checks.insert(check.id);
            self.hot += usize::from(check.is_hot);
        }
    }

    /// True if versioning this loop omits all checks that versioning the inner ones does; if
    /// threads meet in it, only if it omits more.
    fn is_better(&self, inner: &[Self], meets: bool) -> bool {
        let has_all = inner.iter().all(|inner| inner.checks.is_subset(&self.checks));
        let hot: usize = inner.iter().map(|inner| inner.hot).sum();
        has_all && (!meets || self.hot > hot)
    }
}

/// Marks the locals that `list` sets, or something inside it.
pub(super) fn mark_set_locals(kernel: &Kernel, list: &Body, is_set: &mut Facts<LocalId, bool>) {
    for &id in &list.0 {
        let op = &kernel.insts[id].op;
        if let Op::Set { local, .. } = *op {
            is_set[local] = true;
        }
        op.bodies().for_each(|inner| mark_set_locals(kernel, inner, is_set));
    }
}

/// Collects the checks of a loop.
struct Checks<'k> {
    kernel: &'k Kernel,
    found: Vec<Check>,
    /// The conditions that hold here.
    conditions: Vec<(InstId, bool)>,
}

impl Checks<'_> {
    /// Goes through the body of the loop `of`.
    fn in_loop(&mut self, of: InstId, list: &Body, may_be_left_out: bool) {
        let is_hot = !self.always_loops(list);
        // Where something leaves early, the end of the range may be far beyond the last iteration.
        let leaves = |op: &Op| {
            matches!(*op, Op::Break(target) if target <= of)
                || matches!(*op, Op::Continue(target) if target < of)
                || matches!(op, Op::Return)
        };
        let leaves_early = contains(self.kernel, list, &leaves);
        self.body(list, may_be_left_out || leaves_early, is_hot);
    }

    /// True if a loop runs whenever `list` does.
    fn always_loops(&self, list: &Body) -> bool {
        list.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            matches!(op, Op::For { .. } | Op::Loop { .. })
                || matches!(op, Op::Block { body } if self.always_loops(body))
        })
    }

    fn body(&mut self, list: &Body, may_be_left_out: bool, is_hot: bool) {
        let before = self.conditions.len();
        for &id in &list.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Bounds { .. } = op {
                let conditions = self.conditions.clone();
                self.found.push(Check { id, conditions, may_be_left_out, is_hot });
            } else if let Op::If { cond, then, other } = op {
                for (body, truth) in [(then, true), (other, false)] {
                    self.conditions.push((*cond, truth));
                    self.body(body, may_be_left_out, is_hot);
                    self.conditions.pop();
                }
                // What follows runs only where an arm has come to its end.
                for (body, truth) in [(then, true), (other, false)] {
                    if !self.kernel.falls_through(body) {
                        self.conditions.push((*cond, !truth));
                    }
                }
            } else if let Op::For { body, .. } = op {
                self.in_loop(id, body, may_be_left_out);
            } else if let Op::Loop { body } = op {
                self.in_loop(id, body, true);
            } else if let Op::Block { body } = op {
                self.body(body, may_be_left_out, is_hot);
            }
        }
        self.conditions.truncate(before);
    }
}

/// Replaces each planned loop by its guard and its two versions.
fn rewrite(
    kernel: &mut Kernel,
    list: Body,
    plans: &HashMap<InstId, Plan>,
    fallbacks: &mut HashSet<InstId>,
) -> Body {
    let mut kept = Vec::with_capacity(list.0.len());
    for id in list.0 {
        if let Some(plan) = plans.get(&id) {
            make_versions(kernel, plan, &mut kept, fallbacks);
            continue;
        }
        kept.push(id);
        if kernel.insts[id].op.is_leaf() {
            continue;
        }
        // Taken out while its bodies are walked.
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = rewrite(kernel, std::mem::take(inner), plans, fallbacks);
        }
        kernel.insts[id].op = op;
    }
    Body(kept)
}

/// Appends to `kept` the guard of `plan` and the two versions of its loop.
fn make_versions(
    kernel: &mut Kernel,
    plan: &Plan,
    kept: &mut Vec<InstId>,
    fallbacks: &mut HashSet<InstId>,
) {
    let id = plan.of;
    let copy = copy_body(kernel, &Body(vec![id]), &mut HashMap::new());
    fallbacks.extend(&copy.0);
    drop_checks(kernel, plan);
    let mut emitter = Emitter::new(kernel, &plan.terms, id);
    let cond = emitter.all(&plan.tests);
    kept.extend(emitter.finish().0);
    let span = kernel.insts[id].span;
    let op = Op::If { cond, then: Body(vec![id]), other: copy };
    kept.push(kernel.insts.push(Inst { op, ty: Ty::Unit, span }));
}

/// Drops the checks of `plan` from its loop.
fn drop_checks(kernel: &mut Kernel, plan: &Plan) {
    let mut values = Replacements::new(kernel);
    for number in plan.of.index()..kernel.insts.len() {
        let id = InstId::new(number);
        values.apply(&mut kernel.insts[id].op);
        if let Op::Bounds { index, .. } = kernel.insts[id].op
            && plan.checks.contains(&id)
        {
            values.replace(id, index);
        }
    }
    let mut dropped = kernel.insts.facts(false);
    plan.checks.iter().for_each(|&check| dropped[check] = true);
    super::drop_insts(kernel, &dropped);
}
