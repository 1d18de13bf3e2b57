//! Races between the threads of one block.
use super::{
    Among, Doubt, Kind, MemoryRaces, Race, Side, SkippedBarriers, Why,
    accesses::Access,
    guards::Guards,
    order::{Between, Order},
    overlap::{MOST_WORK, Meeting, PAIR, Relation, may_meet, meet, meet_for_some},
    rows::rows_may_meet,
    values::Values,
};
use crate::{
    analysis::{
        symbolic::{SymbolId, SymbolKind, Trace, Which},
        uniformity::Group,
    },
    ir::{InstId, Kernel, Length, Root},
};
use std::cell::Cell;

/// Of one array or buffer, no more accesses are looked at.
const MOST_ACCESSES: usize = 200;
/// So many doubts about one array or buffer are enough.
const MOST_DOUBTS: usize = 16;

/// Looks at pairs of accesses of one block.
pub(super) struct Block<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) trace: &'a Trace,
    pub(super) order: &'a Order<'a>,
    pub(super) guards: &'a Guards<'a>,
    pub(super) values: &'a Values<'a>,
    /// The events of fences, and of atomic operations that are more than relaxed.
    pub(super) chains: &'a [usize],
    /// What looking at accesses has cost.
    pub(super) work: &'a Cell<u64>,
}

