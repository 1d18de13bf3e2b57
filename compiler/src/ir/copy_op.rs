//! Asynchronous copies, which take place in the background.
use super::{Extent, InstId, ParamId, TensorBox, sync_op::MAX_MBARRIER_COUNT};

/// An instruction of asynchronous copies between global and shared memory.
#[derive(Clone, Debug, PartialEq)]
pub enum CopyOp {
    /// Begins to copy bytes from global to shared memory, in the background, and adds the copy to
    /// the thread's open group. Each byte is read and written once, at an unspecified time before
    /// an [`Self::AsyncWait`] of the thread that covers the group ends; if there is none, perhaps
    /// never. Until then reads of the destination have unspecified results, and writes to the
    /// destination or the source leave unspecified contents in the destination.
    AsyncCopy {
        /// The destination, in shared memory; a multiple of `bytes`.
        to: InstId,
        /// The source, in global memory; a multiple of `bytes`.
        from: InstId,
        /// 4, 8 or 16.
        bytes: Extent,
    },
    /// Closes the thread's open group of asynchronous copies, which may be empty, and opens the
    /// next one.
    AsyncCommit,
    /// Waits for the thread's closed groups of asynchronous copies, except for the last `pending`.
    /// Their copies are then done for this thread; other threads see them after the next barrier.
    AsyncWait {
        /// The number of groups that need not be done.
        pending: Extent,
    },
    /// Begins to copy bytes from global to shared memory, in the background. The current phase of
    /// an mbarrier is not complete before they have arrived. Each byte is read and written once, at
    /// an unspecified time before a [`SyncOp::MBarrierWait`](super::SyncOp::MBarrierWait) for the
    /// phase ends. Until then it is unspecified what is read from the destination, and what remains
    /// there or in the destination of a write to the destination or the source.
    ///
    /// The thread's accesses before it, and those that happen before them, are before those of the
    /// copy.
    BulkCopy {
        /// The destination, in shared memory; a multiple of 16.
        to: InstId,
        /// The source, in global memory; a multiple of 16.
        from: InstId,
        /// A multiple of 16, at most 1048560, and not 0.
        bytes: Extent,
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
    },
    /// Begins to copy a box of a tensor to shared memory, in the background; elements outside of
    /// the tensor are zeros. Otherwise as [`Self::BulkCopy`] of all bytes of the box.
    ///
    /// With `blocks`, it copies the box to the same place in the shared memory of these blocks of
    /// the cluster, of which the copying block need not be one, and each copy counts for the
    /// mbarrier at the same place in its block. The current phase there is not complete before as
    /// many bytes have arrived as [`SyncOp::MBarrierArrive`](super::SyncOp::MBarrierArrive) expects
    /// in it, and the copies are before the accesses after a wait for it. Only a
    /// [`SyncOp::SyncCluster`](super::SyncOp::SyncCluster) orders the accesses of other blocks
    /// before the copy. Nothing is copied to a block that has ended.
    TensorCopy {
        /// The destination, in shared memory; a multiple of the
        /// [alignment](super::TensorBoxShape::align) of the box.
        to: InstId,
        /// A parameter with [`Access::TensorRead`](super::Access::TensorRead).
        map: ParamId,
        /// The box, which has as many dimensions as the tensor.
        shape: Box<TensorBox>,
        /// The coordinates of the first element of the box (`i32`), the outermost first. The column
        /// is rounded down to a multiple of 16 bytes.
        at: Vec<InstId>,
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
        /// The blocks of the cluster that get the box, as bits by rank (`u32`), of which those
        /// without a block have no effect. `None`: the block of the thread, whose mbarrier then
        /// expects the bytes by itself.
        blocks: Option<InstId>,
    },
    /// Begins to copy a box from shared memory to a tensor, in the background, and adds the copy to
    /// the thread's open group of stores; elements outside of the tensor are not written. Otherwise
    /// as [`Self::BulkStore`].
    TensorStore {
        /// A parameter with [`Access::TensorWrite`](super::Access::TensorWrite).
        map: ParamId,
        /// The source, in shared memory; a multiple of the
        /// [alignment](super::TensorBoxShape::align) of the box.
        from: InstId,
        /// The box, which has as many dimensions as the tensor.
        shape: Box<TensorBox>,
        /// The coordinates of the first element of the box (`i32`), the outermost first. The column
        /// is rounded down to a multiple of 16 bytes. A store with a negative one is left out.
        at: Vec<InstId>,
    },
    /// Begins to copy bytes from shared to global memory, in the background, and adds the copy to
    /// the thread's open group of stores. Each byte is read and written once, at an unspecified
    /// time before an [`Self::BulkWait`] of the thread that covers the group ends. Until then
    /// writes to the source leave unspecified contents in the destination.
    ///
    /// The thread's accesses before it, and those that happen before them, are before those of the
    /// copy.
    BulkStore {
        /// The destination, in global memory; a multiple of 16.
        to: InstId,
        /// The source, in shared memory; a multiple of 16.
        from: InstId,
        /// A multiple of 16, at most 1048560, and not 0.
        bytes: Extent,
    },
    /// Closes the thread's open group of stores, which may be empty, and opens the next one.
    BulkCommit,
    /// Waits for the thread's closed groups of stores, except for the last `pending`.
    BulkWait {
        /// The number of groups that need not be done.
        pending: Extent,
        /// True if the copies need only have read their sources.
        reads: bool,
    },
}

impl CopyOp {
    /// Returns true if an asynchronous copy can have `bytes` bytes.
    pub const fn is_async_size(bytes: u64) -> bool {
        matches!(bytes, 4 | 8 | 16)
    }

    /// Returns true if a bulk copy can have so many bytes.
    pub const fn is_bulk_size(bytes: u64) -> bool {
        bytes.is_multiple_of(16) && bytes > 0 && bytes <= MAX_MBARRIER_COUNT
    }
}
