//! Blocks that go round loops that wait for others, and nobody else who could end that.
//!
//! Whether all of them go round in circles can be told where one worker runs them all, in the same order in each round.
//! So workers whose blocks come to nothing for long hand them over, until one has them all; where its round ends
//! in the state of an earlier one, memory included, it will do so forever. In a drawn order, [`scheduled_livelock`](super::scheduled_livelock) looks for that.
use super::{Grid, Turn, Worker};
use crate::{exec::block::Block, outcome::Stopped};
use std::{collections::VecDeque, sync::PoisonError};

/// Who is at work, and what nobody works on.
#[derive(Default)]
pub(super) struct Hands<'a> {
    /// Workers that run blocks.
    pub(super) at_work: usize,
    /// Blocks that were handed over.
    blocks: VecDeque<Box<Block<'a>>>,
}

impl<'a> Grid<'a> {
    fn with_hands<T>(&self, change: impl FnOnce(&mut Hands<'a>) -> T) -> T {
        change(&mut self.hands.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another worker begins, or goes on.
    pub(super) fn come(&self) {
        self.with_hands(|hands| hands.at_work += 1);
    }

    /// A worker that was to come does not.
    pub(super) fn go(&self) {
        self.with_hands(|hands| hands.at_work -= 1);
    }

    /// A worker has nothing left to run, unless it gets blocks here.
    fn leave(&self) -> VecDeque<Box<Block<'a>>> {
        self.with_hands(|hands| {
            hands.at_work -= usize::from(hands.blocks.is_empty());
            std::mem::take(&mut hands.blocks)
        })
    }
}

impl Worker<'_, '_> {
    /// Runs blocks until there are none left.
    pub(super) fn work(&mut self) {
        loop {
            while self.turn() {}
            if self.leave() {
                return;
            }
        }
    }

    /// Leaves, with nothing to run; false if there was something.
    pub(super) fn leave(&mut self) -> bool {
        if !self.has_left {
            let blocks = self.grid.leave();
            self.has_left = blocks.is_empty();
            self.aside.extend(blocks);
        }
        self.has_left
    }

    /// Goes on, behind a meeting.
    pub(super) fn come_back(&mut self) {
        if std::mem::take(&mut self.has_left) {
            self.grid.come();
        }
    }

    /// Whether what a block's turn came to is of no use to others.
    pub(super) fn note(&mut self, turn: &Turn, quiet: Option<u64>) {
        self.lull.note(turn, quiet);
        match turn {
            Turn::Waits => self.in_vain.go_on(),
            Turn::Ended
            | Turn::Meets
            | Turn::GivesWay
            | Turn::Pauses
            | Turn::Halted(_)
            | Turn::Deadlock(_)
            | Turn::Circles(_)
            | Turn::Spent
            | Turn::Malformed(_) => self.in_vain.end(),
        }
    }

    /// Each block that has begun has had its turn, and no other is left to begin.
    pub(super) fn end_round(&mut self) {
        if self.aside.is_empty() {
            return;
        }
        if self.order.is_some() {
            return self.end_drawn_round();
        }
        if !self.in_vain.is_long() {
            return;
        }
        let taken = self.grid.with_hands(|hands| {
            if hands.at_work > 1 {
                hands.at_work -= 1;
                hands.blocks.append(&mut self.aside);
                return None;
            }
            Some(std::mem::take(&mut hands.blocks))
        });
        match taken {
            None => self.has_left = true,
            Some(blocks) if blocks.is_empty() => self.look_for_circle(),
            Some(blocks) => {
                self.aside.extend(blocks);
                self.in_vain.end();
            }
        }
    }

    /// Ends the launch if its blocks go round in circles, all of which this worker has.
    fn look_for_circle(&mut self) {
        let Self { grid, aside, in_vain, .. } = self;
        let closes = in_vain.circle.closes(|hasher| {
            aside.iter().for_each(|block| block.digest(hasher));
            grid.bound.cells.iter().flatten().for_each(|cells| cells.hash_words(hasher));
        });
        if closes {
            self.stop_in_circle();
        }
    }

    /// Ends the launch, whose blocks go round in circles.
    pub(super) fn stop_in_circle(&mut self) {
        let Self { grid, aside, .. } = self;
        let Some(lowest) = aside.iter().min_by_key(|block| block.number()) else { return };
        let stopped = Stopped::Livelock {
            block: grid.bound.block_idx(lowest.number()),
            spinning: lowest.spinning(),
            waiting: lowest.waiting(),
            blocks: aside.len() as u64,
        };
        grid.stop(lowest.number(), stopped);
        for mut block in self.aside.drain(..) {
            block.finish(&mut self.log);
        }
    }
}
