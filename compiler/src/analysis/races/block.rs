//! Races between the threads of one block.
use super::{
    Doubt, DoubtReason, MemoryRaces, Race, RaceKind, RaceSide, SkippedBarriers, ThreadGroup,
    accesses::SharedAccess,
    guards::Guards,
    order::{EventOrder, WaitCertainty},
    overlap::{
        Collision, MAX_WORK, PairAssumptions, WORK_PER_PAIR, find_collision,
        find_collision_for_some, may_collide,
    },
    rows::rows_may_collide,
    values::StoredValues,
};
use crate::{
    analysis::{
        symbolic::{Coverage, SymbolId, SymbolKind, Trace},
        uniformity::Group,
    },
    ir::{InstId, Kernel, Length, Root},
};
use std::cell::Cell;

/// Maximum number of accesses to one array or buffer that are examined.
const MAX_ACCESSES: usize = 200;
/// Maximum number of doubts about one array or buffer.
const MAX_DOUBTS: usize = 16;

/// The search for races within one block.
pub(super) struct BlockRaces<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) trace: &'a Trace,
    pub(super) order: &'a EventOrder<'a>,
    pub(super) guards: &'a Guards<'a>,
    pub(super) values: &'a StoredValues<'a>,
    /// The events of fences, and of atomic operations that are more than relaxed.
    pub(super) chains: &'a [usize],
    /// The work spent so far.
    pub(super) work: &'a Cell<u64>,
}

