//! Products in progress, and their sums.
use super::{
    element::{FactorElement, HalfElement},
    tile::Tile,
};
use crate::{device, warp};

/// The sums of products: a matrix of 64 rows and `N` columns, of which each thread of a warpgroup
/// has `N / 2` elements.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Sum<T: FactorElement, const N: usize> {
    sums: [T::Sum; 128],
}

#[device]
impl<T: FactorElement, const N: usize> Sum<T, N> {
    /// The number of elements that each thread has.
    ///
    /// The documentation of [`Self::get`] has an example.
    pub const LEN: usize = N / 2;

    /// Returns a matrix of zeros.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma};
    ///
    /// /// Clears a matrix of 64 rows and 64 columns.
    /// #[kernel(block = 128)]
    /// fn clear(c: &mut [f32]) {
    ///     wgmma::Sum::<bf16, 64>::zero().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 64 * 64])?;
    /// clear::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?, [0.0; 64 * 64]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn zero() -> Self {
        Self { sums: [T::zero(); 128] }
    }

    /// Returns this thread's element `i`.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma};
    ///
    /// /// The sum of the 64 x 64 numbers from 0 to 4095.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let column = wgmma::Sum::<bf16, 64>::column(i);
    ///         sum.set(i, (64 * row + column) as f32);
    ///     }
    ///     let mut own = 0.0;
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         own += sum.get(i);
    ///     }
    ///     let all = block::reduce_add(own);
    ///     if thread_idx_x() == 0 {
    ///         c[0] = all;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(1)?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?, [4095.0 * 2048.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn get(&self, i: usize) -> T::Sum {
        self.sums[i]
    }

    /// Sets this thread's element `i`.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma};
    ///
    /// /// Numbers the elements of a matrix.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let column = wgmma::Sum::<bf16, 64>::column(i);
    ///         sum.set(i, (64 * row + column) as f32);
    ///     }
    ///     sum.store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(4096)?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[4094..], [4094.0, 4095.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn set(&mut self, i: usize, value: T::Sum) {
        self.sums[i] = value;
    }

    /// Returns the row of this thread's element `i`.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma};
    ///
    /// /// Fills the lower left triangle of a matrix.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         if wgmma::Sum::<bf16, 64>::column(i) <= wgmma::Sum::<bf16, 64>::row(i) {
    ///             sum.set(i, 1.0);
    ///         }
    ///     }
    ///     sum.store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(4096)?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..67], [1.0, 1.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn row(i: usize) -> usize {
        warp::warp_id() % 4 * 16 + warp::lane_id() / 4 + i / 2 % 2 * 8
    }

    /// Returns the column of this thread's element `i`.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma};
    ///
    /// /// Adds a number to each column, as a bias is.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         sum.set(i, sum.get(i) + 0.5 * wgmma::Sum::<bf16, 64>::column(i) as f32);
    ///     }
    ///     sum.store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(4096)?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..67], [0.0, 0.5, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn column(i: usize) -> usize {
        i / 4 * 8 + warp::lane_id() % 4 * 2 + i % 2
    }

    /// Stores the matrix row by row: row `i` begins at element `start + i * pitch`.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma};
    ///
    /// /// Stores the numbers from 0 to 4095 to columns 32 to 95 of a matrix with 128 columns.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let column = wgmma::Sum::<bf16, 64>::column(i);
    ///         sum.set(i, (64 * row + column) as f32);
    ///     }
    ///     sum.store(c, 32, 128);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(8192)?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[128 + 31..128 + 34], [0.0, 64.0, 65.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn store(&self, to: &mut [T::Sum], start: usize, pitch: usize) {
        for i in (0..Self::LEN).step_by(2) {
            let at = start + Self::row(i) * pitch + Self::column(i);
            let pair = &mut to[at..at + 2];
            pair[0] = self.sums[i];
            pair[1] = self.sums[i + 1];
        }
    }

    /// Begins products that are added to this matrix.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// Adds a product, whose columns are 0, 1, 2 and so on, to a matrix of tens.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut sum = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         sum.set(i, 10.0);
    ///     }
    ///     let mut products = sum.start();
    ///     products.multiply_add(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [10.0, 11.0, 12.0, 13.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn start(self) -> Products<T, N> {
        Products { sums: self.sums }
    }

    /// Returns the elements of columns `64 * tile` to `64 * tile + 63`, rounded to the nearest
    /// `T`, as a
    /// factor `a` in registers.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The product of a product and the unit matrix: the sums become a factor in registers.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add(a, b);
    ///     // Element (i, j) is `j`.
    ///     let first = products.finish().to_factor(0);
    ///     products.multiply_registers(first, a);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn to_factor(&self, tile: usize) -> [u32; 16]
    where
        T: HalfElement,
    {
        let mut words = [0; 16];
        for word in 0..16 {
            let i = tile * 32 + word * 2;
            words[word] = T::pack(self.sums[i], self.sums[i + 1]);
        }
        words
    }
}

