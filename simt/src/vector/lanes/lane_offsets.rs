//! The addresses that an affine access makes in the lanes of a group.
//!
//! The lanes of such an access differ by constant offsets, which are known when a launch is bound.
//! So are their minimum and maximum, and the lanes with neighbouring or equal words. The access
//! itself then needs one sum and two comparisons for its bounds check.
use crate::vector::{mask::Run, memory::Cells};
use std::ops::Range;

/// The minimum and the maximum of the lanes' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OffsetBounds {
    pub(crate) min: i64,
    pub(crate) max: i64,
}

impl OffsetBounds {
    /// Returns the bounds of some numbers.
    pub(crate) fn of(numbers: &[i64]) -> Self {
        let first = numbers.first().copied().unwrap_or(0);
        let mut reach = Self { min: first, max: first };
        let mut next = 0;
        while next < numbers.len() {
            let number = numbers[next];
            next += 1;
            reach.min = if number < reach.min { number } else { reach.min };
            reach.max = if number > reach.max { number } else { reach.max };
        }
        reach
    }

    /// Returns the minimum and maximum sum with `base`, if all sums are between 0 and `limit`.
    #[inline(always)]
    pub(crate) fn unsigned_sums(self, base: u64, limit: u64) -> Option<(u64, u64)> {
        let (min, wraps) = base.overflowing_add_signed(self.min);
        let (max, wraps_too) = base.overflowing_add_signed(self.max);
        if wraps || wraps_too || max > limit { None } else { Some((min, max)) }
    }

    /// Returns the minimum and maximum sum with `base`, if all sums are between `-limit - 1` and
    /// `limit`.
    #[inline(always)]
    pub(crate) fn signed_sums(self, base: i64, limit: i64) -> Option<(i64, i64)> {
        let min = base.checked_add(self.min)?;
        let max = base.checked_add(self.max)?;
        (min >= -limit - 1 && max <= limit).then_some((min, max))
    }
}

/// The arrangement of lanes with neighbouring words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Groups of this many lanes access adjacent words.
    Rows { lanes: usize },
    /// Groups of this many lanes access the same word.
    Same { lanes: usize },
    /// Neither.
    Each,
}

/// The offset of each lane of a group from the common address, in bytes.
#[derive(Debug)]
pub(crate) struct LaneOffsets {
    offsets: Box<[i64]>,
    reach: OffsetBounds,
    /// Bytes in a word.
    word: usize,
    /// True if words are aligned to their size wherever the common part is.
    aligned: bool,
    arrangement: Arrangement,
}

/// The distance in bytes below which lanes are near each other.
const NEAR_BYTES: u64 = 4096;

/// The minimum number of bytes in a row that is moved at once.
const MIN_ROW_BYTES: usize = 32;

impl LaneOffsets {
    /// Creates the offsets of words of `word` bytes: the numbers of `own` times `stride`.
    pub(crate) fn new(own: &[i64], stride: u64, word: usize) -> Self {
        let apart = |own: &i64| i64::try_from(stride).ok()?.checked_mul(*own);
        let offsets: Option<Box<[i64]>> = own.iter().map(apart).collect();
        // Offsets that overflow are outside of any memory.
        let offsets = offsets.unwrap_or_else(|| vec![i64::MIN; own.len()].into());
        let aligned = offsets.iter().all(|offset| offset % word as i64 == 0);
        let arrangement = find_arrangement(&offsets, word);
        Self { reach: OffsetBounds::of(&offsets), offsets, word, aligned, arrangement }
    }

    pub(super) fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    pub(super) fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// Returns the number of adjacent lanes.
    pub(crate) fn row_lanes(&self) -> usize {
        match self.arrangement {
            Arrangement::Rows { lanes } => lanes,
            Arrangement::Same { .. } | Arrangement::Each => 1,
        }
    }

    /// Returns the bytes in a word.
    pub(super) fn word(&self) -> usize {
        self.word
    }

    /// Returns the part of a run in which the group has lanes.
    pub(crate) fn among(&self, run: Run) -> Run {
        Run { len: run.len.min(self.offsets.len() - run.first), ..run }
    }

    /// Returns the minimum and maximum offset.
    pub(crate) fn reach(&self) -> OffsetBounds {
        self.reach
    }

    /// Returns true if words are aligned to their size wherever the common part is.
    pub(crate) fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// Returns the range of bytes that all lanes access, relative to the byte `at`; `None` if they
    /// are not near each other.
    #[inline(always)]
    pub(crate) fn bytes(&self, at: i64) -> Option<Range<u64>> {
        let OffsetBounds { min, max } = self.reach;
        let first = u64::try_from(at.checked_add(min)?).ok()?;
        let len = max.wrapping_sub(min).cast_unsigned() + self.word as u64;
        self.is_near().then(|| first..first + len)
    }

