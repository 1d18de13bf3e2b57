//! The happens-before order of accesses: by barriers, by `sync_warp`, and by releases and acquires.
//!
//! A barrier orders everything that a block did before it; the accesses between two barriers are an
//! *interval*. Within an interval, each lane has a vector clock of its warp: it counts its own
//! `sync_warp`s and knows, for each lane of the warp, the count up to which it has seen that lane's
//! accesses.
use super::{
    cluster::missing_between_blocks,
    finding::Missing,
    release_acquire::{BlockClocks, VectorClock},
};
use crate::{bytecode::AccessKind, vector::mask::bits};
use std::sync::Arc;

/// The properties of an access by many lanes that determine its order with later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessContext {
    /// Number of the access site.
    pub(crate) site: u32,
    pub(crate) kind: AccessKind,
    /// True if it is atomic in the scope of its block only.
    pub(crate) is_narrow: bool,
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the interval of the block.
    pub(crate) interval: u32,
    /// The number of grid barriers before it.
    pub(crate) grid: u32,
    /// The first block of the cluster, if blocks run in clusters, and the number of barriers of the
    /// cluster before it.
    pub(crate) cluster: Option<u64>,
    pub(crate) cluster_barriers: u32,
    /// The number of `sync_warp`s in the interval that its lanes had executed.
    pub(crate) clock: u32,
    /// The epoch of its lanes: the number of times that they had published their clocks, by
    /// releases, fences and `sync_warp`s.
    pub(crate) epoch: u32,
    /// A number that distinguishes the executions of an access site.
    pub(crate) event: u32,
}

impl AccessContext {
    /// Returns true if the two race unless something orders them.
    pub(crate) fn conflicts_with(&self, other: &Self) -> bool {
        if self.kind.is_atomic() && other.kind.is_atomic() {
            let writes = self.kind.writes() || other.kind.writes();
            return writes && self.block != other.block && (self.is_narrow || other.is_narrow);
        }
        self.kind.writes() || other.kind.writes()
    }
}

impl AccessContext {
    /// Returns true if a barrier is between this and the later access.
    pub(crate) fn is_before(&self, later: &Self) -> bool {
        self.grid != later.grid
            || (self.block == later.block && self.interval != later.interval)
            || self.is_before_in_cluster(later)
    }

    /// Returns true if a barrier of the cluster is between this and the later access.
    fn is_before_in_cluster(&self, later: &Self) -> bool {
        self.cluster.is_some()
            && self.cluster == later.cluster
            && self.cluster_barriers != later.cluster_barriers
    }
}

/// The vector clocks of the lanes of a warp.
#[derive(Clone, Debug)]
struct WarpClocks {
    /// By lane, the number of executed `sync_warp`s.
    clock: [u32; 32],
    /// `seen[l][m]`: the clock of lane m before which lane l knows its accesses.
    seen: [[u32; 32]; 32],
}

/// The order of the accesses of a block in the current interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct HappensBefore {
    pub(crate) interval: u32,
    pub(crate) grid: u32,
    /// The first block of the cluster, if blocks run in clusters.
    pub(crate) cluster: Option<u64>,
    /// The number of barriers of the cluster.
    pub(crate) cluster_barriers: u32,
    warps: Vec<Option<Box<WarpClocks>>>,
    /// True if a `sync_warp` was executed in the interval.
    has_synced: bool,
    /// The clocks of releases and acquires, if the kernel has any.
    pub(crate) block_clocks: Option<BlockClocks>,
}

impl HappensBefore {
    /// Creates the order of a block; with clocks for a kernel with releases and acquires.
    pub(crate) fn new(block_clocks: Option<BlockClocks>) -> Self {
        Self { block_clocks, ..Self::default() }
    }

    /// Orders everything before: all threads of the block have passed a barrier.
    pub(crate) fn barrier(&mut self) {
        self.interval += 1;
        if self.has_synced {
            self.warps.iter_mut().for_each(|warp| *warp = None);
            self.has_synced = false;
        }
        if let Some(block_clocks) = &mut self.block_clocks {
            block_clocks.barrier();
        }
    }

    /// Orders everything before: all threads of the grid have passed a barrier.
    pub(crate) fn sync_grid(&mut self) {
        self.barrier();
        self.grid += 1;
    }

    /// Orders everything before: all threads of the cluster have passed a barrier.
    pub(crate) fn sync_cluster(&mut self) {
        self.barrier();
        self.cluster_barriers += 1;
    }

    /// Joins the clock of a block that has passed a barrier of its cluster into that of the
    /// cluster.
    pub(crate) fn join_clock(&self, block: u64, all: &mut VectorClock) {
        if let Some(block_clocks) = &self.block_clocks {
            block_clocks.join_into(all, block, self.interval);
        }
    }

    /// Sets the clock of all threads to that of the cluster.
    pub(crate) fn set_clock(&mut self, all: &Arc<VectorClock>) {
        if let Some(block_clocks) = &mut self.block_clocks {
            block_clocks.set_all(all);
        }
    }

    /// Returns true if releases and acquires order an access of another block, by its thread `by`,
    /// before what `thread` does now.
    pub(crate) fn has_acquired(&self, thread: u32, other: &AccessContext, by: u32) -> bool {
        let knows = |clocks: &BlockClocks| clocks.happened_before(thread, other, by);
        self.block_clocks.as_ref().is_some_and(knows)
    }

