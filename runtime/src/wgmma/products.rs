//! Tiles, products in progress, and their sums.
use crate::{U32x4, bf16, device, f16, warp};

/// A tile of `ROWS` rows of 64 halves in shared memory, with the 128-byte swizzle.
///
/// `ROWS` is a multiple of 8.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(1024))]
pub struct Tile<const ROWS: usize> {
    /// The chunks of 8 halves: chunk `c` of row `r` is `rows[r][c ^ r % 8]`.
    pub rows: [[U32x4; 8]; ROWS],
}

#[device]
impl<const ROWS: usize> Tile<ROWS> {
    /// Returns the 8 halves from element `8 * chunk` of a row on.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma::Tile};
    ///
    /// /// Reverses 8 rows of 64 halves, in chunks of 8.
    /// #[kernel(block = 64)]
    /// fn reverse(x: &mut [U32x4]) {
    ///     let tile = shared!(Tile<8>);
    ///     let t = thread_idx_x();
    ///     if t < x.len() {
    ///         tile.set(t / 8, t % 8, x[t]);
    ///     }
    ///     sync_threads();
    ///     if t < x.len() {
    ///         x[t] = tile.get(7 - t / 8, 7 - t % 8);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&std::array::from_fn::<_, 64, _>(|i| U32x4::splat(i as u32)))?;
    /// reverse::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// assert_eq!(x.to_vec()?[1], U32x4::splat(62));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn get(&self, row: usize, chunk: usize) -> U32x4 {
        self.rows[row][chunk ^ (row % 8)]
    }

    /// Sets the 8 halves from element `8 * chunk` of a row on.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma::Tile};
    ///
    /// /// Chunks in their places: the first one of row 3 is the fourth in memory.
    /// #[allow(gpu_bank_conflicts)]
    /// #[kernel(block = 64)]
    /// fn swizzle(y: &mut [u32]) {
    ///     let tile = shared!(Tile<8>);
    ///     let t = thread_idx_x();
    ///     tile.set(t / 8, t % 8, U32x4::splat(t as u32 % 8));
    ///     sync_threads();
    ///     if t < y.len() {
    ///         y[t] = tile.rows[t / 8][t % 8].x;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut y = device.zeros::<u32>(64)?;
    /// swizzle::launch(&device, LaunchConfig::grid(1), &mut y)?;
    /// assert_eq!(y.to_vec()?[24..32], [3, 2, 1, 0, 7, 6, 5, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn set(&mut self, row: usize, chunk: usize, halves: U32x4) {
        self.rows[row][chunk ^ (row % 8)] = halves;
    }
}

/// An element type of factors: `f16` or `bf16`.
#[device]
pub trait FactorElement: Copy {
    /// The type of sums.
    type Sum: Copy;
    /// Returns zero.
    ///
    /// ```
    /// use warpwise::{bf16, wgmma::FactorElement};
    ///
    /// assert_eq!(bf16::zero(), 0.0f32);
    /// ```
    fn zero() -> Self::Sum;
    /// Rounds two sums to the nearest elements, the first of which is the lower half of the word.
    ///
    /// ```
    /// use warpwise::{f16, wgmma::FactorElement};
    ///
    /// assert_eq!(f16::pack(1.0, 2.0), 0x4000_3c00);
    /// ```
    fn pack(first: Self::Sum, second: Self::Sum) -> u32;
}

/// The sums of products: a matrix of 64 rows and `N` columns, of which each thread of a warpgroup has
/// `N / 2` elements.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Sum<T: FactorElement, const N: usize> {
    sums: [T::Sum; 128],
}

#[device]
impl<T: FactorElement, const N: usize> Sum<T, N> {
    /// The number of elements that each thread has.
    pub const LEN: usize = N / 2;

