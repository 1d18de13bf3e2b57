//! Clusters of blocks: their start, and their barrier.
use super::{Block, Worker};
use crate::{exec::cluster::Cluster, observe::sanitizer::release_acquire::VectorClock};
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

    /// Suspends a block all of whose threads wait at the barrier of its cluster.
    pub(super) fn wait_for_cluster(&mut self, block: Box<Block<'a>>) {
        let cluster = block.cluster().map(Arc::clone);
        self.at_cluster_barrier.push_back(block);
        if let Some(cluster) = cluster {
            self.resume_cluster(&cluster);
        }
    }

    /// Lets the blocks of a cluster pass its barrier if all that have not ended wait there. They
    /// get their turns before other blocks, so that few clusters are under way at a time. Blocks
    /// that wait for one that cannot end are abandoned.
    pub(super) fn resume_cluster(&mut self, cluster: &Arc<Cluster>) {
        let is_in = |block: &Block<'_>| block.cluster().is_some_and(|of| Arc::ptr_eq(of, cluster));
        let waiting = self.at_cluster_barrier.iter().filter(|block| is_in(block)).count();
        if waiting == 0 || !(cluster.is_stopped() || cluster.is_complete(waiting)) {
            return;
        }
        let mut resumed = Vec::with_capacity(waiting);
        for mut block in std::mem::take(&mut self.at_cluster_barrier) {
            if !is_in(&block) {
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

    /// Abandons the blocks that wait for a block that cannot end.
    pub(super) fn stop_cluster(&mut self, block: &Block<'_>) {
        if let Some(cluster) = block.cluster() {
            cluster.stop();
            self.resume_cluster(cluster);
        }
    }
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
