//! Counters of replayed rounds. The cost of a request repeats after a few rounds: these are
//! computed, and stand for the others.
use super::{
    effects::{Effects, LinearRequest},
    lane_instrs::LaneRequest,
};
use crate::{
    bytecode::{Code, Pattern},
    exec::{bound::Bound, step::request_cost},
    observe::counters::{
        tally::{Executions, GroupTrips, RequestCost, RequestKey, Tally},
        worst::{AccessedMemory, Requester},
    },
    vector::{
        lanes::{
            busiest_bank::{BATCH_WARPS, WarpKeys, count_most_frequent},
            resolve,
            words::Words,
        },
        mask::{GROUP, Mask, bits},
        registers::Registers,
    },
};
use warpwise_compiler::hardware::{LANES, shared};

/// The counters of a group's replayed rounds.
pub(crate) struct ReplayCounter<'t, 'a> {
    pub(crate) code: &'a Code,
    pub(crate) bound: &'a Bound<'a>,
    pub(crate) tally: &'t mut Tally,
    /// The trip counts of the group's warps.
    pub(crate) trip_counts: &'t mut GroupTrips,
    pub(crate) group: usize,
    /// True if lanes in a loop have the same trip count.
    pub(crate) equal_trips: bool,
    /// The block of the first round, and the increment to that of the next round.
    pub(crate) block: u64,
    pub(crate) block_step: u64,
    /// Atomic requests that are counted together.
    pub(crate) batch: Option<Box<Batch>>,
}

/// Atomic requests of full warps to shared memory by one-byte indices, in the order in which they
/// are made.
pub(crate) struct Batch {
    by_lanes: Option<LaneRequest>,
    indices: [WarpKeys; BATCH_WARPS],
    /// Number of requests.
    len: usize,
    /// The first of consecutive warps, with the number of requests before it.
    firsts: Vec<(usize, Requester)>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            by_lanes: None,
            indices: [WarpKeys::default(); BATCH_WARPS],
            len: 0,
            firsts: Vec::new(),
        }
    }
}

impl Batch {
    /// Returns the origin of a request.
    fn origin(&self, number: usize) -> Option<Requester> {
        let (before, at) = self.firsts.iter().rfind(|(before, _)| *before <= number)?;
        Some(Requester { warp: at.warp + (number - before) as u32, ..*at })
    }
}

