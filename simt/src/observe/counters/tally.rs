//! What the steps that count have counted, of some blocks of a launch.
use crate::{
    bytecode::Counted,
    observe::counters::{
        histogram::{ActiveThreads, Trips},
        worst::Worst,
    },
    vector::mask::{Mask, WARPS},
};
use std::ops::AddAssign;
use warpwise_compiler::hardware::LANES;

/// DotProductLoop, each at the number that lowering gave it. [Joining](Self::join) those of all blocks gives the
/// same whatever the order.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    segments: Vec<Segment>,
    /// Of each loop.
    trips: Vec<Trips>,
    /// Of each branch, how many warps parted.
    parted: Vec<u64>,
    requests: Vec<Asked>,
    /// Of each request, what it asked before.
    memos: Vec<Memo>,
    /// The block that runs.
    block: u64,
    /// Of each request, the worst.
    pub(crate) worst: Worst,
}

/// Who ran a segment.
#[derive(Clone, Debug, Default)]
struct Segment {
    flow: Flow,
    /// The warps that were not full.
    partial: Option<Box<ActiveThreads>>,
    /// Who began it last, and how often: mostly the same do so again. Not counted yet.
    active: Mask,
    rounds: u64,
}

impl Segment {
    /// Counts those who are not counted yet.
    fn settle(&mut self) {
        let (active, rounds) = (self.active, std::mem::take(&mut self.rounds));
        if rounds == 0 {
            return;
        }
        let (warps, threads) = (warps(active), u64::from(active.count()));
        self.flow += Flow { warps: warps * rounds, threads: threads * rounds };
        if threads != warps * LANES as u64 {
            let partial = self.partial.get_or_insert_default();
            let parts = active.warps().filter(|(_, lanes)| *lanes != u32::MAX);
            parts.for_each(|(_, lanes)| partial.add(lanes.count_ones(), rounds));
        }
    }
}

impl AddAssign for Segment {
    fn add_assign(&mut self, mut other: Self) {
        other.settle();
        self.flow += other.flow;
        if let Some(partial) = other.partial {
            **self.partial.get_or_insert_default() += *partial;
        }
    }
}

/// How many of both.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) warps: u64,
    pub(crate) threads: u64,
}

/// How many iterations of each loop the warps of a group have gone through since they came to it.
#[derive(Debug, Default)]
pub(crate) struct Gone(Vec<Going>);

/// Who went round a loop last: mostly the same do so again, all as often as each other.
#[derive(Clone, Debug, Default)]
struct Going {
    active: Mask,
    /// How many warps they are of.
    warps: u64,
    /// How many iterations each has gone through, if all have gone through as many.
    from: Option<u64>,
    /// And how many more, which are not counted yet.
    rounds: u64,
    /// How many iterations every other warp has gone through; these, too, if they are not as many.
    since: [u64; WARPS],
}

impl Going {
    /// Counts the rounds that are not counted yet.
    fn settle(&mut self, trips: &mut Trips) {
        let rounds = std::mem::take(&mut self.rounds);
        if rounds == 0 {
            return;
        }
        if let Some(from) = &mut self.from {
            trips.go(*from, *from + rounds, self.warps);
            *from += rounds;
        } else {
            for (warp, _) in self.active.warps() {
                let from = self.since[warp];
                self.since[warp] += rounds;
                trips.go(from, self.since[warp], 1);
            }
        }
    }

    /// Others go on; what has to be counted is.
    fn turn_to(&mut self, active: Mask) {
        self.remember();
        (self.active, self.warps) = (active, warps(active));
        let mut all = active.warps().map(|(warp, _)| self.since[warp]);
        let first = all.next();
        self.from = first.filter(|first| all.all(|other| other == *first));
    }

    /// Those who come to the loop have gone through no iteration.
    fn begin(&mut self, active: Mask) {
        if self.active != active {
            self.remember();
            (self.active, self.warps) = (active, warps(active));
        }
        self.from = Some(0);
    }

    /// Keeps what those have gone through who went last.
    fn remember(&mut self) {
        if let Some(from) = self.from {
            self.active.warps().for_each(|(warp, _)| self.since[warp] = from);
        }
    }
}

