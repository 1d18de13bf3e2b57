//! Counts what rounds do that are alike. What a request asks of memory comes again after a few of them: these are looked
//! at, and stand for the others.
use super::{
    effects::{Going, Noted},
    lane_instrs::Asking,
};
use crate::{
    bytecode::{Code, Pattern},
    exec::{bound::Bound, step::asked},
    observe::counters::{
        tally::{Asked, Begin, Gone, Key, Tally},
        worst::At,
    },
    vector::{
        lanes::{
            busiest::{ROWS, Row, count_most_frequent},
            words::Words,
        },
        mask::{GROUP, Mask, bits},
        registers::Registers,
    },
};
use warpwise_compiler::hardware::{LANES, shared};

/// Counts what all lanes of a group do.
pub(crate) struct Counts<'t, 'a> {
    pub(crate) code: &'a Code,
    pub(crate) bound: &'a Bound<'a>,
    pub(crate) tally: &'t mut Tally,
    /// Iterations of the group's warps.
    pub(crate) gone: &'t mut Gone,
    pub(crate) group: usize,
    /// Whether lanes that run a loop together have gone round as often.
    pub(crate) in_step: bool,
    /// Number of the block of the first round, and how many further on that of each other is.
    pub(crate) block: u64,
    pub(crate) ahead: u64,
    /// Atomic requests that are counted together.
    pub(crate) batch: Option<Box<Batch>>,
}

/// Atomic requests of full warps to shared memory by indices of a byte, in the order in which they are made.
pub(crate) struct Batch {
    asking: Option<Asking>,
    indices: [Row; ROWS],
    /// Requests.
    len: usize,
    /// The first of some neighbouring warps, with the number of requests before theirs.
    firsts: Vec<(usize, At)>,
}

impl Default for Batch {
    fn default() -> Self {
        Self { asking: None, indices: [Row::default(); ROWS], len: 0, firsts: Vec::new() }
    }
}

impl Batch {
    /// Returns who makes a request.
    fn at(&self, number: usize) -> Option<At> {
        let (before, at) = self.firsts.iter().rfind(|(before, _)| *before <= number)?;
        Some(At { warp: at.warp + (number - before) as u32, ..*at })
    }
}