impl<'a> ReplayCounter<'_, 'a> {
    /// Counts `rounds` rounds.
    pub(crate) fn count(&mut self, effects: &Effects, rounds: u64) {
        let lanes = Mask::first(self.bound.lanes_in_group(self.group));
        let begin = Executions { active: lanes, rounds };
        for segment in &effects.segments {
            self.tally.count_segment(*segment, begin);
            match self.code.counted.iterations[*segment as usize] {
                // A loop that is entered in a round is left in it, too.
                Some(number) if effects.loops.contains(&number) => {
                    self.tally.count_single_iterations(number, begin)
                }
                Some(number) => self.tally.count_iterations(number, begin, self.trip_counts),
                None => {}
            }
        }
        for number in &effects.loops {
            self.tally.enter_loop(*number, begin, self.trip_counts);
        }
        for linear in &effects.requests {
            let period = self.code.counted.requests[linear.request as usize].period(linear.step);
            let mut all = RequestCost::default();
            for round in 0..period.min(rounds) {
                all +=
                    self.round_cost(linear, round, lanes).times((rounds - round).div_ceil(period));
            }
            self.tally.add_request(linear.request, all);
        }
    }

    /// Counts a request of a round by indices in lanes.
    pub(super) fn count_lane_request(
        &mut self,
        by_lanes: &LaneRequest,
        registers: &Registers,
        round: u64,
    ) {
        let lanes = self.bound.lanes_in_group(self.group);
        if by_lanes.is_batched(lanes) {
            let indices = registers.warps(by_lanes.index, lanes / LANES);
            self.batch_room(by_lanes, lanes, round).copy_from_slice(indices);
            return;
        }
        self.flush_batch();
        let block = self.block + round * self.block_step;
        let first_warp = (self.group * (GROUP / LANES)) as u32;
        let request = &self.code.counted.requests[by_lanes.request as usize];
        for (warp, active) in Mask::first(lanes).warps() {
            let values = registers.warp_bits(by_lanes.index, warp);
            let addresses = by_lanes.lane_addresses(values, active);
            let asked = request_cost(request, active, &addresses);
            self.tally.add_request(by_lanes.request, asked);
            if self.tally.worst.is_exceeded_by(by_lanes.request, asked, block) {
                let at = Requester { block, warp: first_warp + warp as u32, active };
                let accessed = AccessedMemory::shared(addresses, active);
                self.tally.worst.set(by_lanes.request, asked, at, accessed);
            }
        }
    }

    /// Counts a request of a round by one-byte indices in memory.
    #[inline(always)]
    pub(super) fn count_word_request(
        &mut self,
        by_lanes: &LaneRequest,
        words: &Words<'_>,
        round: u64,
    ) {
        let room = self.batch_room(by_lanes, self.bound.lanes_in_group(self.group), round);
        words.load_bytes(round, room);
    }

    /// Makes room in the batch for the indices of the full warps of a round.
    #[inline(always)]
    fn batch_room(&mut self, by_lanes: &LaneRequest, lanes: usize, round: u64) -> &mut [u8] {
        let warps = lanes / LANES;
        let has_room = |batch: &Batch| match &batch.by_lanes {
            Some(before) => before.request == by_lanes.request && batch.len + warps <= BATCH_WARPS,
            None => true,
        };
        if self.batch.as_deref().is_some_and(|batch| !has_room(batch)) {
            self.flush_batch();
        }
        let block = self.block + round * self.block_step;
        let warp = (self.group * (GROUP / LANES)) as u32;
        let batch = self.batch.get_or_insert_default();
        batch.by_lanes = Some(*by_lanes);
        batch.firsts.push((batch.len, Requester { block, warp, active: u32::MAX }));
        let first = batch.len;
        batch.len += warps;
        batch.indices[first..batch.len].as_flattened_mut()
    }

    /// Counts the requests of the batch.
    pub(crate) fn flush_batch(&mut self) {
        let Some(batch) = &mut self.batch else { return };
        let (Some(by_lanes), len) = (batch.by_lanes.take(), std::mem::take(&mut batch.len)) else {
            return;
        };
        let taken = &count_bank_accesses(by_lanes, &batch.indices)[..len];
        let (mut sum, mut most) = (0_u32, 0);
        for taken in taken {
            sum += u32::from(*taken);
            most = most.max(*taken);
        }
        let len = len as u64;
        self.tally.add_request(
            by_lanes.request,
            RequestCost { requests: len, taken: sum.into(), ideal: len },
        );
        // The first of the worst requests is that of the lowest block. No block of the batch
        // precedes the first one, so the first check skips a batch that cannot beat the worst
        // request so far.
        let asked = RequestCost { requests: 1, taken: most.into(), ideal: 1 };
        let beats =
            |tally: &Tally, block| tally.worst.is_exceeded_by(by_lanes.request, asked, block);
        if batch.firsts.first().is_some_and(|(_, first)| beats(self.tally, first.block))
            && let Some(worst) = taken.iter().position(|taken| *taken == most)
            && let Some(at) = batch.origin(worst)
            && beats(self.tally, at.block)
        {
            let addresses = by_lanes.lane_addresses(batch.indices[worst].map(u64::from), u32::MAX);
            let accessed = AccessedMemory::shared(addresses, u32::MAX);
            self.tally.worst.set(by_lanes.request, asked, at, accessed);
        }
        batch.firsts.clear();
    }

    /// Returns the cost of a request in a round.
    fn round_cost(&mut self, linear: &LinearRequest, round: u64, lanes: Mask) -> RequestCost {
        let pattern = self.bound.patterns.get(linear.request as usize).and_then(Option::as_ref);
        let pattern = pattern.filter(|pattern| self.equal_trips || !pattern.equal_trips);
        if let Some(uniform) = pattern.and_then(|pattern| pattern.uniform_groups[self.group]) {
            return self.warp_cost(linear, round, (0, u32::MAX), pattern).times(uniform.warps);
        }
        let mut all = RequestCost::default();
        for warp in lanes.warps() {
            all += self.warp_cost(linear, round, warp, pattern);
        }
        all
    }

    /// Returns the cost of a warp's request in a round.
    fn warp_cost(
        &mut self,
        linear: &LinearRequest,
        round: u64,
        (warp, active): (usize, u32),
        pattern: Option<&'a Pattern>,
    ) -> RequestCost {
        let request = &self.code.counted.requests[linear.request as usize];
        let first_warp = self.group * (GROUP / LANES);
        let common = linear.first.wrapping_add(linear.step.wrapping_mul(round));
        let (buffer, _) = resolve(common);
        let common = self.bound.memory_address(common);
        let first = common.wrapping_add(self.lane_distance(linear, warp * LANES));
        let key = |pattern: &Pattern| {
            let class = pattern.classes[first_warp + warp];
            RequestKey { active, class, phase: request.phase(first) }
        };
        let key = pattern.map(key);
        if let Some(asked) = key.and_then(|key| self.tally.memo(linear.request).get(key)) {
            return asked;
        }
        let mut addresses = [first; LANES];
        for lane in (0..LANES).filter(|lane| active >> lane & 1 != 0) {
            addresses[lane] = common.wrapping_add(self.lane_distance(linear, warp * LANES + lane));
        }
        let asked = request_cost(request, active, &addresses);
        if let Some(key) = key {
            self.tally.memo(linear.request).insert(key, asked);
        }
        let block = self.block + round * self.block_step;
        if self.tally.worst.is_exceeded_by(linear.request, asked, block) {
            let at = Requester { block, warp: (first_warp + warp) as u32, active };
            let accessed = AccessedMemory { buffer, addresses };
            self.tally.worst.set(linear.request, asked, at, accessed);
        }
        asked
    }

    /// Returns the distance in bytes of a lane's address from the first lane's.
    fn lane_distance(&self, linear: &LinearRequest, lane: usize) -> u64 {
        let Some((slope, stride)) = linear.slope else { return 0 };
        let own = self.bound.slope_values(slope, self.group * GROUP, lane + 1);
        own[lane].wrapping_sub(own[0]).cast_unsigned().wrapping_mul(stride)
    }
}

