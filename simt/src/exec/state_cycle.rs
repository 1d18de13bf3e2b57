//! State cycles: threads that return to an earlier state without input from others will return to
//! it forever, and never end.
//!
//! A loop that counts is never in the same state twice; its rounds end, or the step budget does.
use std::{
    hash::{DefaultHasher, Hasher},
    time::{Duration, Instant},
};

/// The longest detected cycle, in rounds.
const MAX_CYCLE_ROUNDS: u64 = 8;

/// Time without progress before cycles are searched.
const MIN_STAGNATION: Duration = Duration::from_secs(1);

/// False if the host has no clock: `Instant::now` panics in WebAssembly.
pub(crate) const HAS_CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// A detector of cycles, which keeps a hash of one earlier state.
#[derive(Debug, Default)]
pub(crate) struct StateCycle {
    rounds: u64,
    /// The state in the last round whose number is a power of two.
    marked_state: Option<u64>,
}

impl StateCycle {
    /// Adds a round; returns true if the state that `digest` feeds to its hasher is that of an
    /// earlier one.
    pub(crate) fn recurs(&mut self, digest: impl FnOnce(&mut DefaultHasher)) -> bool {
        self.rounds += 1;
        let mark = 1 << self.rounds.ilog2();
        if self.rounds - mark > MAX_CYCLE_ROUNDS {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        digest(&mut hasher);
        let state = hasher.finish();
        if self.rounds == mark {
            self.marked_state = Some(state);
            return false;
        }
        self.marked_state == Some(state)
    }
}

/// A period in which no block has made progress.
#[derive(Debug, Default)]
pub(crate) struct Stagnation {
    has_begun: bool,
    /// Its start, on a host with a clock.
    since: Option<Instant>,
    pub(crate) cycle: StateCycle,
}

impl Stagnation {
    /// Ends the period.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    /// Starts the period, or continues it.
    pub(crate) fn begin_or_continue(&mut self) {
        self.has_begun = true;
        if HAS_CLOCK {
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// Returns true if the period is long enough to search for cycles: at once on a host without a
    /// clock, where the only worker runs every block.
    pub(crate) fn is_long(&self) -> bool {
        self.has_begun && self.since.is_none_or(|since| since.elapsed() >= MIN_STAGNATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of rounds until a cycle is detected.
    fn seen(state: impl Fn(u64) -> u64) -> Option<u64> {
        let mut cycle = StateCycle::default();
        (0..1000).find(|round| cycle.recurs(|hasher| hasher.write_u64(state(*round))))
    }

    #[test]
    fn only_cycles_are_detected() {
        assert_eq!(seen(|_| 7), Some(2));
        assert!(seen(|round| round % 3).is_some());
        assert!(seen(|round| round.min(100) + round % MAX_CYCLE_ROUNDS).is_some());
        assert_eq!(seen(|round| round), None);
    }
}