impl BlockRaces<'_> {
    /// Adds the races and doubts among the accesses of `list`, which are all to one array or
    /// buffer.
    pub(super) fn find_races(&self, list: &[&SharedAccess<'_>], memory: &mut MemoryRaces) {
        let some = &list[..list.len().min(MAX_ACCESSES)];
        for (number, first) in some.iter().enumerate() {
            for second in &some[number..] {
                if exceeds_work_limit(self.work) {
                    memory
                        .doubts
                        .push(super::unlocated_doubt(first.inst, DoubtReason::TooManyAccesses));
                    return;
                }
                if first.conflicts_with(second, false) {
                    self.check_pair(first, second, memory);
                }
            }
        }
        if list.len() > MAX_ACCESSES {
            memory.doubts.push(super::unlocated_doubt(
                list[MAX_ACCESSES].inst,
                DoubtReason::TooManyAccesses,
            ));
        }
    }

    fn check_pair(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        memory: &mut MemoryRaces,
    ) {
        // From cheap to expensive: an order, proofs that no two threads collide, then the search
        // for a pair that certainly does. Only if all fail is the pair a doubt.
        let between = self.order.find_barrier(first.event_index, second.event_index);
        let one = first.event_index == second.event_index && first.active.coverage == Coverage::One;
        if between == WaitCertainty::Certain || one || is_known_race(memory, first, second) {
            return;
        }
        if first.offset.is_none() || second.offset.is_none() {
            return add_doubt(memory, first, second, ThreadGroup::Block, DoubtReason::Index);
        }
        if self.order.are_exclusive(first.event_index, second.event_index)
            || !self.may_meet(first, second)
        {
            if first.assumed || second.assumed {
                add_doubt(memory, first, second, ThreadGroup::Block, DoubtReason::Wraps);
            }
            return;
        }
        let why = match (between, self.is_certain(first, second)) {
            (WaitCertainty::None, certain) => {
                let always =
                    certain.is_ok().then(|| self.prove_race(first, second, None)).flatten();
                let race = always.or_else(|| self.prove_race_in_loops(first, second));
                if let Some(race) = race {
                    memory.races.retain(|known| {
                        known.sides.map(|side| side.inst) != race.sides.map(|side| side.inst)
                    });
                    memory.races.push(race);
                    return;
                }
                certain.err().unwrap_or(DoubtReason::Numbers)
            }
            (WaitCertainty::Possible | WaitCertainty::Certain, certain) => {
                if certain.is_ok() {
                    self.record_skipped_barriers(first, second, memory);
                }
                DoubtReason::Barrier
            }
        };
        add_doubt(memory, first, second, ThreadGroup::Block, why);
    }

    /// Records that two accesses race in runs in which the barriers between them are skipped.
    fn record_skipped_barriers(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        memory: &mut MemoryRaces,
    ) {
        let Some((branch, barriers)) =
            self.order.skipped_barriers(first.event_index, second.event_index)
        else {
            return;
        };
        if memory.skipped.iter().all(|known| known.branch != branch)
            && let Some(race) = self.prove_race(first, second, None)
        {
            memory.skipped.push(SkippedBarriers { race, barriers, branch });
        }
    }

    /// Succeeds if both accesses certainly happen in one block, without an order.
    fn is_certain(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
    ) -> Result<(), DoubtReason> {
        let both_happen = self.order.both_happen(first.event_index, second.event_index);
        self.is_certain_given(both_happen, first, second)
    }

    /// Succeeds if the accesses are without an order, given whether they happen together.
    fn is_certain_given(
        &self,
        both_happen: bool,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
    ) -> Result<(), DoubtReason> {
        let certain = |access: &SharedAccess<'_>| match access.active.coverage {
            Coverage::All | Coverage::Guarded | Coverage::Warps => true,
            Coverage::Some | Coverage::One => false,
        };
        if !certain(first) || !certain(second) || !both_happen {
            return Err(DoubtReason::Condition);
        }
        let events = [first, second].map(|access| (access.event_index, access.inst));
        if !self.guards.hold_together(&events, false) {
            return Err(DoubtReason::Guards);
        }
        if self.may_be_chained(first, second) { Err(DoubtReason::Order) } else { Ok(()) }
    }

    /// Returns true if fences or atomic operations may order the two: one after the first access,
    /// another before the second.
    fn may_be_chained(&self, first: &SharedAccess<'_>, second: &SharedAccess<'_>) -> bool {
        let orders = self.chains;
        let repeats = |number: usize| {
            self.trace.events[number].loops.iter().any(|(_, iteration)| iteration.is_some())
        };
        let behind = |of: &SharedAccess<'_>| {
            orders.iter().any(|&at| at >= of.event_index || repeats(at) && repeats(of.event_index))
        };
        let before = |of: &SharedAccess<'_>| {
            orders.iter().any(|&at| at <= of.event_index || repeats(at) && repeats(of.event_index))
        };
        behind(first) && before(second) || behind(second) && before(first)
    }

    /// Returns a race in certain iterations of loops that are not run concretely: all iterations
    /// that a loop certainly has, or the first, without which there are none.
    fn prove_race_in_loops(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
    ) -> Option<Race> {
        let iterations = CertainIterations::around(self, first, second)?;
        let [a, b] = [first.event_index, second.event_index];
        let implies = |a, b| self.order.implies_through(a, b, &iterations.loops);
        let both_happen = if iterations.loops_certainly_run {
            implies(a, b) || implies(b, a)
        } else {
            implies(a, b) && implies(b, a) && self.order.both_happen(a, b)
        };
        self.is_certain_given(both_happen, first, second).ok()?;
        self.prove_race(first, second, Some(&iterations.attained))
    }

    /// Returns the race of two accesses that both happen. It prefers one in which the stored values
    /// differ, and one of two warps to one of two lanes. It holds for all numbers of the symbols,
    /// or for some of the `attained` ones.
    fn prove_race(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        attained: Option<&[(SymbolId, [i64; 2])]>,
    ) -> Option<Race> {
        let declared = self.trace.shape.declared;
        if !declared && !Self::depends_on_thread(first) && !Self::depends_on_thread(second) {
            return None;
        }
        let in_row = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|thread| self.trace.shape.thread_index(thread));
            declared || a[1..] == b[1..]
        };
        // Every launch has a full warp, practically; nothing tells the number of warps.
        let in_a_warp = |a: usize, b: usize| a != b && a < 32 && b < 32 && in_row(a, b);
        if !declared && self.find_collision(first, second, attained, &in_a_warp).is_none() {
            return None;
        }
        let waits = self.order.warp_waits(first.event_index, second.event_index);
        let by_warps =
            [first, second].iter().any(|access| access.active.coverage == Coverage::Warps);
        let far = |a: usize, b: usize| {
            a / 32 != b / 32 && !by_warps && in_row(a, b) && (declared || !waits.exist)
        };
        let near = |a: usize, b: usize| {
            a / 32 == b / 32
                && a != b
                && in_row(a, b)
                && waits.certainty_for([a, b]) == WaitCertainty::None
        };
        let race = |accept: &dyn Fn(usize, usize) -> bool, among| {
            self.find_collision(first, second, attained, accept)
                .map(|found| self.new_race(first, second, found, among))
        };
        // Two warps before two lanes: the remedy of the former, a barrier, orders lanes as well.
        let found = race(&far, ThreadGroup::Block).or_else(|| race(&near, ThreadGroup::Warp))?;
        // A race of equal values is the weaker fault: another pair may store different ones.
        if found.kind != RaceKind::SameValue {
            return Some(found);
        }
        let differ = |a: usize, b: usize| !self.values.store_equal_values([first, second], [a, b]);
        race(&|a, b| far(a, b) && differ(a, b), ThreadGroup::Block)
            .or_else(|| race(&|a, b| near(a, b) && differ(a, b), ThreadGroup::Warp))
            .or(Some(found))
    }

    /// Returns true if an access depends on the thread's index along x: by its address, or by a
    /// guard. Otherwise, if no block is declared, the kernel may be meant for one thread.
    fn depends_on_thread(access: &SharedAccess<'_>) -> bool {
        access.offset.is_some_and(|offset| offset.difference(0, 1) != Some(0))
            || access.active.coverage == Coverage::Guarded
    }

    /// Returns two threads that access the same byte inside of the array, whatever the symbols are.
    fn find_collision(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        attained: Option<&[(SymbolId, [i64; 2])]>,
        accept: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Collision> {
        let [a, b] = [first.offsets()?, second.offsets()?];
        let of_warps = |symbol: SymbolId| self.trace.symbols[symbol].group == Group::Warp;
        let one_warp = first.contains_symbol(&of_warps) || second.contains_symbol(&of_warps);
        let accept = |x: usize, y: usize| {
            (!one_warp || x / 32 == y / 32)
                && accept(x, y)
                && first.may_have_equal_indices(second, [x, y], attained.is_some())
        };
        let found = match attained {
            None => find_collision(a, b, &accept, self.work)?,
            Some(attained) => find_collision_for_some(a, b, attained, &accept, self.work)?,
        };
        let inside = found.symbolic
            || self
                .array_size(first.root)
                .is_none_or(|size| found.offset >= 0 && found.offset < size);
        inside.then_some(found)
    }

    /// Returns the size in bytes of an array of the block, if it is known.
    fn array_size(&self, root: Option<Root>) -> Option<i64> {
        let Some(Root::Shared(shared)) = root else { return None };
        let shared = &self.kernel.shared[shared];
        let Length::Fixed(len) = &shared.len else { return None };
        i64::try_from(len.known()?.checked_mul(shared.elem.size()?)?).ok()
    }

    fn new_race(
        &self,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
        found: Collision,
        among: ThreadGroup,
    ) -> Race {
        let side = |access: &SharedAccess<'_>, thread: usize| RaceSide {
            inst: access.inst,
            event: access.event_index,
            thread: self.trace.shape.thread_index(thread),
            writes: access.writes,
        };
        let [a, b] = found.threads;
        Race {
            sides: [side(first, a), side(second, b)],
            offset: (!found.symbolic).then_some(found.offset),
            among,
            kind: race_kind(first, second, self.values.store_equal_values([first, second], [a, b])),
            iteration_of: self.order.loop_between(first.event_index, second.event_index),
        }
    }

    /// Returns true unless two threads provably never access the same byte without an order.
    pub(super) fn may_meet(&self, first: &SharedAccess<'_>, second: &SharedAccess<'_>) -> bool {
        let (Some(a), Some(b)) = (first.offsets(), second.offsets()) else { return true };
        let apart = self.order.may_diverge_in_iterations(first.event_index, second.event_index);
        // Threads may have different numbers for a symbol of a warp or of one iteration.
        let own = |symbol: SymbolId| {
            let symbol = &self.trace.symbols[symbol];
            let of_launch = matches!(symbol.kind, SymbolKind::Launch | SymbolKind::BlockIdx);
            symbol.group == Group::Warp || apart && !of_launch
        };
        let waits = self.order.warp_waits(first.event_index, second.event_index);
        let accept = |x: usize, y: usize| {
            x != y && !(x / 32 == y / 32 && waits.certainty_for([x, y]) == WaitCertainty::Certain)
        };
        let relation = PairAssumptions {
            symbols: &self.trace.symbols,
            is_independent: &own,
            is_never_zero: &|_| false,
            accept: &accept,
            work: self.work,
        };
        may_collide(a, b, &relation)
            && rows_may_collide(first, second, &relation)
            && first.dimension_indices(second).all(|[a, b]| may_collide(a, b, &relation))
    }
}

