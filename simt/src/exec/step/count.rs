//! Counting: who comes by, who parts, and what accesses ask of memory.
use super::{Exec, control::Next};
use crate::{
    bytecode::{Address, Leave, Operand, Pattern, Request, When},
    observe::counters::{
        tally::{Asked, Begin, Key},
        worst::At,
    },
    vector::{
        lanes::{self, busiest::most_frequent},
        mask::{GROUP, Mask, bits},
    },
};
use warpwise_compiler::hardware::{LANES, global, shared};

impl<'e> Exec<'e> {
    pub(super) fn count(&mut self, segment: u32) {
        self.begin(segment, Begin::once(self.strand.active()));
    }

    /// Counts those who begin a segment, and with it an iteration of a loop, if that is where one begins.
    pub(super) fn begin(&mut self, segment: u32, begin: Begin) {
        self.log.tally.begin(segment, begin);
        if let Some(number) = self.code.counted.iterations[segment as usize] {
            self.log.tally.go(number, begin, self.gone);
        }
    }

    /// Counts those who come to a loop.
    pub(super) fn count_come(&mut self, number: u32) {
        self.log.tally.come(number, Begin::once(self.strand.active()), self.gone);
    }

    /// Counts who runs the first arm of an `if`; the others wait in its frame.
    pub(super) fn count_arm(&mut self, segment: u32, branch: u32) {
        self.count_parted(branch);
        self.count(segment);
    }

    /// Counts who parts at an `if`; the others wait in its frame.
    pub(super) fn count_parted(&mut self, branch: u32) {
        if let Some(frame) = self.strand.frames.last() {
            let others = frame.pending | frame.done;
            self.log.tally.part(branch, self.strand.active(), others);
        }
    }

    /// Lets lanes leave and counts who parts, and who leaves.
    pub(super) fn counted_leave(
        &mut self,
        (to, when): (Leave, When),
        branch: Option<u32>,
        segment: Option<u32>,
    ) -> Next {
        let lanes = self.leaving(when);
        if !lanes.is_empty() {
            if let Some(branch) = branch {
                self.log.tally.part(branch, lanes, self.strand.active().without(lanes));
            }
            if let Some(segment) = segment {
                self.begin(segment, Begin::once(lanes));
            }
        }
        self.leave_by(to, lanes)
    }

    /// Counts what each warp asks of memory.
    #[inline]
    pub(super) fn count_request(&mut self, number: u32) {
        let all = match self.asked_before(number) {
            Some(all) => all,
            None => self.asks(number, 0),
        };
        self.log.tally.ask(number, all);
    }

