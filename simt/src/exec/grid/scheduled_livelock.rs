//! Livelock detection with a schedule: every unfinished block spins, and no other block can release
//! it.
//!
//! No two rounds of a schedule are alike. So after many turns without a change, blocks take some
//! rounds of turns round-robin, up to a change by one of them: another value written to memory,
//! lanes that learn which others are active, or an end. If there is none, and a round ends in the
//! state of an earlier one, each thread is in a state cycle of its own, or waits for one that is,
//! and would be in any other order. After a change, or without a cycle, the schedule continues.
//!
//! The detector counts turns, and reads no clock, so that a seed determines everything.
use super::{Turn, Worker};
use crate::exec::state_cycle::StateCycle;

/// Turns without a change before the first round-robin rounds.
const MIN_QUIET_TURNS: u64 = 256;

/// Steps that count as one turn; longer turns count more.
const STEPS_PER_TURN: u64 = 1 << 14;

/// Number of round-robin rounds.
const ROUND_ROBIN_ROUNDS: u32 = 25;

/// The turns of blocks since the last change.
#[derive(Debug, Default)]
pub(super) struct QuietTurns {
    /// Turns by the schedule since the last round-robin rounds.
    turns: u64,
    /// Number of round-robin phases without a cycle.
    phases: u32,
    /// The round-robin round and its cycle detector, in such a phase.
    round_robin: Option<(u32, StateCycle)>,
}

impl QuietTurns {
    /// Returns true if blocks take turns round-robin.
    pub(super) fn is_round_robin(&self) -> bool {
        self.round_robin.is_some()
    }

    /// Records a block's turn, with its steps if they have changed nothing.
    pub(super) fn record(&mut self, turn: &Turn, unchanged_steps: Option<u64>) {
        match (turn, unchanged_steps) {
            (Turn::Spins | Turn::Yielded | Turn::Paused, Some(steps)) => {
                self.turns += 1 + steps / STEPS_PER_TURN;
            }
            (
                Turn::Spins
                | Turn::Yielded
                | Turn::Paused
                | Turn::Ended
                | Turn::AtGridBarrier
                | Turn::AtClusterBarrier
                | Turn::AwaitsMulticast
                | Turn::Halted(_)
                | Turn::Deadlock(_)
                | Turn::Livelock(_)
                | Turn::OutOfSteps
                | Turn::Malformed(_),
                _,
            ) => *self = Self::default(),
        }
    }

    /// Ends a round of `blocks` blocks. Returns the cycle detector after a round-robin round.
    fn end_round(&mut self, blocks: usize) -> Option<&mut StateCycle> {
        let min_turns = (MIN_QUIET_TURNS + 4 * blocks as u64) << self.phases.min(32);
        let (rounds, cycle) = match self.round_robin.take() {
            None if self.turns < min_turns => return None,
            None => (0, StateCycle::default()),
            Some((ROUND_ROBIN_ROUNDS, _)) => {
                (self.turns, self.phases) = (0, self.phases + 1);
                return None;
            }
            Some((rounds, cycle)) => (rounds + 1, cycle),
        };
        let (_, cycle) = self.round_robin.insert((rounds, cycle));
        (rounds > 0).then_some(cycle)
    }
}

impl Worker<'_, '_> {
    /// Ends a round of a schedule: every started block has had its turn.
    pub(super) fn end_drawn_round(&mut self) {
        let Self { suspended, quiet_turns, .. } = self;
        let Some(cycle) = quiet_turns.end_round(suspended.len()) else { return };
        // Memory has not changed, so it need not be hashed.
        if cycle.recurs(|hasher| suspended.iter().for_each(|block| block.digest(hasher))) {
            self.stop_in_cycle();
        }
    }
}