/// Loop iterations in which two accesses certainly happen.
struct CertainIterations {
    /// The loops.
    loops: Vec<InstId>,
    /// Per iteration symbol, the first and the last number that some iteration has.
    attained: Vec<(SymbolId, [i64; 2])>,
    /// True if each loop that contains only one of the accesses certainly runs.
    loops_certainly_run: bool,
}

impl CertainIterations {
    /// Returns the iterations of the loops around two accesses; `None` if a loop may not reach its
    /// access.
    fn around(
        block: &BlockRaces<'_>,
        first: &SharedAccess<'_>,
        second: &SharedAccess<'_>,
    ) -> Option<Self> {
        let events = [first, second].map(|access| &block.trace.events[access.event_index]);
        let symbolic = events.map(|event| {
            let loops = event.loops.iter().zip(&event.iterations);
            let loops = loops.filter_map(|(&(of, symbol), &round)| Some((of, symbol?, round)));
            loops.collect::<Vec<_>>()
        });
        let is_of = |side: usize, of: InstId| symbolic[side].iter().any(|around| around.0 == of);
        let [these, those] = &symbolic;
        let mut loops: Vec<InstId> = these.iter().chain(those).map(|of| of.0).collect();
        loops.sort_unstable();
        loops.dedup();
        let own = |of: InstId| !(is_of(0, of) && is_of(1, of));
        let mut found =
            Self { loops: loops.clone(), attained: Vec::new(), loops_certainly_run: true };
        for of in loops {
            let in_each = [first, second].iter().enumerate().all(|(side, access)| {
                !is_of(side, of)
                    || block.order.runs_in_each_iteration(access.event_index, of, &found.loops)
            });
            let range = Self::attained(block, &symbolic, of).filter(|_| in_each);
            if range.is_none() && own(of) {
                return None;
            }
            if own(of) && !range.is_some_and(|(.., is_certain)| is_certain) {
                // The loop may not run in some iteration of a loop around it.
                let mut outer = symbolic.iter().filter_map(|loops| {
                    loops.iter().map(|around| around.0).find(|&around| own(around))
                });
                if outer.all(|outer| outer != of) {
                    return None;
                }
                found.loops_certainly_run = false;
            }
            found.attained.extend(range.map(|(symbol, range, _)| (symbol, range)));
        }
        if !found.loops_certainly_run {
            let is_own =
                |&(symbol, _): &(SymbolId, [i64; 2])| own(block.trace.symbols[symbol].inst);
            found.attained.retain(is_own);
        }
        Some(found)
    }