impl Gone {
    /// None.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self(vec![Going::default(); counted.loops])
    }
}

/// How many warps lanes are of.
fn warps(active: Mask) -> u64 {
    active.0.iter().map(|lanes| u64::from(*lanes != 0)).sum()
}

/// Those who begin something, so many times.
#[derive(Clone, Copy)]
pub(crate) struct Begin {
    pub(crate) active: Mask,
    pub(crate) rounds: u64,
}

impl Begin {
    /// Once.
    pub(crate) fn once(active: Mask) -> Self {
        Self { active, rounds: 1 }
    }
}

/// What was asked of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// How many requests.
    pub(crate) requests: u64,
    /// Wavefronts or sectors.
    pub(crate) taken: u64,
    /// How many there would be at best.
    pub(crate) ideal: u64,
}

impl Tally {
    /// Nothing counted yet.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self {
            segments: vec![Segment::default(); counted.segments],
            trips: vec![Trips::default(); counted.loops],
            parted: vec![0; counted.branches],
            requests: vec![Asked::default(); counted.requests.len()],
            memos: counted.requests.iter().map(|_| Memo::default()).collect(),
            block: 0,
            worst: Worst::new(counted),
        }
    }

    /// It is the turn of a block. What those behind it asked may be the [worst](Worst) of its own.
    pub(crate) fn turn_to(&mut self, block: u64) {
        if block < self.block {
            self.memos.iter_mut().for_each(|memo| memo.known = Default::default());
        }
        self.block = block;
    }

    /// Counts those who begin a segment.
    #[inline]
    pub(crate) fn begin(&mut self, segment: u32, Begin { active, rounds }: Begin) {
        let segment = &mut self.segments[segment as usize];
        if segment.active != active {
            segment.settle();
            segment.active = active;
        }
        segment.rounds += rounds;
    }

    /// Counts those who come to a loop.
    pub(crate) fn come(&mut self, number: u32, Begin { active, rounds }: Begin, gone: &mut Gone) {
        let trips = &mut self.trips[number as usize];
        let going = &mut gone.0[number as usize];
        going.settle(trips);
        going.begin(active);
        trips.come(going.warps * rounds);
    }

    /// Counts those who go through iterations of a loop.
    #[inline]
    pub(crate) fn go(&mut self, number: u32, Begin { active, rounds }: Begin, gone: &mut Gone) {
        let going = &mut gone.0[number as usize];
        if going.active != active {
            going.settle(&mut self.trips[number as usize]);
            going.turn_to(active);
        }
        going.rounds += rounds;
    }

    /// Counts those who come to a loop, so many times, and each time go through one iteration.
    pub(crate) fn go_once(&mut self, number: u32, Begin { active, rounds }: Begin) {
        self.trips[number as usize].go(0, 1, warps(active) * rounds);
    }

    /// Counts all iterations that warps of a group have gone through.
    pub(crate) fn settle(&mut self, gone: &mut Gone) {
        gone.0.iter_mut().zip(&mut self.trips).for_each(|(going, trips)| going.settle(trips));
    }

    /// Counts the warps with lanes in both sets, which part at a branch.
    pub(crate) fn part(&mut self, branch: u32, some: Mask, others: Mask) {
        let warps =
            some.0.iter().zip(others.0).filter(|(some, others)| **some != 0 && *others != 0);
        self.parted[branch as usize] += warps.count() as u64;
    }

    /// Counts what was asked at once.
    pub(crate) fn ask(&mut self, request: u32, asked: Asked) {
        self.requests[request as usize] += asked;
    }

    /// What a warp asks, if one asked it before.
    #[inline(always)]
    pub(crate) fn asked_before(&self, request: u32, key: Key) -> Option<Asked> {
        self.memos[request as usize].get(key)
    }

    /// All that a request asked before.
    pub(crate) fn memo(&mut self, request: u32) -> &mut Memo {
        &mut self.memos[request as usize]
    }

    /// Takes in what was counted of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        add(&mut self.segments, other.segments);
        add(&mut self.trips, other.trips);
        add(&mut self.parted, other.parted);
        add(&mut self.requests, other.requests);
        self.worst.join(other.worst);
    }

    /// Counts what is not counted yet.
    pub(crate) fn finish(&mut self) {
        self.segments.iter_mut().for_each(Segment::settle);
    }

    /// How many lanes of the warps were active that ran a segment.
    pub(crate) fn active(&self, segment: u32) -> ActiveThreads {
        let Some(Segment { flow, partial, .. }) = self.segments.get(segment as usize) else {
            return ActiveThreads::default();
        };
        let mut active = partial.as_deref().copied().unwrap_or_default();
        active.add(LANES as u32, flow.warps - active.instructions());
        active
    }

    pub(crate) fn trips(&self, number: u32) -> Trips {
        find(&self.trips, Some(number))
    }

    pub(crate) fn flow(&self, segment: Option<u32>) -> Flow {
        let segment = segment.and_then(|segment| self.segments.get(segment as usize));
        segment.map_or(Flow::default(), |segment| segment.flow)
    }

    pub(crate) fn parted(&self, branch: Option<u32>) -> u64 {
        find(&self.parted, branch)
    }

    pub(crate) fn asked(&self, request: Option<u32>) -> Asked {
        find(&self.requests, request)
    }
}

