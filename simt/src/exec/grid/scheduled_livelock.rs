//! Blocks in a drawn order that go round loops that wait for others, and nobody else who could end that.
//!
//! No round of a drawn order is like another. So when nothing has changed for many turns, blocks take some rounds of turns as
//! usual, up to where one of them would change something: write another value to memory, learn which lanes run together, or end.
//! If none does, and a round ends in the state of an earlier one, each thread goes round a circle of its own, or
//! waits for one that does, and it would in any other order. If they come to a change, or to no circle, the order is
//! drawn again.
//!
//! Turns are counted, and no clock is looked at, so that a seed says everything.
use super::{Turn, Worker};
use crate::exec::state_cycle::Circle;

/// After how many turns in which nothing has changed the usual order is taken, at first.
const QUIET: u64 = 256;

/// How many steps count for a turn, if it has more.
const LONG: u64 = 1 << 14;

/// For how many rounds it is.
const ROUNDS: u32 = 25;

/// Turns of blocks in which nothing has changed.
#[derive(Debug, Default)]
pub(super) struct Lull {
    /// Those in a drawn order, since the last rounds in the usual one.
    turns: u64,
    /// How often the usual order came to no circle.
    tries: u32,
    /// Rounds in the usual order, if it is taken.
    evenly: Option<(u32, Circle)>,
}

impl Lull {
    /// Whether blocks take turns as usual.
    pub(super) fn is_even(&self) -> bool {
        self.evenly.is_some()
    }

    /// A block has had its turn, with so many steps if nothing has changed in them.
    pub(super) fn note(&mut self, turn: &Turn, quiet: Option<u64>) {
        match (turn, quiet) {
            (Turn::Waits | Turn::GivesWay | Turn::Pauses, Some(steps)) => {
                self.turns += 1 + steps / LONG;
            }
            (
                Turn::Waits
                | Turn::GivesWay
                | Turn::Pauses
                | Turn::Ended
                | Turn::Meets
                | Turn::Halted(_)
                | Turn::Deadlock(_)
                | Turn::Circles(_)
                | Turn::Spent
                | Turn::Malformed(_),
                _,
            ) => *self = Self::default(),
        }
    }

    /// So many blocks have had their turn. Yields where to look for a circle, if they took it as usual.
    fn end_round(&mut self, blocks: usize) -> Option<&mut Circle> {
        let quiet = (QUIET + 4 * blocks as u64) << self.tries.min(32);
        let (rounds, circle) = match self.evenly.take() {
            None if self.turns < quiet => return None,
            None => (0, Circle::default()),
            Some((ROUNDS, _)) => {
                (self.turns, self.tries) = (0, self.tries + 1);
                return None;
            }
            Some((rounds, circle)) => (rounds + 1, circle),
        };
        let (_, circle) = self.evenly.insert((rounds, circle));
        (rounds > 0).then_some(circle)
    }
}

impl Worker<'_, '_> {
    /// Each block that has begun has had its turn in a drawn order.
    pub(super) fn end_drawn_round(&mut self) {
        let Self { aside, lull, .. } = self;
        let Some(circle) = lull.end_round(aside.len()) else { return };
        // What is in memory has not changed.
        if circle.closes(|hasher| aside.iter().for_each(|block| block.digest(hasher))) {
            self.stop_in_circle();
        }
    }
}
