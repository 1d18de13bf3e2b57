//! Fused multiply-adds with factors from memory. The factors never pass through a register of the
//! interpreter, nor do the sums between the rounds of a loop.
//!
//! The inner loops of matrix products consist of little else. Both factors are loaded by their lane
//! offsets: a row of neighbouring words, or one word for a row of lanes. [`copy`](mod@super::copy)
//! describes the accesses to memory.
use super::lane_offsets::LaneOffsets;
#[cfg(target_arch = "x86_64")]
use super::{
    lane_offsets::Arrangement,
    tile::{self, Factors, Tile},
};
use crate::vector::memory::Cells;

/// The source of the lanes of a factor.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "only x86-64 has code that reads it")
)]
pub(crate) struct Factor<'a> {
    pub(crate) cells: Cells<'a>,
    /// The byte relative to which the lanes' offsets are.
    pub(crate) at: i64,
    /// The advance of that byte per round.
    pub(crate) step: i64,
    pub(crate) walk: &'a LaneOffsets,
}

/// The number of lanes in a vector.
#[cfg(target_arch = "x86_64")]
const VECTOR_LANES: usize = 8;

/// The number of rows in a tile.
#[cfg(target_arch = "x86_64")]
const TILE_ROWS: usize = 4;

#[cfg(target_arch = "x86_64")]
impl Factor<'_> {
    /// Returns the number of lanes in a row, and true if all lanes of a row have the same word.
    fn row_shape(&self) -> Option<(usize, bool)> {
        match self.walk.arrangement() {
            Arrangement::Rows { lanes } => Some((lanes, false)),
            Arrangement::Same { lanes } => Some((lanes, true)),
            Arrangement::Each => None,
        }
    }

    /// Returns true if the words of `lanes` are inside in all rounds: they are between those of the
    /// first and the last.
    fn is_inside(&self, lanes: (usize, usize), rounds: usize) -> bool {
        let (far, wraps) = self.step.overflowing_mul((rounds as i64).wrapping_sub(1));
        let (last, wraps_too) = self.at.overflowing_add(far);
        // Words stay aligned from round to round if the step is a multiple of a word.
        !wraps
            && !wraps_too
            && rounds <= i64::MAX as usize
            && self.step % 4 == 0
            && self.walk.is_inside(self.cells, self.at, lanes)
            && self.walk.is_inside(self.cells, last, lanes)
    }

    /// Returns the addresses of the words of four rows of `width` lanes in the first round, or of
    /// the rows below `end`.
    fn row_addresses(&self, lane: usize, width: usize, end: usize) -> [*const u8; TILE_ROWS] {
        let first = self.cells.first().wrapping_add(self.at as usize);
        let offsets = self.walk.offsets();
        let [second, third, fourth] = [lane + width, lane + 2 * width, lane + 3 * width];
        if fourth < end {
            return [
                first.wrapping_add(offsets[lane] as usize),
                first.wrapping_add(offsets[second] as usize),
                first.wrapping_add(offsets[third] as usize),
                first.wrapping_add(offsets[fourth] as usize),
            ];
        }
        let mut words = [first; TILE_ROWS];
        let (mut row, mut lane) = (0, lane);
        while row < TILE_ROWS && lane < end {
            words[row] = first.wrapping_add(offsets[lane] as usize);
            row += 1;
            lane += width;
        }
        words
    }
}

/// The sums of products of two factors over some rounds, all of whose words are inside.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Products<'a> {
    /// If one factor has a word for a row of lanes, it is the first.
    factors: [Factor<'a>; 2],
    first_is_one: bool,
    rounds: usize,
    /// The first lane, and the number of lanes.
    lanes: (usize, usize),
    /// The number of lanes in a row of a tile.
    width: usize,
}

#[cfg(target_arch = "x86_64")]
impl<'a> Products<'a> {
    /// Creates the products of `rounds` rounds, for the lanes `first..first + n`. `None` if there
    /// is no round, if a word is outside in one, or if the rows of the factors do not match.
    pub(crate) fn new(
        [a, b]: &[Factor<'a>; 2],
        rounds: usize,
        lanes: (usize, usize),
    ) -> Option<Self> {
        let (a, b) =
            if let Arrangement::Same { .. } = b.walk.arrangement() { (b, a) } else { (a, b) };
        let ((of_a, first_is_one), (of_b, false)) = (a.row_shape()?, b.row_shape()?) else {
            return None;
        };
        let (first, n) = lanes;
        let fits = |width: usize| (of_a | of_b | first | n) & (width - 1) == 0;
        let width = if fits(2 * VECTOR_LANES) { 2 * VECTOR_LANES } else { VECTOR_LANES };
        let inside = || a.is_inside(lanes, rounds) && b.is_inside(lanes, rounds);
        if rounds == 0 || !fits(width) || !inside() {
            return None;
        }
        Some(Self { factors: [*a, *b], first_is_one, rounds, lanes, width })
    }

    /// Computes `d = a * b + c` of `f32`, in each round but the first with the last `d` as `c`.
    ///
    /// # Safety
    /// The machine has AVX2 and FMA. There is an `f32` for each of the lanes at `c` and `d`, which
    /// are the same or do not overlap, and none of them are in the memory.
    pub(crate) unsafe fn add(&self, d: *mut u8, c: *const u8) {
        let Self { factors: [a, b], rounds, lanes: (first, n), width, .. } = self;
        let (rounds, first, n, width) = (*rounds, *first, *n, *width);
        let end = first + n;
        let mut lane = first;
        while lane < end {
            let four = lane + TILE_ROWS * width <= end;
            // SAFETY: all words are inside; the rest is guaranteed by the caller.
            unsafe {
                let from = c.cast::<f32>().add(lane - first);
                let to = d.cast::<f32>().add(lane - first);
                let (a_words, b_words) =
                    (a.row_addresses(lane, width, end), b.row_addresses(lane, width, end));
                let [b0, b1, b2, b3] = b_words;
                let factors = if !self.first_is_one {
                    Factors::Rows
                } else if four && b0 == b1 && b0 == b2 && b0 == b3 {
                    Factors::OneAndShared
                } else {
                    Factors::OneAndRow
                };
                let add = tile::pick(factors, four, width > VECTOR_LANES);
                let steps = [a.step, b.step];
                add(&Tile { a: a_words, b: b_words, steps, rounds, from, to });
            }
            lane += if four { TILE_ROWS * width } else { width };
        }
    }
}

/// There are no products on other architectures.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub(crate) struct Products<'a>(std::convert::Infallible, std::marker::PhantomData<Factor<'a>>);

#[cfg(not(target_arch = "x86_64"))]
impl<'a> Products<'a> {
    pub(crate) fn new(_: &[Factor<'a>; 2], _: usize, _: (usize, usize)) -> Option<Self> {
        None
    }

    /// Adds nothing: no value of this type exists.
    ///
    /// # Safety
    /// There are no conditions.
    pub(crate) unsafe fn add(&self, _: *mut u8, _: *const u8) {
        match self.0 {}
    }
}
