//! Turns of a block's strands: by a schedule, and round-robin in between.
use super::{Block, Budget, Mask};
use crate::exec::step::{Slice, Stop};

/// Other blocks get a turn after a pass with a probability of one in this number.
const YIELD_ODDS: usize = 8;

/// Round-robin: the steps of a strand before others get a turn.
const ROUND_ROBIN_STEPS: i64 = 1 << 16;

/// Round-robin: the passes of a block before others get a turn.
const ROUND_ROBIN_PASSES: u32 = 64;

impl Block<'_> {
    /// Starts the block's own schedule.
    pub(super) fn start_schedule(&mut self) {
        self.schedule =
            self.bound.schedule.as_ref().map(|schedule| schedule.for_block(self.number));
    }

    /// Shuffles the strands by the schedule, those of each warp separately.
    pub(super) fn shuffle_strands(&mut self) {
        let Some(mut schedule) = self.schedule.take() else { return };
        self.merge();
        if !self.round_robin {
            for index in 0..self.strands.len() {
                if !self.strands[index].1.waits {
                    self.split_warps(index);
                }
            }
            schedule.shuffle(&mut self.strands);
        }
        self.schedule = Some(schedule);
    }

    /// Makes a strand of each warp of a strand.
    pub(super) fn split_warps(&mut self, index: usize) {
        let group = self.strands[index].0;
        if self.strands[index].1.active().warps().count() < 2 {
            return;
        }
        self.split_waiting(index);
        let warps: Vec<_> = self.strands[index].1.active().warps().skip(1).collect();
        for (warp, lanes) in warps {
            let part = self.strands[index].1.split_active(Mask::of_warp(warp, lanes));
            self.strands.push((group, Box::new(part)));
        }
    }

    /// Returns the limits of the next run of a strand.
    pub(super) fn next_slice(&mut self, spin_budget: i64) -> Slice {
        let round_robin = self.round_robin;
        let schedule = self.schedule.as_mut().filter(|_| !round_robin);
        Slice {
            steps: if round_robin { ROUND_ROBIN_STEPS } else { self.steps_left },
            spin_budget,
            ignored_yields: schedule.map_or(i64::MAX, |schedule| schedule.draw_ignored_yields()),
            changed: false,
            round_robin,
        }
    }

    /// Returns the reason to stop after a round-robin run, which may have overdrawn the steps.
    pub(super) fn stop_round_robin(&mut self, stop: Stop, budget: Budget<'_>) -> Stop {
        if self.steps_left < 0 && !self.claim_steps(budget) {
            return Stop::OutOfSteps;
        }
        if let Stop::OutOfSteps = stop { Stop::Spun } else { stop }
    }

    /// Returns true if other blocks get a turn after `rounds` passes.
    pub(super) fn yields_after(&mut self, rounds: u32) -> bool {
        if self.round_robin {
            return rounds >= ROUND_ROBIN_PASSES;
        }
        self.schedule.as_mut().is_some_and(|schedule| schedule.draw_below(YIELD_ODDS) == 0)
    }

    /// Returns the steps of the last turn, if they changed nothing that others can observe.
    pub(crate) fn unchanged_steps(&self) -> Option<u64> {
        (!self.changed).then_some(self.steps_taken.unsigned_abs())
    }
}
