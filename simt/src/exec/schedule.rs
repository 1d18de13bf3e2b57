//! Schedules: the order of the threads' turns, drawn from a seed.
//!
//! Without data races the result of a launch does not depend on the schedule, so a launch with
//! another result for another seed has one, or adds floats in the order of the schedule. With the
//! same seed and one worker, everything happens in the same order again.

/// A pseudorandom schedule (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    seed: u64,
    state: u64,
    /// The most yields that a strand ignores.
    max_ignored_yields: u64,
}

/// Number of blocks among which the next one to start is drawn.
pub(crate) const START_WINDOW_BLOCKS: usize = 64;

/// Number of started blocks before one must have ended, unless they wait for others.
pub(crate) const MAX_STARTED_BLOCKS: usize = 8;

impl Schedule {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, state: seed, max_ignored_yields: 0 }
    }

    /// Returns the schedule of the threads of a block, independent of other blocks.
    pub(crate) fn for_block(&self, number: u64) -> Self {
        let mut schedule =
            Self { state: self.seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93), ..*self };
        // Some blocks switch strands at nearly every yield, and some hardly ever. None switches at
        // each one: threads that obstruct each other would do so forever.
        schedule.max_ignored_yields = [1, 2, 8, 64, 1 << 20][schedule.draw_below(5)];
        schedule
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number below `n`, which is not 0.
    pub(crate) fn draw_below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Draws the number of yields that the next strand ignores.
    pub(crate) fn draw_ignored_yields(&mut self) -> i64 {
        (self.next() % (self.max_ignored_yields + 1)) as i64
    }

    /// Shuffles the items.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.draw_below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_make_equal_schedules() {
        let draw = |seed| {
            let mut things: Vec<_> = (0..10).collect();
            Schedule::new(seed).for_block(3).shuffle(&mut things);
            things
        };
        assert_eq!(draw(1), draw(1));
        assert!((0..10).any(|seed| draw(seed) != draw(seed + 1)));
        let mut sorted = draw(5);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
    }
}
