//! Clusters: neighbouring blocks that run at the same time, wait for each other, and access each
//! other's shared memory.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// The sum of each 1024 elements: every block adds 256 of them, and the first block of a cluster
//! /// the sums of all four.
//! #[kernel(block = 256, cluster = 4)]
//! fn sums(x: &[f32], y: &mut [f32]) {
//!     let sum = shared!([f32; 1]);
//!     let i = global_idx_x();
//!     let own = block::reduce_add(if i < x.len() { x[i] } else { 0.0 });
//!     if thread_idx_x() == 0 {
//!         sum[0] = own;
//!     }
//!     cluster::sync();
//!     if cluster::block_rank() == 0 && thread_idx_x() == 0 {
//!         let mut all = 0.0;
//!         for rank in 0..cluster::size() {
//!             all += cluster::map_shared_rank(sum, rank)[0];
//!         }
//!         y[cluster::idx_x()] = all;
//!     }
//!     // No block ends while another one reads its sum.
//!     cluster::sync();
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! let x = device.upload(&vec![0.5f32; 2048])?;
//! let mut y = device.zeros::<f32>(2)?;
//! sums::launch(&device, LaunchConfig::cover(2048), &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [512.0, 512.0]);
//! # Ok(())
//! # }
//! ```
//!
//! `#[kernel(cluster = 4)]`, `cluster = (2, 2)` or `cluster = (2, 2, 2)` sets the blocks of a
//! cluster, at most 8. The grid of every launch consists of whole clusters:
//! [`LaunchConfig::cover`](crate::LaunchConfig::cover) adds blocks where they are missing, and a
//! launch of another number of blocks is refused. Clusters need a GPU of compute capability 9.0.
//!
//! [`map_shared_rank`] refers to the shared memory of another block: CUDA's distributed shared
//! memory. Two rules go with it:
//!
//! - [`sync`] orders accesses of different blocks. [`sync_threads`](crate::sync_threads) does not.
//! - A block must not end while others access its shared memory, which a last [`sync`] ensures.
//!
//! The [sanitizer](crate::check) reports accesses that break either.
//!
//! In a kernel with clusters, atomics of shared memory have the scope of the device, unless
//! [`.block()`](crate::AtomicScope::block) narrows it.
use crate::host::only_in_a_kernel;

/// Waits until every thread of the cluster that has not ended has reached the call, and orders
/// their accesses to shared and global memory: after the call, each sees what any of them wrote
/// before it.
///
/// Every thread of a block must reach it, as [`sync_threads`](crate::sync_threads), which it
/// includes. Threads and blocks that have returned, or failed a check, are not waited for.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every block of a cluster gets the number that the next one has.
/// #[kernel(block = 32, cluster = 2)]
/// fn rotate(x: &mut [u32]) {
///     let number = shared!([u32; 1]);
///     if thread_idx_x() == 0 {
///         number[0] = x[block_idx_x()];
///     }
///     cluster::sync();
///     let next = (cluster::block_rank() + 1) % cluster::size();
///     let theirs = cluster::map_shared_rank(number, next)[0];
///     // No block ends while the other one reads its number.
///     cluster::sync();
///     if thread_idx_x() == 0 {
///         x[block_idx_x()] = theirs;
///     }
/// }
/// # let device = Device::cpu();
/// let mut x = device.upload(&[1u32, 2, 3, 4])?;
/// rotate::launch(&device, LaunchConfig::grid(4), &mut x)?;
/// assert_eq!(x.to_vec()?, [2, 1, 4, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync() {
    only_in_a_kernel("`cluster::sync`")
}

/// Returns the number of the block in its cluster, x counting fastest: from 0 to [`size`]` - 1`.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every block of a cluster gets the number that the next one has.
/// #[kernel(block = 32, cluster = 2)]
/// fn rotate(x: &mut [u32]) {
///     let number = shared!([u32; 1]);
///     if thread_idx_x() == 0 {
///         number[0] = x[block_idx_x()];
///     }
///     cluster::sync();
///     let next = (cluster::block_rank() + 1) % cluster::size();
///     let theirs = cluster::map_shared_rank(number, next)[0];
///     // No block ends while the other one reads its number.
///     cluster::sync();
///     if thread_idx_x() == 0 {
///         x[block_idx_x()] = theirs;
///     }
/// }
/// # let device = Device::cpu();
/// let mut x = device.upload(&[1u32, 2, 3, 4])?;
/// rotate::launch(&device, LaunchConfig::grid(4), &mut x)?;
/// assert_eq!(x.to_vec()?, [2, 1, 4, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn block_rank() -> usize {
    only_in_a_kernel("`cluster::block_rank`")
}

/// Returns the number of blocks of a cluster.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every block of a cluster gets the number that the next one has.
/// #[kernel(block = 32, cluster = 2)]
/// fn rotate(x: &mut [u32]) {
///     let number = shared!([u32; 1]);
///     if thread_idx_x() == 0 {
///         number[0] = x[block_idx_x()];
///     }
///     cluster::sync();
///     let next = (cluster::block_rank() + 1) % cluster::size();
///     let theirs = cluster::map_shared_rank(number, next)[0];
///     // No block ends while the other one reads its number.
///     cluster::sync();
///     if thread_idx_x() == 0 {
///         x[block_idx_x()] = theirs;
///     }
/// }
/// # let device = Device::cpu();
/// let mut x = device.upload(&[1u32, 2, 3, 4])?;
/// rotate::launch(&device, LaunchConfig::grid(4), &mut x)?;
/// assert_eq!(x.to_vec()?, [2, 1, 4, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn size() -> usize {
    only_in_a_kernel("`cluster::size`")
}