    /// Returns the iteration numbers that loop `of` attains, and true if the loop certainly runs.
    fn attained(
        block: &BlockRaces<'_>,
        symbolic: &[Vec<(InstId, SymbolId, u32)>; 2],
        of: InstId,
    ) -> Option<(SymbolId, [i64; 2], bool)> {
        let mut rounds = symbolic.iter().flatten().filter(|around| around.0 == of);
        let &(_, symbol, round) = rounds.next()?;
        let second = rounds.next();
        if second.is_some_and(|second| second.1 != symbol) {
            return None;
        }
        let round = i64::from(second.map_or(round, |second| second.2.max(round)));
        let last = block.trace.trip_count(symbol).map(|trips| trips - 1 - round);
        if last.is_some_and(|last| last < 0) {
            return None;
        }
        let runs = last.is_some();
        // If threads wait in the loop, only its first or last iteration is adjacent to the code
        // outside of it.
        let is_alone = second.is_none() && block.order.has_wait_in(of);
        let is_first = is_alone && symbolic[1].iter().any(|around| around.0 == of);
        match last {
            Some(_) if is_first => (round == 0).then_some((symbol, [0, 0], runs)),
            Some(last) if is_alone => Some((symbol, [last, last], runs)),
            Some(last) => Some((symbol, [0, last], runs)),
            None if is_alone && !is_first => None,
            None => (round == 0).then_some((symbol, [0, 0], runs)),
        }
    }
}

