//! Pipelines of stages in shared memory, between threads that fill and threads that use them.
use crate::{MBarrier, TensorMap, device};

/// A pipeline: producer threads fill stages of shared memory, `PRODUCERS` of them each, and
/// consumer threads use them, `CONSUMERS` of them each. There are `STAGES` stages, so that
/// producers are up to as many ahead.
///
/// ```
/// use warpwise::{F32x4, MBarrier, Pipeline, prelude::*};
///
/// /// The sums of columns. One thread copies rows of 128 numbers, and 32 others add them.
/// #[kernel(block = 64)]
/// fn column_sums(x: &[[F32x4; 32]], y: &mut [F32x4]) {
///     let (full, empty) = (shared!([MBarrier<1>; 4]), shared!([MBarrier<32>; 4]));
///     let rows = shared!([[F32x4; 32]; 4]);
///     let mut pipeline = Pipeline::new(full, empty);
///     let t = thread_idx_x();
///     if t == 32 {
///         for row in 0..x.len() {
///             let stage = pipeline.acquire();
///             pipeline.bulk_copy(&mut rows[stage], &x[row]);
///             pipeline.commit();
///         }
///     }
///     if t < 32 {
///         let mut sum = F32x4::splat(0.0);
///         for _ in 0..x.len() {
///             let stage = pipeline.wait();
///             sum += rows[stage][t];
///             pipeline.release();
///         }
///         if t < y.len() {
///             y[t] = sum;
///         }
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.upload(&[[F32x4::splat(0.5); 32]; 10])?;
/// let mut y = device.zeros::<F32x4>(32)?;
/// column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [F32x4::splat(5.0); 32]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// Each thread has a pipeline of its own, made of the same mbarriers, and goes through the stages
/// in order. A producer [acquires](Self::acquire) an empty stage, fills it, by
/// [`bulk_copy`](Self::bulk_copy), [`tensor_copy`](Self::tensor_copy) or by stores, and
/// [commits](Self::commit) it. A consumer [waits](Self::wait) for a full stage, uses it, and
/// [releases](Self::release) it. All producers fill the same number of stages, and all consumers
/// use as many.
///
/// The rules of [`mbarrier`](crate::mbarrier) hold. Stages need a GPU of compute capability 8.0,
/// and bulk copies one of 9.0.
#[device]
#[derive(Debug)]
pub struct Pipeline<'a, const STAGES: usize, const PRODUCERS: usize, const CONSUMERS: usize> {
    full: &'a [MBarrier<PRODUCERS>; STAGES],
    empty: &'a [MBarrier<CONSUMERS>; STAGES],
    stage: usize,
    parity: bool,
}

