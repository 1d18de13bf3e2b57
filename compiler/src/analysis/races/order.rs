//! Whether one access comes before another, and whether both happen at all.
//!
//! The events of a trace stand in program order, but it runs both arms of an `if` that nothing decides, and two
//! iterations of a loop that may have none. So *one* event of it may happen without another. What an event needs
//! is: to be in the arms that it is in, to come to the iteration it is in, and that nothing left before. An `if`
//! is *undecided* here if nothing is known of its condition. What is known is right for each thread, and
//! what stands behind a guard happens in a block that is not at an edge; neither is a need.
use super::accesses;
use crate::{
    analysis::symbolic::{Event, Split, SymbolId, Threads, Trace, What, Which},
    id::Facts,
    ir::{Body, CompareOp, InstId, Kernel, Op},
};
use std::collections::BTreeSet;

/// The order of the events of a trace.
pub(super) struct Order<'a> {
    kernel: &'a Kernel,
    trace: &'a Trace,
    /// The instruction around each, and in which of its bodies it stands.
    parents: Facts<InstId, Option<(InstId, usize)>>,
    /// The `if`s of whose condition nothing is known.
    undecided: Facts<InstId, bool>,
    /// The `if`s on which each block goes one way as a whole.
    decided_by_block: Facts<InstId, bool>,
    /// The events at which lanes of warps meet, and those at which the grid waits, by number.
    meetings: Vec<usize>,
    grid_waits: Vec<usize>,
    /// Where control may leave, by the number of the event at which it is decided.
    exits: Vec<(usize, Exit)>,
}

/// Where an `if` may lead besides behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Nothing more is run.
    End,
    /// Behind a loop or block.
    Behind(InstId),
    /// To the next iteration.
    Next(InstId),
}

impl<'a> Order<'a> {
    pub(super) fn new(kernel: &'a Kernel, trace: &'a Trace) -> Self {
        let parents = kernel.parents();
        let mut undecided = kernel.insts.facts(false);
        let mut decided_by_block = kernel.insts.facts(true);
        let mut exits = Vec::new();
        let (mut meetings, mut grid_waits) = (Vec::new(), Vec::new());
        for (number, event) in trace.events.iter().enumerate() {
            match event.what {
                What::Meeting { .. } => meetings.push(number),
                What::SyncGrid => grid_waits.push(number),
                What::Access(_)
                | What::OutOfBounds { .. }
                | What::Branch(_)
                | What::Return
                | What::Barrier
                | What::Fence => {}
            }
            let What::Branch(split) = &event.what else { continue };
            decided_by_block[event.inst] &= *split == Split::Uniform;
            if is_undecided(split) {
                undecided[event.inst] = true;
                if let Op::If { .. } = kernel.insts[event.inst].op {
                    let found = exits_in(kernel, event.inst);
                    exits.extend(found.into_iter().map(|exit| (number, exit)));
                }
            }
        }
        Self { kernel, trace, parents, undecided, decided_by_block, meetings, grid_waits, exits }
    }

