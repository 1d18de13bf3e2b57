//! Strands that wait at mbarriers.
use super::Block;
use crate::{
    bytecode::Instr,
    exec::{cluster::Cluster, strand::Strand},
    vector::mask::Mask,
};
use std::sync::Arc;

impl Block<'_> {
    /// Returns true if a strand waits at an mbarrier.
    pub(super) fn waits_at_mbarrier(&self, strand: &Strand) -> bool {
        strand.waits && matches!(self.code.instrs[strand.pc as usize], Instr::MBarrierWait { .. })
    }

    /// Returns true if all strands wait, and copies of other blocks of the cluster may end the wait
    /// of one.
    pub(crate) fn awaits_multicast(&self) -> bool {
        self.code.has_multicasts
            && self.strands.iter().all(|(_, strand)| strand.waits)
            && self.strands.iter().any(|(_, strand)| self.waits_at_mbarrier(strand))
    }

    /// Returns true if the block waits for such copies, and there are some.
    pub(crate) fn has_received(&self) -> bool {
        let received = |(cluster, rank): &(Arc<Cluster>, usize)| cluster.has_received(*rank);
        self.awaits_multicast() && self.cluster.as_ref().is_some_and(received)
    }

    /// Lets strands that wait at mbarriers test their phases again, after copies of other blocks.
    pub(crate) fn resume_receivers(&mut self) {
        self.mbarriers.has_all_arrivals = true;
        self.resume_at_mbarriers();
    }

    /// Lets the warps of a strand continue that need not wait.
    pub(super) fn pass_ready_warps(&mut self, index: usize) {
        let ready = std::mem::replace(&mut self.mbarriers.ready, Mask::EMPTY);
        if ready.is_empty() {
            return;
        }
        let (group, strand) = &mut self.strands[index];
        let (group, mut part) = (*group, strand.split_active(ready));
        (part.pc, part.waits) = (part.pc + 1, false);
        self.strands.push((group, Box::new(part)));
    }

    /// Lets strands that wait at mbarriers test their phases again, if the last arrival of a
    /// phase has come.
    pub(super) fn resume_at_mbarriers(&mut self) {
        if !std::mem::take(&mut self.mbarriers.has_all_arrivals) {
            return;
        }
        for index in 0..self.strands.len() {
            if self.waits_at_mbarrier(&self.strands[index].1) {
                self.strands[index].1.waits = false;
            }
        }
        self.merge();
    }
}