    /// Returns true if all lanes access bytes near each other.
    #[inline(always)]
    pub(crate) fn is_near(&self) -> bool {
        self.reach.max.wrapping_sub(self.reach.min).cast_unsigned() < NEAR_BYTES
    }

    /// Returns the bytes of each row of lanes, relative to the byte `at`.
    pub(crate) fn rows(&self, at: i64) -> impl Iterator<Item = Range<u64>> {
        let lanes = match self.arrangement {
            Arrangement::Rows { lanes } => lanes,
            Arrangement::Same { .. } | Arrangement::Each => usize::MAX,
        };
        let len = (lanes.min(self.offsets.len()) * self.word) as u64;
        let firsts = self.offsets.iter().step_by(lanes).take(self.offsets.len() / lanes);
        let first = move |offset: &i64| u64::try_from(at.checked_add(*offset)?).ok();
        firsts.filter_map(first).map(move |first| first..first + len)
    }

    /// Returns true if the words of `n` lanes from `first` on, relative to the byte `at`, are
    /// inside and aligned.
    #[inline(always)]
    pub(super) fn is_inside(&self, cells: Cells<'_>, at: i64, (first, n): (usize, usize)) -> bool {
        let OffsetBounds { min, max } = if n == self.offsets.len() {
            self.reach
        } else {
            OffsetBounds::of(&self.offsets[first..first + n])
        };
        let (min, wraps) = at.overflowing_add(min);
        let (max, wraps_too) = at.overflowing_add(max);
        // Neither negative nor from 2^63 on, so that the end does not overflow.
        !wraps
            && !wraps_too
            && min >= 0
            && max as u64 + self.word as u64 <= cells.len()
            && self.aligned
            && at as usize & (self.word - 1) == 0
            && cells.allows(self.word)
    }
}

/// Returns the arrangement of lanes with these offsets.
fn find_arrangement(offsets: &[i64], word: usize) -> Arrangement {
    let run = |step: i64| {
        let ends = |lane: &usize| offsets[*lane].wrapping_sub(offsets[lane - 1]) != step;
        let lanes = (1..offsets.len()).find(ends).unwrap_or(offsets.len());
        let goes_on = |lane: usize| lane.is_multiple_of(lanes) || !ends(&lane);
        (lanes * word >= MIN_ROW_BYTES && (1..offsets.len()).all(goes_on)).then_some(lanes)
    };
    match (run(word as i64), run(0)) {
        (Some(lanes), _) => Arrangement::Rows { lanes },
        (None, Some(lanes)) => Arrangement::Same { lanes },
        (None, None) => Arrangement::Each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_next_to_each_other_are_found() {
        let own: Vec<i64> = (0..64).collect();
        assert_eq!(LaneOffsets::new(&own, 4, 4).arrangement, Arrangement::Rows { lanes: 64 });
        assert_eq!(LaneOffsets::new(&own, 8, 4).arrangement, Arrangement::Each);
        let tile: Vec<i64> = (0..64).map(|lane| lane / 16 * 100 + lane % 16).collect();
        assert_eq!(LaneOffsets::new(&tile, 4, 4).arrangement, Arrangement::Rows { lanes: 16 });
        let rows: Vec<i64> = (0..64).map(|lane| lane / 16 * 7).collect();
        assert_eq!(LaneOffsets::new(&rows, 4, 4).arrangement, Arrangement::Same { lanes: 16 });
        let short: Vec<i64> = (0..64).map(|lane| lane / 4 * 100 + lane % 4).collect();
        assert_eq!(LaneOffsets::new(&short, 4, 4).arrangement, Arrangement::Each);
        assert_eq!(LaneOffsets::new(&[0], 4, 4).arrangement, Arrangement::Each);
    }

    #[test]
    fn rows_need_not_end_where_the_lanes_do() {
        let own: Vec<i64> = (0..40).map(|lane| lane / 16 * 100 + lane % 16).collect();
        assert_eq!(LaneOffsets::new(&own, 4, 4).arrangement, Arrangement::Rows { lanes: 16 });
    }

    #[test]
    fn sums_that_wrap_have_no_reach() {
        let reach = OffsetBounds::of(&[3, -2, 5]);
        assert_eq!(reach, OffsetBounds { min: -2, max: 5 });
        assert_eq!(reach.unsigned_sums(2, 255), Some((0, 7)));
        assert_eq!(reach.unsigned_sums(1, 255), None);
        assert_eq!(reach.unsigned_sums(251, 255), None);
        assert_eq!(reach.signed_sums(-126, 127), Some((-128, -121)));
        assert_eq!(reach.signed_sums(-127, 127), None);
    }
}