    fn event(&self, number: usize) -> &'a Event {
        &self.trace.events[number]
    }

    /// Whether a run of the kernel in which one happens is one in which both do.
    pub(super) fn both_happen(&self, first: usize, second: usize) -> bool {
        first == second || self.implies(first, second) || self.implies(second, first)
    }

    /// Whether every block comes to an event.
    pub(super) fn needs_nothing(&self, of: usize) -> bool {
        let iterates = self.event(of).loops.iter().any(|(_, iteration)| iteration.is_some());
        !iterates && self.is_decided(of)
    }

    /// Whether every block comes to an event, or to the loops that it is in.
    pub(super) fn is_decided(&self, of: usize) -> bool {
        let event = self.event(of);
        let decided = self.ancestors(event.inst).all(|(around, _)| !self.undecided[around]);
        let leaves = |&(at, exit): &(usize, Exit)| {
            at < of
                && match exit {
                    Exit::End => true,
                    Exit::Behind(left) | Exit::Next(left) => self.is_around(left, event.inst),
                }
        };
        decided && !self.exits.iter().any(leaves)
    }

    /// Whether an event is an atomic operation of a loop that may be waiting for something before `then`.
    pub(super) fn waits(&self, event: &Event, then: InstId) -> bool {
        let repeats = |&(of, iteration): &(InstId, Option<SymbolId>)| {
            iteration.is_some() && !self.is_around(of, then)
        };
        accesses::atomic(&self.kernel.insts[event.inst].op).is_some()
            && event.loops.iter().any(repeats)
    }

    /// Whether the block comes to `needed` if it comes to `given`.
    pub(super) fn implies(&self, given: usize, needed: usize) -> bool {
        self.implies_through(given, needed, &[])
    }

    /// True if the block comes to `needed` if it comes to `given`, provided that each of `loops` that it comes to
    /// has an iteration like the one in which `needed` stands.
    pub(super) fn implies_through(&self, given: usize, needed: usize, loops: &[InstId]) -> bool {
        given == needed
            || self.arms_agree(given, needed, loops)
                && self.iterations_agree(given, needed, loops)
                && !self.may_be_skipped(given, needed)
    }

    /// True if every thread that begins an iteration of loop `of` comes to the event in that iteration, but for
    /// conditions that are known for each thread; `inner` loops count as loops that run.
    pub(super) fn is_in_each_iteration(&self, at: usize, of: InstId, inner: &[InstId]) -> bool {
        let inst = self.event(at).inst;
        let decides = |branch: InstId| {
            self.trace.of(branch).any(
                |event| matches!(&event.what, What::Branch(split) if !matches!(split, Split::Known(_))),
            )
        };
        let mut around = self.ancestors(inst).map(|(around, _)| around).take_while(|&id| id != of);
        if around.any(|around| !inner.contains(&around) && decides(around)) {
            return false;
        }
        let skips = |exit: Exit| match exit {
            Exit::End => true,
            Exit::Behind(left) | Exit::Next(left) => self.is_around(left, inst) || left == inst,
        };
        self.kernel.insts.iter().all(|(branch, found)| {
            !matches!(found.op, Op::If { .. })
                || !self.is_around(of, branch)
                || !decides(branch)
                || !exits_in(self.kernel, branch).into_iter().any(skips)
        })
    }

    /// True if threads of the block or of a warp wait for each other in loop `of`.
    pub(super) fn waits_in(&self, of: InstId) -> bool {
        self.trace.events.iter().any(|event| {
            matches!(event.what, What::Barrier | What::SyncGrid | What::Meeting { .. })
                && event.loops.iter().any(|&(around, _)| around == of)
        })
    }

    /// Whether each undecided arm around `needed` is around `given`, but for `loops`.
    fn arms_agree(&self, given: usize, needed: usize, loops: &[InstId]) -> bool {
        let arms = self.ancestors(self.event(needed).inst);
        arms.filter(|&(of, _)| self.undecided[of] && !loops.contains(&of)).all(|arm| {
            let around = self.ancestors(self.event(given).inst).any(|other| other == arm);
            around && self.same_instance(given, needed, arm.0)
        })
    }

    /// Whether the iterations in which `needed` stands begin if `given` happens, but for `loops` that `given` is not in.
    fn iterations_agree(&self, given: usize, needed: usize, loops: &[InstId]) -> bool {
        let (from, to) = (self.event(given), self.event(needed));
        iterations(to).filter(|of| of.symbol.is_some()).all(|of| {
            if loops.contains(&of.of) && iterations(from).all(|other| other.of != of.of) {
                return true;
            }
            let Some(other) = iterations(from).find(|other| other.of == of.of) else {
                return false;
            };
            let begun =
                if given < needed { other.round == of.round } else { other.round >= of.round };
            begun && self.same_instance(given, needed, of.of)
        })
    }

    /// Whether control may leave so that `needed` is not run although `given` is.
    fn may_be_skipped(&self, given: usize, needed: usize) -> bool {
        let mut exits = self.exits.iter().filter(|&&(at, _)| at < needed);
        exits.any(|&(at, exit)| {
            let passed_by_given = at < given;
            match exit {
                Exit::End => !passed_by_given,
                Exit::Behind(of) | Exit::Next(of) => {
                    let inst = self.event(needed).inst;
                    if !self.is_around(of, inst) || !self.same_instance(at, needed, of) {
                        return false;
                    }
                    let both = self.is_around(of, self.event(given).inst)
                        && self.same_instance(given, needed, of)
                        && (matches!(exit, Exit::Behind(_))
                            || self.same_iteration(given, needed, of));
                    let skips =
                        matches!(exit, Exit::Behind(_)) || self.same_iteration(at, needed, of);
                    skips && !(passed_by_given && both)
                }
            }
        })
    }

    fn is_around(&self, outer: InstId, inner: InstId) -> bool {
        self.ancestors(inner).any(|(of, _)| of == outer)
    }

    /// The instructions around `inst`, the innermost first, and in which body of each it stands.
    pub(super) fn ancestors(&self, inst: InstId) -> impl Iterator<Item = (InstId, usize)> {
        std::iter::successors(self.parents[inst], |&(of, _)| self.parents[of])
    }

    /// Whether two events are in the same run of `of`, which is around both: in the same iterations of the
    /// loops around it.
    fn same_instance(&self, a: usize, b: usize, of: InstId) -> bool {
        let [a, b] = [a, b]
            .map(|at| iterations(self.event(at)).filter(move |outer| self.is_around(outer.of, of)));
        a.eq(b)
    }

    /// Whether two events are in the same iteration of `of`.
    fn same_iteration(&self, a: usize, b: usize, of: InstId) -> bool {
        let [a, b] = [a, b].map(|at| iterations(self.event(at)).find(|other| other.of == of));
        a == b
    }

    /// The outermost loop that both are in, in different iterations.
    pub(super) fn repeated(&self, a: usize, b: usize) -> Option<InstId> {
        let pairs = iterations(self.event(a)).zip(iterations(self.event(b)));
        let (a, b) = pairs.into_iter().find(|(a, b)| a != b)?;
        (a.of == b.of).then_some(a.of)
    }

    /// Whether a thread may be any number of iterations ahead of another when they do these: no barrier keeps them
    /// in neighbouring ones.
    pub(super) fn may_be_far_apart(&self, a: usize, b: usize) -> bool {
        let Some(repeated) = self.repeated(a, b) else { return false };
        let (from, to) = (self.event(a.min(b)), self.event(a.max(b)));
        let symbolic = iterations(from).any(|of| of.of == repeated && of.symbol.is_some());
        let mut next =
            self.trace.of(from.inst).filter(|of| of.loops == from.loops && of.rounds == to.rounds);
        symbolic && next.next().is_none_or(|next| next.since <= from.interval)
    }

    /// Whether no block does both: they are in different arms of an `if` that a block decides as a whole.
    pub(super) fn exclude(&self, a: usize, b: usize) -> bool {
        self.ancestors(self.event(a).inst).any(|(of, arm)| {
            let other = self.ancestors(self.event(b).inst).find(|&(other, _)| other == of);
            other.is_some_and(|(_, other)| other != arm)
                && self.decided_by_block[of]
                && self.same_instance(a, b, of)
        })
    }

    /// What is known of a barrier of the block between two events.
    pub(super) fn barrier_between(&self, first: usize, second: usize) -> Between {
        let (first, second) = (self.event(first.min(second)), self.event(first.max(second)));
        if first.interval == second.interval {
            Between::None
        } else if first.interval < second.since {
            Between::Surely
        } else {
            Between::Perhaps
        }
    }

    /// Returns an `if` that each block decides as a whole, and the barriers in its arms, if two events happen in every
    /// run in which one does, but for guards of their own, in the same iterations, and all waits between them are on paths
    /// through that `if` which a block need not take.
    pub(super) fn skipped_barriers(
        &self,
        first: usize,
        second: usize,
    ) -> Option<(InstId, Vec<InstId>)> {
        let [from, to] = [first, second].map(|at| self.event(at));
        let shared = from.arms.iter().zip(&to.arms).take_while(|(a, b)| a == b).count();
        let guards = [&from.arms[shared..], &to.arms[shared..]].concat();
        let is_guard = |arm: &InstId| self.trace.branch(*arm) == Some(&Split::Guard);
        let happens = match guards.is_empty() {
            true => self.implies(first, second) && self.implies(second, first),
            false => {
                guards.iter().all(|(arm, _)| is_guard(arm))
                    && (self.implies(first, second) || self.implies(second, first))
            }
        };
        if !happens || !iterations(from).eq(iterations(to)) {
            return None;
        }
        let (mut paths, mut barriers) = (Vec::new(), Vec::new());
        for event in self.trace.events.get(first + 1..second)? {
            match event.what {
                What::Barrier => {}
                What::SyncGrid | What::Meeting { .. } => return None,
                What::Access(_)
                | What::OutOfBounds { .. }
                | What::Branch(_)
                | What::Return
                | What::Fence => continue,
            }
            let is_here = event.arms.starts_with(&from.arms[..shared])
                && iterations(event).eq(iterations(from));
            if !is_here {
                return None;
            }
            paths.push(&event.arms[shared..]);
            if !barriers.contains(&event.inst) {
                barriers.push(event.inst);
            }
        }
        let branches = self.branches_past(&paths)?;
        // Such a guard may let no thread pass where the barrier is skipped.
        let is_tied = |(guard, _): &(InstId, bool)| {
            branches.iter().any(|&of| self.may_depend_on_one(*guard, of))
        };
        let is_free = !guards.iter().any(is_tied);
        is_free.then_some((*branches.first()?, barriers))
    }

    /// Returns nested `if`s that each block decides as a whole, the outermost first, of which some arms together lead past
    /// all of the `paths`; `None` if there are none for certain.
    ///
    /// Conditions of nested `if`s may exclude each other, so that those in other arms than a barrier count only if they
    /// compare with a constant, as those of a `match` do: there is another value then.
    fn branches_past(&self, paths: &[&[(InstId, bool)]]) -> Option<Vec<InstId>> {
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
            self.branches_past(&rest.collect::<Vec<_>>())
        })?;
        branches.extend(inner);
        branches.iter().all(|&of| self.compares_with_constant(of)).then_some(branches)
    }

    /// True if the condition of an `if` is that a value equals a constant.
    fn compares_with_constant(&self, branch: InstId) -> bool {
        let Op::If { cond, .. } = self.kernel.insts[branch].op else { return false };
        let Op::Compare { op: CompareOp::Eq, lhs, rhs } = self.kernel.insts[cond].op else {
            return false;
        };
        [lhs, rhs].iter().any(|&side| matches!(self.kernel.insts[side].op, Op::Const(_)))
    }

    /// True if the conditions of two `if`s may be computed from one parameter, length or variable.
    fn may_depend_on_one(&self, first: InstId, second: InstId) -> bool {
        let [first, second] = [first, second].map(|branch| {
            let mut sources = Vec::new();
            if let Op::If { cond, .. } = self.kernel.insts[branch].op {
                self.add_sources(cond, &mut BTreeSet::new(), &mut sources);
            }
            sources
        });
        first.iter().any(|source| match source {
            Op::Get(_) | Op::Load { .. } => true,
            _ => second.contains(source),
        })
    }

    /// Adds what the launch, memory and variables bring to a value.
    fn add_sources(&self, value: InstId, seen: &mut BTreeSet<InstId>, sources: &mut Vec<&'a Op>) {
        if !seen.insert(value) {
            return;
        }
        let op = &self.kernel.insts[value].op;
        if matches!(op, Op::Param(_) | Op::Len(_) | Op::Get(_) | Op::Load { .. }) {
            sources.push(op);
        }
        op.operands().for_each(|operand| self.add_sources(operand, seen, sources));
    }

    /// What is known of a wait of the grid between two events.
    pub(super) fn grid_wait_between(&self, first: usize, second: usize) -> Between {
        let mut found = Between::None;
        for &at in between(&self.grid_waits, first, second) {
            if self.implies(first, at) || self.implies(second, at) {
                return Between::Surely;
            }
            found = Between::Perhaps;
        }
        found
    }

    /// The meetings of warps between two events.
    pub(super) fn warp_waits(&self, first: usize, second: usize) -> WarpWaits<'a> {
        let mut waits = WarpWaits::default();
        for &at in between(&self.meetings, first, second) {
            waits.any = true;
            let event = self.event(at);
            let What::Meeting { mask: None, .. } = &event.what else { continue };
            let all = matches!(self.kernel.insts[event.inst].op, Op::SyncWarp { .. })
                && event.active.which == Which::All;
            if all && (self.implies(first, at) || self.implies(second, at)) {
                waits.sure.push(&event.active.threads);
            }
        }
        waits
    }
}