/// Products in progress, which are added to a matrix of 64 rows and `N` columns.
///
/// The sums are in registers of the 128 threads of a warpgroup, which reach each function together.
/// A value in progress stays in the variable where it is: to move it is an error at build time.
#[device]
#[derive(Debug)]
pub struct Products<T: FactorElement, const N: usize> {
    sums: [T::Sum; 128],
}

#[device]
impl<T: FactorElement, const N: usize> Products<T, N> {
    /// Returns no products: the sums are zeros.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    ///
    /// /// The sum of four products of matrices of ones.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<8>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         a.set(i / 8, i % 8, U32x4::splat(0x3f80_3f80));
    ///         if i < 64 {
    ///             b.set(i / 8, i % 8, U32x4::splat(0x3f80_3f80));
    ///         }
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 8>::zero();
    ///     for _ in 0..4 {
    ///         products.multiply_add(a, b);
    ///     }
    ///     products.finish().store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?, [256.0; 64 * 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn zero() -> Self {
        Self { sums: [T::zero(); 128] }
    }

    /// Waits for all products but the last `PENDING`, at most 7, so that the tiles of the
    /// others can be written.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// Two products. The first is waited for, and then a tile of it is written again.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add(a, b);
    ///     products.wait::<0>();
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         b.set(i / 8, i % 8, U32x4::splat(0x3f80_3f80));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     products.multiply_add(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn wait<const PENDING: usize>(&mut self) {
        T::wait::<PENDING>(&mut self.sums);
    }

    /// Waits for all products, and returns the sums.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// Twice a product, of which the sums are used when it is done.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add(a, b);
    ///     let mut sum = products.finish();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         sum.set(i, 2.0 * sum.get(i));
    ///     }
    ///     sum.store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 2.0, 4.0, 6.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn finish(&mut self) -> Sum<T, N> {
        self.finish_pending::<0>()
    }

    /// Waits for all products but the last `PENDING`, and returns the sums. That the last ones
    /// are those of other sums is checked at build time: so the threads can go on with these
    /// sums while other products are in progress.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// Two products: the sums of the first are stored while the second is in progress.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut first = wgmma::Products::<bf16, 64>::zero();
    ///     let mut second = wgmma::Products::<bf16, 64>::zero();
    ///     first.multiply_add(a, b);
    ///     second.multiply_add(b, a);
    ///     first.finish_pending::<1>().store(c, 0, 128);
    ///     second.finish().store(c, 64, 128);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 128)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// // By the unit matrix on the left, and on the right.
    /// assert_eq!(c.to_vec()?[128..130], [0.0, 1.0]);
    /// assert_eq!(c.to_vec()?[128 + 64..128 + 66], [1.0, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn finish_pending<const PENDING: usize>(&mut self) -> Sum<T, N> {
        T::wait::<PENDING>(&mut self.sums);
        Sum { sums: self.sums }
    }

    /// Begins to add the product of two K-major factors.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `n` of its tile, full of `n`, is column `n`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_add(&mut self, a: &Tile<64>, b: &Tile<N>) {
        T::multiply_k_k::<N>(&mut self.sums, &a.rows[0], &b.rows[0]);
    }

    /// Begins to replace the sums by the product of two K-major factors.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `n` of its tile, full of `n`, is column `n`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     // What was there does not count.
    ///     products.multiply_add(a, b);
    ///     products.multiply(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply(&mut self, a: &Tile<64>, b: &Tile<N>) {
        T::multiply_k_k_zero::<N>(&mut self.sums, &a.rows[0], &b.rows[0]);
    }

    /// Begins to add the product of an `a` in registers, such as [`Sum::to_factor`] returns, and a
    /// K-major `b`.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `n` of its tile, full of `n`, is column `n`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let b = shared!(wgmma::Tile<64>);
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut factor = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let is_one = row == wgmma::Sum::<bf16, 64>::column(i);
    ///         factor.set(i, if is_one { 1.0 } else { 0.0 });
    ///     }
    ///     let a = factor.to_factor(0);
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add_registers(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_add_registers(&mut self, a: [u32; 16], b: &Tile<N>) {
        T::multiply_registers_k::<N>(&mut self.sums, a, &b.rows[0]);
    }

    /// Begins to replace the sums by the product of an `a` in registers, such as
    /// [`Sum::to_factor`] returns, and a K-major `b`.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `n` of its tile, full of `n`, is column `n`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let b = shared!(wgmma::Tile<64>);
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         b.set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut factor = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let is_one = row == wgmma::Sum::<bf16, 64>::column(i);
    ///         factor.set(i, if is_one { 1.0 } else { 0.0 });
    ///     }
    ///     let a = factor.to_factor(0);
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     // What was there does not count.
    ///     products.multiply_add_registers(a, b);
    ///     products.multiply_registers(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_registers(&mut self, a: [u32; 16], b: &Tile<N>) {
        T::multiply_registers_k_zero::<N>(&mut self.sums, a, &b.rows[0]);
    }

    /// Begins to add the product of an `a` in registers, such as [`Sum::to_factor`] returns, and
    /// an MN-major `b`, a tile for each 64 columns.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `k` of its tile, full of `k`, is row `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let b = shared!([wgmma::Tile<64>; 1]);
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         b[0].set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut factor = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let is_one = row == wgmma::Sum::<bf16, 64>::column(i);
    ///         factor.set(i, if is_one { 1.0 } else { 0.0 });
    ///     }
    ///     let a = factor.to_factor(0);
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add_registers_mn(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [1.0; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_add_registers_mn<const TILES: usize>(
        &mut self,
        a: [u32; 16],
        b: &[Tile<64>; TILES],
    ) where
        T: HalfElement,
    {
        T::multiply_registers_mn::<N, TILES>(&mut self.sums, a, &b[0].rows[0]);
    }

    /// Begins to replace the sums by the product of an `a` in registers, such as
    /// [`Sum::to_factor`] returns, and an MN-major `b`, a tile for each 64 columns.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `k` of its tile, full of `k`, is row `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let b = shared!([wgmma::Tile<64>; 1]);
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         b[0].set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut factor = wgmma::Sum::<bf16, 64>::zero();
    ///     for i in 0..wgmma::Sum::<bf16, 64>::LEN {
    ///         let row = wgmma::Sum::<bf16, 64>::row(i);
    ///         let is_one = row == wgmma::Sum::<bf16, 64>::column(i);
    ///         factor.set(i, if is_one { 1.0 } else { 0.0 });
    ///     }
    ///     let a = factor.to_factor(0);
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     // What was there does not count.
    ///     products.multiply_add_registers_mn(a, b);
    ///     products.multiply_registers_mn(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [1.0; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_registers_mn<const TILES: usize>(&mut self, a: [u32; 16], b: &[Tile<64>; TILES])
    where
        T: HalfElement,
    {
        T::multiply_registers_mn_zero::<N, TILES>(&mut self.sums, a, &b[0].rows[0]);
    }

    /// Begins to add the product of a K-major `a` and an MN-major `b`, a tile for each 64 columns.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `k` of its tile, full of `k`, is row `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!([wgmma::Tile<64>; 1]));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b[0].set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add_mn(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [1.0; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_add_mn<const TILES: usize>(&mut self, a: &Tile<64>, b: &[Tile<64>; TILES])
    where
        T: HalfElement,
    {
        T::multiply_k_mn::<N, TILES>(&mut self.sums, &a.rows[0], &b[0].rows[0]);
    }

    /// Begins to replace the sums by the product of a K-major `a` and an MN-major `b`, a tile for
    /// each 64 columns.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// The unit matrix times `b`. Row `k` of its tile, full of `k`, is row `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!([wgmma::Tile<64>; 1]));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, unit(row, chunk));
    ///         b[0].set(row, chunk, number(row));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     // What was there does not count.
    ///     products.multiply_add_mn(a, b);
    ///     products.multiply_mn(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [1.0; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_mn<const TILES: usize>(&mut self, a: &Tile<64>, b: &[Tile<64>; TILES])
    where
        T: HalfElement,
    {
        T::multiply_k_mn_zero::<N, TILES>(&mut self.sums, &a.rows[0], &b[0].rows[0]);
    }

    /// Begins to add the product of an MN-major `a` and a K-major `b`.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// `a` times the unit matrix. Row `k` of the tile, full of `k`, is column `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, number(row));
    ///         b.set(row, chunk, unit(row, chunk));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add_mn_k(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_add_mn_k(&mut self, a: &Tile<64>, b: &Tile<N>)
    where
        T: HalfElement,
    {
        T::multiply_mn_k::<N>(&mut self.sums, &a.rows[0], &b.rows[0]);
    }

    /// Begins to replace the sums by the product of an MN-major `a` and a K-major `b`.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// `a` times the unit matrix. Row `k` of the tile, full of `k`, is column `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, number(row));
    ///         b.set(row, chunk, unit(row, chunk));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     // What was there does not count.
    ///     products.multiply_add_mn_k(a, b);
    ///     products.multiply_mn_k(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_mn_k(&mut self, a: &Tile<64>, b: &Tile<N>)
    where
        T: HalfElement,
    {
        T::multiply_mn_k_zero::<N>(&mut self.sums, &a.rows[0], &b.rows[0]);
    }

    /// Begins to add the product of two MN-major factors; `b` has a tile for each 64 columns.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// `a` times the unit matrix. Row `k` of the tile, full of `k`, is column `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!([wgmma::Tile<64>; 1]));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, number(row));
    ///         b[0].set(row, chunk, unit(row, chunk));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     products.multiply_add_mn_mn(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_add_mn_mn<const TILES: usize>(&mut self, a: &Tile<64>, b: &[Tile<64>; TILES])
    where
        T: HalfElement,
    {
        T::multiply_mn_mn::<N, TILES>(&mut self.sums, &a.rows[0], &b[0].rows[0]);
    }

    /// Begins to replace the sums by the product of two MN-major factors; `b` has a tile for each
    /// 64 columns.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # use warpwise::wgmma::examples::{number, unit};
    ///
    /// /// `a` times the unit matrix. Row `k` of the tile, full of `k`, is column `k`.
    /// #[kernel(block = 128)]
    /// fn multiply(c: &mut [f32]) {
    ///     let (a, b) = (shared!(wgmma::Tile<64>), shared!([wgmma::Tile<64>; 1]));
    ///     for i in (thread_idx_x()..512).step_by(128) {
    ///         let (row, chunk) = (i / 8, i % 8);
    ///         a.set(row, chunk, number(row));
    ///         b[0].set(row, chunk, unit(row, chunk));
    ///     }
    ///     fence_proxy_async();
    ///     sync_threads();
    ///     let mut products = wgmma::Products::<bf16, 64>::zero();
    ///     // What was there does not count.
    ///     products.multiply_add_mn_mn(a, b);
    ///     products.multiply_mn_mn(a, b);
    ///     products.finish().store(c, 0, 64);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.zeros::<f32>(64 * 64)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[64..68], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn multiply_mn_mn<const TILES: usize>(&mut self, a: &Tile<64>, b: &[Tile<64>; TILES])
    where
        T: HalfElement,
    {
        T::multiply_mn_mn_zero::<N, TILES>(&mut self.sums, &a.rows[0], &b[0].rows[0]);
    }
}
