//! The rounds of a compiled program, with the memory and the numbers that they use.
use super::{Cell, Compiled, LaneProgram, LoopAxis, WIDTH};
use crate::vector::{lanes::words::Words, memory::Cells};
use std::{ops::Range, sync::Arc};

/// The maximum number of cells of a program.
pub(super) const MAX_CELLS: usize = 32;

/// The contents of a cell, with words of lanes of the type `W`.
#[derive(Clone, Copy)]
pub(crate) enum CellSource<'a, W> {
    /// The address of a word for each lane.
    Words(W),
    /// The address of a word for all lanes.
    BroadcastWord(BroadcastWord<'a>),
    /// A number, and its advance per round.
    Number { bits: u64, step: u64 },
}

impl<'a, W> CellSource<'a, W> {
    /// Returns the first number of the cell in a round, and its advance per round; `cell` returns
    /// those of words of lanes.
    #[inline(always)]
    pub(super) fn cell(&self, round: u64, cell: impl FnOnce(&W) -> Cell) -> Cell {
        match self {
            Self::Words(words) => cell(words),
            Self::BroadcastWord(once) => Cell { at: once.address(round), step: once.step },
            Self::Number { bits, step } => {
                Cell { at: bits.wrapping_add(step.wrapping_mul(round)), step: *step }
            }
        }
    }

    /// Returns true if all rounds have the same number or word, but for words of lanes.
    pub(super) fn is_constant(&self) -> bool {
        match self {
            Self::Words(_) => true,
            Self::BroadcastWord(BroadcastWord { step, .. }) | Self::Number { step, .. } => {
                *step == 0
            }
        }
    }
}

/// A word of 4 bytes in each of several rounds, all of them inside.
#[derive(Clone, Copy)]
pub(crate) struct BroadcastWord<'a> {
    cells: Cells<'a>,
    at: u64,
    step: u64,
    rounds: u64,
}

impl<'a> BroadcastWord<'a> {
    /// Creates the words at a byte that advances by a step per round; `None` if one is outside.
    pub(crate) fn new(cells: Cells<'a>, (at, step): (u64, u64), rounds: u64) -> Option<Self> {
        let far = step.cast_signed().checked_mul(i64::try_from(rounds.checked_sub(1)?).ok()?)?;
        let last = at.checked_add_signed(far)?;
        // The words between the first and the last are inside and aligned if these are.
        let inside =
            step.is_multiple_of(4) && cells.covers::<u32>(at, 1) && cells.covers::<u32>(last, 1);
        inside.then_some(Self { cells, at, step, rounds })
    }

    fn address(&self, round: u64) -> u64 {
        assert!(round < self.rounds);
        let at = self.at.wrapping_add(self.step.wrapping_mul(round));
        self.cells.first().wrapping_add(at as usize).expose_provenance() as u64
    }

    /// Returns the range of addresses of the words of all rounds.
    pub(super) fn address_range(&self) -> (usize, usize) {
        let ends = [self.address(0), self.address(self.rounds - 1)].map(|at| at as usize);
        (ends[0].min(ends[1]), ends[0].max(ends[1]) + 4)
    }
}

/// Rounds of a compiled program.
pub(crate) struct Rounds<'a> {
    code: Arc<Compiled>,
    over: LoopAxis,
    sources: Vec<CellSource<'a, Words<'a>>>,
    lanes: usize,
    /// The number of lanes that are adjacent in all places.
    row: usize,
}

impl<'a> Rounds<'a> {
    /// Creates the rounds of a program on `lanes` lanes; `stored` are the cells of stores. `None`
    /// if the program cannot be compiled, if the rows are no multiples of a vector, or if a lane
    /// reads or stores words that another lane stores.
    pub(crate) fn new(
        mut program: LaneProgram,
        sources: Vec<CellSource<'a, Words<'a>>>,
        stored: &[usize],
        lanes: usize,
    ) -> Option<Self> {
        let mut row = lanes;
        for source in &sources {
            if let CellSource::Words(words) = source {
                row = row.min(words.row_lanes());
            }
        }
        let fits = |source: &CellSource<'_, Words<'_>>| match source {
            CellSource::Words(words) => {
                words.row_lanes().is_multiple_of(row) && words.lanes() == lanes
            }
            CellSource::BroadcastWord(_) | CellSource::Number { .. } => true,
        };
        let rows = row.is_multiple_of(WIDTH) && lanes.is_multiple_of(row);
        let apart = |cell: &usize| {
            let CellSource::Words(to) = &sources[*cell] else { return false };
            sources.iter().all(|source| match source {
                CellSource::Words(words) => words.is_safe_operand_for(to),
                CellSource::BroadcastWord(once) => {
                    let (mine, theirs) = (once.address_range(), to.address_range());
                    mine.1 <= theirs.0 || theirs.1 <= mine.0
                }
                CellSource::Number { .. } => true,
            })
        };
        let is_sound = rows
            && sources.iter().all(fits)
            && stored.iter().all(apart)
            && (stored.is_empty() || program.over == LoopAxis::Lanes);
        let has_cells = sources.len() <= MAX_CELLS && sources.len() == program.moves.len();
        if !is_sound || !has_cells {
            return None;
        }
        let is_dense = program.over == LoopAxis::Lanes
            && program.inputs().is_empty()
            && program.kept.is_empty()
            && sources.iter().all(|source| match source {
                CellSource::Words(words) => words.are_rows_dense(row),
                source => source.is_constant(),
            });
        if is_dense {
            program.over = LoopAxis::Rows;
        }
        let over = program.over;
        Some(Self { code: program.compile()?, over, sources, lanes, row })
    }

    /// Returns true if all rounds run at once.
    pub(crate) fn is_dense(&self) -> bool {
        self.over == LoopAxis::Rows
    }

    /// Runs some rounds; `lanes` is the first lane of the first register.
    ///
    /// # Safety
    /// The lanes of the program's registers are at their offsets after `lanes`, and the access to
    /// them is exclusive.
    pub(crate) unsafe fn run(&self, rounds: Range<u64>, lanes: *mut u8) {
        let mut cells = [Cell::default(); MAX_CELLS];
        let cells = &mut cells[..self.sources.len()];
        let all = rounds.end.saturating_sub(rounds.start);
        let (many, row, turns) = match self.over {
            LoopAxis::Rounds => (1, WIDTH, all as usize),
            LoopAxis::Rows => (1, self.row, all as usize * (self.row / WIDTH)),
            LoopAxis::Lanes => (all, self.row, self.row / WIDTH),
        };
        if all == 0 {
            return;
        }
        for round in rounds.start..rounds.start + many {
            for lane in (0..self.lanes).step_by(row) {
                for (cell, source) in cells.iter_mut().zip(&self.sources) {
                    *cell = source.cell(round, |words| {
                        let (at, step) = words.lane(round, lane);
                        Cell { at: at.expose_provenance() as u64, step: step.cast_unsigned() }
                    });
                }
                // SAFETY: words are inside in each round, adjacent in rows, and disjoint between
                // lanes where they are stored; `new` checked that this machine has code. The rest
                // is guaranteed by the caller.
                unsafe { self.code.run(cells, lanes.wrapping_add(4 * lane), turns) };
            }
            for source in &self.sources {
                if let (CellSource::Words(words), LoopAxis::Lanes) = (source, self.over) {
                    words.prefetch_round(round);
                }
            }
        }
    }
}
