//! Mbarriers: barriers in shared memory, at which threads arrive without waiting, and others wait.
//!
//! ```
//! use warpwise::{MBarrier, prelude::*};
//!
//! /// One warp loads rows into two stages, the other adds them: warp specialization.
//! #[kernel(block = 64)]
//! fn sums(x: &[f32], y: &mut [f32]) {
//!     let full = shared!([MBarrier<32>; 2]);
//!     let empty = shared!([MBarrier<32>; 2]);
//!     let stages = shared!([[f32; 32]; 2]);
//!     let (lane, rows) = (warp::lane_id(), x.len() / 32);
//!     if warp::warp_id() == 0 {
//!         for row in 0..rows {
//!             let (stage, round) = (row % 2, row / 2);
//!             empty[stage].wait_parity(round % 2 == 0);
//!             stages[stage][lane] = x[row * 32 + lane];
//!             full[stage].arrive();
//!         }
//!     } else {
//!         let mut sum = 0.0;
//!         for row in 0..rows {
//!             let (stage, round) = (row % 2, row / 2);
//!             full[stage].wait_parity(round % 2 == 1);
//!             sum += stages[stage][31 - lane];
//!             empty[stage].arrive();
//!         }
//!         if lane < y.len() {
//!             y[lane] = sum;
//!         }
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! let x = device.upload(&[0.5f32; 320])?;
//! let mut y = device.zeros::<f32>(32)?;
//! sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [5.0; 32]);
//! # Ok(())
//! # }
//! ```
//!
//! `shared!([MBarrier<32>; 2])` declares two mbarriers, which are ready when the block starts. A
//! *phase* of an mbarrier is complete when `COUNT` threads have [arrived](MBarrier::arrive) in it,
//! here 32. The next phase begins at once. Phases are counted from 0, and have the parity of their
//! number: `false`, `true`, `false` and so on.
//!
//! - [`wait`](MBarrier::wait) waits for the phase in which the thread has arrived, and
//!   [`wait_parity`](MBarrier::wait_parity) for the current or the last phase, whichever has the
//!   parity. The phase before the first one counts as complete and has the parity `true`, so that a
//!   producer finds all stages empty at first.
//! - What a thread has written before it arrives, the waiting threads see after they have waited.
//! - Unlike at a [`named_barrier`](crate::named_barrier), each thread arrives by itself, and an
//!   index chooses the barrier.
//! - A thread that has ended does not arrive: others wait for it forever. The interpreter reports
//!   that as a deadlock; a GPU hangs. So that no failed check ends a thread, checks before an
//!   arrival or a wait must be proved, as by `#[kernel(deny_checks)]`; others are errors at build
//!   time.
//! - Lanes of one warp that wait at the same call continue together, and those in a branch may have
//!   to leave it first. So a thread must not wait for what another lane of its warp does after the
//!   same call or branch: let different warps do different work.
//! - While one lane waits alone, as one that begins copies, the others of its warp may go on
//!   without it. [`sync_warp`](crate::sync_warp) after its branch lets the warp compute together
//!   again. A lane that arrives for its whole warp does so after a `sync_warp`, when all of them
//!   have read or written.
//! - A thread that waits for a parity must not fall two phases behind: the parity is then that of
//!   another phase. The [sanitizer](crate::check) reports races that follow from it.
//!
//! Mbarriers need a GPU of compute capability 8.0.
#[doc(hidden)]
pub mod words;

use crate::{TensorMap, device};
use std::sync::atomic::AtomicU64;

/// A barrier in shared memory of which each phase is complete when `COUNT` threads have arrived:
/// `mbarrier`.
///
/// Declared by `shared!(MBarrier<32>)` or `shared!([MBarrier<32>; 4])`. The documentation of
/// [`mbarrier`](crate::mbarrier) has the rules and an example.
#[device]
#[derive(Debug)]
pub struct MBarrier<const COUNT: usize> {
    mbarrier_word: AtomicU64,
}

/// The phase of an [`MBarrier`] in which a thread has arrived.
#[device]
#[derive(Debug)]
pub struct ArrivalToken {
    state: u64,
}

