//! The names that kernels and their launches use: `use warpwise::prelude::*;`.
//!
//! It has no name of std's but for the atomics, so `Ordering` is the one that a file imports:
//! `std::cmp::Ordering`, or `std::sync::atomic::Ordering` in a file with atomics. The types of host
//! code other than [`Device`], [`Buffer`] and [`LaunchConfig`], and [vectors](crate::vector) such
//! as [`F32x4`](crate::F32x4), are imported by name: `use warpwise::{F32x4, Stream, prelude::*};`.
//!
//! ```
//! use std::{cmp::Ordering, sync::atomic::Ordering::Relaxed};
//! use warpwise::prelude::*;
//!
//! #[kernel]
//! fn count_less(x: &[i32], limit: i32, count: &[AtomicU32]) {
//!     let i = global_idx_x();
//!     if i < x.len() && x[i].cmp(&limit) == Ordering::Less {
//!         count[0].fetch_add(1, Relaxed);
//!     }
//! }
//!
//! let device = Device::cpu();
//! let x = device.upload(&[3, 1, 2])?;
//! let mut count = device.zeros::<u32>(1)?;
//! count_less::launch(&device, LaunchConfig::cover(3), &x, 3, &mut count)?;
//! assert_eq!(count.to_vec()?, [2]);
//! # Ok::<(), warpwise::Error>(())
//! ```
pub use crate::{
    AsVectors, AtomicF32, AtomicF64, AtomicScope, Buffer, Device, Float, Int, LaunchConfig, Num,
    Plain, async_copy, bf16, bits, block, block_dim_x, block_dim_y, block_dim_z, block_idx_x,
    block_idx_y, block_idx_z, bulk_store, cache, cluster, device, directed, f16, fast,
    fence_proxy_async, global_idx_x, global_idx_y, global_idx_z, grid, grid_dim_x, grid_dim_y,
    grid_dim_z, kernel, math, named_barrier, ptx, shared, shared_dyn, sync_threads,
    sync_threads_and, sync_threads_count, sync_threads_or, sync_warp, thread_fence,
    thread_fence_block, thread_fence_system, thread_idx_x, thread_idx_y, thread_idx_z, warp,
};
pub use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
};
