//! Turns of a block's threads in an order drawn from a seed, and as usual in between.
use super::{Block, Budget, Mask};
use crate::exec::step::{Slice, Stop};

/// One in so many rounds of a block, others get a turn.
const ROUNDS: usize = 8;

/// Where turns are taken as usual for a while: how many steps a strand may take before others get theirs.
const STEPS: i64 = 1 << 16;

/// How many rounds of a block there are then before others get a turn.
const PASSES: u32 = 64;

impl Block<'_> {
    /// Takes a part of what the block's order is drawn from.
    pub(super) fn start_order(&mut self) {
        self.order = self.bound.order.as_ref().map(|order| order.of_block(self.number));
    }

    /// Puts strands in an order drawn from the seed, those of each warp by themselves.
    pub(super) fn rearrange(&mut self) {
        let Some(mut order) = self.order.take() else { return };
        self.merge();
        if !self.evenly {
            for index in 0..self.strands.len() {
                if !self.strands[index].1.waits {
                    self.split_warps(index);
                }
            }
            order.shuffle(&mut self.strands);
        }
        self.order = Some(order);
    }

    /// Makes a strand of each warp of a strand.
    fn split_warps(&mut self, index: usize) {
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

    /// How long a strand may run that has so much patience left.
    pub(super) fn slice(&mut self, patience: i64) -> Slice {
        let evenly = self.evenly;
        let order = self.order.as_mut().filter(|_| !evenly);
        Slice {
            steps: if evenly { STEPS } else { self.steps },
            patience,
            stay: order.map_or(i64::MAX, |order| order.stay()),
            changes: false,
            evenly,
        }
    }

    /// Why a strand does not run on that has run as usual, and so taken steps from the budget.
    pub(super) fn stop_evenly(&mut self, stop: Stop, budget: Budget<'_>) -> Stop {
        if self.steps < 0 && !self.take_steps(budget) {
            return Stop::Spent;
        }
        if let Stop::Spent = stop { Stop::Spun } else { stop }
    }

    /// Whether other blocks get a turn now, after so many rounds of this one.
    pub(super) fn gives_way(&mut self, rounds: u32) -> bool {
        if self.evenly {
            return rounds >= PASSES;
        }
        self.order.as_mut().is_some_and(|order| order.below(ROUNDS) == 0)
    }

    /// How many steps it took in its last turn, if these changed nothing that others could learn of.
    pub(crate) fn quiet(&self) -> Option<u64> {
        (!self.changes).then_some(self.taken.unsigned_abs())
    }
}
