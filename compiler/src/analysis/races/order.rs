//! The order of two accesses, and the runs in which both happen.
//!
//! The events of a trace are in program order. But the trace runs both arms of an `if` with an
//! unknown condition, and two iterations of a loop that may have none, so *one* event may happen
//! without another. An event needs its arms, its iterations, and that nothing left before. An `if`
//! is *undecided* here if nothing is known of its condition. A known condition is exact for each
//! thread, and code under a guard runs in blocks that are not at an edge; neither is a need.
use super::accesses;
use crate::{
    analysis::symbolic::{Coverage, Event, EventKind, Split, SymbolId, ThreadSet, Trace},
    id::Facts,
    ir::{Body, CompareOp, InstId, Kernel, Op, SyncOp},
};
use std::collections::BTreeSet;

/// The order of the events of a trace.
pub(super) struct EventOrder<'a> {
    kernel: &'a Kernel,
    trace: &'a Trace,
    /// The enclosing instruction, and the index of its body.
    enclosing: Facts<InstId, Option<(InstId, usize)>>,
    /// The `if`s with unknown conditions.
    undecided: Facts<InstId, bool>,
    /// The `if`s at which each block goes one way as a whole.
    decided_by_block: Facts<InstId, bool>,
    /// The indices of the events at which lanes of warps wait, and of those at which the grid
    /// waits.
    warp_waits: Vec<usize>,
    grid_waits: Vec<usize>,
    /// The possible exits from control flow, by the index of the event that decides them.
    exits: Vec<(usize, ExitTarget)>,
}

/// A target of control flow other than the end of the `if`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitTarget {
    /// The end of the thread.
    End,
    /// After a loop or block.
    After(InstId),
    /// The next iteration of a loop.
    Next(InstId),
}

impl<'a> EventOrder<'a> {
    pub(super) fn new(kernel: &'a Kernel, trace: &'a Trace) -> Self {
        let parents = kernel.parents();
        let mut undecided = kernel.insts.facts(false);
        let mut decided_by_block = kernel.insts.facts(true);
        let mut exits = Vec::new();
        let (mut meetings, mut grid_waits) = (Vec::new(), Vec::new());
        for (number, event) in trace.events.iter().enumerate() {
            match event.kind {
                EventKind::WarpCollective { .. } => meetings.push(number),
                EventKind::SyncGrid => grid_waits.push(number),
                EventKind::Access(_)
                | EventKind::OutOfBounds { .. }
                | EventKind::Branch(_)
                | EventKind::Return
                | EventKind::Barrier
                | EventKind::Fence
                | EventKind::AsyncCommit
                | EventKind::AsyncWait(_) => {}
            }
            let EventKind::Branch(split) = &event.kind else { continue };
            decided_by_block[event.inst] &= *split == Split::Uniform;
            if is_undecided(split) {
                undecided[event.inst] = true;
                if let Op::If { .. } = kernel.insts[event.inst].op {
                    let found = exit_targets(kernel, event.inst);
                    exits.extend(found.into_iter().map(|exit| (number, exit)));
                }
            }
        }
        Self {
            kernel,
            trace,
            enclosing: parents,
            undecided,
            decided_by_block,
            warp_waits: meetings,
            grid_waits,
            exits,
        }
    }

