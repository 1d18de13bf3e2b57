//! Shared memory and barriers: the parts of a block's cooperation that are instructions.
//!
//! On the host all of it panics: see [`host`](crate::host).
use crate::host::only_in_a_kernel;

/// Memory that the threads of a block share: `shared!([[f32; 33]; 32])` is a
/// `&mut [[f32; 33]; 32]`, undefined when the block starts.
///
/// The same memory each time control passes it, and another one for each place in the source.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses each block of 64.
/// #[kernel(block = 64)]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared!([u32; 64]);
///     let (t, i) = (thread_idx_x(), global_idx_x());
///     tile[t] = x[i];
///     sync_threads();
///     x[i] = tile[63 - t];
/// }
/// # let device = Device::cpu();
/// # let mut x = device.upload(&(0..128).collect::<Vec<u32>>())?;
/// # reverse::launch(&device, LaunchConfig::grid(2), &mut x)?;
/// assert_eq!(x.to_vec()?[63..66], [0, 127, 126]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[macro_export]
macro_rules! shared {
    ($ty:ty) => {
        $crate::__private::shared::<$ty>()
    };
}

/// Stands in for [`shared!`] on the host.
///
/// # Panics
/// Always.
#[track_caller]
pub fn shared<'a, T: 'a>() -> &'a mut T {
    only_in_a_kernel("`shared!`")
}

/// Memory that the threads of a block share, of a length that the launcher computes:
/// `shared_dyn!(f32, 2 * n)` is a `&mut [f32]`, undefined when the block starts.
///
/// The length is made of constants, scalar parameters, the lengths of slice parameters, and the
/// numbers of threads in a block and of blocks in the grid, with arithmetic and casts. A launch for
/// which it overflows, or takes more memory than a block has, is refused.
///
/// The same memory each time control passes it, and another one for each place in the source.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses each block, of any size.
/// #[kernel]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared_dyn!(u32, block_dim_x());
///     let (t, i) = (thread_idx_x(), global_idx_x());
///     tile[t] = x[i];
///     sync_threads();
///     x[i] = tile[block_dim_x() - 1 - t];
/// }
/// # let device = Device::cpu();
/// # let mut x = device.upload(&(0..128).collect::<Vec<u32>>())?;
/// reverse::launch(&device, LaunchConfig::grid(2).block(64), &mut x)?;
/// assert_eq!(x.to_vec()?[63..66], [0, 127, 126]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[macro_export]
macro_rules! shared_dyn {
    ($ty:ty, $len:expr $(,)?) => {
        $crate::__private::shared_dyn::<$ty>($len)
    };
}

/// Stands in for [`shared_dyn!`] on the host.
///
/// # Panics
/// Always.
#[track_caller]
pub fn shared_dyn<'a, T: 'a>(_len: usize) -> &'a mut [T] {
    only_in_a_kernel("`shared_dyn!`")
}

/// Waits until every thread of the block has reached the call, and orders their accesses to shared
/// and global memory.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Every thread gets the value of the next one.
/// #[kernel(block = 64)]
/// fn rotate(x: &mut [u32]) {
///     let tile = shared!([u32; 64]);
///     let t = thread_idx_x();
///     tile[t] = x[t];
///     sync_threads();
///     x[t] = tile[(t + 1) % 64];
/// }
/// # let device = Device::cpu();
/// # let mut x = device.upload(&(0..64).collect::<Vec<u32>>())?;
/// # rotate::launch(&device, LaunchConfig::grid(1), &mut x)?;
/// assert_eq!(x.to_vec()?[62..], [63, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads() {
    only_in_a_kernel("`sync_threads`")
}

/// Does the same as [`sync_threads`], and returns the number of threads that pass `true`.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = sync_threads_count(lane % 2 == 0) as u32;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [16; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads_count(_predicate: bool) -> usize {
    only_in_a_kernel("`sync_threads_count`")
}

/// Does the same as [`sync_threads`], and returns true if all threads pass `true`.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = sync_threads_and(lane < 16) as u32;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [0; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads_and(_predicate: bool) -> bool {
    only_in_a_kernel("`sync_threads_and`")
}

/// Does the same as [`sync_threads`], and returns true if any of the threads passes `true`.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = sync_threads_or(lane == 3) as u32;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [1; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads_or(_predicate: bool) -> bool {
    only_in_a_kernel("`sync_threads_or`")
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "`shared!` needs the other threads of a launch")]
    fn shared_memory_panics_on_the_host() {
        let _tile: &mut [f32; 4] = crate::shared!([f32; 4]);
    }

    #[test]
    #[should_panic(expected = "`shared_dyn!` needs the other threads of a launch")]
    fn sized_shared_memory_panics_on_the_host() {
        let _tile: &mut [f32] = crate::shared_dyn!(f32, 2 * 4);
    }

    #[test]
    #[should_panic(expected = "`sync_threads` needs the other threads of a launch")]
    fn barriers_panic_on_the_host() {
        super::sync_threads();
    }
}
