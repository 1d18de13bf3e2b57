//! What the steps that count have counted, of some blocks of a launch.
use crate::{lower::Counted, mask::Mask, worst::Worst};
use std::ops::AddAssign;
use warpwise_compiler::hardware::LANES;

/// Sums, each at the number that lowering gave it. [Joining](Self::join) those of all blocks gives the
/// same whatever the order.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    segments: Vec<Flow>,
    /// Of each branch, how many warps parted.
    parted: Vec<u64>,
    requests: Vec<Asked>,
    /// Of each request, what it asked before.
    memos: Vec<Memo>,
    /// Of each request, the worst.
    pub(crate) worst: Worst,
    /// Who began a segment last: mostly the same as the next.
    last: (Mask, Flow),
}

/// Who ran a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) warps: u64,
    pub(crate) threads: u64,
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
            segments: vec![Flow::default(); counted.segments],
            parted: vec![0; counted.branches],
            requests: vec![Asked::default(); counted.requests.len()],
            memos: counted.requests.iter().map(|_| Memo::default()).collect(),
            worst: Worst::new(counted),
            last: Default::default(),
        }
    }

    /// Counts those who begin a segment.
    pub(crate) fn begin(&mut self, segment: u32, active: Mask) {
        let flow = self.flow_of(active);
        self.segments[segment as usize] += flow;
    }

    /// The same, so many times.
    pub(crate) fn begin_rounds(&mut self, segment: u32, active: Mask, rounds: u64) {
        let Flow { warps, threads } = self.flow_of(active);
        let all = Flow { warps: warps * rounds, threads: threads * rounds };
        self.segments[segment as usize] += all;
    }

    fn flow_of(&mut self, active: Mask) -> Flow {
        if self.last.0 != active {
            let warps = active.warps().count() as u64;
            self.last = (active, Flow { warps, threads: active.count().into() });
        }
        self.last.1
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

    /// Counts what so many warps ask, if one asked it before.
    #[inline(always)]
    pub(crate) fn ask_again(&mut self, request: u32, key: Key, warps: u64) -> bool {
        let asked = self.memos[request as usize].get(key);
        if let Some(asked) = asked {
            self.ask(request, asked.times(warps));
        }
        asked.is_some()
    }

    /// What a request asked before.
    pub(crate) fn memo(&mut self, request: u32) -> &mut Memo {
        &mut self.memos[request as usize]
    }

    /// Takes in what was counted of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        add(&mut self.segments, other.segments);
        add(&mut self.parted, other.parted);
        add(&mut self.requests, other.requests);
        self.worst.join(other.worst);
    }

    pub(crate) fn flow(&self, segment: Option<u32>) -> Flow {
        find(&self.segments, segment)
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
fn add<T: Copy + Default + AddAssign>(sums: &mut Vec<T>, others: Vec<T>) {
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
