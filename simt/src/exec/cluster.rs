//! The state that the blocks of a cluster share: their shared memory, the copies from one to
//! others, and the ended blocks.
//!
//! One worker runs all blocks of a cluster, in turns. A block of which all threads wait at the
//! barrier of the cluster continues when those of the others wait, too, or have ended.
use crate::{
    bytecode::Code,
    exec::{bound::Bound, mbarriers::BulkCopy},
    observe::sanitizer::cluster::{ClusterChecks, ClusterMember},
    vector::memory::{Cells, Memory},
};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// A cluster under execution.
pub(crate) struct Cluster {
    /// The number of each block, by rank.
    blocks: Vec<u64>,
    /// The shared arrays of each block, by rank.
    shared: Vec<Vec<Memory>>,
    ended: AtomicUsize,
    /// True if one of the blocks cannot end.
    stopped: AtomicBool,
    checks: Option<Arc<Mutex<ClusterChecks>>>,
    /// By rank, the copies to the block that it has not received yet, each with the address of its
    /// mbarrier.
    sent: Vec<Mutex<Vec<(u64, BulkCopy)>>>,
}

impl Cluster {
    /// Creates a cluster with undefined shared memory.
    pub(crate) fn new(code: &Code, bound: &Bound<'_>, blocks: Vec<u64>) -> Self {
        let arrays = |_| {
            let mut arrays: Vec<_> =
                bound.shared.iter().map(|bytes| Memory::zeroed(*bytes as usize)).collect();
            arrays.iter_mut().for_each(Memory::fill_with_ones);
            arrays
        };
        let checks = bound.checks.as_ref();
        let checks = checks.map(|checks| ClusterChecks::new(code, checks, blocks.clone()));
        Self {
            shared: blocks.iter().map(arrays).collect(),
            sent: blocks.iter().map(|_| Mutex::default()).collect(),
            blocks,
            ended: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            checks: checks.map(|checks| Arc::new(Mutex::new(checks))),
        }
    }

    /// Returns the number of the block of a rank.
    pub(crate) fn block(&self, rank: usize) -> u64 {
        self.blocks[rank]
    }

    /// Returns the shared arrays of the block of a rank.
    pub(crate) fn arrays(&self, rank: usize) -> &[Memory] {
        &self.shared[rank]
    }

    /// Returns the bytes of a buffer that is a shared array of a block of the cluster.
    #[cold]
    pub(crate) fn cells(&self, code: &Code, buffer: usize) -> Option<Cells<'_>> {
        let (rank, array) = code.mapped_array(buffer)?;
        Some(self.shared.get(rank)?.get(array)?.cells(code.shared.get(array)?.access))
    }

    /// Returns the part of a block in the checks, if the launch has any.
    pub(crate) fn member(&self, rank: usize) -> Option<ClusterMember> {
        let checks = Arc::clone(self.checks.as_ref()?);
        Some(ClusterMember { checks, rank, first_block: self.blocks[0] })
    }

    /// Sends a copy, with the address of its mbarrier, to the blocks of these ranks.
    pub(crate) fn send(&self, ranks: impl Iterator<Item = usize>, barrier: u64, copy: BulkCopy) {
        ranks.for_each(|rank| self.lock_sent(rank).push((barrier, copy)));
    }

    /// Takes the copies to the block of a rank.
    pub(crate) fn receive(&self, rank: usize) -> Vec<(u64, BulkCopy)> {
        std::mem::take(&mut self.lock_sent(rank))
    }

    /// Returns true if there are copies to the block of a rank that it has not received.
    pub(crate) fn has_received(&self, rank: usize) -> bool {
        !self.lock_sent(rank).is_empty()
    }

    fn lock_sent(&self, rank: usize) -> MutexGuard<'_, Vec<(u64, BulkCopy)>> {
        self.sent[rank].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a block that has ended.
    pub(crate) fn count_ended(&self) {
        self.ended.fetch_add(1, Relaxed);
    }

    /// Returns true if every block is one of `waiting` waiting blocks or has ended.
    pub(crate) fn is_complete(&self, waiting: usize) -> bool {
        waiting + self.ended.load(Relaxed) == self.blocks.len()
    }

    /// Records that one of the blocks cannot end.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Returns true if one of the blocks cannot end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }
}
