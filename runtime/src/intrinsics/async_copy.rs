//! Copies from global to shared memory in the background, while the thread computes: `cp.async`.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// The sum of each column of 256 numbers, a row at a time: the next row is on its way while the
//! /// current one is added.
//! #[kernel(block = 256)]
//! fn column_sums(x: &[f32], y: &mut [f32]) {
//!     let rows = shared!([[f32; 256]; 2]);
//!     let (t, count) = (thread_idx_x(), x.len() / 256);
//!     async_copy::copy(&mut rows[0][t], &x[t]);
//!     async_copy::commit();
//!     let mut sum = 0.0;
//!     for row in 0..count {
//!         if row + 1 < count {
//!             async_copy::copy(&mut rows[(row + 1) % 2][t], &x[(row + 1) * 256 + t]);
//!         }
//!         async_copy::commit();
//!         // Only the group of the next row may be on its way still.
//!         async_copy::wait::<1>();
//!         sum += rows[row % 2][t];
//!     }
//!     y[t] = sum;
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let x = device.upload(&vec![0.5f32; 256 * 10])?;
//! let mut y = device.zeros::<f32>(256)?;
//! column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [5.0; 256]);
//! # Ok(())
//! # }
//! ```
//!
//! [`copy`] begins a copy and returns at once. [`commit`] closes a group of copies, and [`wait()`]
//! waits until all groups of the thread are done but for the last few. Groups and waits are the
//! thread's own:
//!
//! - After the wait the thread sees the data that it has copied itself. To see the data of other
//!   threads, all wait for their own copies and then meet at
//!   [`sync_threads`](crate::sync_threads).
//! - Between the copy and the wait, nobody may access the destination or write to the source. It
//!   is unspecified when the copy takes place. The [sanitizer](crate::check) reports such accesses,
//!   and copies that nothing waits for; the lint `gpu_unwaited_copies` reports those that it can
//!   prove.
//!
//! A value is copied in words as large as its alignment, up to 16 bytes: `f32` in 4 bytes, `f64` in
//! 8, `F32x4` in 16, and `[f32; 3]` in three words of 4. Types that are aligned to less than 4
//! bytes are refused. Copies of 16 bytes are the fastest: they bypass the first cache.
//!
//! GPUs before compute capability 8.0 copy at once, by a load and a store.

/// Begins to copy a value from a buffer to shared memory.
///
/// The copy is part of the thread's open group, which the next [`commit`] closes. The destination
/// has the value after a [`wait()`] that covers the group.
///
/// On the host it copies at once.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses 64 numbers, which arrive in the background.
/// #[kernel(block = 64)]
/// fn reverse(x: &[f32], y: &mut [f32]) {
///     let tile = shared!([f32; 64]);
///     let t = thread_idx_x();
///     async_copy::copy(&mut tile[t], &x[t]);
///     async_copy::wait_all();
///     sync_threads();
///     y[t] = tile[63 - t];
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut y = device.zeros::<f32>(64)?;
/// # reverse::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [63.0, 62.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn copy<T: Copy>(to: &mut T, from: &T) {
    *to = *from;
}

/// Begins to copy a slice from a buffer to shared memory: the threads of the block share the work,
/// neighbouring threads copy neighbouring elements.
///
/// All threads of the block call it with the same slices. Each of them waits for its own copies,
/// and then all meet at [`sync_threads`](crate::sync_threads).
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses 100 numbers by a block of any size.
/// #[kernel]
/// fn reverse(x: &[f32], y: &mut [f32]) {
///     let tile = shared!([f32; 100]);
///     async_copy::block_copy(tile, &x[..100]);
///     async_copy::wait_all();
///     sync_threads();
///     for i in (thread_idx_x()..100).step_by(block_dim_x()) {
///         y[i] = tile[99 - i];
///     }
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&(0..100).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut y = device.zeros::<f32>(100)?;
/// # reverse::launch(&device, LaunchConfig::grid(1).block(32), &x, &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [99.0, 98.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// If the slices have different lengths.
pub fn block_copy<T: Copy>(to: &mut [T], from: &[T]) {
    assert!(
        to.len() == from.len(),
        "block_copy: source slice length ({}) does not match destination slice length ({})",
        from.len(),
        to.len()
    );
    for i in (crate::block::thread_rank()..to.len()).step_by(crate::block::size()) {
        copy(&mut to[i], &from[i]);
    }
}

/// Closes the thread's open group of copies, which may be empty, and opens the next one:
/// `cp.async.commit_group`.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses 64 numbers, which arrive in the background.
/// #[kernel(block = 64)]
/// fn reverse(x: &[f32], y: &mut [f32]) {
///     let tile = shared!([f32; 64]);
///     let t = thread_idx_x();
///     async_copy::copy(&mut tile[t], &x[t]);
///     async_copy::commit();
///     async_copy::wait::<0>();
///     sync_threads();
///     y[t] = tile[63 - t];
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut y = device.zeros::<f32>(64)?;
/// # reverse::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [63.0, 62.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn commit() {}

/// Waits until all closed groups of the thread's copies are done, except for the last `PENDING`:
/// `cp.async.wait_group`.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses 64 numbers, which arrive in the background.
/// #[kernel(block = 64)]
/// fn reverse(x: &[f32], y: &mut [f32]) {
///     let tile = shared!([f32; 64]);
///     let t = thread_idx_x();
///     async_copy::copy(&mut tile[t], &x[t]);
///     async_copy::commit();
///     async_copy::wait::<0>();
///     sync_threads();
///     y[t] = tile[63 - t];
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut y = device.zeros::<f32>(64)?;
/// # reverse::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [63.0, 62.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wait<const PENDING: usize>() {}

/// Closes the thread's open group and waits for all groups: `cp.async.wait_all`.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Reverses 64 numbers, which arrive in the background.
/// #[kernel(block = 64)]
/// fn reverse(x: &[f32], y: &mut [f32]) {
///     let tile = shared!([f32; 64]);
///     let t = thread_idx_x();
///     async_copy::copy(&mut tile[t], &x[t]);
///     async_copy::wait_all();
///     sync_threads();
///     y[t] = tile[63 - t];
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
/// # let mut y = device.zeros::<f32>(64)?;
/// # reverse::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [63.0, 62.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wait_all() {}

#[cfg(test)]
mod tests {
    use crate::{LaunchConfig, host};

    #[test]
    fn the_threads_of_a_block_share_a_copy() {
        let (from, mut to) = ([1, 2, 3, 4, 5], [0; 5]);
        let block = LaunchConfig::grid(1).block(2);
        host::for_each_thread(block, || super::block_copy(&mut to, &from)).unwrap();
        assert_eq!(to, from);
    }

    #[test]
    #[should_panic(expected = "source slice length (1) does not match")]
    fn slices_of_different_lengths_are_refused() {
        super::block_copy(&mut [0; 2], &[0]);
    }
}