impl Block<'_> {
    /// Adds what is known of the accesses of `list`, which are all to one array or buffer.
    pub(super) fn find(&self, list: &[&Access<'_>], memory: &mut MemoryRaces) {
        let some = &list[..list.len().min(MOST_ACCESSES)];
        for (number, first) in some.iter().enumerate() {
            for second in &some[number..] {
                if is_too_much(self.work) {
                    memory.doubts.push(super::doubt(first.inst, Why::TooManyAccesses));
                    return;
                }
                if first.conflicts(second, false) {
                    self.pair(first, second, memory);
                }
            }
        }
        if list.len() > MOST_ACCESSES {
            memory.doubts.push(super::doubt(list[MOST_ACCESSES].inst, Why::TooManyAccesses));
        }
    }

    fn pair(&self, first: &Access<'_>, second: &Access<'_>, memory: &mut MemoryRaces) {
        let between = self.order.barrier_between(first.number, second.number);
        let one = first.number == second.number && first.active.which == Which::One;
        if between == Between::Surely || one || known(memory, first, second) {
            return;
        }
        if first.offset.is_none() || second.offset.is_none() {
            return add_doubt(memory, first, second, Among::Block, Why::Index);
        }
        if self.order.exclude(first.number, second.number) || !self.may_meet(first, second) {
            if first.assumed || second.assumed {
                add_doubt(memory, first, second, Among::Block, Why::Wraps);
            }
            return;
        }
        let why = match (between, self.certain(first, second)) {
            (Between::None, certain) => {
                let always = certain.is_ok().then(|| self.proved(first, second, None)).flatten();
                let race = always.or_else(|| self.proved_in_loops(first, second));
                if let Some(race) = race {
                    memory.races.retain(|known| {
                        known.sides.map(|side| side.inst) != race.sides.map(|side| side.inst)
                    });
                    memory.races.push(race);
                    return;
                }
                certain.err().unwrap_or(Why::Numbers)
            }
            (Between::Perhaps | Between::Surely, certain) => {
                if certain.is_ok() {
                    self.skipped(first, second, memory);
                }
                Why::Barrier
            }
        };
        add_doubt(memory, first, second, Among::Block, why);
    }

    /// Notes that two accesses race in runs in which the barriers between them are skipped.
    fn skipped(&self, first: &Access<'_>, second: &Access<'_>, memory: &mut MemoryRaces) {
        let Some((branch, barriers)) = self.order.skipped_barriers(first.number, second.number)
        else {
            return;
        };
        if memory.skipped.iter().all(|known| known.branch != branch)
            && let Some(race) = self.proved(first, second, None)
        {
            memory.skipped.push(SkippedBarriers { race, barriers, branch });
        }
    }

    /// Whether both accesses happen for certain in one block, with nothing to order them.
    fn certain(&self, first: &Access<'_>, second: &Access<'_>) -> Result<(), Why> {
        let both_happen = self.order.both_happen(first.number, second.number);
        self.certain_if(both_happen, first, second)
    }

    /// The same, if both accesses happen whenever one does.
    fn certain_if(
        &self,
        both_happen: bool,
        first: &Access<'_>,
        second: &Access<'_>,
    ) -> Result<(), Why> {
        let certain = |access: &Access<'_>| match access.active.which {
            Which::All | Which::Guarded | Which::Warps => true,
            Which::Some | Which::One => false,
        };
        if !certain(first) || !certain(second) || !both_happen {
            return Err(Why::Condition);
        }
        let events = [first, second].map(|access| (access.number, access.inst));
        if !self.guards.hold_together(&events, false) {
            return Err(Why::Guards);
        }
        if self.may_be_chained(first, second) { Err(Why::Order) } else { Ok(()) }
    }

    /// Whether fences or atomic operations may order the two: one behind the one, another before the other.
    fn may_be_chained(&self, first: &Access<'_>, second: &Access<'_>) -> bool {
        let orders = self.chains;
        let repeats = |number: usize| {
            self.trace.events[number].loops.iter().any(|(_, iteration)| iteration.is_some())
        };
        let behind = |of: &Access<'_>| {
            orders.iter().any(|&at| at >= of.number || repeats(at) && repeats(of.number))
        };
        let before = |of: &Access<'_>| {
            orders.iter().any(|&at| at <= of.number || repeats(at) && repeats(of.number))
        };
        behind(first) && before(second) || behind(second) && before(first)
    }

    /// Returns a race in certain iterations of loops that are not run one by one: all iterations that a loop is known to
    /// have, or the first, without which there are none.
    fn proved_in_loops(&self, first: &Access<'_>, second: &Access<'_>) -> Option<Race> {
        let iterations = Iterations::of(self, first, second)?;
        let [a, b] = [first.number, second.number];
        let implies = |a, b| self.order.implies_through(a, b, &iterations.loops);
        let both_happen = if iterations.are_certain {
            implies(a, b) || implies(b, a)
        } else {
            implies(a, b) && implies(b, a) && self.order.both_happen(a, b)
        };
        self.certain_if(both_happen, first, second).ok()?;
        self.proved(first, second, Some(&iterations.attained))
    }

    /// The races of two accesses that both happen: one in which values are stored that differ, if there is one;
    /// one of two warps before one of two lanes. For all numbers that symbols may be, or for some of the `attained`.
    fn proved(
        &self,
        first: &Access<'_>,
        second: &Access<'_>,
        attained: Option<&[(SymbolId, [i64; 2])]>,
    ) -> Option<Race> {
        let declared = self.trace.shape.declared;
        if !declared && !Self::is_of_threads(first) && !Self::is_of_threads(second) {
            return None;
        }
        let in_row = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|thread| self.trace.shape.index(thread));
            declared || a[1..] == b[1..]
        };
        // Whatever is launched has a warp, as good as always; how many of them nobody says.
        let in_a_warp = |a: usize, b: usize| a != b && a < 32 && b < 32 && in_row(a, b);
        if !declared && self.meeting(first, second, attained, &in_a_warp).is_none() {
            return None;
        }
        let waits = self.order.warp_waits(first.number, second.number);
        let by_warps = [first, second].iter().any(|access| access.active.which == Which::Warps);
        let far = |a: usize, b: usize| {
            a / 32 != b / 32 && !by_warps && in_row(a, b) && (declared || !waits.any)
        };
        let near = |a: usize, b: usize| {
            a / 32 == b / 32 && a != b && in_row(a, b) && waits.of([a, b]) == Between::None
        };
        let race = |accept: &dyn Fn(usize, usize) -> bool, among| {
            self.meeting(first, second, attained, accept)
                .map(|found| self.race(first, second, found, among))
        };
        let found = race(&far, Among::Block).or_else(|| race(&near, Among::Warp))?;
        if found.kind != Kind::SameValue {
            return Some(found);
        }
        let differ = |a: usize, b: usize| !self.values.stored_same([first, second], [a, b]);
        race(&|a, b| far(a, b) && differ(a, b), Among::Block)
            .or_else(|| race(&|a, b| near(a, b) && differ(a, b), Among::Warp))
            .or(Some(found))
    }

    /// Whether an access depends on the thread's index along x: by its place, or by a guard. If not, and no block is
    /// declared, one thread may be meant.
    fn is_of_threads(access: &Access<'_>) -> bool {
        access.offset.is_some_and(|offset| offset.difference(0, 1) != Some(0))
            || access.active.which == Which::Guarded
    }

    /// Two threads that meet, whatever symbols are, and inside of the array.
    fn meeting(
        &self,
        first: &Access<'_>,
        second: &Access<'_>,
        attained: Option<&[(SymbolId, [i64; 2])]>,
        accept: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Meeting> {
        let [a, b] = [first.places()?, second.places()?];
        let of_warps = |symbol: SymbolId| self.trace.symbols[symbol].group == Group::Warp;
        let one_warp = first.mentions(&of_warps) || second.mentions(&of_warps);
        let accept = |x: usize, y: usize| {
            (!one_warp || x / 32 == y / 32)
                && accept(x, y)
                && first.is_in_one_place(second, [x, y], attained.is_some())
        };
        let found = match attained {
            None => meet(a, b, &accept, self.work)?,
            Some(attained) => meet_for_some(a, b, attained, &accept, self.work)?,
        };
        let inside = found.symbolic
            || self.size(first.root).is_none_or(|size| found.at >= 0 && found.at < size);
        inside.then_some(found)
    }

    /// Bytes of an array of the block, if they are known.
    fn size(&self, root: Option<Root>) -> Option<i64> {
        let Some(Root::Shared(shared)) = root else { return None };
        let shared = &self.kernel.shared[shared];
        let Length::Fixed(len) = &shared.len else { return None };
        i64::try_from(len.known()?.checked_mul(shared.elem.size()?)?).ok()
    }

    fn race(&self, first: &Access<'_>, second: &Access<'_>, found: Meeting, among: Among) -> Race {
        let side = |access: &Access<'_>, thread: usize| Side {
            inst: access.inst,
            event: access.number,
            thread: self.trace.shape.index(thread),
            writes: access.writes,
        };
        let [a, b] = found.threads;
        Race {
            sides: [side(first, a), side(second, b)],
            at: (!found.symbolic).then_some(found.at),
            among,
            kind: kind(first, second, self.values.stored_same([first, second], [a, b])),
            iteration_of: self.order.repeated(first.number, second.number),
        }
    }

    /// Whether two threads may meet, for all that is known, with nothing that orders them for certain.
    pub(super) fn may_meet(&self, first: &Access<'_>, second: &Access<'_>) -> bool {
        let (Some(a), Some(b)) = (first.places(), second.places()) else { return true };
        let apart = self.order.may_be_far_apart(first.number, second.number);
        // Of a number that is the same in a warp or in one iteration, threads may have different ones.
        let own = |symbol: SymbolId| {
            let symbol = &self.trace.symbols[symbol];
            let of_launch = matches!(symbol.kind, SymbolKind::Launch | SymbolKind::BlockIdx);
            symbol.group == Group::Warp || apart && !of_launch
        };
        let waits = self.order.warp_waits(first.number, second.number);
        let accept = |x: usize, y: usize| {
            x != y && !(x / 32 == y / 32 && waits.of([x, y]) == Between::Surely)
        };
        let relation = Relation {
            symbols: &self.trace.symbols,
            own: &own,
            differs: &|_| false,
            accept: &accept,
            work: self.work,
        };
        may_meet(a, b, &relation)
            && rows_may_meet(first, second, &relation)
            && first.dimensions(second).all(|[a, b]| may_meet(a, b, &relation))
    }
}