impl<'a> Counts<'_, 'a> {
    /// Counts so many rounds.
    pub(crate) fn count(&mut self, noted: &Noted, rounds: u64) {
        let lanes = Mask::first(self.bound.lanes(self.group));
        let begin = Begin { active: lanes, rounds };
        for segment in &noted.segments {
            self.tally.begin(*segment, begin);
            match self.code.counted.iterations[*segment as usize] {
                // A loop that is come to in a round is left in it, too.
                Some(number) if noted.loops.contains(&number) => self.tally.go_once(number, begin),
                Some(number) => self.tally.go(number, begin, self.gone),
                None => {}
            }
        }
        for number in &noted.loops {
            self.tally.come(*number, begin, self.gone);
        }
        for going in &noted.requests {
            let period = self.code.counted.requests[going.request as usize].period(going.step);
            let mut all = Asked::default();
            for round in 0..period.min(rounds) {
                all += self.asks(going, round, lanes).times((rounds - round).div_ceil(period));
            }
            self.tally.ask(going.request, all);
        }
    }

    /// Counts what lanes ask in a round by indices that only they have.
    pub(super) fn ask_by_lanes(&mut self, asking: &Asking, registers: &Registers, round: u64) {
        let lanes = self.bound.lanes(self.group);
        if asking.is_batched(lanes) {
            let indices = registers.warps(asking.index, lanes / LANES);
            self.room(asking, lanes, round).copy_from_slice(indices);
            return;
        }
        self.finish();
        let block = self.block + round * self.ahead;
        let first_warp = (self.group * (GROUP / LANES)) as u32;
        let request = &self.code.counted.requests[asking.request as usize];
        for (warp, active) in Mask::first(lanes).warps() {
            let values = registers.warp(asking.index, warp);
            let addresses = asking.addresses(values, active);
            let asked = asked(request, active, &addresses);
            self.tally.ask(asking.request, asked);
            if self.tally.worst.is_beaten(asking.request, asked, block) {
                let at = At { block, warp: first_warp + warp as u32, active };
                self.tally.worst.note(asking.request, asked, at, addresses);
            }
        }
    }

    /// Counts what lanes ask in a round by indices of a byte in memory.
    #[inline(always)]
    pub(super) fn ask_by_words(&mut self, asking: &Asking, words: &Words<'_>, round: u64) {
        let room = self.room(asking, self.bound.lanes(self.group), round);
        words.load_bytes(round, room);
    }

    /// Makes room in the batch for the indices of the full warps of a round.
    #[inline(always)]
    fn room(&mut self, asking: &Asking, lanes: usize, round: u64) -> &mut [u8] {
        let warps = lanes / LANES;
        let has_room = |batch: &Batch| match &batch.asking {
            Some(before) => before.request == asking.request && batch.len + warps <= ROWS,
            None => true,
        };
        if self.batch.as_deref().is_some_and(|batch| !has_room(batch)) {
            self.finish();
        }
        let block = self.block + round * self.ahead;
        let warp = (self.group * (GROUP / LANES)) as u32;
        let batch = self.batch.get_or_insert_default();
        batch.asking = Some(*asking);
        batch.firsts.push((batch.len, At { block, warp, active: u32::MAX }));
        let first = batch.len;
        batch.len += warps;
        batch.indices[first..batch.len].as_flattened_mut()
    }

    /// Counts the requests of the batch.
    pub(crate) fn finish(&mut self) {
        let Some(batch) = &mut self.batch else { return };
        let (Some(asking), len) = (batch.asking.take(), std::mem::take(&mut batch.len)) else {
            return;
        };
        let taken = &count_bank_accesses(asking, &batch.indices)[..len];
        let (mut sum, mut most) = (0_u32, 0);
        for taken in taken {
            sum += u32::from(*taken);
            most = most.max(*taken);
        }
        let len = len as u64;
        self.tally.ask(asking.request, Asked { requests: len, taken: sum.into(), ideal: len });
        // The first of the worst is that of the lowest block, which is none before the first of all.
        let asked = Asked { requests: 1, taken: most.into(), ideal: 1 };
        let beats = |tally: &Tally, block| tally.worst.is_beaten(asking.request, asked, block);
        if batch.firsts.first().is_some_and(|(_, first)| beats(self.tally, first.block))
            && let Some(worst) = taken.iter().position(|taken| *taken == most)
            && let Some(at) = batch.at(worst)
            && beats(self.tally, at.block)
        {
            let addresses = asking.addresses(batch.indices[worst].map(u64::from), u32::MAX);
            self.tally.worst.note(asking.request, asked, at, addresses);
        }
        batch.firsts.clear();
    }

    /// What the warps ask in a round.
    fn asks(&mut self, going: &Going, round: u64, lanes: Mask) -> Asked {
        let pattern = self.bound.patterns.get(going.request as usize).and_then(Option::as_ref);
        let pattern = pattern.filter(|pattern| self.in_step || !pattern.in_step);
        if let Some(alike) = pattern.and_then(|pattern| pattern.alike[self.group]) {
            return self.ask(going, round, (0, u32::MAX), pattern).times(alike.warps);
        }
        let mut all = Asked::default();
        for warp in lanes.warps() {
            all += self.ask(going, round, warp, pattern);
        }
        all
    }

    /// What a warp asks in a round.
    fn ask(
        &mut self,
        going: &Going,
        round: u64,
        (warp, active): (usize, u32),
        pattern: Option<&'a Pattern>,
    ) -> Asked {
        let request = &self.code.counted.requests[going.request as usize];
        let first_warp = self.group * (GROUP / LANES);
        let common = going.first.wrapping_add(going.step.wrapping_mul(round));
        let first = common.wrapping_add(self.apart(going, warp * LANES));
        let key = |pattern: &Pattern| {
            let class = pattern.classes[first_warp + warp];
            Key { active, class, phase: request.phase(first) }
        };
        let key = pattern.map(key);
        if let Some(asked) = key.and_then(|key| self.tally.memo(going.request).get(key)) {
            return asked;
        }
        let mut addresses = [first; LANES];
        for lane in (0..LANES).filter(|lane| active >> lane & 1 != 0) {
            addresses[lane] = common.wrapping_add(self.apart(going, warp * LANES + lane));
        }
        let asked = asked(request, active, &addresses);
        if let Some(key) = key {
            self.tally.memo(going.request).put(key, asked);
        }
        let block = self.block + round * self.ahead;
        if self.tally.worst.is_beaten(going.request, asked, block) {
            let at = At { block, warp: (first_warp + warp) as u32, active };
            self.tally.worst.note(going.request, asked, at, addresses);
        }
        asked
    }

    /// How many bytes behind the first lane another one goes.
    fn apart(&self, going: &Going, lane: usize) -> u64 {
        let Some((slope, stride)) = going.apart else { return 0 };
        let own = self.bound.own(slope, self.group * GROUP, lane + 1);
        own[lane].wrapping_sub(own[0]).cast_unsigned().wrapping_mul(stride)
    }
}

impl Asking {
    /// Where the lanes of a warp go; those that are not active with the first one that is.
    fn addresses(&self, indices: [u64; LANES], active: u32) -> [u64; LANES] {
        let mut addresses =
            indices.map(|index| index.wrapping_mul(self.stride).wrapping_add(self.start));
        if active != u32::MAX {
            let some = addresses[active.trailing_zeros() as usize % LANES];
            bits(!active).for_each(|lane| addresses[lane] = some);
        }
        addresses
    }
}

/// Returns for each warp of a batch how often its busiest bank is accessed.
fn count_bank_accesses(asking: Asking, indices: &[Row; ROWS]) -> [u8; ROWS] {
    const WORD: u8 = shared::WORD_BYTES as u8;
    // Banks are told apart by the lowest bits of addresses.
    let (stride, start) = (asking.stride as u8, asking.start as u8);
    if (stride, start % WORD) == (WORD, 0) {
        // Neighbouring words are in neighbouring banks: where the first lies changes no count.
        return count_most_frequent(indices);
    }
    let mut banks = *indices;
    for index in banks.as_flattened_mut() {
        *index = index.wrapping_mul(stride).wrapping_add(start) / WORD;
    }
    count_most_frequent(&banks)
}
