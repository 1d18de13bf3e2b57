//! Counters of segments, divergence, loops and requests.
use super::{Exec, control::Next};
use crate::{
    bytecode::{Address, Leave, Operand, Pattern, Request, When},
    observe::counters::{
        BulkCopies,
        tally::{Executions, RequestCost, RequestKey},
        worst::{AccessedMemory, Requester, buffer_of_first},
    },
    vector::{
        lanes::{self, busiest_bank::most_frequent},
        mask::{GROUP, Mask, bits},
    },
};
use std::ops::Range;
use warpwise_compiler::{
    hardware::{LANES, constant, global, shared},
    ir::Space,
};

/// A copy in bulk that is counted.
pub(super) struct CountedCopy {
    pub(super) counter: u32,
    /// True from global to shared memory.
    pub(super) is_load: bool,
    /// The bytes in shared memory.
    pub(super) bytes: u64,
}

impl<'e> Exec<'e> {
    /// Counts a copy in bulk from ascending ranges of addresses of global memory, or to them.
    pub(super) fn count_bulk_copy(
        &mut self,
        copy: &CountedCopy,
        ranges: impl Iterator<Item = Range<u64>>,
    ) {
        let mut sectors = Vec::new();
        let mut next = 0;
        for Range { start, end } in ranges.filter(|range| !range.is_empty()) {
            let [first, last] = [start, end - 1]
                .map(|address| self.bound.memory_address(address) / global::SECTOR_BYTES);
            sectors.extend(next.max(first)..=last);
            next = next.max(last + 1);
        }
        let CountedCopy { counter, is_load, bytes } = *copy;
        if let Some(caches) = &mut self.log.caches {
            caches.bulk_copy(self.position.block, is_load, &sectors);
        }
        let counts = BulkCopies { copies: 1, bytes, sectors: sectors.len() as u64 };
        self.log.tally.add_bulk_copies(counter, counts);
    }

    pub(super) fn count_segment(&mut self, segment: u32) {
        self.begin_segment(segment, Executions::once(self.strand.active()));
    }

    /// Counts the lanes that begin a segment, and the iteration that begins with it, if one does.
    pub(super) fn begin_segment(&mut self, segment: u32, begin: Executions) {
        self.log.tally.count_segment(segment, begin);
        if let Some(number) = self.code.counted.iterations[segment as usize] {
            self.log.tally.count_iterations(number, begin, self.trip_counts);
        }
    }

    /// Counts the lanes that enter a loop.
    pub(super) fn count_loop_entry(&mut self, number: u32) {
        self.log.tally.enter_loop(number, Executions::once(self.strand.active()), self.trip_counts);
    }

    /// Counts the lanes of the first arm of an `if`; the others wait in its frame.
    pub(super) fn count_arm(&mut self, segment: u32, branch: u32) {
        self.count_divergence(branch);
        self.count_segment(segment);
    }

    /// Counts the divergence at an `if`; the other lanes wait in its frame.
    pub(super) fn count_divergence(&mut self, branch: u32) {
        if let Some(frame) = self.strand.frames.last() {
            let others = frame.pending | frame.done;
            self.log.tally.count_divergence(branch, self.strand.active(), others);
        }
    }

    /// Makes lanes leave, and counts the divergence and the lanes that leave.
    pub(super) fn counted_leave(
        &mut self,
        (to, when): (Leave, When),
        branch: Option<u32>,
        segment: Option<u32>,
    ) -> Next {
        let lanes = self.leaving_lanes(when);
        if !lanes.is_empty() {
            if let Some(branch) = branch {
                self.log.tally.count_divergence(branch, lanes, self.strand.active().without(lanes));
            }
            if let Some(segment) = segment {
                self.begin_segment(segment, Executions::once(lanes));
            }
        }
        self.leave_lanes(to, lanes)
    }

    /// Counts the cost of each warp's request.
    #[inline]
    pub(super) fn count_request(&mut self, number: u32) {
        let all = match self.known_cost(number) {
            Some(all) => all,
            None => self.shifted_cost(number, 0),
        };
        self.log.tally.add_request(number, all);
    }

