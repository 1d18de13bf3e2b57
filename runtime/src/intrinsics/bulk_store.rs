//! Copies from shared to global memory in bulk, by one thread, in the background: `cp.async.bulk`.
//!
//! ```
//! use warpwise::{F32x4, prelude::*};
//!
//! /// Doubles rows of 128 numbers. The rows of the result are written by one thread, while the block
//! /// computes the next one.
//! #[kernel(block = 32)]
//! fn double(x: &[[F32x4; 32]], y: &mut [[F32x4; 32]]) {
//!     let rows = shared!([[F32x4; 32]; 2]);
//!     let t = thread_idx_x();
//!     for i in 0..x.len() {
//!         if t == 0 {
//!             // The row before the last one has been read, whose place the next one takes.
//!             bulk_store::wait_read::<1>();
//!         }
//!         sync_threads();
//!         rows[i % 2][t] = x[i][t] * 2.0;
//!         sync_threads();
//!         if t == 0 && i < y.len() {
//!             bulk_store::store(&mut y[i], &rows[i % 2]);
//!             bulk_store::commit();
//!         }
//!     }
//!     if t == 0 {
//!         bulk_store::wait_all();
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! let x = device.upload(&[[F32x4::splat(0.5); 32]; 5])?;
//! let mut y = device.upload(&[[F32x4::splat(0.0); 32]; 5])?;
//! double::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [[F32x4::splat(1.0); 32]; 5]);
//! # Ok(())
//! # }
//! ```
//!
//! [`store`] begins a copy and returns at once, and so does the
//! [`store`](crate::TensorMap2Mut::store) of a tensor map. [`commit`] closes a group of stores, and
//! [`wait()`] waits until all groups of the thread are done but for the last few. Groups and waits
//! are the thread's own.
//!
//! - The thread stores what it and others have written to shared memory, if they have met at
//!   [`sync_threads`](crate::sync_threads) or another barrier since.
//! - Until the wait, nobody may write to the source, and the block must not end. [`wait_read`]
//!   waits for no more than that. The [sanitizer](crate::check) reports such writes, and stores
//!   that nothing waits for.
//! - After [`wait()`] the thread sees the data in global memory; others see it as if the thread had
//!   stored it.
//!
//! A launch on a GPU before compute capability 9.0 is an error.

/// Begins to copy a value from shared memory to a buffer.
///
/// The copy is part of the thread's open group, which the next [`commit`] closes. The value is
/// aligned to 16 bytes and has a multiple of 16 bytes: vectors such as [`F32x4`](crate::F32x4), and
/// arrays of them.
///
/// On the host it copies at once.
///
/// ```
/// use warpwise::{U32x4, prelude::*};
///
/// /// Numbers 128 elements in shared memory, and stores them by one thread.
/// #[kernel(block = 32)]
/// fn number(y: &mut [[U32x4; 32]]) {
///     let row = shared!([U32x4; 32]);
///     let t = thread_idx_x();
///     let first = 4 * t as u32;
///     row[t] = U32x4::new(first, first + 1, first + 2, first + 3);
///     sync_threads();
///     if t == 0 && y.len() > 0 {
///         bulk_store::store(&mut y[0], row);
///         bulk_store::wait_all();
///     }
/// }
///
/// let device = Device::cpu();
/// let mut y = device.zeros::<[U32x4; 32]>(1)?;
/// number::launch(&device, LaunchConfig::grid(1), &mut y)?;
/// assert_eq!(y.to_vec()?[0][31], U32x4::new(124, 125, 126, 127));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn store<T: Copy>(to: &mut T, from: &T) {
    *to = *from;
}

