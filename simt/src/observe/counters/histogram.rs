//! Distributions of counts: active threads by instruction, and trip counts by loop.
use std::ops::{AddAssign, RangeInclusive};

/// The threads of a warp.
const WARP_THREADS: usize = 32;

/// A histogram of the active threads of executed warp instructions. Its
/// [sum](Self::instructions) is [`Counts::warp_instructions`](crate::Counts::warp_instructions),
/// its [sum over threads](Self::thread_instructions) is
/// [`Counts::thread_instructions`](crate::Counts::thread_instructions).
///
/// An average cannot distinguish a kernel whose warps are all half idle from one where every second
/// warp works with a single thread; the histogram can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActiveThreads {
    /// Starting with one active thread.
    instructions: [u64; WARP_THREADS],
}

impl ActiveThreads {
    /// Returns the number of instructions that were executed with `threads` active threads, counted
    /// once per warp; 0 unless `threads` is 1 to 32.
    pub fn get(&self, threads: u32) -> u64 {
        let index = threads.checked_sub(1).map(|index| index as usize);
        index.and_then(|index| self.instructions.get(index)).copied().unwrap_or(0)
    }

    /// Adds instructions that were executed with `threads` active threads, if `threads` is 1 to 32.
    pub fn add(&mut self, threads: u32, instructions: u64) {
        let index = threads.checked_sub(1).map(|index| index as usize);
        if let Some(sum) = index.and_then(|index| self.instructions.get_mut(index)) {
            *sum += instructions;
        }
    }

    /// Returns each number of active threads that occurred, ascending, with its number of
    /// instructions.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        let all = (1..).zip(self.instructions);
        all.filter(|(_, instructions)| *instructions != 0)
    }

    /// Returns the number of executed instructions, counted once per warp.
    pub fn instructions(&self) -> u64 {
        self.instructions.iter().sum()
    }

    /// Returns the number of executed instructions, counted once per active thread.
    pub fn thread_instructions(&self) -> u64 {
        self.iter().map(|(threads, instructions)| u64::from(threads) * instructions).sum()
    }
}

impl AddAssign for ActiveThreads {
    fn add_assign(&mut self, other: Self) {
        other.iter().for_each(|(threads, instructions)| self.add(threads, instructions));
    }
}

/// A histogram of the trip counts of a loop, counted once per warp and visit.
///
/// A warp executes an iteration if one of its threads does. An iteration of a `while` begins after
/// its condition, an iteration of a `loop` with its body. The trip counts are grouped into ranges
/// that double: 0, 1, 2 to 3, 4 to 7, and so on. Where they differ much, a few warps keep the other
/// warps of their block waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trips {
    /// The number of visits, then the number of visits with at least 1, 2, 4, ... iterations.
    reached: [u64; Self::RANGE_COUNT],
    most: u64,
}

impl Default for Trips {
    fn default() -> Self {
        Self { reached: [0; Self::RANGE_COUNT], most: 0 }
    }
}

impl Trips {
    /// One range for 0 and one for each power of two.
    const RANGE_COUNT: usize = 65;

    /// Adds `visits` visits of `iterations` iterations each.
    pub fn add(&mut self, iterations: u64, visits: u64) {
        self.add_visits(visits);
        self.add_iterations(0, iterations, visits);
    }

    /// Returns the number of times that warps entered the loop.
    pub fn visits(&self) -> u64 {
        self.reached[0]
    }

    /// Returns the largest trip count.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Returns each range of trip counts that occurred, ascending, with its number of visits. The
    /// last range ends at the largest trip count.
    pub fn iter(&self) -> impl Iterator<Item = (RangeInclusive<u64>, u64)> {
        let more = self.reached[1..].iter().chain([&0]);
        let ranges = self.reached.iter().zip(more).enumerate();
        ranges.filter(|(_, (reached, more))| reached != more).map(|(range, (reached, more))| {
            let range = match range.checked_sub(1) {
                None => 0..=0,
                Some(power) => 1 << power..=self.most.min(u64::MAX >> (63 - power)),
            };
            (range, reached - more)
        })
    }

    /// Counts warps that enter the loop.
    pub(crate) fn add_visits(&mut self, warps: u64) {
        self.reached[0] += warps;
    }

    /// Counts the iterations of warps that have executed `from` of them and continue up to `to`.
    pub(crate) fn add_iterations(&mut self, from: u64, to: u64, warps: u64) {
        let ranges = |iterations: u64| (u64::BITS - iterations.leading_zeros()) as usize;
        self.reached[ranges(from) + 1..=ranges(to)].iter_mut().for_each(|more| *more += warps);
        self.most = self.most.max(to);
    }
}

impl AddAssign for Trips {
    fn add_assign(&mut self, Self { reached, most }: Self) {
        self.reached.iter_mut().zip(reached).for_each(|(sum, other)| *sum += other);
        self.most = self.most.max(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_counters() {
        let mut active = ActiveThreads::default();
        active.add(32, 10);
        active.add(1, 3);
        active.add(0, 7);
        active.add(33, 7);
        assert_eq!((active.instructions(), active.thread_instructions()), (13, 323));
        assert_eq!(active.iter().collect::<Vec<_>>(), [(1, 3), (32, 10)]);
        assert_eq!((active.get(1), active.get(2), active.get(0), active.get(33)), (3, 0, 0, 0));
    }

    #[test]
    fn trips_are_kept_in_ranges_that_double() {
        let mut trips = Trips::default();
        for (iterations, visits) in [(0, 2), (1, 1), (2, 3), (3, 1), (4, 5), (9, 1)] {
            trips.add(iterations, visits);
        }
        assert_eq!((trips.visits(), trips.most()), (13, 9));
        let ranges: Vec<_> = trips.iter().collect();
        assert_eq!(ranges, [(0..=0, 2), (1..=1, 1), (2..=3, 4), (4..=7, 5), (8..=9, 1)]);
    }

    #[test]
    fn the_greatest_numbers_are_in_the_last_range() {
        let mut trips = Trips::default();
        trips.add(u64::MAX, 1);
        assert_eq!(trips.iter().collect::<Vec<_>>(), [(1 << 63..=u64::MAX, 1)]);
    }

    #[test]
    fn rounds_together_are_as_rounds_one_by_one() {
        let (mut together, mut single) = (Trips::default(), Trips::default());
        together.add(13, 2);
        single.add_visits(2);
        (0..13).for_each(|round| single.add_iterations(round, round + 1, 2));
        assert_eq!(together, single);
    }
}