/// Counts a pair of accesses; returns true if the work limit is reached.
pub(super) fn exceeds_work_limit(work: &Cell<u64>) -> bool {
    work.set(work.get() + WORK_PER_PAIR);
    work.get() > MAX_WORK
}

/// Returns the kind of race of two colliding accesses.
pub(super) fn race_kind(
    first: &SharedAccess<'_>,
    second: &SharedAccess<'_>,
    same_value: bool,
) -> RaceKind {
    match (first.atomic.is_some(), second.atomic.is_some()) {
        (true, true) => RaceKind::BlockScope,
        (true, false) | (false, true) => RaceKind::AtomicAndPlain,
        (false, false) if !(first.writes && second.writes) => RaceKind::ReadWrite,
        (false, false) if same_value => RaceKind::SameValue,
        (false, false) => RaceKind::WriteWrite,
    }
}

/// Returns each pair of accesses, also each access with itself, within the limit.
pub(super) fn pairs<'l, 'a>(
    list: &'l [&'l SharedAccess<'a>],
) -> impl Iterator<Item = (&'l SharedAccess<'a>, &'l SharedAccess<'a>)> {
    let list = &list[..list.len().min(MAX_ACCESSES)];
    list.iter()
        .enumerate()
        .flat_map(move |(i, first)| list[i..].iter().map(move |second| (*first, *second)))
}

/// Returns true if a race of these two instructions with different warps is already known.
fn is_known_race(
    memory: &MemoryRaces,
    first: &SharedAccess<'_>,
    second: &SharedAccess<'_>,
) -> bool {
    memory.races.iter().any(|race| {
        race.among != ThreadGroup::Warp
            && race.sides.map(|side| side.inst) == [first.inst, second.inst]
    })
}

pub(super) fn add_doubt(
    memory: &mut MemoryRaces,
    first: &SharedAccess<'_>,
    second: &SharedAccess<'_>,
    among: ThreadGroup,
    why: DoubtReason,
) {
    let doubt = Doubt { insts: [first.inst, second.inst], among, reason: why };
    if memory.doubts.len() < MAX_DOUBTS && !memory.doubts.contains(&doubt) {
        memory.doubts.push(doubt);
    }
}
