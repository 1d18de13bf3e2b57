//! Calls of kernels as Rust functions, on the host.
//!
//! [`for_each_thread`] calls a kernel once for each thread of a launch, one after the other; index
//! functions return the indices of that thread. Outside of it a kernel is a single thread: every
//! index is 0 and every dim 1. The function is compiled by rustc, so its results are the reference
//! for a kernel's scalar code. Functions that need other threads (shared memory, barriers,
//! shuffles, votes) panic.
//!
//! ```
//! use warpwise::{LaunchConfig, global_idx_x, host};
//! let mut y = vec![0; 1000];
//! host::for_each_thread(LaunchConfig::cover(1000), || {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = 2 * i;
//!     }
//! })?;
//! assert_eq!(y[999], 1998);
//! # Ok::<(), warpwise::Error>(())
//! ```
use crate::{Error, LaunchConfig, Result};
use std::cell::Cell;

/// The thread of a launch as which this host thread runs.
#[derive(Clone, Copy)]
struct Position {
    thread: [u32; 3],
    block: [u32; 3],
    block_dim: [u32; 3],
    grid_dim: [u32; 3],
}

impl Position {
    const ALONE: Self = Self { thread: [0; 3], block: [0; 3], block_dim: [1; 3], grid_dim: [1; 3] };
}

thread_local! {
    static POSITION: Cell<Position> = const { Cell::new(Position::ALONE) };
}

/// Calls `kernel` once for each thread of a launch: in the order of blocks, in them of threads,
/// x fastest in both.
///
/// ```
/// use warpwise::{host, prelude::*};
///
/// #[kernel]
/// fn double(x: &mut [u32]) {
///     if let Some(x) = x.get_mut(global_idx_x()) {
///         *x *= 2;
///     }
/// }
///
/// let mut x = [1, 2, 3];
/// host::for_each_thread(LaunchConfig::cover(x.len()), || double(&mut x))?;
/// assert_eq!(x, [2, 4, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Errors
/// If no GPU runs a launch of this config.
pub fn for_each_thread(config: LaunchConfig, mut kernel: impl FnMut()) -> Result<()> {
    let geometry = config
        .geometry(None, true)
        .map_err(|mistake| Error::Launch { kernel: "host::for_each_thread", mistake })?;
    let _restored = Restored(POSITION.get());
    for block in indices_below(geometry.grid) {
        for thread in indices_below(geometry.block) {
            let (block_dim, grid_dim) = (geometry.block, geometry.grid);
            POSITION.set(Position { thread, block, block_dim, grid_dim });
            kernel();
        }
    }
    Ok(())
}

/// A position that is restored when this is dropped, also when the kernel panics.
struct Restored(Position);

impl Drop for Restored {
    fn drop(&mut self) {
        POSITION.set(self.0);
    }
}