#[device]
impl<const COUNT: usize> MBarrier<COUNT> {
    /// Arrives in the current phase, and continues at once. Returns a token of the phase, for
    /// [`wait`](Self::wait).
    ///
    /// ```
    /// use warpwise::{MBarrier, prelude::*};
    ///
    /// /// The first warp writes, and the second one reads.
    /// #[kernel(block = 64)]
    /// fn pass_on(x: [u32; 32], y: &mut [u32]) {
    ///     let full = shared!(MBarrier<32>);
    ///     let tile = shared!([u32; 32]);
    ///     let lane = warp::lane_id();
    ///     if warp::warp_id() == 0 {
    ///         tile[lane] = x[lane];
    ///         full.arrive();
    ///     } else {
    ///         full.wait_parity(false);
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
    pub fn arrive(&self) -> ArrivalToken {
        ArrivalToken { state: warpwise::mbarrier::words::arrive(&self.mbarrier_word) }
    }

    /// Waits until the phase is complete in which the thread has arrived.
    ///
    /// ```
    /// use warpwise::{MBarrier, prelude::*};
    ///
    /// #[kernel(block = 64)]
    /// fn reverse(x: &mut [u32]) {
    ///     let barrier = shared!(MBarrier<64>);
    ///     let tile = shared!([u32; 64]);
    ///     let t = thread_idx_x();
    ///     if x.len() == 64 {
    ///         tile[t] = x[t];
    ///         let token = barrier.arrive();
    ///         // Work that needs no other thread.
    ///         barrier.wait(token);
    ///         x[t] = tile[63 - t];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&(0..64).collect::<Vec<u32>>())?;
    /// reverse::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// assert_eq!(x.to_vec()?[..3], [63, 62, 61]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn wait(&self, token: ArrivalToken) {
        warpwise::mbarrier::words::wait(&self.mbarrier_word, token.state);
    }

    /// Waits until the phase of this parity is complete: the current or the last phase.
    ///
    /// ```
    /// use warpwise::{MBarrier, prelude::*};
    ///
    /// /// The first warp writes, and the second one reads.
    /// #[kernel(block = 64)]
    /// fn pass_on(x: [u32; 32], y: &mut [u32]) {
    ///     let full = shared!(MBarrier<32>);
    ///     let tile = shared!([u32; 32]);
    ///     let lane = warp::lane_id();
    ///     if warp::warp_id() == 0 {
    ///         tile[lane] = x[lane];
    ///         full.arrive();
    ///     } else {
    ///         full.wait_parity(false);
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
    pub fn wait_parity(&self, parity: bool) {
        warpwise::mbarrier::words::wait_parity(&self.mbarrier_word, parity as u32);
    }

    /// Begins to copy a value from a buffer to shared memory: `cp.async.bulk`. One thread copies
    /// the whole value.
    ///
    /// The current phase is not complete before the bytes have arrived. So the thread copies first
    /// and arrives then, and the threads that wait for the phase find the value. Until then, nobody
    /// may access the destination or write to the source, and the block must not end; the
    /// [sanitizer](crate::check) reports such accesses, and copies that nothing waits for.
    ///
    /// The value is aligned to 16 bytes and has a multiple of 16 bytes: vectors such as
    /// [`F32x4`](crate::F32x4), arrays of them, and structs with `repr(C, align(16))`. On the host,
    /// [`as_vectors`](crate::Slice::as_vectors) makes a buffer of numbers one of vectors.
    ///
    /// ```
    /// use warpwise::{F32x4, MBarrier, prelude::*};
    ///
    /// /// The sums of rows of 128 numbers; the next row is on its way while one is added.
    /// #[kernel(block = 32)]
    /// fn sums(x: &[[F32x4; 32]], y: &mut [f32]) {
    ///     let full = shared!([MBarrier<1>; 2]);
    ///     let rows = shared!([[F32x4; 32]; 2]);
    ///     let lane = thread_idx_x();
    ///     if lane == 0 && x.len() > 0 {
    ///         full[0].bulk_copy(&mut rows[0], &x[0]);
    ///         full[0].arrive();
    ///     }
    ///     for i in 0..x.len() {
    ///         // All are done with the row before, whose place the next one takes.
    ///         sync_threads();
    ///         if lane == 0 && i + 1 < x.len() {
    ///             full[(i + 1) % 2].bulk_copy(&mut rows[(i + 1) % 2], &x[i + 1]);
    ///             full[(i + 1) % 2].arrive();
    ///         }
    ///         full[i % 2].wait_parity(i / 2 % 2 == 1);
    ///         let row = rows[i % 2][lane];
    ///         let sum = warp::reduce_add(row.x + row.y + row.z + row.w);
    ///         if lane == 0 && i < y.len() {
    ///             y[i] = sum;
    ///         }
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[[F32x4::splat(0.5); 32]; 5])?;
    /// let mut y = device.zeros::<f32>(5)?;
    /// sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [64.0; 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// A launch on a GPU before compute capability 9.0 is an error.
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn bulk_copy<T: Copy>(&self, to: &mut T, from: &T) {
        warpwise::mbarrier::words::bulk_copy(&self.mbarrier_word, to, from);
    }
    /// Begins to copy a box of a tensor map to shared memory: `cp.async.bulk.tensor`. One thread
    /// copies the whole box.
    ///
    /// The coordinates are those of the first element of the box: `(row, column)`, or
    /// `(layer, row, column)`, and the column is rounded down to a multiple of 16 bytes. Elements
    /// outside of the array are zeros. The copy is waited for as [`bulk_copy`](Self::bulk_copy);
    /// the documentation of [`tensor_map`](crate::tensor_map) has the rules for the destination,
    /// and an example.
    ///
    /// A launch on a GPU before compute capability 9.0 is an error.
    ///
    /// ```
    /// use warpwise::{MBarrier, TensorMap2, prelude::*};
    ///
    /// #[device]
    /// #[repr(C, align(128))]
    /// #[derive(Clone, Copy)]
    /// struct Tile([[u32; 4]; 8]);
    ///
    /// /// The boxes of 8 rows and 4 columns of `x`, one after the other.
    /// #[kernel(block = 32)]
    /// fn boxes(x: TensorMap2<u32, 8, 4, 0>, y: &mut [u32]) {
    ///     let (full, tile) = (shared!(MBarrier<1>), shared!(Tile));
    ///     let (t, i) = (thread_idx_x(), global_idx_x());
    ///     if t == 0 {
    ///         full.tensor_copy(tile, &x, (0, 4 * block_idx_x() as i32));
    ///         full.arrive();
    ///     }
    ///     full.wait_parity(false);
    ///     if i < y.len() {
    ///         y[i] = tile.0[t / 4][t % 4];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload_2d(&(0..64).collect::<Vec<u32>>(), (8, 8))?;
    /// let mut y = device.zeros::<u32>(64)?;
    /// boxes::launch(&device, LaunchConfig::grid(2), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?[..8], [0, 1, 2, 3, 8, 9, 10, 11]);
    /// assert_eq!(y.to_vec()?[32..36], [4, 5, 6, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn tensor_copy<T: Copy, M: TensorMap>(&self, to: &mut T, map: &M, at: M::Coordinates) {
        warpwise::mbarrier::words::tensor_copy(&self.mbarrier_word, to, map, at);
    }

    /// Begins to copy a box of a tensor map to the same place in the shared memory of several
    /// blocks of the cluster: `cp.async.bulk.tensor` with `.multicast::cluster`. One thread of one
    /// block copies the whole box, which is read from global memory once.
    ///
    /// `blocks` has a bit for the [rank](crate::cluster::block_rank) of each block that gets the
    /// box; the copying block need not be among them, and bits of other ranks have no effect. In
    /// each of them, the bytes count for this mbarrier. The copy itself does not make a phase wait
    /// for them: a thread of each block [expects](Self::arrive_expect_tx) the bytes of all boxes
    /// that it gets in the phase.
    ///
    /// Before the copy, the blocks that get the box must be done with the destination and with the
    /// phase before, which [`cluster::sync`](crate::cluster::sync) ensures; and no block may end
    /// while copies that it has begun, or gets, are under way, which a last `cluster::sync`
    /// ensures. Otherwise as [`tensor_copy`](Self::tensor_copy).
    ///
    /// A launch on a GPU before compute capability 9.0 is an error.
    ///
    /// ```
    /// use warpwise::{MBarrier, TensorMap2, prelude::*};
    ///
    /// #[device]
    /// #[repr(C, align(128))]
    /// #[derive(Clone, Copy)]
    /// struct Tile([[u32; 4]; 8]);
    ///
    /// /// Both blocks of a cluster get a box, which memory delivers once.
    /// #[kernel(block = 32, cluster = 2)]
    /// fn share(x: TensorMap2<u32, 8, 4, 0>, y: &mut [u32]) {
    ///     let (full, tile) = (shared!(MBarrier<1>), shared!(Tile));
    ///     let (t, i) = (thread_idx_x(), global_idx_x());
    ///     if t == 0 {
    ///         if cluster::block_rank() == 0 {
    ///             full.tensor_copy_multicast(tile, &x, (0, 0), 0b11);
    ///         }
    ///         full.arrive_expect_tx(size_of::<Tile>());
    ///     }
    ///     full.wait_parity(false);
    ///     if i < y.len() {
    ///         y[i] = tile.0[t / 4][t % 4];
    ///     }
    ///     cluster::sync();
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload_2d(&(0..32).collect::<Vec<u32>>(), (8, 4))?;
    /// let mut y = device.zeros::<u32>(64)?;
    /// share::launch(&device, LaunchConfig::grid(2), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?[..4], [0, 1, 2, 3]);
    /// assert_eq!(y.to_vec()?[32..36], [0, 1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn tensor_copy_multicast<T: Copy, M: TensorMap>(
        &self,
        to: &mut T,
        map: &M,
        at: M::Coordinates,
        blocks: u32,
    ) {
        let word = &self.mbarrier_word;
        warpwise::mbarrier::words::tensor_copy_multicast(word, to, map, at, blocks);
    }

    /// [Arrives](Self::arrive) in the current phase, which then lacks `bytes` bytes more, of
    /// [copies to several blocks](Self::tensor_copy_multicast): `mbarrier.arrive.expect_tx`. It is
    /// complete when all threads have arrived, and as many bytes as they have expected.
    ///
    /// Bytes may arrive before they are expected, as long as the phase lacks an arrival. If fewer
    /// or more arrive than are expected, the threads that wait for the phase do so for ever. Other
    /// copies expect their bytes by themselves.
    ///
    /// A launch on a GPU before compute capability 9.0 is an error.
    ///
    /// ```
    /// use warpwise::{MBarrier, TensorMap2, prelude::*};
    ///
    /// #[device]
    /// #[repr(C, align(128))]
    /// #[derive(Clone, Copy)]
    /// struct Tile([[u32; 4]; 8]);
    ///
    /// /// Both blocks of a cluster get a box, which memory delivers once.
    /// #[kernel(block = 32, cluster = 2)]
    /// fn share(x: TensorMap2<u32, 8, 4, 0>, y: &mut [u32]) {
    ///     let (full, tile) = (shared!(MBarrier<1>), shared!(Tile));
    ///     let (t, i) = (thread_idx_x(), global_idx_x());
    ///     if t == 0 {
    ///         if cluster::block_rank() == 0 {
    ///             full.tensor_copy_multicast(tile, &x, (0, 0), 0b11);
    ///         }
    ///         full.arrive_expect_tx(size_of::<Tile>());
    ///     }
    ///     full.wait_parity(false);
    ///     if i < y.len() {
    ///         y[i] = tile.0[t / 4][t % 4];
    ///     }
    ///     cluster::sync();
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload_2d(&(0..32).collect::<Vec<u32>>(), (8, 4))?;
    /// let mut y = device.zeros::<u32>(64)?;
    /// share::launch(&device, LaunchConfig::grid(2), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?[..4], [0, 1, 2, 3]);
    /// assert_eq!(y.to_vec()?[32..36], [0, 1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn arrive_expect_tx(&self, bytes: usize) -> ArrivalToken {
        let word = &self.mbarrier_word;
        let state = warpwise::mbarrier::words::arrive_expect_tx(word, bytes as u32);
        ArrivalToken { state }
    }
}
