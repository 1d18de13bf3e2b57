//! The whole grid: its barrier, for cooperative launches, and its order among the grids of a
//! stream.
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

/// Waits until the grids before this one in the stream have ended, and orders their accesses to
/// memory before those of the thread after the call: CUDA's `cudaGridDependencySynchronize`.
///
/// Only in `#[kernel(dependent_launch)]`, whose grids may start while the grids before them still
/// run (programmatic dependent launch), and in the device functions that such kernels call. Until
/// it has made the call, a thread may use shared memory, variables and `#[constant]` parameters,
/// and [prefetch](crate::cache::prefetch_l2) into the cache of the device; an access to a buffer
/// that may come earlier, on any path, is a compile error. A call by another thread of the block
/// does not count. A thread that ends without the call waits at its end.
///
/// GPUs before compute capability 9.0, drivers before CUDA 11.8, the interpreter and graphs start
/// each grid when those before it have ended. There the call does nothing.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 128)]
/// fn square(x: &mut [f32]) {
///     let i = global_idx_x();
///     grid::launch_dependents();
///     if i < x.len() {
///         x[i] *= x[i];
///     }
/// }
///
/// /// Adds a table to the elements, which each block computes while the grid before still runs.
/// #[kernel(block = 128, dependent_launch)]
/// fn add_table(x: &mut [f32]) {
///     let (i, t) = (global_idx_x(), thread_idx_x());
///     let table = shared!([f32; 128]);
///     table[t] = (t as f32).sqrt();
///     grid::wait_for_dependencies();
///     if i < x.len() {
///         x[i] += table[t];
///     }
/// }
///
/// # let device = Device::cpu();
/// let mut x = device.upload(&[3.0f32; 256])?;
/// square::launch(&device, LaunchConfig::cover(256), &mut x)?;
/// add_table::launch(&device, LaunchConfig::cover(256), &mut x)?;
/// assert_eq!(x.to_vec()?[..5], [9.0, 10.0, 9.0 + 2.0f32.sqrt(), 9.0 + 3.0f32.sqrt(), 11.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wait_for_dependencies() {}

/// Lets the next launch of the stream start before this grid has ended, once every block of the
/// grid has made the call or has ended: CUDA's `cudaTriggerProgrammaticLaunchCompletion`.
///
/// It concerns kernels with `#[kernel(dependent_launch)]` only, and orders nothing: they
/// [wait](wait_for_dependencies) for the whole grid. The call is for a place from which on the
/// blocks leave room on the multiprocessors. Without it, such a kernel may start when the last
/// blocks end.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     grid::launch_dependents();
///     if let Some(x) = x.get_mut(global_idx_x()) {
///         *x *= 2.0;
///     }
/// }
/// # let device = Device::cpu();
/// # let mut x = device.upload(&[1.5f32; 8])?;
/// double::launch(&device, LaunchConfig::cover(8), &mut x)?;
/// assert_eq!(x.to_vec()?, [3.0; 8]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn launch_dependents() {}

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
