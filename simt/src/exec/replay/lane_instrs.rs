//! Lane instructions: the recorded operations of a round, executed one after the other.
use super::{ReplayCounter, linear::MAX_LOADED};
use crate::{
    exec::step::with_word,
    vector::{
        lanes::{
            LaneFn, OperandPosition,
            copy::CopyWords,
            lane_offsets::LaneOffsets,
            words::{MapWords, Words, prefetch_round},
        },
        mask::Run,
        memory::{Cells, Word},
        registers::{Elements, Reg, Registers},
    },
};
use std::ops::Range;
use warpwise_compiler::hardware::LANES;

/// A lane instruction. A number that differs between rounds is stored as its value in the first
/// round and its increment `step`.
#[derive(Clone, Copy)]
pub(crate) enum LaneInstr<'a> {
    /// `d = f(a, b, c)`, of `[d, a, b, c]`.
    Map { f: LaneFn, regs: [Reg; 4] },
    /// [`Map`](Self::Map) with one uniform operand.
    MapWithOne { f: LaneFn, regs: [Reg; 4], place: OperandPosition, one: u64, step: u64 },
    /// [`Map`](Self::Map) with one operand that was loaded, by its number.
    MapWithLoaded { f: LaneFn, regs: [Reg; 4], place: OperandPosition, loaded: usize },
    /// [`Map`](Self::Map) with operands or the result in memory.
    MapWords(MapWords<'a>),
    /// Copies lanes.
    Copy { to: Reg, from: Reg },
    /// Sets all lanes to a number.
    Splat { to: Reg, bits: u64, step: u64 },
    /// Sets all lanes to a loaded value, by its number.
    SplatLoaded { to: Reg, loaded: usize },
    /// Loads a uniform value, by its number.
    LoadOnce { loaded: usize, word: UniformWord<'a> },
    /// Computes an affine value.
    Spread { to: Reg, slope: Reg, base: u64, step: u64 },
    /// Loads lanes.
    Load { to: Reg, access: Access<'a> },
    /// Stores lanes.
    Store { value: Reg, access: Access<'a> },
    /// Notes the value that all lanes store, if it is the same.
    NoteCommon { value: Reg },
    /// [`NoteCommon`](Self::NoteCommon) of a value that is only computed for that.
    NoteCommonOf { value: Reg, words: MapWords<'a> },
    /// Adds to an element in each lane, and sets the lane of `to` to the old value.
    Add { to: Reg, sum: AtomicSum<'a> },
    /// Adds to an element in each lane, by an index of 1 or 2 bytes, and keeps no old values.
    AddInBounds { sum: AtomicSum<'a> },
    /// [`AddInBounds`](Self::AddInBounds) by indices in memory instead of a register.
    AddByWords { sum: AtomicSum<'a>, words: Words<'a> },
    /// Counts an atomic request with addresses in lanes.
    CountRequest { request: LaneRequest },
    /// [`CountRequest`](Self::CountRequest) by one-byte indices in memory instead of a register.
    CountRequestByWords { request: LaneRequest, words: Words<'a> },
}

/// A word that is in bounds in every round.
#[derive(Clone, Copy)]
pub(crate) struct UniformWord<'a> {
    pub(super) cells: Cells<'a>,
    pub(super) at: u64,
    pub(super) step: u64,
    /// Its size in bytes.
    pub(super) size: usize,
}

/// Relaxed atomic sums with elements that are all in bounds.
#[derive(Clone, Copy)]
pub(crate) struct AtomicSum<'a> {
    pub(super) cells: Cells<'a>,
    /// Bytes of a word.
    pub(super) size: usize,
    pub(super) stride: u64,
    pub(super) index: Reg,
    pub(super) by: Summand,
}

/// The summands of an atomic sum.
#[derive(Clone, Copy)]
pub(crate) enum Summand {
    Lanes(Reg),
    /// One for all lanes, with its increment per round.
    One {
        bits: u64,
        step: u64,
    },
}

/// A request of lanes to `start + index * stride`.
#[derive(Clone, Copy)]
pub(crate) struct LaneRequest {
    pub(super) request: u32,
    /// True if all lanes are served together.
    pub(super) is_served_at_once: bool,
    pub(super) index: Reg,
    pub(super) stride: u64,
    pub(super) start: u64,
}

/// An access of lanes, all of them in bounds.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a> {
    pub(super) cells: Cells<'a>,
    pub(super) at: i64,
    pub(super) step: i64,
    pub(super) walk: &'a LaneOffsets,
    pub(super) copy: CopyWords,
}

impl LaneInstr<'_> {
    /// Returns true if the instruction does more than set registers.
    pub(super) fn has_effect(&self) -> bool {
        match self {
            Self::Store { .. }
            | Self::NoteCommon { .. }
            | Self::NoteCommonOf { .. }
            | Self::MapWords(_)
            | Self::Add { .. }
            | Self::AddInBounds { .. }
            | Self::AddByWords { .. }
            | Self::CountRequest { .. }
            | Self::CountRequestByWords { .. } => true,
            Self::Map { .. }
            | Self::MapWithOne { .. }
            | Self::MapWithLoaded { .. }
            | Self::Copy { .. }
            | Self::Splat { .. }
            | Self::SplatLoaded { .. }
            | Self::LoadOnce { .. }
            | Self::Spread { .. }
            | Self::Load { .. } => false,
        }
    }
}

/// Executes lane instructions for some rounds, on the lanes of a full run; `values` receives the
/// [noted](LaneInstr::NoteCommon) values, and `counts` the requests with addresses in lanes.
/// Returns the uniform values that the last round loaded.
pub(crate) fn run_lane_instrs(
    instrs: &[LaneInstr<'_>],
    registers: &mut Registers,
    lanes: Run,
    rounds: Range<u64>,
    values: &mut Vec<Option<u64>>,
    counts: &mut ReplayCounter<'_, '_>,
) -> [u64; MAX_LOADED] {
    let runs = [lanes];
    let mut once = [0; MAX_LOADED];
    // A single dense operation in memory runs over all rounds at once.
    if let [LaneInstr::MapWords(words)] = instrs
        && rounds.end - rounds.start > 1
        && words.is_dense()
    {
        registers.map_dense_words(words, rounds);
        return once;
    }
    for round in rounds {
        for instr in instrs {
            match instr {
                LaneInstr::Map { f, regs } => registers.map(*f, *regs, &runs),
                LaneInstr::MapWithOne { f, regs, place, one, step } => {
                    let one = one.wrapping_add(step.wrapping_mul(round));
                    registers.map_with_uniform(*f, *regs, (*place, &one), &runs);
                }
                LaneInstr::MapWithLoaded { f, regs, place, loaded } => {
                    registers.map_with_uniform(*f, *regs, (*place, &once[*loaded]), &runs);
                }
                LaneInstr::SplatLoaded { to, loaded } => registers.splat(*to, once[*loaded], &runs),
                LaneInstr::LoadOnce { loaded, word } => {
                    once[*loaded] = with_word!(word.size, word.load(round));
                }
                LaneInstr::MapWords(words) => registers.map_words(words, round),
                LaneInstr::Copy { to, from } => registers.copy(*to, *from, lanes),
                LaneInstr::Splat { to, bits, step } => {
                    registers.splat(*to, bits.wrapping_add(step.wrapping_mul(round)), &runs);
                }
                LaneInstr::Spread { to, slope, base, step } => {
                    let base = base.wrapping_add(step.wrapping_mul(round));
                    registers.spread(*to, *slope, base, &runs);
                }
                LaneInstr::Load { to, access } => {
                    let Access { cells, at, step, walk, copy } = *access;
                    prefetch_round((cells, at), step, walk, round);
                    let window = (cells, access.offset_in_round(round));
                    let inside = registers.load_affine(copy, *to, &window, walk, lanes);
                    debug_assert!(inside, "what is outside was not gone through");
                }
                LaneInstr::Store { value, access } => {
                    let Access { cells, walk, copy, .. } = *access;
                    let window = (cells, access.offset_in_round(round));
                    let inside = registers.store_affine(copy, *value, &window, walk, lanes);
                    debug_assert!(inside, "what is outside was not gone through");
                }
                LaneInstr::NoteCommon { value } => {
                    values.push(common_value(registers, *value, lanes.len));
                }
                LaneInstr::NoteCommonOf { value, words } => {
                    values.push(common_value_of_words(
                        registers,
                        (*value, words),
                        lanes.len,
                        round,
                    ));
                }
                LaneInstr::Add { to, sum } => {
                    let done = with_word!(sum.size, sum.add_lanes(registers, (*to, lanes), round));
                    debug_assert!(done == lanes.len, "what is outside was not gone through");
                }
                LaneInstr::AddInBounds { sum } => {
                    with_word!(sum.size, sum.add_in_bounds(registers, lanes, round));
                }
                LaneInstr::AddByWords { sum, words } => {
                    with_word!(sum.size, sum.add_by_words(words, round));
                }
                LaneInstr::CountRequest { request } => {
                    counts.count_lane_request(request, registers, round)
                }
                LaneInstr::CountRequestByWords { request, words } => {
                    counts.count_word_request(request, words, round);
                }
            }
        }
    }
    once
}

/// Returns true if words at multiples of `stride` up to an index are in bounds.
pub(super) fn is_inside(cells: Cells<'_>, index: u64, (stride, size): (u64, usize)) -> bool {
    let end = index.checked_mul(stride).and_then(|at| at.checked_add(size as u64));
    stride != 0
        && stride.is_multiple_of(size as u64)
        && cells.allows(size)
        && end.is_some_and(|end| end <= cells.len())
}

/// Returns the value of the first lanes of a register, if it is the same.
pub(super) fn common_value(registers: &Registers, value: Reg, lanes: usize) -> Option<u64> {
    let first = registers.get(value, 0);
    (1..lanes).all(|lane| registers.get(value, lane) == first).then_some(first)
}

/// Computes a value in a round, and returns it if all lanes have the same.
pub(super) fn common_value_of_words(
    registers: &mut Registers,
    (value, words): (Reg, &MapWords<'_>),
    lanes: usize,
    round: u64,
) -> Option<u64> {
    // Mostly the first two lanes differ already.
    let few = lanes.min(2);
    registers.map_first_words(words, few, round);
    let found = common_value(registers, value, few);
    if found.is_none() || few == lanes {
        return found;
    }
    registers.map_words(words, round);
    common_value(registers, value, lanes)
}

impl UniformWord<'_> {
    /// Returns the word's bits in a round.
    #[inline(always)]
    fn load<W: Word>(&self, round: u64) -> u64 {
        let at = self.at.wrapping_add(self.step.wrapping_mul(round));
        let loaded = self.cells.load::<W>(at, false);
        debug_assert!(loaded.is_some(), "what is outside was not gone through");
        loaded.map_or(0, W::bits)
    }
}

impl LaneRequest {
    /// Returns true if requests of full warps, `lanes` in all, are counted together.
    #[inline(always)]
    pub(super) fn is_batched(&self, lanes: usize) -> bool {
        self.is_served_at_once && self.index.size() == 1 && lanes.is_multiple_of(LANES)
    }
}

impl AtomicSum<'_> {
    fn elements(&self) -> Elements<'_> {
        let Self { cells, stride, index, .. } = *self;
        Elements { cells, base: 0, stride, index }
    }

    /// Returns true if the elements at all indices that a register of 1 or 2 bytes can hold are in
    /// bounds.
    pub(super) fn holds_all(&self, index: Reg) -> bool {
        let greatest = (1_u64 << (8 * index.size())) - 1;
        is_inside(self.cells, greatest, (self.stride, self.size))
    }

    /// Adds in a round; returns the number of lanes done.
    fn add_lanes<W: Word>(
        &self,
        registers: &mut Registers,
        (to, lanes): (Reg, Run),
        round: u64,
    ) -> usize {
        let by = match self.by {
            Summand::Lanes(reg) => Ok(reg),
            Summand::One { bits, step } => Err(bits.wrapping_add(step.wrapping_mul(round))),
        };
        registers.add_to_elements::<W>(to, self.elements(), by, lanes)
    }

    /// Adds one number in a round, by indices of 1 or 2 bytes.
    #[inline(always)]
    fn add_in_bounds<W: Word>(&self, registers: &mut Registers, lanes: Run, round: u64) {
        if let Summand::One { bits, step } = self.by {
            let by = bits.wrapping_add(step.wrapping_mul(round));
            registers.add_by_narrow_indices::<W>(self.elements(), by, lanes);
        }
    }

    /// Adds one number in a round, by indices in memory.
    #[inline(always)]
    fn add_by_words<W: Word>(&self, indices: &Words<'_>, round: u64) {
        if let Summand::One { bits, step } = self.by {
            let by = bits.wrapping_add(step.wrapping_mul(round));
            Registers::add_by_indices_in_memory::<W>(self.elements(), (indices, round), by);
        }
    }
}

impl Access<'_> {
    /// Returns the offset where the walk begins in a round.
    #[inline(always)]
    fn offset_in_round(&self, round: u64) -> i64 {
        self.at.wrapping_add(self.step.wrapping_mul(round as i64))
    }
}
