//! The tally of the counting instructions, for some blocks of a launch.
use crate::{
    bytecode::Counted,
    observe::counters::{
        BulkCopies,
        histogram::{ActiveThreads, Trips},
        worst::WorstRequests,
    },
    vector::mask::{Mask, WARPS},
};
use std::ops::AddAssign;
use warpwise_compiler::hardware::LANES;

/// The counts, indexed by the numbers that translation assigns. [Joining](Self::join) the tallies
/// of all blocks gives the same result in any order.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    segments: Vec<SegmentCounts>,
    /// By loop.
    trips: Vec<Trips>,
    /// The number of warps that diverged, by branch.
    divergences: Vec<u64>,
    requests: Vec<RequestCost>,
    texture_reads: Vec<RequestCost>,
    local_accesses: Vec<RequestCost>,
    bulk_copies: Vec<BulkCopies>,
    /// The costs of earlier requests, by instruction.
    memos: Vec<CostMemo>,
    /// The block that runs.
    block: u64,
    /// The most expensive request, by instruction.
    pub(crate) worst: WorstRequests,
}

/// The executions of a segment.
#[derive(Clone, Debug, Default)]
struct SegmentCounts {
    flow: ExecutionCounts,
    /// The executions by warps with inactive lanes.
    partial: Option<Box<ActiveThreads>>,
    /// The lanes of the last executions: mostly, the same lanes execute a segment again.
    active: Mask,
    rounds: u64,
}

impl SegmentCounts {
    /// Adds the pending executions to the totals.
    fn settle(&mut self) {
        let (active, rounds) = (self.active, std::mem::take(&mut self.rounds));
        if rounds == 0 {
            return;
        }
        let (warps, threads) = (count_warps(active), u64::from(active.count()));
        self.flow += ExecutionCounts { warps: warps * rounds, threads: threads * rounds };
        if threads != warps * LANES as u64 {
            let partial = self.partial.get_or_insert_default();
            let parts = active.warps().filter(|(_, lanes)| *lanes != u32::MAX);
            parts.for_each(|(_, lanes)| partial.add(lanes.count_ones(), rounds));
        }
    }
}

impl AddAssign for SegmentCounts {
    fn add_assign(&mut self, mut other: Self) {
        other.settle();
        self.flow += other.flow;
        if let Some(partial) = other.partial {
            **self.partial.get_or_insert_default() += *partial;
        }
    }
}

/// Executions, counted per warp and per thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExecutionCounts {
    pub(crate) warps: u64,
    pub(crate) threads: u64,
}

/// The trip counts so far, by loop, of the warps of a group.
#[derive(Debug, Default)]
pub(crate) struct GroupTrips(Vec<LoopTrips>);

/// The trip counts of a group's warps in a loop. Mostly, the same lanes iterate again, with equal
/// trip counts.
#[derive(Clone, Debug, Default)]
struct LoopTrips {
    active: Mask,
    /// The number of warps of `active`.
    warps: u64,
    /// The trip count of the active warps, if it is the same for all.
    from: Option<u64>,
    /// Further iterations of the active warps that are not counted yet.
    rounds: u64,
    /// The trip counts of the other warps; of the active warps, too, if these differ.
    since: [u64; WARPS],
}

impl LoopTrips {
    /// Counts the pending iterations.
    fn settle(&mut self, trips: &mut Trips) {
        let rounds = std::mem::take(&mut self.rounds);
        if rounds == 0 {
            return;
        }
        if let Some(from) = &mut self.from {
            trips.add_iterations(*from, *from + rounds, self.warps);
            *from += rounds;
        } else {
            for (warp, _) in self.active.warps() {
                let from = self.since[warp];
                self.since[warp] += rounds;
                trips.add_iterations(from, self.since[warp], 1);
            }
        }
    }

    /// Makes other lanes the active ones. The pending iterations must be counted already.
    fn switch_to(&mut self, active: Mask) {
        self.store_trips();
        (self.active, self.warps) = (active, count_warps(active));
        let mut all = active.warps().map(|(warp, _)| self.since[warp]);
        let first = all.next();
        self.from = first.filter(|first| all.all(|other| other == *first));
    }

    /// Resets the trip counts of lanes that enter the loop.
    fn restart(&mut self, active: Mask) {
        if self.active != active {
            self.store_trips();
            (self.active, self.warps) = (active, count_warps(active));
        }
        self.from = Some(0);
    }

    /// Stores the common trip count of the active warps in `since`.
    fn store_trips(&mut self) {
        if let Some(from) = self.from {
            self.active.warps().for_each(|(warp, _)| self.since[warp] = from);
        }
    }
}

impl GroupTrips {
    /// Creates trip counts of 0 for every loop.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self(vec![LoopTrips::default(); counted.loops])
    }
}

/// Returns the number of warps with active lanes.
fn count_warps(active: Mask) -> u64 {
    active.0.iter().map(|lanes| u64::from(*lanes != 0)).sum()
}

/// Lanes that execute something `rounds` times.
#[derive(Clone, Copy)]
pub(crate) struct Executions {
    pub(crate) active: Mask,
    pub(crate) rounds: u64,
}

