//! Races between the threads of one block.
use super::{
    Among, Doubt, Kind, MemoryRaces, Race, Side, Why,
    accesses::Access,
    guards::Guards,
    order::{Between, Order},
    overlap::{MOST_WORK, Meeting, PAIR, Relation, may_meet, meet},
    rows::rows_may_meet,
    values::Values,
};
use crate::{
    analysis::{
        trace::{SymbolId, SymbolKind, Trace, Which},
        uniformity::Group,
    },
    ir::{Kernel, Length, Root},
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
            (Between::None, Ok(())) => {
                if let Some(race) = self.proved(first, second) {
                    memory.races.retain(|known| {
                        known.sides.map(|side| side.inst) != race.sides.map(|side| side.inst)
                    });
                    memory.races.push(race);
                    return;
                }
                Why::Numbers
            }
            (Between::None, Err(why)) => why,
            (Between::Perhaps | Between::Surely, _) => Why::Barrier,
        };
        add_doubt(memory, first, second, Among::Block, why);
    }

    /// Whether both accesses happen for certain in one block, with nothing to order them.
    fn certain(&self, first: &Access<'_>, second: &Access<'_>) -> Result<(), Why> {
        let certain = |access: &Access<'_>| match access.active.which {
            Which::All | Which::Guarded | Which::Warps => true,
            Which::Some | Which::One => false,
        };
        if !certain(first)
            || !certain(second)
            || !self.order.both_happen(first.number, second.number)
        {
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

    /// The races of two accesses that both happen: one in which values are stored that differ, if there is one;
    /// one of two warps before one of two lanes.
    fn proved(&self, first: &Access<'_>, second: &Access<'_>) -> Option<Race> {
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
        if !declared && self.meeting(first, second, &in_a_warp).is_none() {
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
            self.meeting(first, second, accept).map(|found| self.race(first, second, found, among))
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
        accept: &dyn Fn(usize, usize) -> bool,
    ) -> Option<Meeting> {
        let [a, b] = [first.places()?, second.places()?];
        let of_warps = |symbol: SymbolId| self.trace.symbols[symbol].group == Group::Warp;
        let one_warp = first.mentions(&of_warps) || second.mentions(&of_warps);
        let accept = |x: usize, y: usize| (!one_warp || x / 32 == y / 32) && accept(x, y);
        let found = meet(a, b, &accept, self.work)?;
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
        may_meet(a, b, &relation) && rows_may_meet(first, second, &relation)
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
