//! Turns of a block's threads in an order drawn from a seed.
use super::{Block, Mask};

/// One in so many rounds of a block, others get a turn.
const ROUNDS: usize = 8;

impl Block<'_> {
    /// Takes a part of what the block's order is drawn from.
    pub(super) fn start_order(&mut self) {
        self.order = self.bound.order.as_ref().map(|order| order.of_block(self.number));
    }

    /// Puts strands in an order drawn from the seed, those of each warp by themselves.
    pub(super) fn rearrange(&mut self) {
        let Some(mut order) = self.order.take() else { return };
        self.merge();
        for index in 0..self.strands.len() {
            if !self.strands[index].1.waits {
                self.split_warps(index);
            }
        }
        order.shuffle(&mut self.strands);
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

    /// How many turns the next strand passes.
    pub(super) fn stay(&mut self) -> i64 {
        self.order.as_mut().map_or(i64::MAX, |order| order.stay())
    }

    /// Whether other blocks get a turn now.
    pub(super) fn gives_way(&mut self) -> bool {
        self.order.as_mut().is_some_and(|order| order.below(ROUNDS) == 0)
    }
}
