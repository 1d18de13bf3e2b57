//! The barrier of the whole grid, for cooperative launches.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// Every element becomes the mean of its neighbours, so many times in one launch.
//! #[kernel(cooperative)]
//! fn smooth(rounds: u32, x: &mut [f32], y: &mut [f32]) {
//!     let i = grid::thread_rank();
//!     for _ in 0..rounds {
//!         if i > 0 && i + 1 < x.len() {
//!             y[i] = (x[i - 1] + x[i + 1]) / 2.0;
//!         }
//!         grid::sync();
//!         if i > 0 && i + 1 < x.len() {
//!             x[i] = y[i];
//!         }
//!         grid::sync();
//!     }
//! }
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! # let mut x = device.upload(&[4.0f32, 0.0, 0.0, 8.0])?;
//! # let mut y = device.zeros::<f32>(4)?;
//! # smooth::launch(&device, LaunchConfig::cover(4).block(2), 2, &mut x, &mut y)?;
//! # assert_eq!(x.to_vec()?, [4.0, 4.0, 5.0, 8.0]);
//! # Ok(())
//! # }
//! ```
use crate::{
    block, block_idx_x, block_idx_y, block_idx_z, grid_dim_x, grid_dim_y, grid_dim_z,
    host::only_in_a_kernel,
};

/// Waits until every thread of the grid that has not ended has reached the call, and orders their
/// accesses to global memory: after the call, each sees what any of them wrote before it.
///
/// Only in `#[kernel(cooperative)]`, all blocks of which run at the same time, and in the device
/// functions that such kernels call. Every thread of a block must reach it, as
/// [`sync_threads`](crate::sync_threads). Threads and blocks that have returned, or failed a check,
/// are not waited for.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every thread gets the number of the last thread of the grid.
/// #[kernel(cooperative, block = 32)]
/// fn last(x: &mut [usize]) {
///     let i = grid::thread_rank();
///     x[i] = i;
///     grid::sync();
///     let last = x[grid::size() - 1];
///     grid::sync();
///     x[i] = last;
/// }
/// # let device = Device::cpu();
/// let mut x = device.zeros::<usize>(64)?;
/// last::launch(&device, LaunchConfig::grid(2), &mut x)?;
/// assert_eq!(x.to_vec()?, [63; 64]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync() {
    only_in_a_kernel("`grid::sync`")
}

/// Returns the number of the thread in its launch: its block's number times the threads of a block,
/// plus [`block::thread_rank`]. Blocks are numbered as threads are, x counting fastest.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [usize]) {
///     out[grid::thread_rank()] = block_idx_x();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<usize>(64)?;
/// # example::launch(&device, LaunchConfig::grid(2), &mut out)?;
/// assert_eq!(out.to_vec()?[31..33], [0, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn thread_rank() -> usize {
    let block = (block_idx_z() * grid_dim_y() + block_idx_y()) * grid_dim_x() + block_idx_x();
    block * block::size() + block::thread_rank()
}

/// Returns the number of threads of the launch.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Adds 1 to each element, in steps of the grid.
/// #[kernel(block = 32)]
/// fn increment(x: &mut [u32]) {
///     for i in (grid::thread_rank()..x.len()).step_by(grid::size()) {
///         x[i] += 1;
///     }
/// }
/// # let device = Device::cpu();
/// # let mut x = device.zeros::<u32>(1000)?;
/// increment::launch(&device, LaunchConfig::grid(2), &mut x)?;
/// assert_eq!(x.to_vec()?, [1; 1000]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn size() -> usize {
    grid_dim_x() * grid_dim_y() * grid_dim_z() * block::size()
}

#[cfg(test)]
mod tests {
    use crate::{LaunchConfig, host};

    #[test]
    fn threads_are_numbered_block_by_block() {
        let mut ranks = Vec::new();
        host::for_each_thread(LaunchConfig::grid((2, 3, 2)).block((4, 1, 2)), || {
            assert_eq!(super::size(), 96);
            ranks.push(super::thread_rank());
        })
        .unwrap();
        assert_eq!(ranks, (0..96).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "`grid::sync` needs the other threads of a launch")]
    fn the_barrier_panics_on_the_host() {
        super::sync();
    }
}