/// Iterations of loops in which two accesses happen for certain.
struct Iterations {
    /// The loops.
    loops: Vec<InstId>,
    /// For each symbol of an iteration, the first and the last of the numbers that it is in some iteration.
    attained: Vec<(SymbolId, [i64; 2])>,
    /// True if each loop that only one of the accesses is in runs.
    are_certain: bool,
}

impl Iterations {
    /// Those of the loops around two accesses; `None` if one is in a loop that may not come to it.
    fn of(block: &Block<'_>, first: &Access<'_>, second: &Access<'_>) -> Option<Self> {
        let events = [first, second].map(|access| &block.trace.events[access.number]);
        let symbolic = events.map(|event| {
            let loops = event.loops.iter().zip(&event.rounds);
            let loops = loops.filter_map(|(&(of, symbol), &round)| Some((of, symbol?, round)));
            loops.collect::<Vec<_>>()
        });
        let is_of = |side: usize, of: InstId| symbolic[side].iter().any(|around| around.0 == of);
        let [these, those] = &symbolic;
        let mut loops: Vec<InstId> = these.iter().chain(those).map(|of| of.0).collect();
        loops.sort_unstable();
        loops.dedup();
        let own = |of: InstId| !(is_of(0, of) && is_of(1, of));
        let mut found = Self { loops: loops.clone(), attained: Vec::new(), are_certain: true };
        for of in loops {
            let in_each = [first, second].iter().enumerate().all(|(side, access)| {
                !is_of(side, of)
                    || block.order.is_in_each_iteration(access.number, of, &found.loops)
            });
            let range = Self::attained(block, &symbolic, of).filter(|_| in_each);
            if range.is_none() && own(of) {
                return None;
            }
            if own(of) && !range.is_some_and(|(.., is_certain)| is_certain) {
                // An iteration around it may be one in which the loop does not run.
                let mut outer = symbolic.iter().filter_map(|loops| {
                    loops.iter().map(|around| around.0).find(|&around| own(around))
                });
                if outer.all(|outer| outer != of) {
                    return None;
                }
                found.are_certain = false;
            }
            found.attained.extend(range.map(|(symbol, range, _)| (symbol, range)));
        }
        if !found.are_certain {
            let is_own = |&(symbol, _): &(SymbolId, [i64; 2])| own(block.trace.symbols[symbol].of);
            found.attained.retain(is_own);
        }
        Some(found)
    }