    fn event_at(&self, number: usize) -> &'a Event {
        &self.trace.events[number]
    }

    /// Returns true if every run of the kernel with one of the events has both.
    pub(super) fn both_happen(&self, first: usize, second: usize) -> bool {
        first == second || self.implies(first, second) || self.implies(second, first)
    }

    /// Returns true if every block reaches an event.
    pub(super) fn is_unconditional(&self, of: usize) -> bool {
        let iterates = self.event_at(of).loops.iter().any(|(_, iteration)| iteration.is_some());
        !iterates && self.is_unconditional_but_loops(of)
    }

    /// Returns true if every block reaches an event, or the loops around it.
    pub(super) fn is_unconditional_but_loops(&self, of: usize) -> bool {
        let event = self.event_at(of);
        let decided = self.ancestors(event.inst).all(|(around, _)| !self.undecided[around]);
        let leaves = |&(at, exit): &(usize, ExitTarget)| {
            at < of
                && match exit {
                    ExitTarget::End => true,
                    ExitTarget::After(left) | ExitTarget::Next(left) => {
                        self.is_around(left, event.inst)
                    }
                }
        };
        decided && !self.exits.iter().any(leaves)
    }

    /// Returns true if an event is an atomic operation of a loop that may spin before `then`.
    pub(super) fn may_spin_before(&self, event: &Event, then: InstId) -> bool {
        let repeats = |&(of, iteration): &(InstId, Option<SymbolId>)| {
            iteration.is_some() && !self.is_around(of, then)
        };
        accesses::atomic_order(&self.kernel.insts[event.inst].op).is_some()
            && event.loops.iter().any(repeats)
    }

    /// Returns true if the block reaches `needed` whenever it reaches `given`.
    pub(super) fn implies(&self, given: usize, needed: usize) -> bool {
        self.implies_through(given, needed, &[])
    }

    /// Returns true if the block reaches `needed` whenever it reaches `given`, provided that each
    /// of `loops` that it reaches has an iteration like that of `needed`.
    pub(super) fn implies_through(&self, given: usize, needed: usize, loops: &[InstId]) -> bool {
        given == needed
            || self.arms_agree(given, needed, loops)
                && self.iterations_agree(given, needed, loops)
                && !self.may_be_skipped(given, needed)
    }

    /// Returns true if every thread that begins an iteration of loop `of` reaches the event in that
    /// iteration, except for conditions that are known for each thread; `inner` loops are assumed
    /// to run.
    pub(super) fn runs_in_each_iteration(&self, at: usize, of: InstId, inner: &[InstId]) -> bool {
        let inst = self.event_at(at).inst;
        let decides = |branch: InstId| {
            self.trace.events_of(branch).any(
                |event| matches!(&event.kind, EventKind::Branch(split) if !matches!(split, Split::Known(_))),
            )
        };
        let mut around = self.ancestors(inst).map(|(around, _)| around).take_while(|&id| id != of);
        if around.any(|around| !inner.contains(&around) && decides(around)) {
            return false;
        }
        let skips = |exit: ExitTarget| match exit {
            ExitTarget::End => true,
            ExitTarget::After(left) | ExitTarget::Next(left) => {
                self.is_around(left, inst) || left == inst
            }
        };
        self.kernel.insts.iter().all(|(branch, found)| {
            !matches!(found.op, Op::If { .. })
                || !self.is_around(of, branch)
                || !decides(branch)
                || !exit_targets(self.kernel, branch).into_iter().any(skips)
        })
    }

    /// Returns true if threads of the block or of a warp wait for each other in loop `of`.
    pub(super) fn has_wait_in(&self, of: InstId) -> bool {
        self.trace.events.iter().any(|event| {
            matches!(
                event.kind,
                EventKind::Barrier | EventKind::SyncGrid | EventKind::WarpCollective { .. }
            ) && event.loops.iter().any(|&(around, _)| around == of)
        })
    }

    /// Returns true if each undecided arm around `needed` is around `given`, except for `loops`.
    fn arms_agree(&self, given: usize, needed: usize, loops: &[InstId]) -> bool {
        let arms = self.ancestors(self.event_at(needed).inst);
        arms.filter(|&(of, _)| self.undecided[of] && !loops.contains(&of)).all(|arm| {
            let around = self.ancestors(self.event_at(given).inst).any(|other| other == arm);
            around && self.same_instance(given, needed, arm.0)
        })
    }

    /// Returns true if the iterations around `needed` begin whenever `given` happens, except for
    /// `loops` that do not contain `given`.
    fn iterations_agree(&self, given: usize, needed: usize, loops: &[InstId]) -> bool {
        let (from, to) = (self.event_at(given), self.event_at(needed));
        enclosing_iterations(to).filter(|of| of.symbol.is_some()).all(|of| {
            if loops.contains(&of.loop_inst)
                && enclosing_iterations(from).all(|other| other.loop_inst != of.loop_inst)
            {
                return true;
            }
            let Some(other) =
                enclosing_iterations(from).find(|other| other.loop_inst == of.loop_inst)
            else {
                return false;
            };
            // A later iteration of the same loop shows that the earlier one began.
            let begun =
                if given < needed { other.round == of.round } else { other.round >= of.round };
            begun && self.same_instance(given, needed, of.loop_inst)
        })
    }

    /// Returns true if an exit may skip `needed` although `given` runs.
    fn may_be_skipped(&self, given: usize, needed: usize) -> bool {
        let mut exits = self.exits.iter().filter(|&&(at, _)| at < needed);
        exits.any(|&(at, exit)| {
            // `given` runs, so an exit before it in the same execution was not taken.
            let passed_by_given = at < given;
            match exit {
                ExitTarget::End => !passed_by_given,
                ExitTarget::After(of) | ExitTarget::Next(of) => {
                    let inst = self.event_at(needed).inst;
                    if !self.is_around(of, inst) || !self.same_instance(at, needed, of) {
                        return false;
                    }
                    let both = self.is_around(of, self.event_at(given).inst)
                        && self.same_instance(given, needed, of)
                        && (matches!(exit, ExitTarget::After(_))
                            || self.same_iteration(given, needed, of));
                    let skips =
                        matches!(exit, ExitTarget::After(_)) || self.same_iteration(at, needed, of);
                    skips && !(passed_by_given && both)
                }
            }
        })
    }

    fn is_around(&self, outer: InstId, inner: InstId) -> bool {
        self.ancestors(inner).any(|(of, _)| of == outer)
    }

    /// Returns the instructions around `inst`, the innermost first, with the index of the body that
    /// contains it.
    pub(super) fn ancestors(&self, inst: InstId) -> impl Iterator<Item = (InstId, usize)> {
        std::iter::successors(self.enclosing[inst], |&(of, _)| self.enclosing[of])
    }

    /// Returns true if two events are in the same execution of `of`, which is around both: in the
    /// same iterations of the loops around it.
    fn same_instance(&self, a: usize, b: usize, of: InstId) -> bool {
        let [a, b] = [a, b].map(|at| {
            enclosing_iterations(self.event_at(at))
                .filter(move |outer| self.is_around(outer.loop_inst, of))
        });
        a.eq(b)
    }

    /// Returns true if two events are in the same iteration of `of`.
    fn same_iteration(&self, a: usize, b: usize, of: InstId) -> bool {
        let [a, b] = [a, b]
            .map(|at| enclosing_iterations(self.event_at(at)).find(|other| other.loop_inst == of));
        a == b
    }

    /// Returns the outermost loop that both are in, in different iterations.
    pub(super) fn loop_between(&self, a: usize, b: usize) -> Option<InstId> {
        let pairs =
            enclosing_iterations(self.event_at(a)).zip(enclosing_iterations(self.event_at(b)));
        let (a, b) = pairs.into_iter().find(|(a, b)| a != b)?;
        (a.loop_inst == b.loop_inst).then_some(a.loop_inst)
    }

    /// Returns true if a thread may be any number of iterations ahead of another between these
    /// events: no barrier keeps them in neighbouring ones.
    pub(super) fn may_diverge_in_iterations(&self, a: usize, b: usize) -> bool {
        let Some(repeated) = self.loop_between(a, b) else { return false };
        let (from, to) = (self.event_at(a.min(b)), self.event_at(a.max(b)));
        let symbolic =
            enclosing_iterations(from).any(|of| of.loop_inst == repeated && of.symbol.is_some());
        let mut next = self
            .trace
            .events_of(from.inst)
            .filter(|of| of.loops == from.loops && of.iterations == to.iterations);
        symbolic && next.next().is_none_or(|next| next.unordered_since <= from.interval)
    }

    /// Returns true if no block executes both: they are in different arms of an `if` that a block
    /// decides as a whole.
    pub(super) fn are_exclusive(&self, a: usize, b: usize) -> bool {
        self.ancestors(self.event_at(a).inst).any(|(of, arm)| {
            let other = self.ancestors(self.event_at(b).inst).find(|&(other, _)| other == of);
            other.is_some_and(|(_, other)| other != arm)
                && self.decided_by_block[of]
                && self.same_instance(a, b, of)
        })
    }

    /// Returns the certainty of a barrier of the block between two events.
    pub(super) fn find_barrier(&self, first: usize, second: usize) -> WaitCertainty {
        let (first, second) = (self.event_at(first.min(second)), self.event_at(first.max(second)));
        if first.interval == second.interval {
            WaitCertainty::None
        } else if first.interval < second.unordered_since {
            WaitCertainty::Certain
        } else {
            WaitCertainty::Possible
        }
    }

    /// Returns an `if` that each block decides as a whole, and the barriers in its arms, if two
    /// events happen in every run in which one does (except for guards of their own), in the same
    /// iterations, and all waits between them are on paths through that `if` which a block need not
    /// take.
    pub(super) fn skipped_barriers(
        &self,
        first: usize,
        second: usize,
    ) -> Option<(InstId, Vec<InstId>)> {
        let [from, to] = [first, second].map(|at| self.event_at(at));
        let shared = from.arms.iter().zip(&to.arms).take_while(|(a, b)| a == b).count();
        let guards = [&from.arms[shared..], &to.arms[shared..]].concat();
        let is_guard = |arm: &InstId| self.trace.worst_split(*arm) == Some(&Split::Guard);
        let happens = if guards.is_empty() {
            self.implies(first, second) && self.implies(second, first)
        } else {
            guards.iter().all(|(arm, _)| is_guard(arm))
                && (self.implies(first, second) || self.implies(second, first))
        };
        if !happens || !enclosing_iterations(from).eq(enclosing_iterations(to)) {
            return None;
        }
        let (mut paths, mut barriers) = (Vec::new(), Vec::new());
        for event in self.trace.events.get(first + 1..second)? {
            match event.kind {
                EventKind::Barrier => {}
                EventKind::SyncGrid | EventKind::WarpCollective { .. } => return None,
                EventKind::Access(_)
                | EventKind::OutOfBounds { .. }
                | EventKind::Branch(_)
                | EventKind::Return
                | EventKind::Fence
                | EventKind::AsyncCommit
                | EventKind::AsyncWait(_) => continue,
            }
            let is_here = event.arms.starts_with(&from.arms[..shared])
                && enclosing_iterations(event).eq(enclosing_iterations(from));
            if !is_here {
                return None;
            }
            paths.push(&event.arms[shared..]);
            if !barriers.contains(&event.inst) {
                barriers.push(event.inst);
            }
        }
        let branches = self.bypassing_branches(&paths)?;
        // Such a guard may let no thread pass where the barrier is skipped.
        let is_tied = |(guard, _): &(InstId, bool)| {
            branches.iter().any(|&of| self.may_share_source(*guard, of))
        };
        let is_free = !guards.iter().any(is_tied);
        is_free.then_some((*branches.first()?, barriers))
    }

    /// Returns nested `if`s that each block decides as a whole, the outermost first, some arms of
    /// which together bypass all of the `paths`; `None` if none certainly do.
    ///
    /// Conditions of nested `if`s may exclude each other. Those in other arms than a barrier
    /// therefore count only if they compare with a constant, as those of a `match` do: another
    /// value exists then.
    fn bypassing_branches(&self, paths: &[&[(InstId, bool)]]) -> Option<Vec<InstId>> {
        let &(branch, first_arm) = paths.first()?.first()?;
        let is_one = paths.iter().all(|path| path.first().is_some_and(|&(of, _)| of == branch));
        if !is_one || !self.decided_by_block[branch] {
            return None;
        }
        if paths.iter().all(|path| path[0].1 == first_arm) {
            return Some(vec![branch]);
        }
        let mut branches = vec![branch];
        let inner = [false, true].into_iter().find_map(|arm| {
            let rest = paths.iter().filter(|path| path[0].1 == arm).map(|path| &path[1..]);
            self.bypassing_branches(&rest.collect::<Vec<_>>())
        })?;
        branches.extend(inner);
        branches.iter().all(|&of| self.compares_with_constant(of)).then_some(branches)
    }

    /// Returns true if the condition of an `if` compares a value with a constant for equality.
    fn compares_with_constant(&self, branch: InstId) -> bool {
        let Op::If { cond, .. } = self.kernel.insts[branch].op else { return false };
        let Op::Compare { op: CompareOp::Eq, lhs, rhs } = self.kernel.insts[cond].op else {
            return false;
        };
        [lhs, rhs].iter().any(|&side| matches!(self.kernel.insts[side].op, Op::Const(_)))
    }

    /// Returns true if the conditions of two `if`s may be computed from one parameter, length or
    /// variable.
    fn may_share_source(&self, first: InstId, second: InstId) -> bool {
        let [first, second] = [first, second].map(|branch| {
            let mut sources = Vec::new();
            if let Op::If { cond, .. } = self.kernel.insts[branch].op {
                self.collect_sources(cond, &mut BTreeSet::new(), &mut sources);
            }
            sources
        });
        first.iter().any(|source| match source {
            Op::Get(_) | Op::Load { .. } => true,
            _ => second.contains(source),
        })
    }

    /// Collects the reads of the launch, memory and variables that a value is computed from.
    fn collect_sources(
        &self,
        value: InstId,
        seen: &mut BTreeSet<InstId>,
        sources: &mut Vec<&'a Op>,
    ) {
        if !seen.insert(value) {
            return;
        }
        let op = &self.kernel.insts[value].op;
        if matches!(op, Op::Param(_) | Op::Len(_) | Op::Get(_) | Op::Load { .. }) {
            sources.push(op);
        }
        op.operands().for_each(|operand| self.collect_sources(operand, seen, sources));
    }

    /// Returns the certainty of a wait of the grid between two events.
    pub(super) fn find_grid_wait(&self, first: usize, second: usize) -> WaitCertainty {
        let mut found = WaitCertainty::None;
        for &at in events_between(&self.grid_waits, first, second) {
            if self.implies(first, at) || self.implies(second, at) {
                return WaitCertainty::Certain;
            }
            found = WaitCertainty::Possible;
        }
        found
    }

    /// Returns the warp-wide waits between two events.
    pub(super) fn warp_waits(&self, first: usize, second: usize) -> WarpWaits<'a> {
        let mut waits = WarpWaits::default();
        for &at in events_between(&self.warp_waits, first, second) {
            waits.exist = true;
            let event = self.event_at(at);
            let EventKind::WarpCollective { mask: None, .. } = &event.kind else { continue };
            let all = matches!(self.kernel.insts[event.inst].op, Op::Sync(SyncOp::SyncWarp { .. }))
                && event.active.coverage == Coverage::All;
            if all && (self.implies(first, at) || self.implies(second, at)) {
                waits.certain.push(&event.active.threads);
            }
        }
        waits
    }
}

