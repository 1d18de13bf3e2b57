//! What kernels and the code around them use: `use warpwise::prelude::*;`.
pub use crate::{
    Atomic, AtomicBuffer, AtomicF32, AtomicF64, AtomicScope, Buffer, Device, Element, Float, Int,
    LaunchConfig, Num, Plain, bf16, block, block_dim_x, block_dim_y, block_dim_z, block_idx_x,
    block_idx_y, block_idx_z, device, f16, global_idx_x, global_idx_y, global_idx_z, grid_dim_x,
    grid_dim_y, grid_dim_z, kernel, math, shared, sync_threads, sync_threads_and,
    sync_threads_count, sync_threads_or, sync_warp, thread_fence, thread_fence_block,
    thread_fence_system, thread_idx_x, thread_idx_y, thread_idx_z, warp,
};
pub use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};
