//! GPU kernels as plain Rust functions, on stable Rust, with nothing to install.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> warpwise::Result<()> {
//!     let device = Device::auto()?;
//!     let x = device.upload(&[1.0f32; 1000])?;
//!     let mut y = device.upload(&[2.0f32; 1000])?;
//!     saxpy::launch(&device, LaunchConfig::cover(1000), 3.0, &x, &mut y)?;
//!     assert_eq!(y.to_vec()?, vec![5.0; 1000]);
//!     Ok(())
//! }
//! ```
//!
//! A kernel is a Rust function that many threads run at once. It is launched on a [`Device`]: an
//! NVIDIA GPU, or the SIMT interpreter, which runs it with the same bits in the result on any
//! machine. Its arguments are typed, its launch is checked before anything runs, and everything
//! that can go wrong is an [`Error`]: no driver, a bad launch, memory that is not there, an index
//! out of bounds in a thread.
//!
//! - [`Device`]: where kernels run. [`Buffer`]: arrays there. [`LaunchConfig`]: on how many
//!   threads.
//! - [`Slice`], [`View`], [`ViewMut`]: parts of buffers. [`PinnedBuffer`]: page-locked arrays of
//!   the host.
//! - [`Stream`]: several queues of work on a device. [`Event`]: points in them, and times.
//!   [`Graph`]: work that is recorded once and launched many times.
//! - In kernels: [`global_idx_x`] and the other indices, [`shared!`], [`sync_threads`], [`warp`],
//!   [`block`], [`cluster`], [`grid`], std's atomics, [`AtomicF32`] and [`AtomicF64`], and for
//!   generic ones [`Num`], [`Int`] and [`Float`].
//! - [`named_barrier`]: barriers of some warps of a block. [`mbarrier`]: barriers in shared memory,
//!   at which threads arrive by themselves, and [`Pipeline`]s of them.
//! - [`async_copy`]: copies to shared memory in the background. [`cache`]: hints about caches, and
//!   prefetches.
//! - [`tensor_map`]: boxes of arrays that one thread copies to and from shared memory.
//!   [`bulk_store`]: copies from shared memory in the background.
//! - [`vector`]: vector types such as [`F32x4`].
//! - [`mma`]: products of small matrices on tensor cores. [`wgmma`]: products of tiles in shared
//!   memory on those of Hopper.
//! - [`texture`]: images that are sampled at fractional coordinates. [`surface`]: images that
//!   kernels read and write. [`Rows`], [`Layers`]: arrays of two and three dimensions.
//! - [`math`]: functions with the same bits everywhere. [`fast`]: those that hardware approximates.
//! - [`bits`]: instructions on words that std has no names for. [`directed`]: rounding in a
//!   direction.
//! - [`occupancy`]: the number of blocks of a kernel that run at the same time, and the block size
//!   for a device.
//! - [`properties`]: the properties of a device.
//! - [`Autotuner`]: the choice of the fastest of several launches, by measurement.
//! - [`Simulator`]: an interpreter that counts, checks, traces and stops at breakpoints.
//! - [`counters`]: counts of launches, as hardware counts. [`check`]: the sanitizer.
//! - [`model`]: predictions, without a GPU, of times and of the resources that bound them.
//! - [`trace`]: the debugger, which traces one thread or warp and stops at breakpoints.
//!   [`stopped`]: the reasons for which the interpreter ends a launch.
//! - [`interop`]: memory, streams and kernels of other libraries.
//! - [`collective`]: all-reduce and other collectives, over several GPUs, machines, or CPU devices.
//! - [`host`]: calls of kernels as Rust functions.
//! - [`prelude`]: the names that kernels and their launches use.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | |
//! |---|---|
//! | `llvm` | kernels that are compiled when they are first launched are compiled by LLVM, where the machine has one; for those that are compiled with the crate, it takes no feature |
//! | `nccl` | [`collective`] among GPUs, by the NCCL of the machine, which is loaded at run time |
//! | `tracing` | launches, copies, compilations and waits are spans of the crate `tracing` |
//! | `cudarc` | devices and buffers of `cudarc`, without copies: `Device::from_cudarc`, `Buffer::from_cudarc` |
//! | `glam`, `nalgebra`, `num-complex` | vectors, matrices and complex numbers of these crates in buffers: `Device::upload_host` |
//! | `ndarray`, `image` | whole arrays and images: `Device::upload_array`, `Device::upload_image` |
//!
//! # Platforms
//!
//! 64-bit Linux; that it compiles for Windows and macOS is checked. GPUs need compute capability
//! 7.5 or later and an NVIDIA driver, which is loaded at run time; nothing is linked.
#![warn(missing_debug_implementations)]
// The warnings of kernels are rustc's lint `deprecated`: examples have none by accident.
#![doc(test(attr(deny(deprecated))))]
#[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
compile_error!("Warpwise needs a 64-bit little-endian platform: x86-64 or aarch64");