/// Returns the part of `events`, which are in order, between two others.
fn events_between(events: &[usize], first: usize, second: usize) -> &[usize] {
    let (first, second) = (first.min(second), first.max(second));
    let from = events.partition_point(|&at| at <= first);
    let to = events.partition_point(|&at| at < second);
    &events[from..to.max(from)]
}

/// Warp-wide waits between two events.
#[derive(Debug, Default)]
pub(super) struct WarpWaits<'a> {
    /// True if there are any.
    pub(super) exist: bool,
    /// The threads of the waits that order memory and run whenever both events do.
    certain: Vec<&'a ThreadSet>,
}

impl WarpWaits<'_> {
    /// Returns the certainty of a wait of the warp of both `threads` that orders memory.
    pub(super) fn certainty_for(&self, threads: [usize; 2]) -> WaitCertainty {
        let meet = |set: &&ThreadSet| threads.iter().all(|&thread| set.contains(thread));
        match self.exist {
            true if self.certain.iter().any(meet) => WaitCertainty::Certain,
            true => WaitCertainty::Possible,
            false => WaitCertainty::None,
        }
    }
}

/// The certainty of a wait between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitCertainty {
    /// No wait.
    None,
    /// A wait in some runs of the kernel, as far as is known.
    Possible,
    /// A wait in every run in which both events happen.
    Certain,
}

