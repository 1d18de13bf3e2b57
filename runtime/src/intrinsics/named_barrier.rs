//! Named barriers: synchronization of some warps of a block, `barrier.sync` and `barrier.arrive`.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// One warp loads, the other adds: warp specialization.
//! #[kernel(block = 64)]
//! fn sums(x: &[f32], y: &mut [f32]) {
//!     let tile = shared!([f32; 32]);
//!     let lane = warp::lane_id();
//!     if warp::warp_id() == 0 {
//!         for row in 0..x.len() / 32 {
//!             tile[lane] = x[row * 32 + lane];
//!             named_barrier::arrive::<1, 64>(); // full
//!             named_barrier::sync::<2, 64>(); // empty again
//!         }
//!     } else {
//!         let mut sum = 0.0;
//!         for _ in 0..x.len() / 32 {
//!             named_barrier::sync::<1, 64>();
//!             sum += tile[31 - lane];
//!             named_barrier::arrive::<2, 64>();
//!         }
//!         y[lane] = sum;
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let x = device.upload(&[0.5f32; 320])?;
//! let mut y = device.zeros::<f32>(32)?;
//! sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [5.0; 32]);
//! # Ok(())
//! # }
//! ```
//!
//! A block has 15 named barriers, `ID` 1 to 15; that of [`sync_threads`](crate::sync_threads) is
//! none of them. Each warp that arrives, waiting or not, counts as 32 threads. When `THREADS` have
//! arrived, the barrier is complete: the waiting warps continue, and it can be used again.
//!
//! - Warps arrive as a whole: all lanes that have not ended must reach the same call, which lints
//!   check. Different warps may be at different calls.
//! - Waiting threads see afterwards everything that a thread has written before it arrived.
//! - A warp that has ended does not arrive: others wait for it forever. The interpreter reports
//!   that as a deadlock; a GPU hangs. So that no failed check ends a warp, checks before a named
//!   barrier must be proved, as by `#[kernel(deny_checks)]`; others are errors at build time.
//! - `THREADS` is the same wherever a kernel names the barrier. Numbers of barriers may be
//!   constants or const parameters.
use crate::host::only_in_a_kernel;

/// Arrives at a barrier, and waits until it is complete.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// The first warp writes, and the second one reads.
/// #[kernel(block = 64)]
/// fn pass_on(x: [u32; 32], y: &mut [u32]) {
///     let tile = shared!([u32; 32]);
///     let lane = warp::lane_id();
///     if warp::warp_id() == 0 {
///         tile[lane] = x[lane];
///         named_barrier::arrive::<1, 64>();
///     } else {
///         named_barrier::sync::<1, 64>();
///         if lane < y.len() {
///             y[lane] = tile[31 - lane];
///         }
///     }
/// }
/// # let device = Device::cpu();
/// # let mut y = device.zeros::<u32>(32)?;
/// # pass_on::launch(&device, LaunchConfig::grid(1), std::array::from_fn(|i| i as u32), &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [31, 30]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync<const ID: usize, const THREADS: usize>() {
    only_in_a_kernel("`named_barrier::sync`")
}

/// Arrives at a barrier, and continues at once.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// The first warp writes, and the second one reads.
/// #[kernel(block = 64)]
/// fn pass_on(x: [u32; 32], y: &mut [u32]) {
///     let tile = shared!([u32; 32]);
///     let lane = warp::lane_id();
///     if warp::warp_id() == 0 {
///         tile[lane] = x[lane];
///         named_barrier::arrive::<1, 64>();
///     } else {
///         named_barrier::sync::<1, 64>();
///         if lane < y.len() {
///             y[lane] = tile[31 - lane];
///         }
///     }
/// }
/// # let device = Device::cpu();
/// # let mut y = device.zeros::<u32>(32)?;
/// # pass_on::launch(&device, LaunchConfig::grid(1), std::array::from_fn(|i| i as u32), &mut y)?;
/// assert_eq!(y.to_vec()?[..2], [31, 30]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn arrive<const ID: usize, const THREADS: usize>() {
    only_in_a_kernel("`named_barrier::arrive`")
}