impl Executions {
    /// Creates a single execution.
    pub(crate) fn once(active: Mask) -> Self {
        Self { active, rounds: 1 }
    }
}

/// The cost of requests to memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestCost {
    /// The number of requests.
    pub(crate) requests: u64,
    /// The wavefronts or sectors that they took.
    pub(crate) taken: u64,
    /// The wavefronts or sectors that they need at least.
    pub(crate) ideal: u64,
}

impl Tally {
    /// Creates an empty tally.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self {
            segments: vec![SegmentCounts::default(); counted.segments],
            trips: vec![Trips::default(); counted.loops],
            divergences: vec![0; counted.branches],
            requests: vec![RequestCost::default(); counted.requests.len()],
            texture_reads: vec![RequestCost::default(); counted.texture_reads],
            local_accesses: vec![RequestCost::default(); counted.local_accesses],
            bulk_copies: vec![BulkCopies::default(); counted.bulk_copies],
            memos: counted.requests.iter().map(|_| CostMemo::default()).collect(),
            block: 0,
            worst: WorstRequests::new(counted),
        }
    }

    /// Switches to the counts of another block. After a return to a lower block, the memos no
    /// longer hold,
    /// since a request of a later block may be the [worst](WorstRequests) of this one.
    pub(crate) fn switch_to_block(&mut self, block: u64) {
        if block < self.block {
            self.memos.iter_mut().for_each(|memo| memo.slots = Default::default());
        }
        self.block = block;
    }

    /// Counts executions of a segment.
    #[inline]
    pub(crate) fn count_segment(
        &mut self,
        segment: u32,
        Executions { active, rounds }: Executions,
    ) {
        let segment = &mut self.segments[segment as usize];
        if segment.active != active {
            segment.settle();
            segment.active = active;
        }
        segment.rounds += rounds;
    }

    /// Counts warps that enter a loop.
    pub(crate) fn enter_loop(
        &mut self,
        number: u32,
        Executions { active, rounds }: Executions,
        group: &mut GroupTrips,
    ) {
        let trips = &mut self.trips[number as usize];
        let loop_trips = &mut group.0[number as usize];
        loop_trips.settle(trips);
        loop_trips.restart(active);
        trips.add_visits(loop_trips.warps * rounds);
    }

    /// Counts iterations of a loop.
    #[inline]
    pub(crate) fn count_iterations(
        &mut self,
        number: u32,
        Executions { active, rounds }: Executions,
        group: &mut GroupTrips,
    ) {
        let loop_trips = &mut group.0[number as usize];
        if loop_trips.active != active {
            loop_trips.settle(&mut self.trips[number as usize]);
            loop_trips.switch_to(active);
        }
        loop_trips.rounds += rounds;
    }

    /// Counts warps that enter a loop and execute one iteration.
    pub(crate) fn count_single_iterations(
        &mut self,
        number: u32,
        Executions { active, rounds }: Executions,
    ) {
        self.trips[number as usize].add_iterations(0, 1, count_warps(active) * rounds);
    }

    /// Counts the pending iterations of a group.
    pub(crate) fn settle_group(&mut self, group: &mut GroupTrips) {
        group
            .0
            .iter_mut()
            .zip(&mut self.trips)
            .for_each(|(loop_trips, trips)| loop_trips.settle(trips));
    }

    /// Counts the warps with lanes in both sets, which diverge at a branch.
    pub(crate) fn count_divergence(&mut self, branch: u32, some: Mask, others: Mask) {
        let warps =
            some.0.iter().zip(others.0).filter(|(some, others)| **some != 0 && *others != 0);
        self.divergences[branch as usize] += warps.count() as u64;
    }

    /// Adds the cost of a request.
    pub(crate) fn add_request(&mut self, request: u32, cost: RequestCost) {
        self.requests[request as usize] += cost;
    }

    /// Adds the cost of a read of a texture.
    pub(crate) fn add_texture_read(&mut self, counter: u32, cost: RequestCost) {
        self.texture_reads[counter as usize] += cost;
    }

    /// Adds the cost of an access to local memory.
    pub(crate) fn add_local_access(&mut self, counter: u32, cost: RequestCost) {
        self.local_accesses[counter as usize] += cost;
    }

    /// Adds copies in bulk.
    pub(crate) fn add_bulk_copies(&mut self, counter: u32, copies: BulkCopies) {
        self.bulk_copies[counter as usize] += copies;
    }

    /// Returns the cost of a request, if an equal one was made before.
    #[inline(always)]
    pub(crate) fn known_cost(&self, request: u32, key: RequestKey) -> Option<RequestCost> {
        self.memos[request as usize].get(key)
    }

    /// Returns the memo of a request.
    pub(crate) fn memo(&mut self, request: u32) -> &mut CostMemo {
        &mut self.memos[request as usize]
    }

    /// Adds the tally of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        add_elementwise(&mut self.segments, other.segments);
        add_elementwise(&mut self.trips, other.trips);
        add_elementwise(&mut self.divergences, other.divergences);
        add_elementwise(&mut self.requests, other.requests);
        add_elementwise(&mut self.texture_reads, other.texture_reads);
        add_elementwise(&mut self.local_accesses, other.local_accesses);
        add_elementwise(&mut self.bulk_copies, other.bulk_copies);
        self.worst.join(other.worst);
    }

    /// Counts all pending executions.
    pub(crate) fn finish(&mut self) {
        self.segments.iter_mut().for_each(SegmentCounts::settle);
    }

    /// Returns the histogram of active lanes of a segment's executions.
    pub(crate) fn active_threads(&self, segment: u32) -> ActiveThreads {
        let Some(SegmentCounts { flow, partial, .. }) = self.segments.get(segment as usize) else {
            return ActiveThreads::default();
        };
        let mut active = partial.as_deref().copied().unwrap_or_default();
        active.add(LANES as u32, flow.warps - active.instructions());
        active
    }

    pub(crate) fn trips(&self, number: u32) -> Trips {
        get_or_default(&self.trips, Some(number))
    }

    pub(crate) fn executions(&self, segment: Option<u32>) -> ExecutionCounts {
        let segment = segment.and_then(|segment| self.segments.get(segment as usize));
        segment.map_or(ExecutionCounts::default(), |segment| segment.flow)
    }

    pub(crate) fn divergent_warps(&self, branch: Option<u32>) -> u64 {
        get_or_default(&self.divergences, branch)
    }

    pub(crate) fn texture_read_cost(&self, counter: Option<u32>) -> RequestCost {
        get_or_default(&self.texture_reads, counter)
    }

    pub(crate) fn local_access_cost(&self, counter: Option<u32>) -> RequestCost {
        get_or_default(&self.local_accesses, counter)
    }

    pub(crate) fn bulk_copies(&self, counter: Option<u32>) -> BulkCopies {
        get_or_default(&self.bulk_copies, counter)
    }

    pub(crate) fn request_cost(&self, request: Option<u32>) -> RequestCost {
        get_or_default(&self.requests, request)
    }
}

