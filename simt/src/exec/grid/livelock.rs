//! Livelock detection: every unfinished block spins, and no other block can release it.
//!
//! A recurring state proves a livelock only where one worker runs all blocks, in the same order in
//! each round. So workers whose blocks make no progress for long hand them over, until one worker
//! has them all; if its round ends in the state of an earlier one, memory included, the blocks will
//! spin forever. With a schedule, [`scheduled_livelock`](super::scheduled_livelock) searches for
//! that.
use super::{Grid, Turn, Worker};
use crate::{exec::block::Block, outcome::Stopped};
use std::{collections::VecDeque, sync::PoisonError};

/// The workers that run blocks, and the blocks that were handed over.
#[derive(Default)]
pub(super) struct Handover<'a> {
    /// Workers that run blocks.
    pub(super) working: usize,
    /// Blocks that were handed over.
    blocks: VecDeque<Box<Block<'a>>>,
}

impl<'a> Grid<'a> {
    fn with_handover<T>(&self, change: impl FnOnce(&mut Handover<'a>) -> T) -> T {
        change(&mut self.handover.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers a worker that begins, or rejoins.
    pub(super) fn register_worker(&self) {
        self.with_handover(|handover| handover.working += 1);
    }

    /// Unregisters a worker that could not be started.
    pub(super) fn unregister_worker(&self) {
        self.with_handover(|handover| handover.working -= 1);
    }

    /// Unregisters a worker without blocks, unless it can take over some.
    fn take_handed_over(&self) -> VecDeque<Box<Block<'a>>> {
        self.with_handover(|handover| {
            handover.working -= usize::from(handover.blocks.is_empty());
            std::mem::take(&mut handover.blocks)
        })
    }
}

impl<'a> Worker<'_, 'a> {
    /// Runs blocks until there are none left.
    pub(super) fn run_all(&mut self) {
        loop {
            while self.run_turn() {}
            if self.leave_or_take_over() {
                return;
            }
        }
    }

    /// Leaves, with nothing to run; false if there were blocks to take over.
    pub(super) fn leave_or_take_over(&mut self) -> bool {
        if !self.has_left {
            let blocks = self.grid.take_handed_over();
            self.has_left = blocks.is_empty();
            self.take_over(blocks);
        }
        self.has_left
    }

    fn take_over(&mut self, blocks: VecDeque<Box<Block<'a>>>) {
        let (waiting, ready): (Vec<_>, Vec<_>) =
            blocks.into_iter().partition(|block| block.waits_for_cluster_blocks());
        self.at_cluster_barrier.extend(waiting);
        self.suspended.extend(ready);
    }

    /// Rejoins after a grid barrier.
    pub(super) fn rejoin(&mut self) {
        if std::mem::take(&mut self.has_left) {
            self.grid.register_worker();
        }
    }

    /// Records whether a block's turn made progress.
    pub(super) fn record_progress(&mut self, turn: &Turn, unchanged_steps: Option<u64>) {
        self.quiet_turns.record(turn, unchanged_steps);
        match turn {
            Turn::Spins => self.stagnation.begin_or_continue(),
            Turn::Ended
            | Turn::AtGridBarrier
            | Turn::AtClusterBarrier
            | Turn::AwaitsMulticast
            | Turn::Yielded
            | Turn::Paused
            | Turn::Halted(_)
            | Turn::Deadlock(_)
            | Turn::Livelock(_)
            | Turn::OutOfSteps
            | Turn::Malformed(_) => self.stagnation.end(),
        }
    }

    /// Ends a round: every started block has had its turn, and no other is left to start.
    pub(super) fn end_round(&mut self) {
        if self.suspended.is_empty() {
            return;
        }
        if self.schedule.is_some() {
            return self.end_drawn_round();
        }
        if !self.stagnation.is_long() {
            return;
        }
        let taken = self.grid.with_handover(|handover| {
            if handover.working > 1 {
                handover.working -= 1;
                handover.blocks.append(&mut self.suspended);
                // All blocks of a cluster go to the same worker.
                handover.blocks.extend(self.at_cluster_barrier.drain(..));
                return None;
            }
            Some(std::mem::take(&mut handover.blocks))
        });
        match taken {
            None => self.has_left = true,
            Some(blocks) if blocks.is_empty() => self.stop_if_cycle(),
            Some(blocks) => {
                self.take_over(blocks);
                self.stagnation.end();
            }
        }
    }

    /// Stops the launch if its blocks, all of which this worker has, are in a state cycle.
    fn stop_if_cycle(&mut self) {
        let Self { grid, suspended, stagnation, .. } = self;
        let recurs = stagnation.cycle.recurs(|hasher| {
            suspended.iter().for_each(|block| block.digest(hasher));
            grid.bound.cells.iter().flatten().for_each(|cells| cells.hash_words(hasher));
        });
        if recurs {
            self.stop_in_cycle();
        }
    }

    /// Stops the launch, whose blocks are in a state cycle.
    pub(super) fn stop_in_cycle(&mut self) {
        let Self { grid, suspended, .. } = self;
        let Some(lowest) = suspended.iter().min_by_key(|block| block.number()) else { return };
        let stopped = Stopped::Livelock {
            block: grid.bound.block_idx(lowest.number()),
            spinning: lowest.spinning_loops(),
            waiting: lowest.waiting_lanes(),
            blocks: suspended.len() as u64,
        };
        grid.record_stop(lowest.ticket(), stopped);
        for mut block in self.suspended.drain(..) {
            block.finish(&mut self.log);
        }
    }
}
