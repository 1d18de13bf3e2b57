//! Fused multiply-adds whose factors come from memory: what is loaded never goes through a register
//! of the interpreter, and over the rounds of a loop nor do the sums.
//!
//! Inner loops of matrix products are little else. Both factors are loaded as their walks say: a
//! row of neighbouring words, or one word for a row of lanes. How memory is accessed is told at
//! [`copy`](mod@super::copy).
use super::walk::Walk;
#[cfg(target_arch = "x86_64")]
use super::{
    tile::{self, Factors, Tile},
    walk::Form,
};
use crate::vector::memory::Cells;

/// Where the lanes of a factor come from.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a> {
    pub(crate) cells: Cells<'a>,
    /// The byte that the walk starts from.
    pub(crate) at: i64,
    /// How many bytes further on it starts in the next round.
    pub(crate) step: i64,
    pub(crate) walk: &'a Walk,
}

/// Lanes that a vector has.
#[cfg(target_arch = "x86_64")]
const VECTOR: usize = 8;

/// Rows of a tile.
#[cfg(target_arch = "x86_64")]
const ROWS: usize = 4;

#[cfg(target_arch = "x86_64")]
impl Factor<'_> {
    /// How many lanes are a row, and whether all of one have the same word.
    fn row(&self) -> Option<(usize, bool)> {
        match self.walk.form() {
            Form::Rows { lanes } => Some((lanes, false)),
            Form::Same { lanes } => Some((lanes, true)),
            Form::Each => None,
        }
    }

    /// Whether the words of `lanes` are inside in all rounds: they are between those of the first and the last.
    fn is_inside(&self, lanes: (usize, usize), rounds: usize) -> bool {
        let (far, wraps) = self.step.overflowing_mul((rounds as i64).wrapping_sub(1));
        let (last, wraps_too) = self.at.overflowing_add(far);
        // Words of rounds are as far apart as whole words.
        !wraps
            && !wraps_too
            && rounds <= i64::MAX as usize
            && self.step % 4 == 0
            && self.walk.is_inside(self.cells, self.at, lanes)
            && self.walk.is_inside(self.cells, last, lanes)
    }

    /// Where the words of four rows of `width` lanes are in the first round, or of those that there are below `end`.
    fn words(&self, lane: usize, width: usize, end: usize) -> [*const u8; ROWS] {
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
        let mut words = [first; ROWS];
        let (mut row, mut lane) = (0, lane);
        while row < ROWS && lane < end {
            words[row] = first.wrapping_add(offsets[lane] as usize);
            row += 1;
            lane += width;
        }
        words
    }
}

/// Products of two factors, one behind the other, whose words are all inside.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Products<'a> {
    /// If one is a word for a row of lanes, the first.
    factors: [Factor<'a>; 2],
    first_is_one: bool,
    rounds: usize,
    /// The first lane, and how many.
    lanes: (usize, usize),
    /// Lanes of a row of a tile.
    width: usize,
}

#[cfg(target_arch = "x86_64")]
impl<'a> Products<'a> {
    /// Of so many rounds, for lanes `first..first + n` of the walks. `None` if there is no round, a word is
    /// outside in one, or the walks do not go together.
    pub(crate) fn new(
        [a, b]: &[Factor<'a>; 2],
        rounds: usize,
        lanes: (usize, usize),
    ) -> Option<Self> {
        let (a, b) = if let Form::Same { .. } = b.walk.form() { (b, a) } else { (a, b) };
        let ((of_a, first_is_one), (of_b, false)) = (a.row()?, b.row()?) else { return None };
        let (first, n) = lanes;
        let fits = |width: usize| (of_a | of_b | first | n) & (width - 1) == 0;
        let width = if fits(2 * VECTOR) { 2 * VECTOR } else { VECTOR };
        let inside = || a.is_inside(lanes, rounds) && b.is_inside(lanes, rounds);
        if rounds == 0 || !fits(width) || !inside() {
            return None;
        }
        Some(Self { factors: [*a, *b], first_is_one, rounds, lanes, width })
    }

    /// `d = a * b + c` of `f32`, and in each round but the first with the last `d` as `c`.
    ///
    /// # Safety
    /// The machine has AVX2 and FMA. There is an `f32` for each of the lanes at `c` and `d`, which are the same
    /// or do not overlap, and none of them are in the memory.
    pub(crate) unsafe fn add(&self, d: *mut u8, c: *const u8) {
        let Self { factors: [a, b], rounds, lanes: (first, n), width, .. } = self;
        let (rounds, first, n, width) = (*rounds, *first, *n, *width);
        let end = first + n;
        let mut lane = first;
        while lane < end {
            let four = lane + ROWS * width <= end;
            // SAFETY: all words are inside, and the caller's.
            unsafe {
                let from = c.cast::<f32>().add(lane - first);
                let to = d.cast::<f32>().add(lane - first);
                let (a_words, b_words) = (a.words(lane, width, end), b.words(lane, width, end));
                let [b0, b1, b2, b3] = b_words;
                let factors = if !self.first_is_one {
                    Factors::Rows
                } else if four && b0 == b1 && b0 == b2 && b0 == b3 {
                    Factors::OneAndShared
                } else {
                    Factors::OneAndRow
                };
                let add = tile::pick(factors, four, width > VECTOR);
                let steps = [a.step, b.step];
                add(&Tile { a: a_words, b: b_words, steps, rounds, from, to });
            }
            lane += if four { ROWS * width } else { width };
        }
    }
}

/// Elsewhere there are none.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub(crate) struct Products<'a>(std::convert::Infallible, std::marker::PhantomData<Factor<'a>>);

#[cfg(not(target_arch = "x86_64"))]
impl<'a> Products<'a> {
    pub(crate) fn new(_: &[Factor<'a>; 2], _: usize, _: (usize, usize)) -> Option<Self> {
        None
    }

    /// # Safety
    /// None.
    pub(crate) unsafe fn add(&self, _: *mut u8, _: *const u8) {
        match self.0 {}
    }
}