// What `#[device]` expands to names the crate.
extern crate self as warpwise;

pub mod collective;
mod cpu;
mod device;
mod disk;
mod driver;
mod elements;
mod error;
pub mod interop;
mod intrinsics;
mod launch;
mod memory;
mod observe;
pub mod prelude;
pub mod surface;
pub mod tensor_map;
pub mod texture;

#[doc(hidden)]
pub mod __private;

pub use device::properties;
pub use elements::vector;
pub use intrinsics::{
    async_copy, bits, block, bulk_store, cache, cluster, directed, fast, grid, host, math,
    mbarrier, mma, named_barrier, warp, wgmma,
};
pub use launch::occupancy;
#[doc(hidden)]
pub use launch::{LaunchedByDevice, parameter};
#[doc(hidden)]
pub use memory::{
    AllocatedByOtherName, CoveredByOtherName, DownloadedByOtherName, HostAccess, PinnedAccess,
    UploadedByOtherName,
};
pub use observe::{check, counters, model, stopped, trace};

pub use device::Device;
pub use device::event::{Event, Finished};
pub use device::graph::Graph;
pub use device::properties::{DeviceInfo, MemoryInfo};
pub use device::simulator::Simulator;
pub use device::stream::Stream;
pub use elements::element::{Atomic, AtomicElement, Element};
pub use elements::num::{Float, Int, MinMax, Num};
pub use elements::plain::{Plain, Stored};
pub use elements::vector::{
    AsVectors, Bf16x2, Bf16x3, Bf16x4, F16x2, F16x3, F16x4, F32x2, F32x3, F32x4, F64x2, F64x3,
    F64x4, I8x2, I8x3, I8x4, I16x2, I16x3, I16x4, I32x2, I32x3, I32x4, I64x2, I64x3, I64x4, U8x2,
    U8x3, U8x4, U16x2, U16x3, U16x4, U32x2, U32x3, U32x4, U64x2, U64x3, U64x4,
};
pub use error::{DevicePanic, Error, LaunchMistake, Result};
pub use half::{bf16, f16};
pub use intrinsics::atomic::{
    AtomicF32, AtomicF64, AtomicScope, fence_proxy_async, thread_fence, thread_fence_block,
    thread_fence_system,
};
pub use intrinsics::barrier::{
    sync_threads, sync_threads_and, sync_threads_count, sync_threads_or,
};
pub use intrinsics::host::index::{
    block_dim_x, block_dim_y, block_dim_z, block_idx_x, block_idx_y, block_idx_z, global_idx_x,
    global_idx_y, global_idx_z, grid_dim_x, grid_dim_y, grid_dim_z, thread_idx_x, thread_idx_y,
    thread_idx_z,
};
pub use intrinsics::mbarrier::{ArrivalToken, MBarrier};
pub use intrinsics::pipeline::Pipeline;
pub use intrinsics::warp::sync_warp;
pub use launch::autotune::Autotuner;
#[doc(inline)]
pub use launch::parameter::Instance;
pub use launch::prepared::Launch;
pub use launch::{
    axis::Axis,
    config::{Dims, IntoDims, LaunchConfig},
};
pub use memory::rows::{Layers, LayersMut, Rows, RowsMut};
pub use memory::{
    Buffer, Buffer2, Buffer3, Constant, ConstantData, PinnedArg, PinnedArgMut, PinnedBuffer,
    PinnedElement, PinnedView, PinnedViewMut, Slice, Slice2, UninitBuffer, View, View2, ViewMut,
    ViewMut2, atomic_buffer::AtomicBuffer,
};
pub use surface::{
    LayeredSurface1, LayeredSurface1Mut, LayeredSurface2, LayeredSurface2Mut, Surface1,
    Surface1Mut, Surface2, Surface2Mut, Surface3, Surface3Mut, SurfaceObject,
};
pub use tensor_map::{TensorMap, TensorMap2, TensorMap2Mut, TensorMap3, TensorMap3Mut};
pub use texture::{
    AddressMode, Filter, LayeredTexture1, LayeredTexture2, Normalized, Sampler, Texel, TexelWord,
    Texture1, Texture2, Texture3, TextureElement, TextureObject,
};
#[doc(inline)]
pub use warpwise_macros::{device, kernel, ptx};
