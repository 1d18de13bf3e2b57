//! The rounds of a compiled program in which some lanes take no part.
use super::{Cell, CellSource, Compiled, LaneProgram, LoopAxis, WIDTH, rounds::MAX_CELLS};
use crate::vector::{
    lanes::lane_offsets::{Arrangement, LaneOffsets},
    memory::Cells,
};
use std::{ops::Range, sync::Arc};

/// The lanes that take part in rounds: in each row of lanes, a range. The lanes of a row are
/// numbered through all rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clip {
    /// The number of lanes in a row of one round.
    row: usize,
    /// By row, the lanes that take part.
    active: Vec<Range<usize>>,
}

impl Clip {
    pub(crate) fn new(row: usize, active: Vec<Range<usize>>) -> Self {
        Self { row, active }
    }
}

/// The words that lanes access, all of them inside for those that take part. The words of a row in
/// one round directly follow those in the round before.
#[derive(Clone, Copy)]
pub(crate) struct ClippedWords<'a> {
    cells: Cells<'a>,
    at: i64,
    walk: &'a LaneOffsets,
}

impl<'a> ClippedWords<'a> {
    /// Creates the words that start at a byte and advance by `step` bytes per round. `None` if one
    /// of them is outside, or a row is not adjacent.
    pub(crate) fn new(
        (cells, at): (Cells<'a>, i64),
        step: i64,
        walk: &'a LaneOffsets,
        clip: &Clip,
    ) -> Option<Self> {
        let Arrangement::Rows { lanes } = walk.arrangement() else { return None };
        let is_dense = walk.word() == 4 && step == 4 * clip.row as i64;
        let has_rows =
            lanes.is_multiple_of(clip.row) && walk.offsets().len() == clip.row * clip.active.len();
        let is_aligned = walk.is_aligned() && at % 4 == 0 && cells.allows(4);
        let words = Self { cells, at, walk };
        let is_inside = |(first, end): (i64, i64)| first >= 0 && end as u64 <= cells.len();
        (is_dense && has_rows && is_aligned && words.active_bytes(clip).all(is_inside))
            .then_some(words)
    }

    /// Returns the byte of the first lane of a row in the first round. It may be outside.
    fn start(&self, row: usize, clip: &Clip) -> i64 {
        self.at.wrapping_add(self.walk.offsets()[row * clip.row])
    }

    /// Iterates over the ranges of bytes that rows access.
    fn active_bytes(&self, clip: &Clip) -> impl Iterator<Item = (i64, i64)> {
        let active = clip.active.iter().enumerate().filter(|(_, lanes)| !lanes.is_empty());
        active.map(|(row, lanes)| {
            let byte = |lane: usize| self.start(row, clip).saturating_add(4 * lane as i64);
            (byte(lanes.start), byte(lanes.end))
        })
    }

    /// Returns the range of the addresses of all accessed words.
    fn address_range(&self, clip: &Clip) -> (usize, usize) {
        let first = self.cells.first().addr();
        let ranges = self.active_bytes(clip).map(|(from, to)| [from, to].map(|at| at as usize));
        ranges.fold((usize::MAX, 0), |(least, most), [from, to]| {
            (least.min(first + from), most.max(first + to))
        })
    }

    /// Returns true if lanes store to these words in the order of addresses, so that the order of
    /// rows and rounds does not matter.
    fn is_ascending(&self, clip: &Clip) -> bool {
        let mut last = i64::MIN;
        self.active_bytes(clip).all(|(first, end)| std::mem::replace(&mut last, end) <= first)
    }

    /// Returns true if an operation may load these words after it has stored words of other lanes
    /// to `other`: either both are the same, or have none in common.
    fn is_safe_operand_for(&self, other: &Self, clip: &Clip) -> bool {
        let same = self.cells.first().addr().wrapping_add_signed(self.at as isize)
            == other.cells.first().addr().wrapping_add_signed(other.at as isize)
            && std::ptr::eq(self.walk, other.walk);
        same || are_disjoint(self.address_range(clip), other.address_range(clip))
    }
}

/// Returns true if two ranges of addresses have none in common.
fn are_disjoint(one: (usize, usize), other: (usize, usize)) -> bool {
    one.1 <= other.0 || other.1 <= one.0
}

/// Rounds of a compiled program, in the lanes that take part.
pub(crate) struct ClippedRounds<'a> {
    code: Arc<Compiled>,
    sources: Vec<CellSource<'a, ClippedWords<'a>>>,
    clip: Clip,
}

impl<'a> ClippedRounds<'a> {
    /// Creates the rounds of a program; `stored` are the cells of stores. `None` if the program
    /// cannot be compiled, if it uses values that differ between rounds, or if a lane reads or
    /// stores words that another lane stores.
    pub(crate) fn new(
        program: LaneProgram,
        sources: Vec<CellSource<'a, ClippedWords<'a>>>,
        stored: &[usize],
        clip: Clip,
    ) -> Option<Self> {
        let apart = |cell: &usize| {
            let CellSource::Words(to) = &sources[*cell] else { return false };
            to.is_ascending(&clip)
                && sources.iter().all(|source| match source {
                    CellSource::Words(words) => words.is_safe_operand_for(to, &clip),
                    CellSource::BroadcastWord(word) => {
                        are_disjoint(word.address_range(), to.address_range(&clip))
                    }
                    CellSource::Number { .. } => true,
                })
        };
        let is_sound = program.is_clipped
            && program.over == LoopAxis::Rows
            && clip.row.is_multiple_of(WIDTH)
            && sources.len() <= MAX_CELLS
            && sources.len() == program.moves.len()
            && program.inputs().is_empty()
            && program.kept.is_empty()
            && sources.iter().all(CellSource::is_constant)
            && stored.iter().all(apart);
        if !is_sound {
            return None;
        }
        Some(Self { code: program.compile()?, sources, clip })
    }

    /// Runs some rounds.
    pub(crate) fn run(&self, rounds: Range<u64>) {
        let Self { code, sources, clip } = self;
        let mut cells = [Cell::default(); MAX_CELLS];
        let cells = &mut cells[..sources.len()];
        let [first, end] = [rounds.start, rounds.end].map(|round| round as usize * clip.row);
        for (row, active) in clip.active.iter().enumerate() {
            let (from, to) = (active.start.max(first), active.end.min(end));
            let mut at = from - from % WIDTH;
            while at < to {
                // Vectors at the ends of the range may have lanes that take no part.
                let (before, rest) = (from.saturating_sub(at), to - at);
                let vectors = if before == 0 { (rest / WIDTH).max(1) } else { 1 };
                let mask = u16::MAX << before & u16::MAX >> WIDTH.saturating_sub(rest);
                for (cell, source) in cells.iter_mut().zip(sources) {
                    *cell = source.cell(0, |words| {
                        let byte = words.start(row, clip).wrapping_add(4 * at as i64);
                        let address = words.cells.first().wrapping_add(byte as usize);
                        Cell { at: address.expose_provenance() as u64, step: 0 }
                    });
                }
                // SAFETY: the words of the lanes in the mask, in whole vectors of all lanes, are
                // inside, and disjoint between lanes where they are stored; the program has no
                // registers outside of its vectors; `new` checked that this machine has code.
                unsafe { code.run_masked(cells, vectors, mask) };
                at += vectors * WIDTH;
            }
        }
    }
}