/// Returns the counterpart of `shared`, in the shared memory of the block of the cluster with this
/// rank.
///
/// A rank that is not below [`size`] is an index out of bounds.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every block of a cluster gets the number that the next one has.
/// #[kernel(block = 32, cluster = 2)]
/// fn rotate(x: &mut [u32]) {
///     let number = shared!([u32; 1]);
///     if thread_idx_x() == 0 {
///         number[0] = x[block_idx_x()];
///     }
///     cluster::sync();
///     let next = (cluster::block_rank() + 1) % cluster::size();
///     let theirs = cluster::map_shared_rank(number, next)[0];
///     // No block ends while the other one reads its number.
///     cluster::sync();
///     if thread_idx_x() == 0 {
///         x[block_idx_x()] = theirs;
///     }
/// }
/// # let device = Device::cpu();
/// let mut x = device.upload(&[1u32, 2, 3, 4])?;
/// rotate::launch(&device, LaunchConfig::grid(4), &mut x)?;
/// assert_eq!(x.to_vec()?, [2, 1, 4, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn map_shared_rank<T: ?Sized>(_shared: &T, _rank: usize) -> &T {
    only_in_a_kernel("`cluster::map_shared_rank`")
}

/// Returns the counterpart of `shared`, in the shared memory of the block of the cluster with this
/// rank, to write to it.
///
/// A rank that is not below [`size`] is an index out of bounds.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every block of a cluster gives its number to the next one.
/// #[kernel(block = 32, cluster = 2)]
/// fn rotate(x: &mut [u32]) {
///     let number = shared!([u32; 1]);
///     let next = (cluster::block_rank() + 1) % cluster::size();
///     // All blocks have begun, so that there is memory to write to.
///     cluster::sync();
///     if thread_idx_x() == 0 {
///         cluster::map_shared_rank_mut(number, next)[0] = x[block_idx_x()];
///     }
///     cluster::sync();
///     if thread_idx_x() == 0 {
///         x[block_idx_x()] = number[0];
///     }
/// }
/// # let device = Device::cpu();
/// let mut x = device.upload(&[1u32, 2, 3, 4])?;
/// rotate::launch(&device, LaunchConfig::grid(4), &mut x)?;
/// assert_eq!(x.to_vec()?, [2, 1, 4, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn map_shared_rank_mut<T: ?Sized>(_shared: &mut T, _rank: usize) -> &mut T {
    only_in_a_kernel("`cluster::map_shared_rank_mut`")
}

/// The example of a function on clusters of two blocks, in a grid of six blocks along one axis.
macro_rules! example {
    ($axis:literal $cluster:literal $grid:literal $function:ident $values:literal) => {
        concat!(
            "```\n\
             use warpwise::prelude::*;\n\
             \n\
             #[kernel(block = 32, cluster = ",
            $cluster,
            ")]\n\
             fn example(out: &mut [usize]) {\n\
             \x20   if thread_idx_x() == 0 {\n\
             \x20       out[block_idx_",
            $axis,
            "()] = cluster::",
            stringify!($function),
            "();\n\
             \x20   }\n\
             }\n\
             # let device = Device::cpu();\n\
             # let mut out = device.zeros::<usize>(6)?;\n\
             example::launch(&device, LaunchConfig::grid(",
            $grid,
            "), &mut out)?;\n\
             assert_eq!(out.to_vec()?, ",
            $values,
            ");\n\
             # Ok::<(), warpwise::Error>(())\n\
             ```"
        )
    };
}

macro_rules! along_axes {
    ($(
        $axis:literal $cluster:literal $grid:literal
        $idx:ident $dim:ident $block_idx:ident $grid_dim:ident
    )*) => {$(
        #[doc = concat!("Index of the cluster in the grid along ", $axis, ", in clusters.")]
        ///
        #[doc = example!($axis $cluster $grid $idx "[0, 0, 1, 1, 2, 2]")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $idx() -> usize {
            only_in_a_kernel(concat!("`cluster::", stringify!($idx), "`"))
        }

        #[doc = concat!("Blocks of a cluster along ", $axis, ".")]
        ///
        #[doc = example!($axis $cluster $grid $dim "[2; 6]")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $dim() -> usize {
            only_in_a_kernel(concat!("`cluster::", stringify!($dim), "`"))
        }

        #[doc = concat!("Index of the block in its cluster along ", $axis, ".")]
        ///
        #[doc = example!($axis $cluster $grid $block_idx "[0, 1, 0, 1, 0, 1]")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $block_idx() -> usize {
            only_in_a_kernel(concat!("`cluster::", stringify!($block_idx), "`"))
        }

        #[doc = concat!("Clusters of the grid along ", $axis, ".")]
        ///
        #[doc = example!($axis $cluster $grid $grid_dim "[3; 6]")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $grid_dim() -> usize {
            only_in_a_kernel(concat!("`cluster::", stringify!($grid_dim), "`"))
        }
    )*};
}
along_axes! {
    "x" "2" "(6, 1, 1)" idx_x dim_x block_idx_x grid_dim_x
    "y" "(1, 2)" "(1, 6, 1)" idx_y dim_y block_idx_y grid_dim_y
    "z" "(1, 1, 2)" "(1, 1, 6)" idx_z dim_z block_idx_z grid_dim_z
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "`cluster::sync` needs the other threads of a launch")]
    fn the_barrier_panics_on_the_host() {
        super::sync();
    }
}
