//! Waits of threads and grids for each other, and fences.
use super::{BarrierOp, Extent, GridDependencyOp, InstId, Scope};

/// An instruction that synchronizes threads or orders their accesses to memory.
#[derive(Clone, Debug, PartialEq)]
pub enum SyncOp {
    /// Waits until every thread of the block that has not ended is at this
    /// barrier; orders the block's accesses to shared and global memory. Yields
    /// nothing, or for a reduction `u64` (count) or `bool` (and, or).
    Barrier {
        /// The reduction over the waiting threads, and its `bool` operand.
        reduce: Option<(BarrierOp, InstId)>,
    },
    /// Waits until every thread of the grid that has not ended is at one of these, and orders the
    /// grid's accesses to global memory, and the block's to shared memory. In cooperative kernels
    /// only.
    SyncGrid,
    /// Waits until every thread of the cluster that has not ended is at one of these, and orders
    /// the cluster's accesses to shared and global memory. In kernels with a
    /// [cluster](super::Kernel::cluster) only.
    SyncCluster,
    /// Arrives at one of the block's named barriers, once all lanes of the warp that have not ended
    /// are here, and then waits, if it `waits`, until as many warps as `threads` are have arrived.
    /// The barrier is then complete and starts anew. A warp that has ended does not arrive. Orders
    /// the accesses of arriving threads before against those of waiting threads after.
    NamedBarrier {
        /// False if it only arrives.
        waits: bool,
        /// The number of the barrier, 1 to 15.
        id: Extent,
        /// 32 for each warp that arrives, waiting or not: the same wherever the barrier is named.
        threads: Extent,
    },
    /// Arrives at an mbarrier, and yields a token (`u64`) of its current phase, of which the bits
    /// are unspecified. When as many threads have arrived in a phase as the barrier
    /// [is for](super::Shared::arrivals), the phase is complete, and the next one begins. A thread
    /// that has ended does not arrive.
    MBarrierArrive {
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
        /// The bytes (`u32`) that the phase lacks, too, from [copies](super::CopyOp::TensorCopy) to
        /// several blocks of a cluster. The phase ends when the bytes that have arrived are the
        /// expected ones.
        bytes: Option<InstId>,
    },
    /// Waits until a phase of an mbarrier is complete: the current or the last one. Orders the
    /// accesses that threads have made before they arrived in the phase against those after it.
    /// Lanes of a warp that come to it together may wait until all of them can continue.
    MBarrierWait {
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
        /// The phase: a token (`u64`), or the parity of its number (`u32`), which is 0 or 1. Phases
        /// are counted from 0; the phase before the first one is complete and has the parity 1.
        phase: InstId,
    },
    /// Waits for the lanes of the mask (`u32`; without one, every lane that has
    /// not ended) and orders their accesses to memory.
    SyncWarp {
        /// Bit l names lane l; every named lane must reach it, and the caller must be named.
        mask: Option<InstId>,
    },
    /// Orders the thread's accesses to memory before it against those after it.
    Fence {
        /// The threads for which the order holds.
        scope: Scope,
    },
    /// Orders the thread's accesses to shared memory before it against those of products and bulk
    /// copies that begin after it, in this thread or in those that it then synchronizes with.
    ProxyFence,
    /// Synchronizes with the grids before and after this one in the stream, of which those with
    /// [`dependent_launch`](super::Kernel::dependent_launch) may run at the same time. A wait is in
    /// such a kernel only.
    GridDependency(GridDependencyOp),
}

/// The greatest number of arrivals, and of bytes, that a phase of an mbarrier counts.
pub(super) const MAX_MBARRIER_COUNT: u64 = (1 << 20) - 1;

impl SyncOp {
    /// Returns true if a named barrier has this number.
    pub const fn is_named_barrier_id(id: u64) -> bool {
        matches!(id, 1..=15)
    }

    /// Returns true if a named barrier can be for `threads` threads.
    pub const fn is_named_barrier_size(threads: u64) -> bool {
        threads.is_multiple_of(32) && matches!(threads, 32..=1024)
    }

    /// Returns true if a phase of an mbarrier can have so many arrivals.
    pub const fn is_mbarrier_count(arrivals: u64) -> bool {
        matches!(arrivals, 1..=MAX_MBARRIER_COUNT)
    }
}