/// Returns every index below `dims`, x fastest.
fn indices_below([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

/// Returns the thread's number in its block, x fastest.
pub(crate) fn thread_number() -> usize {
    let Position { thread: [x, y, z], block_dim: [width, height, _], .. } = POSITION.get();
    x as usize + width as usize * (y as usize + height as usize * z as usize)
}

macro_rules! index_functions {
    ($($axis:literal $i:literal $thread_idx:ident $block_idx:ident $block_dim:ident $grid_dim:ident $global_idx:ident)*) => {
        /// Indices and dimensions of a kernel's thread, its block and its grid.
        pub(crate) mod index {
            use super::POSITION;
            $(
                #[doc = concat!("Index of the thread in its block along ", $axis, ", from 0 to [`", stringify!($block_dim), "`]` - 1`: `threadIdx.", $axis, "` of CUDA C++.")]
                ///
                /// On the host it is that of [`for_each_thread`](crate::host::for_each_thread), and
                /// 0 outside.
                ///
                /// ```
                /// use warpwise::prelude::*;
                ///
                /// #[kernel(block = (4, 4, 4))]
                /// fn example(out: &mut [usize]) {
                #[doc = concat!("    out[grid::thread_rank()] = ", stringify!($thread_idx), "();")]
                /// }
                /// # let device = Device::cpu();
                /// # let mut out = device.zeros::<usize>(512)?;
                /// example::launch(&device, LaunchConfig::grid((2, 2, 2)), &mut out)?;
                /// assert_eq!(out.to_vec()?.into_iter().max(), Some(3));
                /// # Ok::<(), warpwise::Error>(())
                /// ```
                pub fn $thread_idx() -> usize {
                    POSITION.get().thread[$i] as usize
                }
                #[doc = concat!("Index of the block in the grid along ", $axis, ", from 0 to [`", stringify!($grid_dim), "`]` - 1`: `blockIdx.", $axis, "` of CUDA C++.")]
                ///
                /// On the host it is that of [`for_each_thread`](crate::host::for_each_thread), and
                /// 0 outside.
                ///
                /// ```
                /// use warpwise::prelude::*;
                ///
                /// #[kernel(block = (4, 4, 4))]
                /// fn example(out: &mut [usize]) {
                #[doc = concat!("    out[grid::thread_rank()] = ", stringify!($block_idx), "();")]
                /// }
                /// # let device = Device::cpu();
                /// # let mut out = device.zeros::<usize>(512)?;
                /// example::launch(&device, LaunchConfig::grid((2, 2, 2)), &mut out)?;
                /// assert_eq!(out.to_vec()?.into_iter().max(), Some(1));
                /// # Ok::<(), warpwise::Error>(())
                /// ```
                pub fn $block_idx() -> usize {
                    POSITION.get().block[$i] as usize
                }
                #[doc = concat!("Threads in a block along ", $axis, ", as the launch or `#[kernel(block = ..)]` has them: `blockDim.", $axis, "` of CUDA C++.")]
                ///
                /// On the host it is that of [`for_each_thread`](crate::host::for_each_thread), and
                /// 1 outside.
                ///
                /// ```
                /// use warpwise::prelude::*;
                ///
                /// #[kernel(block = (4, 4, 4))]
                /// fn example(out: &mut [usize]) {
                #[doc = concat!("    out[grid::thread_rank()] = ", stringify!($block_dim), "();")]
                /// }
                /// # let device = Device::cpu();
                /// # let mut out = device.zeros::<usize>(512)?;
                /// example::launch(&device, LaunchConfig::grid((2, 2, 2)), &mut out)?;
                /// assert_eq!(out.to_vec()?.into_iter().max(), Some(4));
                /// # Ok::<(), warpwise::Error>(())
                /// ```
                pub fn $block_dim() -> usize {
                    POSITION.get().block_dim[$i] as usize
                }
                #[doc = concat!("Blocks in the grid along ", $axis, ": `gridDim.", $axis, "` of CUDA C++.")]
                ///
                /// On the host it is that of [`for_each_thread`](crate::host::for_each_thread), and
                /// 1 outside.
                ///
                /// ```
                /// use warpwise::prelude::*;
                ///
                /// #[kernel(block = (4, 4, 4))]
                /// fn example(out: &mut [usize]) {
                #[doc = concat!("    out[grid::thread_rank()] = ", stringify!($grid_dim), "();")]
                /// }
                /// # let device = Device::cpu();
                /// # let mut out = device.zeros::<usize>(512)?;
                /// example::launch(&device, LaunchConfig::grid((2, 2, 2)), &mut out)?;
                /// assert_eq!(out.to_vec()?.into_iter().max(), Some(2));
                /// # Ok::<(), warpwise::Error>(())
                /// ```
                pub fn $grid_dim() -> usize {
                    POSITION.get().grid_dim[$i] as usize
                }
                #[doc = concat!("Index of the thread in the grid along ", $axis, ": `", stringify!($block_idx), "() * ", stringify!($block_dim), "() + ", stringify!($thread_idx), "()`.")]
                ///
                /// The last block may have more threads than there are elements, so kernels compare
                /// it with a length. It is below 2^31, unless the kernel is `wide_index`. On the
                /// host it is that of [`for_each_thread`](crate::host::for_each_thread), and 0
                /// outside.
                ///
                /// ```
                /// use warpwise::prelude::*;
                ///
                /// #[kernel(block = (4, 4, 4))]
                /// fn example(out: &mut [usize]) {
                #[doc = concat!("    out[grid::thread_rank()] = ", stringify!($global_idx), "();")]
                /// }
                /// # let device = Device::cpu();
                /// # let mut out = device.zeros::<usize>(512)?;
                /// example::launch(&device, LaunchConfig::grid((2, 2, 2)), &mut out)?;
                /// assert_eq!(out.to_vec()?.into_iter().max(), Some(7));
                /// # Ok::<(), warpwise::Error>(())
                /// ```
                pub fn $global_idx() -> usize {
                    $block_idx() * $block_dim() + $thread_idx()
                }
            )*
        }
    };
}
index_functions! {
    "x" 0 thread_idx_x block_idx_x block_dim_x grid_dim_x global_idx_x
    "y" 1 thread_idx_y block_idx_y block_dim_y grid_dim_y global_idx_y
    "z" 2 thread_idx_z block_idx_z block_dim_z grid_dim_z global_idx_z
}

/// Panics because the requirement of a kernel that is called on the host is false.
#[doc(hidden)]
#[cold]
#[track_caller]
pub fn refuse(condition: &str, kernel: &str) -> ! {
    panic!("`{condition}` is required by kernel `{kernel}`, and is false")
}

/// Panics because `what` needs the other threads of a launch.
#[cold]
#[track_caller]
pub(crate) fn only_in_a_kernel(what: &str) -> ! {
    panic!(
        "{what} needs the other threads of a launch, and on the host a kernel's threads run one by one: \
         launch the kernel, on `Device::cpu()` if there is no GPU"
    )
}

#[cfg(test)]
mod tests {
    use super::{index::*, *};

    #[test]
    fn indices_follow_the_launch() {
        let mut seen = Vec::new();
        for_each_thread(LaunchConfig::grid((2, 2)).block((3, 1, 2)), || {
            assert_eq!((block_dim_x(), block_dim_y(), block_dim_z()), (3, 1, 2));
            assert_eq!((grid_dim_x(), grid_dim_y(), grid_dim_z()), (2, 2, 1));
            assert_eq!(global_idx_x(), block_idx_x() * 3 + thread_idx_x());
            assert_eq!((block_idx_z(), thread_idx_y(), global_idx_z()), (0, 0, thread_idx_z()));
            seen.push((block_idx_y(), block_idx_x(), thread_number()));
        })
        .unwrap();
        assert_eq!(seen.len(), 24);
        assert!(seen.is_sorted());
    }

    #[test]
    fn outside_a_launch_a_thread_is_alone() {
        assert_eq!((global_idx_x(), global_idx_y(), block_dim_x(), grid_dim_z()), (0, 0, 1, 1));
    }

    #[test]
    fn a_panic_resets_the_position_of_the_thread() {
        let panicked = std::panic::catch_unwind(|| {
            for_each_thread(LaunchConfig::cover(300), || assert!(global_idx_x() < 290))
        });
        assert!(panicked.is_err());
        assert_eq!((global_idx_x(), block_dim_x()), (0, 1));
    }

    #[test]
    fn a_bad_config_is_an_error() {
        let error = for_each_thread(LaunchConfig::grid(1).block(2000), || {}).unwrap_err();
        assert!(error.to_string().contains("1024"), "{error}");
    }
}
