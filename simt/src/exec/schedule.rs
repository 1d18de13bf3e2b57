//! The order in which threads get their turns, drawn from a seed.
//!
//! What a launch does without data races does not depend on it, so a launch that comes out
//! otherwise with another seed has one, or adds up floats as they come. With the same seed and one
//! worker everything happens in the same order again.

/// A sequence of numbers that look random (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Order {
    seed: u64,
    state: u64,
    /// How many turns a strand may pass at most, less one.
    longest: u64,
}

/// How many blocks are drawn from when one starts.
pub(crate) const WINDOW: usize = 64;

/// How many blocks are begun before one of them has ended, unless they wait for others.
pub(crate) const BEGUN: usize = 8;

impl Order {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, state: seed, longest: 0 }
    }

    /// The one in which the threads of a block take turns, whatever other blocks do.
    pub(crate) fn of_block(&self, number: u64) -> Self {
        let mut order =
            Self { state: self.seed ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93), ..*self };
        // Some blocks switch all the time, and some hardly ever. None after each turn: threads that get in each other's way would
        // do so for ever.
        order.longest = [1, 2, 8, 64, 1 << 20][order.below(5)];
        order
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// How many turns the next strand passes before others get theirs.
    pub(crate) fn stay(&mut self) -> i64 {
        (self.next() % (self.longest + 1)) as i64
    }

    /// Puts things in another order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_everything() {
        let draw = |seed| {
            let mut things: Vec<_> = (0..10).collect();
            Order::new(seed).of_block(3).shuffle(&mut things);
            things
        };
        assert_eq!(draw(1), draw(1));
        assert!((0..10).any(|seed| draw(seed) != draw(seed + 1)));
        let mut sorted = draw(5);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
    }
}