/// What stands at a number; nothing if that is nowhere, or nothing was counted.
fn find<T: Copy + Default>(sums: &[T], number: Option<u32>) -> T {
    number.and_then(|number| sums.get(number as usize)).copied().unwrap_or_default()
}

/// Adds sums one by one; those that are missing are zero.
fn add<T: Clone + Default + AddAssign>(sums: &mut Vec<T>, others: Vec<T>) {
    if sums.len() < others.len() {
        sums.resize(others.len(), T::default());
    }
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

impl AddAssign for Flow {
    fn add_assign(&mut self, Self { warps, threads }: Self) {
        self.warps += warps;
        self.threads += threads;
    }
}

impl AddAssign for Asked {
    fn add_assign(&mut self, Self { requests, taken, ideal }: Self) {
        self.requests += requests;
        self.taken += taken;
        self.ideal += ideal;
    }
}

impl Asked {
    /// As much, so many times.
    pub(crate) fn times(self, times: u64) -> Self {
        let Self { requests, taken, ideal } = self;
        Self { requests: requests * times, taken: taken * times, ideal: ideal * times }
    }
}

/// What requests of one instruction asked, by all that it depends on.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Each where its key says, unless another took its place.
    known: [(Option<Key>, Asked); 8],
    /// How far apart the addresses were of the class [`Key::SEEN`].
    seen: Option<Box<[u64; LANES]>>,
}

/// What a request depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Who makes it.
    pub(crate) active: u32,
    /// How far apart their addresses are.
    pub(crate) class: u16,
    /// Where the first byte is in its sector.
    pub(crate) phase: u8,
}

impl Key {
    /// The class of addresses that were not known before.
    pub(crate) const SEEN: u16 = u16::MAX;

    /// Where to remember it.
    fn place(self) -> usize {
        let folded = self.active ^ u32::from(self.class) << 3 ^ u32::from(self.phase) << 24;
        (folded.wrapping_mul(0x9e37_79b9) >> 29) as usize
    }
}

impl Memo {
    /// What a request asks, if that was computed before.
    #[inline(always)]
    pub(crate) fn get(&self, key: Key) -> Option<Asked> {
        let (known, asked) = self.known[key.place()];
        (known == Some(key)).then_some(asked)
    }

    /// Remembers what a request asks.
    pub(crate) fn put(&mut self, key: Key, asked: Asked) {
        self.known[key.place()] = (Some(key), asked);
    }

    /// Remembers how far apart addresses are, and forgets all if they were not so before.
    pub(crate) fn see(&mut self, apart: &[u64; LANES]) {
        match &mut self.seen {
            Some(seen) if **seen == *apart => {}
            seen => {
                *seen = Some(Box::new(*apart));
                self.known = Default::default();
            }
        }
    }
}