    /// Returns a matrix of zeros.
    ///
    /// ```
    /// use warpwise::{prelude::*, wgmma::Sum};
    ///
    /// /// Clears a matrix of 64 rows and 64 columns.
    /// #[kernel(block = 128)]
    /// fn clear(c: &mut [f32]) {
    ///     Sum::<bf16, 64>::zero().store(c, 0, 64);
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
    /// use warpwise::{prelude::*, wgmma::Sum};
    ///
    /// /// The sum of the 64 x 64 numbers from 0 to 4095.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Sum::<bf16, 64>::zero();
    ///     for i in 0..Sum::<bf16, 64>::LEN {
    ///         let (row, column) = (Sum::<bf16, 64>::row(i), Sum::<bf16, 64>::column(i));
    ///         sum.set(i, (64 * row + column) as f32);
    ///     }
    ///     let mut own = 0.0;
    ///     for i in 0..Sum::<bf16, 64>::LEN {
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
    /// use warpwise::{prelude::*, wgmma::Sum};
    ///
    /// /// Numbers the elements of a matrix.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Sum::<bf16, 64>::zero();
    ///     for i in 0..Sum::<bf16, 64>::LEN {
    ///         let (row, column) = (Sum::<bf16, 64>::row(i), Sum::<bf16, 64>::column(i));
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
    /// use warpwise::{prelude::*, wgmma::Sum};
    ///
    /// /// Fills the lower left triangle of a matrix.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Sum::<bf16, 64>::zero();
    ///     for i in 0..Sum::<bf16, 64>::LEN {
    ///         if Sum::<bf16, 64>::column(i) <= Sum::<bf16, 64>::row(i) {
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
    /// use warpwise::{prelude::*, wgmma::Sum};
    ///
    /// /// Adds a number to each column, as a bias is.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Sum::<bf16, 64>::zero();
    ///     for i in 0..Sum::<bf16, 64>::LEN {
    ///         sum.set(i, sum.get(i) + 0.5 * Sum::<bf16, 64>::column(i) as f32);
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
    /// use warpwise::{prelude::*, wgmma::Sum};
    ///
    /// /// Stores the numbers from 0 to 4095 to columns 32 to 95 of a matrix with 128 columns.
    /// #[kernel(block = 128)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Sum::<bf16, 64>::zero();
    ///     for i in 0..Sum::<bf16, 64>::LEN {
    ///         let (row, column) = (Sum::<bf16, 64>::row(i), Sum::<bf16, 64>::column(i));
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

    /// Returns the elements of columns `64 * tile` to `64 * tile + 63`, rounded to the nearest `T`, as a
    /// factor `a` in registers.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # /// Returns 8 halves of a row of the unit matrix.
    /// # #[device]
    /// # fn unit(row: usize, chunk: usize) -> U32x4 {
    /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
    /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
    /// #     U32x4::new(word(0), word(1), word(2), word(3))
    /// # }
    /// # /// Returns 8 halves with the value of a row's number.
    /// # #[device]
    /// # fn number(row: usize) -> U32x4 {
    /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
    /// # }
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
    pub fn to_factor(&self, tile: usize) -> [u32; 16] {
        let mut words = [0; 16];
        for word in 0..16 {
            let i = tile * 32 + word * 2;
            words[word] = T::pack(self.sums[i], self.sums[i + 1]);
        }
        words
    }

    /// Begins products that are added to this matrix.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma};
    /// # /// Returns 8 halves of a row of the unit matrix.
    /// # #[device]
    /// # fn unit(row: usize, chunk: usize) -> U32x4 {
    /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
    /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
    /// #     U32x4::new(word(0), word(1), word(2), word(3))
    /// # }
    /// # /// Returns 8 halves with the value of a row's number.
    /// # #[device]
    /// # fn number(row: usize) -> U32x4 {
    /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
    /// # }
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
}

