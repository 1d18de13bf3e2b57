//! Clusters of blocks: their start, and their barrier.
use super::{Block, Worker};
use crate::{
    exec::cluster::Cluster, observe::sanitizer::release_acquire::VectorClock, outcome::Stopped,
};
use std::sync::Arc;

impl<'a> Worker<'_, 'a> {
    /// Starts the block of a ticket, or all blocks of the cluster of it; returns the first.
    pub(super) fn start_blocks(&mut self, ticket: u64) -> Box<Block<'a>> {
        let bound = self.grid.bound;
        let Some(blocks) = bound.blocks_of_cluster(ticket) else {
            let mut block = self.block_storage();
            block.start(ticket);
            return block;
        };
        let others = blocks.len() - 1;
        let cluster = Arc::new(Cluster::new(self.grid.code, bound, blocks));
        for rank in 1..=others {
            let mut block = self.block_storage();
            block.start_in_cluster(&cluster, ticket, rank);
            self.suspended.push_back(block);
        }
        // They get their turns before another cluster starts.
        self.to_resume += others;
        let mut first = self.block_storage();
        first.start_in_cluster(&cluster, ticket, 0);
        first
    }

    /// Suspends a block all of whose threads wait for other blocks of its cluster.
    pub(super) fn wait_for_cluster(&mut self, block: Box<Block<'a>>) {
        let cluster = block.cluster().map(Arc::clone);
        self.at_cluster_barrier.push_back(block);
        if let Some(cluster) = cluster {
            // It may have got copies while others of its threads ran.
            self.resume_receivers(&cluster);
            self.resume_cluster(&cluster);
        }
    }

    /// Lets the blocks of a cluster pass its barrier if all that have not ended wait there. They
    /// get their turns before other blocks, so that few clusters are under way at a time. Blocks
    /// that wait for one that cannot end are abandoned, and so are all if each waits for another.
    pub(super) fn resume_cluster(&mut self, cluster: &Arc<Cluster>) {
        let waiting: Vec<_> =
            self.at_cluster_barrier.iter().filter(|block| is_in(block, cluster)).collect();
        let at_barrier = waiting.iter().filter(|block| block.is_at_cluster_barrier()).count();
        let passes = at_barrier > 0 && cluster.is_complete(at_barrier);
        if !passes && !cluster.is_stopped() {
            let is_deadlock = cluster.is_complete(waiting.len())
                && !waiting.iter().any(|block| block.has_received());
            let awaiting = waiting.iter().filter(|block| !block.is_at_cluster_barrier());
            let Some(first) = awaiting.min_by_key(|block| block.number()).filter(|_| is_deadlock)
            else {
                return;
            };
            let block = self.grid.bound.block_idx(first.number());
            let stopped = Stopped::Deadlock { block, waiting: first.waiting_lanes() };
            self.grid.record_stop(first.ticket(), stopped);
            cluster.stop();
        }
        let mut resumed = Vec::with_capacity(at_barrier);
        for mut block in std::mem::take(&mut self.at_cluster_barrier) {
            if !is_in(&block, cluster) {
                self.at_cluster_barrier.push_back(block);
            } else if cluster.is_stopped() {
                block.finish(&mut self.log);
            } else {
                resumed.push(block);
            }
        }
        if let Some(first) = resumed.first_mut() {
            first.pass_cluster_barrier(true);
        }
        resumed.iter_mut().skip(1).for_each(|block| block.pass_cluster_barrier(false));
        share_clocks(&mut resumed);
        self.to_resume += resumed.len();
        resumed.into_iter().rev().for_each(|block| self.suspended.push_front(block));
    }

    /// Lets the blocks of a cluster continue that wait for copies of others and have got some.
    pub(super) fn resume_receivers(&mut self, cluster: &Arc<Cluster>) {
        for mut block in std::mem::take(&mut self.at_cluster_barrier) {
            if is_in(&block, cluster) && block.has_received() {
                block.resume_receivers();
                self.to_resume += 1;
                self.suspended.push_front(block);
            } else {
                self.at_cluster_barrier.push_back(block);
            }
        }
    }

    /// Abandons the blocks that wait for a block that cannot end.
    pub(super) fn stop_cluster(&mut self, block: &Block<'_>) {
        if let Some(cluster) = block.cluster() {
            cluster.stop();
            self.resume_cluster(cluster);
        }
    }
}

/// Returns true for a block of this cluster.
fn is_in(block: &Block<'_>, cluster: &Arc<Cluster>) -> bool {
    block.cluster().is_some_and(|of| Arc::ptr_eq(of, cluster))
}

/// Orders all accesses before the barrier, by threads of any of the blocks, before the later ones.
fn share_clocks(blocks: &mut [Box<Block<'_>>]) {
    let mut all = VectorClock::default();
    let checks = blocks.iter_mut().filter_map(|block| block.checks_mut());
    checks.for_each(|checks| checks.join_clock(&mut all));
    let all = Arc::new(all);
    let checks = blocks.iter_mut().filter_map(|block| block.checks_mut());
    checks.for_each(|checks| checks.set_clock(&all));
}
