//! Occupancy: the number of blocks of a kernel that run at the same time, and its limiting
//! resource.
//!
//! Every kernel has `occupancy(&device, block, dynamic_shared)`, which asks the GPU's driver how
//! many registers its compiler gave the kernel as written; large launches may run other code, in
//! which each thread does the work of several. For a GPU that is newer than this crate, the driver
//! computes the number of blocks, and [`Occupancy::limiters`] is empty.
//! [`Multiprocessor::occupancy`] computes the same for any architecture and without a GPU:
//!
//! ```
//! use warpwise::occupancy::{Block, Limiter, Multiprocessor, Target};
//!
//! let h100 = Multiprocessor::of(Target::new(90)).expect("sm_90 is known");
//! let block = Block { threads: 256, registers: Some(72), shared: 0, barriers: 0 };
//! let occupancy = h100.occupancy(&block)?;
//! assert_eq!(occupancy.blocks, 3);
//! assert_eq!(occupancy.limiters, [Limiter::Registers]);
//! assert_eq!(occupancy.ratio(), 0.375);
//! # Ok::<(), warpwise::occupancy::Unlaunchable>(())
//! ```
//!
//! `suggest_block(&device, dynamic_shared)` is the other way round: the size of blocks with which
//! most threads reside on the device, as a [`SuggestedBlock`].
//!
//! ```
//! use warpwise::prelude::*;
//!
//! #[kernel]
//! fn double(x: &mut [u32]) {
//!     for i in (global_idx_x()..x.len()).step_by(block_dim_x() * grid_dim_x()) {
//!         x[i] *= 2;
//!     }
//! }
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! let suggested = double::suggest_block(&device, 0)?;
//! let mut x = device.upload(&[1u32; 1000])?;
//! double::launch(&device, LaunchConfig::cover(1000).block(suggested.block), &mut x)?;
//! // As many blocks as run at the same time, each of which takes several steps.
//! double::launch(&device, LaunchConfig::grid(suggested.blocks).block(suggested.block), &mut x)?;
//! assert_eq!(x.to_vec()?, [4; 1000]);
//! # Ok(())
//! # }
//! ```
//!
//! Cooperative kernels, all blocks of which run at the same time, also have
//! `max_cooperative_blocks(&device, block, dynamic_shared)`: the most that a launch may have of
//! them.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// The sum of all elements, in as many rounds as it takes.
//! #[kernel(cooperative)]
//! fn halve(x: &mut [u32]) {
//!     let mut n = x.len();
//!     while n > 1 {
//!         let half = n.div_ceil(2);
//!         for i in (grid::thread_rank()..n / 2).step_by(grid::size()) {
//!             x[i] += x[half + i];
//!         }
//!         n = half;
//!         grid::sync();
//!     }
//! }
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! let most = halve::max_cooperative_blocks(&device, 256, 0)?;
//! let mut x = device.upload(&[1u32; 1000])?;
//! halve::launch(&device, LaunchConfig::grid(most.min(4)).block(256), &mut x)?;
//! assert_eq!(x.to_vec()?[0], 1000);
//! # Ok(())
//! # }
//! ```
pub use warpwise_compiler::{
    hardware::occupancy::{Block, Limiter, Multiprocessor, Occupancy, Unlaunchable},
    target::Target,
};

/// The block with which most threads of a kernel reside on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuggestedBlock {
    /// Threads of a block along x, y and z: the kernel's own block, where it declares one, and 256
    /// threads on the interpreter; else, what a GPU's driver suggests.
    pub block: (usize, usize, usize),
    /// The number of such blocks that run on the device at the same time. Launches of fewer leave a
    /// part of it idle. Of a kernel with clusters, whole clusters: fewer may run, since the blocks
    /// of a cluster start together on neighbouring multiprocessors.
    pub blocks: usize,
}