    /// The pattern of a request, if it holds here.
    #[inline(always)]
    fn pattern(&self, number: u32) -> Option<&'e Pattern> {
        let pattern = self.bound.patterns.get(number as usize)?.as_ref()?;
        (self.place.in_step || !pattern.in_step).then_some(pattern)
    }

    /// What the warps ask of memory, if that is the same for all and was asked before.
    #[inline(always)]
    pub(super) fn asked_before(&self, number: u32) -> Option<Asked> {
        let request = &self.code.counted.requests[number as usize];
        let pattern = self.pattern(number)?;
        let alike = pattern.alike[self.place.first_thread / GROUP].as_ref()?;
        if alike.lanes != self.strand.active() {
            return None;
        }
        // Where nothing depends on it, it need not be known.
        let first = if request.phases == 1 { 0 } else { self.byte_of(request.at, 0) };
        let phase = request.phase(first);
        let key = Key { active: u32::MAX, class: alike.class, phase };
        Some(self.log.tally.asked_before(number, key)?.times(alike.warps))
    }

    /// What the warps ask of memory, so many bytes behind where the request goes.
    pub(super) fn asks(&mut self, number: u32, shift: u64) -> Asked {
        match self.pattern(number) {
            Some(pattern) => self.ask_by(pattern, (number, shift)),
            None => self.ask_by_addresses((number, shift)),
        }
    }

    /// What the warps ask whose addresses are known but for what all have in common.
    #[inline]
    fn ask_by(&mut self, pattern: &Pattern, (number, shift): (u32, u64)) -> Asked {
        let request = &self.code.counted.requests[number as usize];
        let active: Mask = self.strand.active();
        let first_thread = self.place.first_thread;
        if let Some(alike) = &pattern.alike[first_thread / GROUP]
            && alike.lanes == active
        {
            let first = self.byte_of(request.at, 0).wrapping_add(shift);
            let asked = self.ask_once(pattern, (number, shift), (0, u32::MAX), first);
            return asked.times(alike.warps);
        }
        let Some((some, lanes)) = active.warps().next() else { return Asked::default() };
        let some = some * LANES + lanes.trailing_zeros() as usize;
        let offsets = &pattern.offsets[first_thread..];
        let common = self.byte_of(request.at, some).wrapping_sub(offsets[some]).wrapping_add(shift);
        let mut all = Asked::default();
        for (warp, active) in active.warps() {
            let first = common.wrapping_add(offsets[warp * LANES]);
            all += self.ask_once(pattern, (number, shift), (warp, active), first);
        }
        all
    }

    /// What one warp asks whose first lane's byte is, or would be, this one.
    #[inline]
    fn ask_once(
        &mut self,
        pattern: &Pattern,
        (number, shift): (u32, u64),
        (warp, active): (usize, u32),
        first: u64,
    ) -> Asked {
        let request = &self.code.counted.requests[number as usize];
        let first_lane = self.place.first_thread + warp * LANES;
        let class = pattern.classes[first_lane / LANES];
        let key = Key { active, class, phase: request.phase(first) };
        if let Some(asked) = self.log.tally.memo(number).get(key) {
            return asked;
        }
        let offsets = &pattern.offsets[first_lane..];
        let mut addresses = [0; LANES];
        for (address, offset) in addresses.iter_mut().zip(offsets) {
            *address = first.wrapping_add(*offset).wrapping_sub(offsets[0]);
        }
        let asked = asked(request, active, &addresses);
        self.log.tally.memo(number).put(key, asked);
        self.note((number, shift), asked, (warp, active));
        asked
    }

    /// Keeps what a warp asks, if nothing was worse before. What was computed before was noted then.
    fn note(&mut self, (number, shift): (u32, u64), asked: Asked, (warp, active): (usize, u32)) {
        let block = self.place.block;
        if self.log.tally.worst.is_beaten(number, asked, block) {
            let request = &self.code.counted.requests[number as usize];
            let addresses = self.addresses(request.at, warp, active);
            let addresses = addresses.map(|address| address.wrapping_add(shift));
            let warp = (self.place.first_thread / LANES + warp) as u32;
            self.log.tally.worst.note(number, asked, At { block, warp, active }, addresses);
        }
    }

    /// What warps ask of which nothing is known before.
    fn ask_by_addresses(&mut self, (number, shift): (u32, u64)) -> Asked {
        let request = &self.code.counted.requests[number as usize];
        let active: Mask = self.strand.active();
        let mut all = Asked::default();
        for (warp, active) in active.warps() {
            let addresses = self.addresses(request.at, warp, active);
            if request.is_served_at_once() {
                // To look is as fast as to remember.
                let addresses = addresses.map(|address| address.wrapping_add(shift));
                let asked = asked(request, active, &addresses);
                self.note((number, shift), asked, (warp, active));
                all += asked;
                continue;
            }
            let first = addresses[0].wrapping_add(shift);
            let memo = self.log.tally.memo(number);
            memo.see(&addresses.map(|address| address.wrapping_sub(addresses[0])));
            let key = Key { active, class: Key::SEEN, phase: request.phase(first) };
            all += match memo.get(key) {
                Some(asked) => asked,
                None => {
                    let addresses = addresses.map(|address| address.wrapping_add(shift));
                    let asked = asked(request, active, &addresses);
                    memo.put(key, asked);
                    self.note((number, shift), asked, (warp, active));
                    asked
                }
            };
        }
        all
    }

    /// Where the lanes of a warp go; those that are not active with the first one that is.
    pub(super) fn addresses(&self, at: Address<Operand>, warp: usize, active: u32) -> [u64; LANES] {
        let values = match at.index() {
            Operand::Lanes(reg) => self.registers.warp(reg, warp),
            Operand::Uniform(uniform) => [uniform.get(&self.strand.uniforms); LANES],
            Operand::Affine(_) => {
                std::array::from_fn(|lane| self.value(at.index(), warp * LANES + lane))
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

    /// A number for the byte where one lane's access goes: buffers lie far apart, each at a multiple of
    /// what hardware cares about.
    #[inline(always)]
    pub(super) fn byte_of(&self, at: Address<Operand>, lane: usize) -> u64 {
        let value = self.value(at.index(), lane);
        match at {
            Address::Element { buffer, stride, offset, .. } => {
                let base = lanes::address(buffer).wrapping_add(offset);
                value.wrapping_mul(stride).wrapping_add(base)
            }
            Address::Pointer { offset, .. } => value.wrapping_add(offset),
        }
    }
}

/// What a warp asks of memory at once.
pub(crate) fn asked(request: &Request, active: u32, addresses: &[u64; LANES]) -> Asked {
    let Request { kind, is_shared, bytes, .. } = *request;
    let (taken, ideal) = if request.is_served_at_once() {
        let bank = |address| (address / shared::WORD_BYTES % shared::BANKS) as u8;
        (most_frequent(addresses.map(bank), active), u32::from(active != 0))
    } else if is_shared {
        let found = shared::count_wavefronts(kind, bytes, active, addresses);
        (found.taken, found.ideal)
    } else {
        let found = global::count_sectors(kind, bytes, active, addresses);
        (found.taken, found.ideal)
    };
    Asked { requests: 1, taken: taken.into(), ideal: ideal.into() }
}
