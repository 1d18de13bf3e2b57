//! The names that kernels and the code around them use: `use warpwise::prelude::*;`.
pub use crate::vector::{
    Bf16x2, Bf16x3, Bf16x4, F16x2, F16x3, F16x4, F32x2, F32x3, F32x4, F64x2, F64x3, F64x4, I8x2,
    I8x3, I8x4, I16x2, I16x3, I16x4, I32x2, I32x3, I32x4, I64x2, I64x3, I64x4, U8x2, U8x3, U8x4,
    U16x2, U16x3, U16x4, U32x2, U32x3, U32x4, U64x2, U64x3, U64x4,
};
pub use crate::{
    Atomic, AtomicBuffer, AtomicF32, AtomicF64, AtomicScope, Buffer, Buffer2, Buffer3, Constant,
    Device, Element, Event, Float, Int, LaunchConfig, Num, PinnedBuffer, Plain, Simulator, Slice,
    Slice2, Stream, View, ViewMut, async_copy, bf16, bits, block, block_dim_x, block_dim_y,
    block_dim_z, block_idx_x, block_idx_y, block_idx_z, bulk_store, cache, cluster, device,
    directed, f16, fast, global_idx_x, global_idx_y, global_idx_z, grid, grid_dim_x, grid_dim_y,
    grid_dim_z, kernel, math, named_barrier, shared, shared_dyn, sync_threads, sync_threads_and,
    sync_threads_count, sync_threads_or, sync_warp, thread_fence, thread_fence_block,
    thread_fence_system, thread_idx_x, thread_idx_y, thread_idx_z, warp,
};
pub use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