/// Implements products of an element type by the functions on arrays.
macro_rules! products {
    ($ty:ident: $k_k:ident $k_k_zero:ident $k_mn:ident $k_mn_zero:ident $mn_k:ident $mn_k_zero:ident $mn_mn:ident $mn_mn_zero:ident $registers_k:ident $registers_k_zero:ident $registers_mn:ident $registers_mn_zero:ident) => {
        #[device]
        impl FactorElement for $ty {
            type Sum = f32;
            fn zero() -> f32 {
                0.0
            }
            fn pack(first: f32, second: f32) -> u32 {
                let (first, second) = ($ty::from_f32(first), $ty::from_f32(second));
                first.to_bits() as u32 | (second.to_bits() as u32) << 16
            }
        }

        #[device]
        impl<const N: usize> Products<$ty, N> {
            /// Waits for all products but the last `PENDING`, at most 7, so that the tiles of the
            /// others can be written.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
                warpwise::wgmma::words::wait::<PENDING>(&mut self.sums);
            }

            /// Waits for all products, and returns the sums.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn finish(&mut self) -> Sum<$ty, N> {
                self.finish_pending::<0>()
            }

            /// Waits for all products but the last `PENDING`, and returns the sums. That the last ones
            /// are those of other sums is checked at build time: so the threads can go on with these
            /// sums while other products are in progress.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn finish_pending<const PENDING: usize>(&mut self) -> Sum<$ty, N> {
                warpwise::wgmma::words::wait::<PENDING>(&mut self.sums);
                Sum { sums: self.sums }
            }

            /// Begins to add the product of two K-major factors.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
                warpwise::wgmma::words::$k_k::<N, 1, _>(&mut self.sums, &a.rows[0], &b.rows[0]);
            }

            /// Begins to replace the sums by the product of two K-major factors.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
                warpwise::wgmma::words::$k_k_zero::<N, 1, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b.rows[0],
                );
            }

            /// Begins to add the product of a K-major `a` and an MN-major `b`, a tile for each 64 columns.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_add_mn<const TILES: usize>(
                &mut self,
                a: &Tile<64>,
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$k_mn::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to replace the sums by the product of a K-major `a` and an MN-major `b`, a tile for each 64 columns.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_mn<const TILES: usize>(&mut self, a: &Tile<64>, b: &[Tile<64>; TILES]) {
                warpwise::wgmma::words::$k_mn_zero::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to add the product of an MN-major `a` and a K-major `b`.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_add_mn_k(&mut self, a: &Tile<64>, b: &Tile<N>) {
                warpwise::wgmma::words::$mn_k::<N, 1, _>(&mut self.sums, &a.rows[0], &b.rows[0]);
            }

            /// Begins to replace the sums by the product of an MN-major `a` and a K-major `b`.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_mn_k(&mut self, a: &Tile<64>, b: &Tile<N>) {
                warpwise::wgmma::words::$mn_k_zero::<N, 1, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b.rows[0],
                );
            }

            /// Begins to add the product of two MN-major factors; `b` has a tile for each 64 columns.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_add_mn_mn<const TILES: usize>(
                &mut self,
                a: &Tile<64>,
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$mn_mn::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to replace the sums by the product of two MN-major factors; `b` has a tile for each 64 columns.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_mn_mn<const TILES: usize>(
                &mut self,
                a: &Tile<64>,
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$mn_mn_zero::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to add the product of an `a` in registers, such as [`Sum::to_factor`] returns, and a K-major `b`.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
                warpwise::wgmma::words::$registers_k::<N, 1, _>(&mut self.sums, a, &b.rows[0]);
            }

            /// Begins to replace the sums by the product of an `a` in registers, such as [`Sum::to_factor`] returns, and a K-major `b`.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
                warpwise::wgmma::words::$registers_k_zero::<N, 1, _>(&mut self.sums, a, &b.rows[0]);
            }

            /// Begins to add the product of an `a` in registers, such as [`Sum::to_factor`] returns, and an MN-major `b`, a tile for each 64 columns.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            ) {
                warpwise::wgmma::words::$registers_mn::<N, TILES, _>(
                    &mut self.sums,
                    a,
                    &b[0].rows[0],
                );
            }

            /// Begins to replace the sums by the product of an `a` in registers, such as [`Sum::to_factor`] returns, and an MN-major `b`, a tile for each 64 columns.
            ///
            /// ```
            /// use warpwise::{U32x4, prelude::*, wgmma};
            /// # /// Returns 8 halves of a row of the unit matrix.
            /// # #[device]
            /// # fn unit(row: usize, chunk: usize) -> U32x4 {
            /// #     let one = (chunk == row / 8) as u32 * (0x3f80 << (16 * (row % 2)));
            /// #     let word = |i: usize| (row % 8 / 2 == i) as u32 * one;
            /// #     U32x4::new(word(0), word(1), word(2), word(3))
            /// # }
            /// # /// Returns 8 halves with the value of a row's number.
            /// # #[device]
            /// # fn number(row: usize) -> U32x4 {
            /// #     U32x4::splat(bf16::from_f32(row as f32).to_bits() as u32 * 0x1_0001)
            /// # }
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
            pub fn multiply_registers_mn<const TILES: usize>(
                &mut self,
                a: [u32; 16],
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$registers_mn_zero::<N, TILES, _>(
                    &mut self.sums,
                    a,
                    &b[0].rows[0],
                );
            }
        }
    };
}

products! { bf16: bf16_k_k bf16_k_k_zero bf16_k_mn bf16_k_mn_zero bf16_mn_k bf16_mn_k_zero bf16_mn_mn bf16_mn_mn_zero bf16_registers_k bf16_registers_k_zero bf16_registers_mn bf16_registers_mn_zero }
products! { f16: f16_k_k f16_k_k_zero f16_k_mn f16_k_mn_zero f16_mn_k f16_mn_k_zero f16_mn_mn f16_mn_mn_zero f16_registers_k f16_registers_k_zero f16_registers_mn f16_registers_mn_zero }