fn is_undecided(split: &Split) -> bool {
    match split {
        Split::Uniform | Split::UniformInWarps | Split::OnePerWarp | Split::Unknown => true,
        Split::AtMostOne | Split::Known(_) | Split::Guard => false,
    }
}

/// An iteration around an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EnclosingIteration {
    loop_inst: InstId,
    symbol: Option<SymbolId>,
    round: u32,
}

/// Returns the iterations around an event, the outermost first.
fn enclosing_iterations(event: &Event) -> impl Iterator<Item = EnclosingIteration> {
    let loops = event.loops.iter().zip(&event.iterations);
    loops.map(|(&(of, symbol), &round)| EnclosingIteration { loop_inst: of, symbol, round })
}

/// Returns the targets that the bodies of `id` may jump to.
pub(super) fn exit_targets(kernel: &Kernel, id: InstId) -> Vec<ExitTarget> {
    fn collect_exits(kernel: &Kernel, list: &Body, exits: &mut Vec<ExitTarget>) {
        for &id in &list.0 {
            let op = &kernel.insts[id].op;
            if let Op::Break(of) = op {
                exits.push(ExitTarget::After(*of));
            } else if let Op::Continue(of) = op {
                exits.push(ExitTarget::Next(*of));
            } else if matches!(op, Op::Return | Op::Panic { .. }) {
                exits.push(ExitTarget::End);
            }
            for inner in op.bodies() {
                collect_exits(kernel, inner, exits);
            }
        }
    }
    let mut exits = Vec::new();
    for inner in kernel.insts[id].op.bodies() {
        collect_exits(kernel, inner, &mut exits);
    }
    exits
}