/// Those of `events`, in order, that are between two others.
fn between(events: &[usize], first: usize, second: usize) -> &[usize] {
    let (first, second) = (first.min(second), first.max(second));
    let from = events.partition_point(|&at| at <= first);
    let to = events.partition_point(|&at| at < second);
    &events[from..to.max(from)]
}

/// Meetings of warps between two events.
#[derive(Debug, Default)]
pub(super) struct WarpWaits<'a> {
    /// Whether there are any.
    pub(super) any: bool,
    /// Of those that order memory, and are run whenever both events are: the threads that meet.
    sure: Vec<&'a Threads>,
}

impl WarpWaits<'_> {
    /// What is known of a meeting of the warp of both `threads`: one at which memory is ordered.
    pub(super) fn of(&self, threads: [usize; 2]) -> Between {
        let meet = |set: &&Threads| threads.iter().all(|&thread| set.has(thread));
        match self.any {
            true if self.sure.iter().any(meet) => Between::Surely,
            true => Between::Perhaps,
            false => Between::None,
        }
    }
}

/// Whether something stands between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing does.
    None,
    /// It does in some runs of the kernel, for all that is known.
    Perhaps,
    /// It does in every run in which both happen.
    Surely,
}

fn is_undecided(split: &Split) -> bool {
    match split {
        Split::Uniform | Split::UniformInWarps | Split::OnePerWarp | Split::Unknown => true,
        Split::AtMostOne | Split::Known(_) | Split::Guard => false,
    }
}

/// An iteration that an event is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Iteration {
    of: InstId,
    symbol: Option<SymbolId>,
    round: u32,
}

/// The iterations around an event, the outermost first.
fn iterations(event: &Event) -> impl Iterator<Item = Iteration> {
    let loops = event.loops.iter().zip(&event.rounds);
    loops.map(|(&(of, symbol), &round)| Iteration { of, symbol, round })
}

/// Where the bodies of `id` may lead besides behind it.
pub(super) fn exits_in(kernel: &Kernel, id: InstId) -> Vec<Exit> {
    fn body(kernel: &Kernel, list: &Body, exits: &mut Vec<Exit>) {
        for &id in &list.0 {
            let op = &kernel.insts[id].op;
            if let Op::Break(of) = op {
                exits.push(Exit::Behind(*of));
            } else if let Op::Continue(of) = op {
                exits.push(Exit::Next(*of));
            } else if matches!(op, Op::Return | Op::Panic { .. }) {
                exits.push(Exit::End);
            }
            for inner in op.bodies() {
                body(kernel, inner, exits);
            }
        }
    }
    let mut exits = Vec::new();
    for inner in kernel.insts[id].op.bodies() {
        body(kernel, inner, &mut exits);
    }
    exits
}