impl LaneRequest {
    /// Returns the addresses of the lanes of a warp; inactive lanes get that of the first active
    /// one.
    fn lane_addresses(&self, indices: [u64; LANES], active: u32) -> [u64; LANES] {
        let mut addresses =
            indices.map(|index| index.wrapping_mul(self.stride).wrapping_add(self.start));
        if active != u32::MAX {
            let some = addresses[active.trailing_zeros() as usize % LANES];
            bits(!active).for_each(|lane| addresses[lane] = some);
        }
        addresses
    }
}

/// Returns, for each warp of a batch, the number of accesses to its busiest bank.
fn count_bank_accesses(
    by_lanes: LaneRequest,
    indices: &[WarpKeys; BATCH_WARPS],
) -> [u8; BATCH_WARPS] {
    const WORD: u8 = shared::WORD_BYTES as u8;
    // The lowest bits of an address determine its bank.
    let (stride, start) = (by_lanes.stride as u8, by_lanes.start as u8);
    if (stride, start % WORD) == (WORD, 0) {
        // Neighbouring words are in neighbouring banks, and the position of the first changes no
        // count.
        return count_most_frequent(indices);
    }
    let mut banks = *indices;
    for index in banks.as_flattened_mut() {
        *index = index.wrapping_mul(stride).wrapping_add(start) / WORD;
    }
    count_most_frequent(&banks)
}