    /// The numbers that the iteration of loop `of` attains, and whether the loop runs for certain.
    fn attained(
        block: &Block<'_>,
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
        // Where threads wait in the loop, only its first or last iteration is next to what is outside of it.
        let is_alone = second.is_none() && block.order.waits_in(of);
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

/// Counts a pair of accesses; whether so much has been looked at that no more is.
pub(super) fn is_too_much(work: &Cell<u64>) -> bool {
    work.set(work.get() + PAIR);
    work.get() > MOST_WORK
}

/// What two accesses do that meet.
pub(super) fn kind(first: &Access<'_>, second: &Access<'_>, same_value: bool) -> Kind {
    match (first.atomic.is_some(), second.atomic.is_some()) {
        (true, true) => Kind::BlockScope,
        (true, false) | (false, true) => Kind::AtomicAndPlain,
        (false, false) if !(first.writes && second.writes) => Kind::ReadWrite,
        (false, false) if same_value => Kind::SameValue,
        (false, false) => Kind::WriteWrite,
    }
}

/// Each pair of accesses, also each with itself, as far as there is time to look at them.
pub(super) fn pairs<'l, 'a>(
    list: &'l [&'l Access<'a>],
) -> impl Iterator<Item = (&'l Access<'a>, &'l Access<'a>)> {
    let list = &list[..list.len().min(MOST_ACCESSES)];
    list.iter()
        .enumerate()
        .flat_map(move |(i, first)| list[i..].iter().map(move |second| (*first, *second)))
}

/// Whether a race of these two instructions, with different warps, is known already.
fn known(memory: &MemoryRaces, first: &Access<'_>, second: &Access<'_>) -> bool {
    memory.races.iter().any(|race| {
        race.among != Among::Warp && race.sides.map(|side| side.inst) == [first.inst, second.inst]
    })
}

pub(super) fn add_doubt(
    memory: &mut MemoryRaces,
    first: &Access<'_>,
    second: &Access<'_>,
    among: Among,
    why: Why,
) {
    let doubt = Doubt { insts: [first.inst, second.inst], among, why };
    if memory.doubts.len() < MOST_DOUBTS && !memory.doubts.contains(&doubt) {
        memory.doubts.push(doubt);
    }
}