/// Returns the count at a number; the default without a number or without counts.
fn get_or_default<T: Copy + Default>(sums: &[T], number: Option<u32>) -> T {
    number.and_then(|number| sums.get(number as usize)).copied().unwrap_or_default()
}

/// Adds sums element by element; missing elements count as the default.
fn add_elementwise<T: Clone + Default + AddAssign>(sums: &mut Vec<T>, others: Vec<T>) {
    if sums.len() < others.len() {
        sums.resize(others.len(), T::default());
    }
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}

impl AddAssign for ExecutionCounts {
    fn add_assign(&mut self, Self { warps, threads }: Self) {
        self.warps += warps;
        self.threads += threads;
    }
}

impl AddAssign for RequestCost {
    fn add_assign(&mut self, Self { requests, taken, ideal }: Self) {
        self.requests += requests;
        self.taken += taken;
        self.ideal += ideal;
    }
}

impl RequestCost {
    /// Returns the cost of `times` equal requests.
    pub(crate) fn times(self, times: u64) -> Self {
        let Self { requests, taken, ideal } = self;
        Self { requests: requests * times, taken: taken * times, ideal: ideal * times }
    }
}

/// The costs of an instruction's requests, by everything that they depend on: a direct-mapped
/// cache.
#[derive(Debug, Default)]
pub(crate) struct CostMemo {
    /// The entries, each in the slot of its key.
    slots: [(Option<RequestKey>, RequestCost); 8],
    /// The distances between the addresses of the class [`RequestKey::RECORDED_CLASS`].
    recorded: Option<Box<[u64; LANES]>>,
}

/// Everything that the cost of a request depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestKey {
    /// The active lanes.
    pub(crate) active: u32,
    /// The class of distances between their addresses.
    pub(crate) class: u16,
    /// The position of the first byte in its sector.
    pub(crate) phase: u8,
}

impl RequestKey {
    /// The class of distances that translation does not know; the memo records them.
    pub(crate) const RECORDED_CLASS: u16 = u16::MAX;

    /// Returns the slot of the key in a memo.
    fn slot(self) -> usize {
        let folded = self.active ^ u32::from(self.class) << 3 ^ u32::from(self.phase) << 24;
        (folded.wrapping_mul(0x9e37_79b9) >> 29) as usize
    }
}

impl CostMemo {
    /// Returns the cost of a request, if it is known.
    #[inline(always)]
    pub(crate) fn get(&self, key: RequestKey) -> Option<RequestCost> {
        let (known, cost) = self.slots[key.slot()];
        (known == Some(key)).then_some(cost)
    }

    /// Remembers the cost of a request.
    pub(crate) fn insert(&mut self, key: RequestKey, cost: RequestCost) {
        self.slots[key.slot()] = (Some(key), cost);
    }

    /// Records the distances between addresses, and forgets all costs if they differ from the
    /// recorded ones.
    pub(crate) fn record_distances(&mut self, distances: &[u64; LANES]) {
        match &mut self.recorded {
            Some(seen) if **seen == *distances => {}
            seen => {
                *seen = Some(Box::new(*distances));
                self.slots = Default::default();
            }
        }
    }
}
