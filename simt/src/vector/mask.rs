//! Sets of lanes of one group, and the runs that instructions process.
//!
//! A *group* is the set of threads for which one instruction is executed at once: up to [`WARPS`]
//! warps of a block, [`GROUP`] threads.
use std::ops::{BitAnd, BitOr, Not};

/// The number of warps in a group.
pub(crate) const WARPS: usize = 8;
/// The number of threads in a group.
pub(crate) const GROUP: usize = WARPS * 32;

/// A set of lanes: bit l of word w is lane l of the group's warp w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Mask(pub(crate) [u32; WARPS]);

/// The mask whose word of each warp `$warp` is `$word`. It has no loop or call, since builds
/// without optimization run it, too.
macro_rules! words {
    ($warp:ident => $word:expr) => {
        words!(@ [0 1 2 3 4 5 6 7] $warp $word)
    };
    (@ [$($number:literal)*] $warp:ident $word:expr) => {
        Self([$({
            const $warp: usize = $number;
            $word
        }),*])
    };
}

impl Mask {
    pub(crate) const EMPTY: Self = Self([0; WARPS]);

    /// Returns the first `count` lanes.
    pub(crate) fn first(count: usize) -> Self {
        let word = |warp: usize| match count.saturating_sub(warp * 32) {
            0 => 0,
            some @ 1..32 => (1 << some) - 1,
            _ => u32::MAX,
        };
        Self(std::array::from_fn(word))
    }

    /// Returns `lanes` of one warp.
    pub(crate) fn of_warp(warp: usize, lanes: u32) -> Self {
        let mut mask = Self::EMPTY;
        mask.0[warp] = lanes;
        mask
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        let [a, b, c, d, e, f, g, h] = self.0;
        a | b | c | d | e | f | g | h == 0
    }

    #[inline(always)]
    pub(crate) fn contains(self, lane: usize) -> bool {
        self.0[lane / 32] & (1 << (lane % 32)) != 0
    }

    #[inline(always)]
    pub(crate) fn insert(&mut self, lane: usize) {
        self.0[lane / 32] |= 1 << (lane % 32);
    }

    pub(crate) fn count(self) -> u32 {
        let mut count = 0;
        let mut warp = 0;
        while warp < WARPS {
            count += self.0[warp].count_ones();
            warp += 1;
        }
        count
    }

    /// Returns the lanes of `self` that `other` lacks.
    #[inline(always)]
    pub(crate) fn without(self, other: Self) -> Self {
        words!(W => self.0[W] & !other.0[W])
    }

    #[inline(always)]
    pub(crate) fn remove(&mut self, other: Self) {
        *self = self.without(other);
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, other: Self) {
        *self = *self | other;
    }

    /// Returns the lowest lane, if there is one.
    #[inline(always)]
    pub(crate) fn lowest(self) -> Option<usize> {
        let warp = self.0.iter().position(|word| *word != 0)?;
        Some(warp * 32 + self.0[warp].trailing_zeros() as usize)
    }

    /// Returns every lane, ascending.
    pub(crate) fn lanes(self) -> impl Iterator<Item = usize> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(warp, word)| bits(word).map(move |bit| warp * 32 + bit))
    }

    /// Returns the warps with lanes in the mask, each with its lanes.
    pub(crate) fn warps(self) -> impl Iterator<Item = (usize, u32)> {
        self.0.into_iter().enumerate().filter(|(_, word)| *word != 0)
    }
}

/// Returns the numbers of the set bits, ascending.
pub(crate) fn bits(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < 32).then_some(bit as usize)
    })
}

impl BitAnd for Mask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        words!(W => self.0[W] & other.0[W])
    }
}
impl BitOr for Mask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        words!(W => self.0[W] | other.0[W])
    }
}
impl Not for Mask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        words!(W => !self.0[W])
    }
}

/// Neighbouring lanes for which an instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first lane.
    pub(crate) first: usize,
    /// The number of lanes.
    pub(crate) len: usize,
    /// True if every one of them is active. Results in inactive lanes are never read.
    pub(crate) full: bool,
}

/// Covers `active` by runs. Inactive lanes are covered, too, since that is faster, but only in the
/// `exclusive` warps, which have no lane of another strand. `exist` are the lanes of the group.
pub(crate) fn cover_by_runs(
    active: Mask,
    exist: Mask,
    exclusive: [bool; WARPS],
    runs: &mut Vec<Run>,
) {
    runs.clear();
    let mut last = Run { first: 0, len: 0, full: true };
    let mut warp = 0;
    while warp < WARPS {
        let lanes = active.0[warp];
        if lanes != 0 && exclusive[warp] {
            let full = lanes == exist.0[warp];
            let len = if full { lanes.count_ones() as usize } else { 32 };
            last = push_run(runs, last, Run { first: warp * 32, len, full });
        } else if lanes != 0 {
            for lane in bits(lanes) {
                last = push_run(runs, last, Run { first: warp * 32 + lane, len: 1, full: true });
            }
        }
        warp += 1;
    }
    if last.len > 0 {
        runs.push(last);
    }
}

/// Appends `run` to the last run if they are adjacent and of one kind; else adds the last run to
/// `runs`. Returns the new last run.
#[inline(always)]
fn push_run(runs: &mut Vec<Run>, last: Run, run: Run) -> Run {
    if last.first + last.len == run.first && last.full == run.full {
        return Run { len: last.len + run.len, ..last };
    }
    if last.len > 0 {
        runs.push(last);
    }
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lanes() {
        assert!(Mask::first(0).is_empty());
        assert_eq!(Mask::first(40).0, [u32::MAX, 0xff, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Mask::first(GROUP).count(), 256);
        assert_eq!(Mask::first(33).lanes().collect::<Vec<_>>(), (0..33).collect::<Vec<_>>());
    }

    #[test]
    fn whole_warps_make_one_run() {
        let mut runs = Vec::new();
        cover_by_runs(Mask::first(40), Mask::first(40), [true; WARPS], &mut runs);
        assert_eq!(runs, [Run { first: 0, len: 40, full: true }]);
    }

    #[test]
    fn exclusive_warps_are_covered_whole_and_others_exactly() {
        let mut runs = Vec::new();
        let active = Mask([0xff, 0b1101, 0, 0, 0, 0, 0, u32::MAX]);
        let mut exclusive = [true; WARPS];
        exclusive[1] = false;
        cover_by_runs(active, Mask::first(GROUP), exclusive, &mut runs);
        let run = |first, len, full| Run { first, len, full };
        assert_eq!(
            runs,
            [run(0, 32, false), run(32, 1, true), run(34, 2, true), run(224, 32, true)]
        );
    }
}