    /// Returns the address pattern of a request, if it holds here.
    #[inline(always)]
    fn request_pattern(&self, number: u32) -> Option<&'e Pattern> {
        let pattern = self.bound.patterns.get(number as usize)?.as_ref()?;
        (self.position.equal_trips || !pattern.equal_trips).then_some(pattern)
    }

    /// Returns the cost of a request, if it is the same for all warps and has occurred before.
    #[inline(always)]
    pub(super) fn known_cost(&self, number: u32) -> Option<RequestCost> {
        let request = &self.code.counted.requests[number as usize];
        let pattern = self.request_pattern(number)?;
        let uniform = pattern.uniform_groups[self.position.first_thread / GROUP].as_ref()?;
        if uniform.lanes != self.strand.active() {
            return None;
        }
        // A cost that does not depend on the address needs no address.
        let first = if request.phases == 1 { 0 } else { self.memory_address(request.at, 0) };
        let phase = request.phase(first);
        let key = RequestKey { active: u32::MAX, class: uniform.class, phase };
        Some(self.log.tally.known_cost(number, key)?.times(uniform.warps))
    }

    /// Returns the cost of a request whose addresses are shifted by `shift` bytes.
    pub(super) fn shifted_cost(&mut self, number: u32, shift: u64) -> RequestCost {
        match self.request_pattern(number) {
            Some(pattern) => self.cost_by_pattern(pattern, (number, shift)),
            None => self.cost_by_addresses((number, shift)),
        }
    }

    /// Returns the cost of a request with an address pattern.
    #[inline]
    fn cost_by_pattern(&mut self, pattern: &Pattern, (number, shift): (u32, u64)) -> RequestCost {
        let request = &self.code.counted.requests[number as usize];
        let active: Mask = self.strand.active();
        let first_thread = self.position.first_thread;
        if let Some(uniform) = &pattern.uniform_groups[first_thread / GROUP]
            && uniform.lanes == active
        {
            let first = self.memory_address(request.at, 0).wrapping_add(shift);
            let asked = self.warp_cost_by_pattern(pattern, (number, shift), (0, u32::MAX), first);
            return asked.times(uniform.warps);
        }
        let Some((some, lanes)) = active.warps().next() else { return RequestCost::default() };
        let some = some * LANES + lanes.trailing_zeros() as usize;
        let offsets = &pattern.offsets[first_thread..];
        let common =
            self.memory_address(request.at, some).wrapping_sub(offsets[some]).wrapping_add(shift);
        let mut all = RequestCost::default();
        for (warp, active) in active.warps() {
            let first = common.wrapping_add(offsets[warp * LANES]);
            all += self.warp_cost_by_pattern(pattern, (number, shift), (warp, active), first);
        }
        all
    }

    /// Returns the cost of one warp's request with an address pattern, given the address in memory
    /// of its first lane.
    #[inline]
    fn warp_cost_by_pattern(
        &mut self,
        pattern: &Pattern,
        (number, shift): (u32, u64),
        (warp, active): (usize, u32),
        first: u64,
    ) -> RequestCost {
        let request = &self.code.counted.requests[number as usize];
        let first_lane = self.position.first_thread + warp * LANES;
        let class = pattern.classes[first_lane / LANES];
        let key = RequestKey { active, class, phase: request.phase(first) };
        if let Some(asked) = self.log.tally.memo(number).get(key) {
            return asked;
        }
        let offsets = &pattern.offsets[first_lane..];
        let mut addresses = [0; LANES];
        for (address, offset) in addresses.iter_mut().zip(offsets) {
            *address = first.wrapping_add(*offset).wrapping_sub(offsets[0]);
        }
        let asked = request_cost(request, active, &addresses);
        self.log.tally.memo(number).insert(key, asked);
        self.record_if_worst((number, shift), asked, (warp, active));
        asked
    }

    /// Records a warp's request as the worst so far, if it is. A cost from the memo was recorded
    /// when it was computed.
    fn record_if_worst(
        &mut self,
        (number, shift): (u32, u64),
        asked: RequestCost,
        (warp, active): (usize, u32),
    ) {
        let block = self.position.block;
        if self.log.tally.worst.is_exceeded_by(number, asked, block) {
            let request = &self.code.counted.requests[number as usize];
            let addresses = self.lane_addresses(request.at, warp, active);
            let buffer = buffer_of_first(&addresses, active);
            let addresses = self.bound.memory_addresses(addresses);
            let addresses = addresses.map(|address| address.wrapping_add(shift));
            let requester = Requester {
                block,
                warp: (self.position.first_thread / LANES + warp) as u32,
                active,
            };
            let accessed = AccessedMemory { buffer, addresses };
            self.log.tally.worst.set(number, asked, requester, accessed);
        }
    }

    /// Returns the cost of a request without an address pattern.
    fn cost_by_addresses(&mut self, (number, shift): (u32, u64)) -> RequestCost {
        let request = &self.code.counted.requests[number as usize];
        let active: Mask = self.strand.active();
        let mut all = RequestCost::default();
        for (warp, active) in active.warps() {
            let addresses = self.lane_addresses(request.at, warp, active);
            let addresses = self.bound.memory_addresses(addresses);
            if request.space == Space::Global
                && let Some(caches) = &mut self.log.caches
            {
                let (kind, bytes) = (request.kind, request.bytes);
                caches.request(self.position.block, kind, bytes, active, &addresses);
            }
            if request.is_served_at_once() {
                // Computing the cost is as fast as a look-up.
                let addresses = addresses.map(|address| address.wrapping_add(shift));
                let asked = request_cost(request, active, &addresses);
                self.record_if_worst((number, shift), asked, (warp, active));
                all += asked;
                continue;
            }
            let first = addresses[0].wrapping_add(shift);
            let memo = self.log.tally.memo(number);
            memo.record_distances(&addresses.map(|address| address.wrapping_sub(addresses[0])));
            let key = RequestKey {
                active,
                class: RequestKey::RECORDED_CLASS,
                phase: request.phase(first),
            };
            all += match memo.get(key) {
                Some(asked) => asked,
                None => {
                    let addresses = addresses.map(|address| address.wrapping_add(shift));
                    let asked = request_cost(request, active, &addresses);
                    memo.insert(key, asked);
                    self.record_if_worst((number, shift), asked, (warp, active));
                    asked
                }
            };
        }
        all
    }

    /// Returns the addresses of the lanes of a warp; inactive lanes get that of the first active
    /// one.
    pub(super) fn lane_addresses(
        &self,
        at: Address<Operand>,
        warp: usize,
        active: u32,
    ) -> [u64; LANES] {
        let values = match at.index() {
            Operand::Lanes(reg) => self.registers.warp_bits(reg, warp),
            Operand::Uniform(uniform) => [uniform.get(&self.strand.uniforms); LANES],
            Operand::Affine(_) => {
                std::array::from_fn(|lane| self.operand_value(at.index(), warp * LANES + lane))
            }
        };
        let (base, stride) = match at {
            Address::Element { buffer, stride, offset, .. } => {
                (lanes::address(buffer).wrapping_add(offset), stride)
            }
            Address::Pointer { offset, .. } => (offset, 1),
        };
        let mut addresses = values.map(|value| value.wrapping_mul(stride).wrapping_add(base));
        if active != u32::MAX {
            let some = addresses[active.trailing_zeros() as usize % LANES];
            bits(!active).for_each(|lane| addresses[lane] = some);
        }
        addresses
    }

    /// Returns the [address in memory](crate::exec::bound::Bound::memory_address) of one lane.
    #[inline(always)]
    fn memory_address(&self, at: Address<Operand>, lane: usize) -> u64 {
        self.bound.memory_address(self.byte_address(at, lane))
    }

    /// Returns the address of one lane as a number: buffers are far apart.
    #[inline(always)]
    pub(super) fn byte_address(&self, at: Address<Operand>, lane: usize) -> u64 {
        let value = self.operand_value(at.index(), lane);
        match at {
            Address::Element { buffer, stride, offset, .. } => {
                let base = lanes::address(buffer).wrapping_add(offset);
                value.wrapping_mul(stride).wrapping_add(base)
            }
            Address::Pointer { offset, .. } => value.wrapping_add(offset),
        }
    }
}

/// Returns the cost of a warp's request.
pub(crate) fn request_cost(
    request: &Request,
    active: u32,
    addresses: &[u64; LANES],
) -> RequestCost {
    let Request { kind, space, bytes, .. } = *request;
    let (taken, ideal) = if request.is_served_at_once() {
        let bank = |address| (address / shared::WORD_BYTES % shared::BANKS) as u8;
        (most_frequent(addresses.map(bank), active), u32::from(active != 0))
    } else {
        match space {
            Space::Shared | Space::Cluster => {
                let found = shared::count_wavefronts(kind, bytes, active, addresses);
                (found.taken, found.ideal)
            }
            Space::Constant => {
                let found = constant::count_wavefronts(bytes, active, addresses);
                (found.taken, found.ideal)
            }
            Space::Global | Space::Local => {
                let found = global::count_sectors(kind, bytes, active, addresses);
                (found.taken, found.ideal)
            }
        }
    };
    RequestCost { requests: 1, taken: taken.into(), ideal: ideal.into() }
}