    /// Resets the order for a new block.
    pub(crate) fn reset(&mut self) {
        self.barrier();
        (self.interval, self.grid) = (0, 0);
        (self.cluster, self.cluster_barriers) = (None, 0);
        if let Some(block_clocks) = &mut self.block_clocks {
            block_clocks.clear();
        }
    }

    /// Orders the accesses of `lanes` of a warp, which wait for each other.
    pub(crate) fn sync_warp(&mut self, block: u64, warp: u32, lanes: u32) {
        if let Some(block_clocks) = &mut self.block_clocks {
            block_clocks
                .sync_threads(block, bits(lanes).map(|lane| warp * 32 + lane as u32).collect());
        }
        let warp = warp as usize;
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, None);
        }
        self.has_synced = true;
        let none = || Box::new(WarpClocks { clock: [0; 32], seen: [[0; 32]; 32] });
        let WarpClocks { clock, seen } = &mut **self.warps[warp].get_or_insert_with(none);
        let mut all = [0; 32];
        for lane in bits(lanes) {
            clock[lane] += 1;
            for (all, seen) in all.iter_mut().zip(&seen[lane]) {
                *all = (*all).max(*seen);
            }
        }
        for lane in bits(lanes) {
            all[lane] = all[lane].max(clock[lane]);
        }
        for lane in bits(lanes) {
            seen[lane] = all;
        }
    }

    fn warp_clocks(&self, thread: u32) -> Option<&WarpClocks> {
        self.warps.get(thread as usize / 32)?.as_deref()
    }

    /// Returns the clock of a thread: the number of its `sync_warp`s in the interval.
    pub(crate) fn clock(&self, thread: u32) -> u32 {
        self.warp_clocks(thread).map_or(0, |warp| warp.clock[thread as usize % 32])
    }

    /// Returns the epoch of a thread: the number of times that it has published its clock.
    pub(crate) fn epoch(&self, thread: u32) -> u32 {
        self.block_clocks.as_ref().map_or(0, |block_clocks| block_clocks.epoch(thread))
    }

    /// Returns true if all threads have equal clocks.
    pub(crate) fn has_equal_clocks(&self) -> bool {
        !self.has_synced && self.block_clocks.is_none()
    }

    /// Returns the synchronization that is missing between an earlier access and a current one by
    /// `thread` in the context `me`; `None` if they are ordered.
    pub(crate) fn missing_order(
        &self,
        (me, thread): (&AccessContext, u32),
        (other, by): (&AccessContext, u32),
    ) -> Option<Missing> {
        // From the strongest order to the weakest: each test assumes that the earlier ones found
        // none.
        if other.grid != me.grid
            || other.is_before_in_cluster(me)
            || self.has_acquired(thread, other, by)
        {
            return None;
        }
        if other.block != me.block {
            return Some(missing_between_blocks(me, other));
        }
        // An earlier interval of the same block ended at a barrier of all its threads.
        if other.interval != me.interval || thread == by {
            return None;
        }
        if thread / 32 != by / 32 {
            return Some(Missing::Barrier);
        }
        // No `sync_warp` can order lanes at one execution of an instruction.
        if other.event == me.event {
            return Some(Missing::Instruction);
        }
        let lanes = (thread as usize % 32, by as usize % 32);
        let seen = self.warp_clocks(thread).map_or(0, |warp| warp.seen[lanes.0][lanes.1]);
        (seen <= other.clock).then_some(Missing::WarpSync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(interval: u32, clock: u32, event: u32) -> AccessContext {
        AccessContext {
            site: 0,
            kind: AccessKind::Write,
            is_narrow: false,
            block: 0,
            interval,
            grid: 0,
            cluster: None,
            cluster_barriers: 0,
            clock,
            epoch: 0,
            event,
        }
    }

    #[test]
    fn barriers_order_blocks_and_nothing_else() {
        let mut order = HappensBefore::default();
        let (before, same) = (context(0, 0, 0), context(0, 0, 1));
        assert_eq!(order.missing_order((&same, 40), (&before, 3)), Some(Missing::Barrier));
        assert_eq!(order.missing_order((&same, 3), (&before, 3)), None);
        order.barrier();
        assert_eq!(order.missing_order((&context(1, 0, 2), 40), (&before, 3)), None);
        let other = AccessContext { block: 1, ..before };
        assert_eq!(
            order.missing_order((&context(1, 0, 2), 40), (&other, 40)),
            Some(Missing::Release)
        );
    }

    #[test]
    fn sync_warp_orders_the_lanes_that_it_names() {
        let mut order = HappensBefore::default();
        order.sync_warp(0, 0, 0b0111);
        let before = context(0, 0, 0);
        let now = |order: &HappensBefore, thread| context(0, order.clock(thread), 2);
        assert_eq!(order.missing_order((&now(&order, 1), 1), (&before, 0)), None);
        let missing = order.missing_order((&now(&order, 3), 3), (&before, 0));
        assert_eq!(missing, Some(Missing::WarpSync), "lane 3 was not named");
        // Later accesses of lane 0 are not ordered; and knowledge is transitive.
        let after = context(0, 1, 1);
        assert_eq!(order.missing_order((&now(&order, 1), 1), (&after, 0)), Some(Missing::WarpSync));
        order.sync_warp(0, 0, 0b1010);
        assert_eq!(order.missing_order((&now(&order, 3), 3), (&before, 0)), None);
        assert_eq!(order.missing_order((&now(&order, 3), 3), (&after, 0)), Some(Missing::WarpSync));
    }
}
