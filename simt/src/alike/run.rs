//! The operations on lanes of a round, one after the other.
use crate::{
    lanes::{
        LaneFn, Place,
        copy::CopyWords,
        walk::Walk,
        words::{MapWords, foresee},
    },
    mask::Run,
    memory::Cells,
    registers::{Reg, Registers},
};
use std::ops::Range;

/// An operation on lanes. What changes from round to round stands as it is in the first one, with how much more it is in
/// each that follows.
#[derive(Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "a list has few, and is gone through often")]
pub(crate) enum LaneStep<'a> {
    /// `d = f(a, b, c)`, of `[d, a, b, c]`.
    Map { f: LaneFn, regs: [Reg; 4] },
    /// The same where one operand is a value held once.
    MapWithOne { f: LaneFn, regs: [Reg; 4], place: Place, one: u64, step: u64 },
    /// The same where some of them are in memory.
    MapWords(MapWords<'a>),
    /// Copies lanes.
    Copy { to: Reg, from: Reg },
    /// Sets all lanes to a value.
    Splat { to: Reg, bits: u64, step: u64 },
    /// Computes an affine value.
    Spread { to: Reg, slope: Reg, base: u64, step: u64 },
    /// Loads lanes.
    Load { to: Reg, access: Access<'a> },
    /// Stores them.
    Store { value: Reg, access: Access<'a> },
    /// Notes the value that all lanes store, if it is the same.
    Common { value: Reg },
}

/// Where lanes go in memory, all of them inside.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a> {
    pub(super) cells: Cells<'a>,
    pub(super) at: i64,
    pub(super) step: i64,
    pub(super) walk: &'a Walk,
    pub(super) copy: CopyWords,
}

/// Does some rounds of operations, on the lanes of a full run; `values` gets those that all lanes [store](LaneStep::Common).
pub(crate) fn run(
    steps: &[LaneStep<'_>],
    registers: &mut Registers,
    lanes: Run,
    rounds: Range<u64>,
    values: &mut Vec<Option<u64>>,
) {
    let runs = [lanes];
    for round in rounds {
        for step in steps {
            match step {
                LaneStep::Map { f, regs } => registers.map(*f, *regs, &runs),
                LaneStep::MapWithOne { f, regs, place, one, step } => {
                    let one = one.wrapping_add(step.wrapping_mul(round));
                    registers.map_with_one(*f, *regs, (*place, &one), &runs);
                }
                LaneStep::MapWords(words) => registers.map_words(words, round),
                LaneStep::Copy { to, from } => registers.copy(*to, *from, lanes),
                LaneStep::Splat { to, bits, step } => {
                    registers.splat(*to, bits.wrapping_add(step.wrapping_mul(round)), &runs);
                }
                LaneStep::Spread { to, slope, base, step } => {
                    let base = base.wrapping_add(step.wrapping_mul(round));
                    registers.spread(*to, *slope, base, &runs);
                }
                LaneStep::Load { to, access } => {
                    let Access { cells, at, step, walk, copy } = *access;
                    foresee((cells, at), step, walk, round);
                    let window = (cells, access.at(round));
                    let inside = registers.load_affine(copy, *to, &window, walk, lanes);
                    debug_assert!(inside, "what is outside was not gone through");
                }
                LaneStep::Store { value, access } => {
                    let Access { cells, walk, copy, .. } = *access;
                    let window = (cells, access.at(round));
                    let inside = registers.store_affine(copy, *value, &window, walk, lanes);
                    debug_assert!(inside, "what is outside was not gone through");
                }
                LaneStep::Common { value } => {
                    let first = registers.get(*value, 0);
                    let is_one = (1..lanes.len).all(|lane| registers.get(*value, lane) == first);
                    values.push(is_one.then_some(first));
                }
            }
        }
    }
}

impl Access<'_> {
    /// Where the walk begins in a round.
    #[inline(always)]
    fn at(&self, round: u64) -> i64 {
        self.at.wrapping_add(self.step.wrapping_mul(round as i64))
    }
}