#[device]
impl<'a, const STAGES: usize, const PRODUCERS: usize, const CONSUMERS: usize>
    Pipeline<'a, STAGES, PRODUCERS, CONSUMERS>
{
    /// Makes a pipeline of the mbarriers of its full and of its empty stages, before the first one.
    ///
    /// ```
    /// use warpwise::{MBarrier, Pipeline, prelude::*};
    ///
    /// /// One warp fills stages with rows of 32 numbers, and the other one adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: &[f32], y: &mut [f32]) {
    ///     let (full, empty) = (shared!([MBarrier<32>; 2]), shared!([MBarrier<32>; 2]));
    ///     let stages = shared!([[f32; 32]; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let (lane, rows) = (warp::lane_id(), x.len() / 32);
    ///     if warp::warp_id() == 0 {
    ///         for row in 0..rows {
    ///             let stage = pipeline.acquire();
    ///             stages[stage][lane] = x[row * 32 + lane];
    ///             pipeline.commit();
    ///         }
    ///     } else {
    ///         let mut sum = 0.0;
    ///         for _ in 0..rows {
    ///             let stage = pipeline.wait();
    ///             sum += stages[stage][lane];
    ///             pipeline.release();
    ///         }
    ///         if lane < y.len() {
    ///             y[lane] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[0.5f32; 320])?;
    /// # let mut y = device.zeros::<f32>(32)?;
    /// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [5.0; 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(
        full: &'a [MBarrier<PRODUCERS>; STAGES],
        empty: &'a [MBarrier<CONSUMERS>; STAGES],
    ) -> Self {
        Self { full, empty, stage: 0, parity: false }
    }

    /// Waits until the next stage is empty, and returns its number.
    ///
    /// ```
    /// use warpwise::{MBarrier, Pipeline, prelude::*};
    ///
    /// /// One warp fills stages with rows of 32 numbers, and the other one adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: &[f32], y: &mut [f32]) {
    ///     let (full, empty) = (shared!([MBarrier<32>; 2]), shared!([MBarrier<32>; 2]));
    ///     let stages = shared!([[f32; 32]; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let (lane, rows) = (warp::lane_id(), x.len() / 32);
    ///     if warp::warp_id() == 0 {
    ///         for row in 0..rows {
    ///             let stage = pipeline.acquire();
    ///             stages[stage][lane] = x[row * 32 + lane];
    ///             pipeline.commit();
    ///         }
    ///     } else {
    ///         let mut sum = 0.0;
    ///         for _ in 0..rows {
    ///             let stage = pipeline.wait();
    ///             sum += stages[stage][lane];
    ///             pipeline.release();
    ///         }
    ///         if lane < y.len() {
    ///             y[lane] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[0.5f32; 320])?;
    /// # let mut y = device.zeros::<f32>(32)?;
    /// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [5.0; 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn acquire(&self) -> usize {
        self.empty[self.stage % STAGES].wait_parity(!self.parity);
        self.stage % STAGES
    }

    /// Begins to copy a value from a buffer to the stage that was acquired: see
    /// [`MBarrier::bulk_copy`].
    ///
    /// ```
    /// use warpwise::{F32x4, MBarrier, Pipeline, prelude::*};
    ///
    /// /// The sums of columns of 128. One thread copies rows, and another warp adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: &[[F32x4; 32]], y: &mut [F32x4]) {
    ///     let (full, empty) = (shared!([MBarrier<1>; 2]), shared!([MBarrier<32>; 2]));
    ///     let rows = shared!([[F32x4; 32]; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let t = thread_idx_x();
    ///     if t == 32 {
    ///         for row in 0..x.len() {
    ///             let stage = pipeline.acquire();
    ///             pipeline.bulk_copy(&mut rows[stage], &x[row]);
    ///             pipeline.commit();
    ///         }
    ///     }
    ///     if t < 32 {
    ///         let mut sum = F32x4::splat(0.0);
    ///         for _ in 0..x.len() {
    ///             let stage = pipeline.wait();
    ///             sum += rows[stage][t];
    ///             pipeline.release();
    ///         }
    ///         if t < y.len() {
    ///             y[t] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[[F32x4::splat(0.5); 32]; 10])?;
    /// # let mut y = device.zeros::<F32x4>(32)?;
    /// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [F32x4::splat(5.0); 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn bulk_copy<T: Copy>(&self, to: &mut T, from: &T) {
        self.full[self.stage % STAGES].bulk_copy(to, from);
    }

    /// Begins to copy a box of a tensor map to the stage that was acquired: see
    /// [`MBarrier::tensor_copy`].
    ///
    /// ```
    /// use warpwise::{MBarrier, Pipeline, TensorMap2, prelude::*};
    ///
    /// #[device]
    /// #[repr(C, align(128))]
    /// #[derive(Clone, Copy)]
    /// struct Tile([[f32; 32]; 4]);
    ///
    /// /// The sums of 32 columns. One thread copies boxes of 4 rows, and another warp adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: TensorMap2<f32, 4, 32, 0>, y: &mut [f32]) {
    ///     let (full, empty) = (shared!([MBarrier<1>; 2]), shared!([MBarrier<32>; 2]));
    ///     let tiles = shared!([Tile; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let (t, boxes) = (thread_idx_x(), x.rows().div_ceil(4));
    ///     if t == 32 {
    ///         for i in 0..boxes {
    ///             let stage = pipeline.acquire();
    ///             pipeline.tensor_copy(&mut tiles[stage], &x, (4 * i as i32, 0));
    ///             pipeline.commit();
    ///         }
    ///     }
    ///     if t < 32 {
    ///         let mut sum = 0.0;
    ///         for _ in 0..boxes {
    ///             let stage = pipeline.wait();
    ///             for row in 0..4 {
    ///                 sum += tiles[stage].0[row][t];
    ///             }
    ///             pipeline.release();
    ///         }
    ///         if t < y.len() {
    ///             y[t] = sum;
    ///         }
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// // The last box has 2 rows of the array, and 2 rows of zeros.
    /// let x = device.upload_2d(&[0.5f32; 320], (10, 32))?;
    /// let mut y = device.zeros::<f32>(32)?;
    /// column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [5.0; 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn tensor_copy<T: Copy, M: TensorMap>(&self, to: &mut T, map: &M, at: M::Coordinates) {
        self.full[self.stage % STAGES].tensor_copy(to, map, at);
    }

    /// Ends the part of this thread in filling the stage that was acquired.
    ///
    /// ```
    /// use warpwise::{MBarrier, Pipeline, prelude::*};
    ///
    /// /// One warp fills stages with rows of 32 numbers, and the other one adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: &[f32], y: &mut [f32]) {
    ///     let (full, empty) = (shared!([MBarrier<32>; 2]), shared!([MBarrier<32>; 2]));
    ///     let stages = shared!([[f32; 32]; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let (lane, rows) = (warp::lane_id(), x.len() / 32);
    ///     if warp::warp_id() == 0 {
    ///         for row in 0..rows {
    ///             let stage = pipeline.acquire();
    ///             stages[stage][lane] = x[row * 32 + lane];
    ///             pipeline.commit();
    ///         }
    ///     } else {
    ///         let mut sum = 0.0;
    ///         for _ in 0..rows {
    ///             let stage = pipeline.wait();
    ///             sum += stages[stage][lane];
    ///             pipeline.release();
    ///         }
    ///         if lane < y.len() {
    ///             y[lane] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[0.5f32; 320])?;
    /// # let mut y = device.zeros::<f32>(32)?;
    /// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [5.0; 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn commit(&mut self) {
        self.full[self.stage % STAGES].arrive();
        self.advance();
    }

    /// Waits until the next stage is full, and returns its number.
    ///
    /// ```
    /// use warpwise::{MBarrier, Pipeline, prelude::*};
    ///
    /// /// One warp fills stages with rows of 32 numbers, and the other one adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: &[f32], y: &mut [f32]) {
    ///     let (full, empty) = (shared!([MBarrier<32>; 2]), shared!([MBarrier<32>; 2]));
    ///     let stages = shared!([[f32; 32]; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let (lane, rows) = (warp::lane_id(), x.len() / 32);
    ///     if warp::warp_id() == 0 {
    ///         for row in 0..rows {
    ///             let stage = pipeline.acquire();
    ///             stages[stage][lane] = x[row * 32 + lane];
    ///             pipeline.commit();
    ///         }
    ///     } else {
    ///         let mut sum = 0.0;
    ///         for _ in 0..rows {
    ///             let stage = pipeline.wait();
    ///             sum += stages[stage][lane];
    ///             pipeline.release();
    ///         }
    ///         if lane < y.len() {
    ///             y[lane] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[0.5f32; 320])?;
    /// # let mut y = device.zeros::<f32>(32)?;
    /// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [5.0; 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn wait(&self) -> usize {
        self.full[self.stage % STAGES].wait_parity(self.parity);
        self.stage % STAGES
    }

    /// Ends the use of the stage that was waited for.
    ///
    /// ```
    /// use warpwise::{MBarrier, Pipeline, prelude::*};
    ///
    /// /// One warp fills stages with rows of 32 numbers, and the other one adds them.
    /// #[kernel(block = 64)]
    /// fn column_sums(x: &[f32], y: &mut [f32]) {
    ///     let (full, empty) = (shared!([MBarrier<32>; 2]), shared!([MBarrier<32>; 2]));
    ///     let stages = shared!([[f32; 32]; 2]);
    ///     let mut pipeline = Pipeline::new(full, empty);
    ///     let (lane, rows) = (warp::lane_id(), x.len() / 32);
    ///     if warp::warp_id() == 0 {
    ///         for row in 0..rows {
    ///             let stage = pipeline.acquire();
    ///             stages[stage][lane] = x[row * 32 + lane];
    ///             pipeline.commit();
    ///         }
    ///     } else {
    ///         let mut sum = 0.0;
    ///         for _ in 0..rows {
    ///             let stage = pipeline.wait();
    ///             sum += stages[stage][lane];
    ///             pipeline.release();
    ///         }
    ///         if lane < y.len() {
    ///             y[lane] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[0.5f32; 320])?;
    /// # let mut y = device.zeros::<f32>(32)?;
    /// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [5.0; 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn release(&mut self) {
        self.empty[self.stage % STAGES].arrive();
        self.advance();
    }

    fn advance(&mut self) {
        self.stage = (self.stage + 1) % STAGES;
        if self.stage == 0 {
            self.parity = !self.parity;
        }
    }
}
