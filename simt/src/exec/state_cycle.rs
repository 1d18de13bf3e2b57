//! Telling that something goes round in circles.
//!
//! What runs by itself and is in the state that it was in before comes to that state again and again: it cannot end.
//! A loop that counts is never in the same state; its rounds end, or the step budget does.
use std::{
    hash::{DefaultHasher, Hasher},
    time::{Duration, Instant},
};

/// How many rounds a circle has at most to be seen.
const LONGEST: u64 = 8;

/// How long to go on before circles are looked for.
const PATIENT: Duration = Duration::from_secs(1);

/// Rounds of something, by what is left of its states.
#[derive(Debug, Default)]
pub(crate) struct Circle {
    rounds: u64,
    /// The state in the last round whose number is a power of two.
    marked: Option<u64>,
}

impl Circle {
    /// Another round; whether the state that `digest` feeds its hasher is that of an earlier one.
    pub(crate) fn closes(&mut self, digest: impl FnOnce(&mut DefaultHasher)) -> bool {
        self.rounds += 1;
        let mark = 1 << self.rounds.ilog2();
        if self.rounds - mark > LONGEST {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        digest(&mut hasher);
        let state = hasher.finish();
        if self.rounds == mark {
            self.marked = Some(state);
            return false;
        }
        self.marked == Some(state)
    }
}

/// Blocks that have run for some time without one of them coming to anything.
#[derive(Debug, Default)]
pub(crate) struct InVain {
    since: Option<Instant>,
    pub(crate) circle: Circle,
}

impl InVain {
    /// One has come to something.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }

    /// One has not.
    pub(crate) fn go_on(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Whether that is so for long.
    pub(crate) fn is_long(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= PATIENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many rounds a circle is seen.
    fn seen(state: impl Fn(u64) -> u64) -> Option<u64> {
        let mut circle = Circle::default();
        (0..1000).find(|round| circle.closes(|hasher| hasher.write_u64(state(*round))))
    }

    #[test]
    fn circles_are_seen_and_nothing_else() {
        assert_eq!(seen(|_| 7), Some(2));
        assert!(seen(|round| round % 3).is_some());
        assert!(seen(|round| round.min(100) + round % LONGEST).is_some());
        assert_eq!(seen(|round| round), None);
    }
}