/// Closes the thread's open group of stores, and opens the next one.
///
/// On the host it does nothing.
///
/// ```
/// use warpwise::{U32x4, prelude::*};
///
/// /// Fills two rows of the result from two places in shared memory, each in a group of its own.
/// #[kernel(block = 32)]
/// fn fill(y: &mut [[U32x4; 32]; 2]) {
///     let (ones, twos) = (shared!([U32x4; 32]), shared!([U32x4; 32]));
///     let t = thread_idx_x();
///     ones[t] = U32x4::splat(1);
///     twos[t] = U32x4::splat(2);
///     sync_threads();
///     if t == 0 {
///         bulk_store::store(&mut y[0], ones);
///         bulk_store::commit();
///         bulk_store::store(&mut y[1], twos);
///         bulk_store::commit();
///         bulk_store::wait::<0>();
///     }
/// }
///
/// let device = Device::cpu();
/// let mut y = device.zeros::<[[U32x4; 32]; 2]>(1)?;
/// fill::launch(&device, LaunchConfig::grid(1), &mut y)?;
/// assert_eq!(y.to_vec()?, [[[U32x4::splat(1); 32], [U32x4::splat(2); 32]]]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn commit() {}

/// Waits until the thread's groups of stores are done, but for the last `PENDING` ones.
///
/// On the host it does nothing.
///
/// ```
/// use warpwise::{U32x4, prelude::*};
///
/// /// Stores two rows, and reads the first one again while the second may be in progress.
/// #[kernel(block = 32)]
/// fn fill(y: &mut [[U32x4; 32]; 2], first: &mut u32) {
///     let row = shared!([U32x4; 32]);
///     let t = thread_idx_x();
///     row[t] = U32x4::splat(7);
///     sync_threads();
///     if t == 0 {
///         bulk_store::store(&mut y[0], row);
///         bulk_store::commit();
///         bulk_store::store(&mut y[1], row);
///         bulk_store::commit();
///         bulk_store::wait::<1>();
///         *first = y[0][31].w;
///         bulk_store::wait::<0>();
///     }
/// }
///
/// let device = Device::cpu();
/// let mut y = device.zeros::<[[U32x4; 32]; 2]>(1)?;
/// let mut first = device.zeros::<u32>(1)?;
/// fill::launch(&device, LaunchConfig::grid(1), &mut y, &mut first)?;
/// assert_eq!((y.to_vec()?, first.to_vec()?), (vec![[[U32x4::splat(7); 32]; 2]], vec![7]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wait<const PENDING: usize>() {}

/// Waits until the thread's groups of stores have read their sources, but for the last `PENDING`
/// ones.
///
/// On the host it does nothing.
///
/// ```
/// use warpwise::{U32x4, prelude::*};
///
/// /// Fills rows of 128 numbers with their index, by way of one place in shared memory.
/// #[kernel(block = 32)]
/// fn fill(y: &mut [[U32x4; 32]]) {
///     let row = shared!([U32x4; 32]);
///     let t = thread_idx_x();
///     for i in 0..y.len() {
///         if t == 0 {
///             // The row before has been read, but perhaps not yet written.
///             bulk_store::wait_read::<0>();
///         }
///         sync_threads();
///         row[t] = U32x4::splat(i as u32);
///         sync_threads();
///         if t == 0 {
///             bulk_store::store(&mut y[i], row);
///             bulk_store::commit();
///         }
///     }
///     if t == 0 {
///         bulk_store::wait_all();
///     }
/// }
///
/// let device = Device::cpu();
/// let mut y = device.zeros::<[U32x4; 32]>(3)?;
/// fill::launch(&device, LaunchConfig::grid(1), &mut y)?;
/// assert_eq!(y.to_vec()?[2], [U32x4::splat(2); 32]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wait_read<const PENDING: usize>() {}

/// Closes the thread's open group, and waits for all stores of the thread.
///
/// On the host it does nothing.
///
/// ```
/// use warpwise::{F32x4, prelude::*};
///
/// /// Copies a row to each place of the result, and ends when the row has been read.
/// #[kernel(block = 32)]
/// fn repeat(x: &[F32x4; 32], y: &mut [[F32x4; 32]]) {
///     let row = shared!([F32x4; 32]);
///     let t = thread_idx_x();
///     row[t] = x[t];
///     sync_threads();
///     if t == 0 {
///         for i in 0..y.len() {
///             bulk_store::store(&mut y[i], row);
///         }
///         bulk_store::wait_all();
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.upload(&[[F32x4::splat(0.5); 32]])?;
/// let mut y = device.zeros::<[F32x4; 32]>(4)?;
/// repeat::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [[F32x4::splat(0.5); 32]; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn wait_all() {}
