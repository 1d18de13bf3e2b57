//! Fragments: the parts of matrices that a lane holds, and their products.
use super::{
    elements::{FactorElement, SumElement, Tf32},
    float8::{E4M3, E5M2},
    int4::{I4, U4},
};
use crate::{bf16, device, f16, warp};

/// A lane's part of a left factor with `M` rows and `K` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct A<T: FactorElement, const M: usize, const K: usize> {
    /// The words of PTX's `mma.sync`, of which smaller matrices have fewer.
    pub words: [T::Word; 4],
}

#[device]
impl<T: FactorElement, const M: usize, const K: usize> A<T, M, K> {
    /// Loads a matrix that is stored row by row: row `i` begins at element
    /// `start + i * pitch`.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// The product of columns 16 to 23 of `a`, which has 32 columns, and `b`.
    /// #[allow(gpu_uncoalesced_accesses)]
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let left = mma::A::<f16, 16, 8>::load(a, 16, 32);
    ///     let right = mma::B::<f16, 8, 8>::load(b, 0, 8);
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    ///     sum.multiply_add(left, right);
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let a: Vec<f16> = (0..16 * 32).map(|i| f16::from_f32(i as f32)).collect();
    /// let unit: Vec<f16> = (0..64).map(|i| f16::from_f32((i % 9 == 0).into())).collect();
    /// let (a, b) = (device.upload(&a)?, device.upload(&unit)?);
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// // By the unit matrix: that part of `a`.
    /// assert_eq!(c.to_vec()?[..2], [16.0, 17.0]);
    /// assert_eq!(c.to_vec()?[8..10], [48.0, 49.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn load(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, pitch, 1)
    }

    /// Loads a matrix that is stored column by column: column `i` begins at element
    /// `start + i * pitch`.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// The product of `a`, which is stored column by column, and `b`.
    /// #[allow(gpu_uncoalesced_accesses)]
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let left = mma::A::<f16, 16, 8>::load_transposed(a, 0, 16);
    ///     let right = mma::B::<f16, 8, 8>::load(b, 0, 8);
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    ///     sum.multiply_add(left, right);
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let a: Vec<f16> = (0..16 * 8).map(|i| f16::from_f32(i as f32)).collect();
    /// let unit: Vec<f16> = (0..64).map(|i| f16::from_f32((i % 9 == 0).into())).collect();
    /// let (a, b) = (device.upload(&a)?, device.upload(&unit)?);
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// // A row of `a` has elements of all columns.
    /// assert_eq!(c.to_vec()?[..3], [0.0, 16.0, 32.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn load_transposed(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, 1, pitch)
    }

    fn load_strided(tile: &[T::Value], start: usize, row: usize, column: usize) -> Self {
        let mut words = [T::ZEROS; 4];
        for word in 0..M * K / 32 / T::PER_WORD {
            let i = warp::lane_id() / 4 + word % (M / 8) * 8;
            let k = (warp::lane_id() % 4 + word / (M / 8) * 4) * (T::PER_WORD / T::PER_VALUE);
            words[word] = T::load_word(tile, start + i * row + k * column, column);
        }
        Self { words }
    }
}

/// A lane's part of a right factor with `K` rows and `N` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct B<T: FactorElement, const K: usize, const N: usize> {
    /// The words of PTX's `mma.sync`, of which smaller matrices have fewer.
    pub words: [T::Word; 2],
}

#[device]
impl<T: FactorElement, const K: usize, const N: usize> B<T, K, N> {
    /// Loads a matrix that is stored row by row: row `i` begins at element
    /// `start + i * pitch`.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// The product of `a` and columns 8 to 15 of `b`, which has 16 columns.
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let left = mma::A::<f16, 16, 8>::load(a, 0, 8);
    ///     let right = mma::B::<f16, 8, 8>::load(b, 8, 16);
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    ///     sum.multiply_add(left, right);
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let b: Vec<f16> = (0..8 * 16).map(|i| f16::from_f32(i as f32)).collect();
    /// // The unit matrix, and rows of zeros.
    /// let is_one = |i: usize| i % 9 == 0 && i < 64;
    /// let unit: Vec<f16> = (0..128).map(|i| f16::from_f32(is_one(i).into())).collect();
    /// let (a, b) = (device.upload(&unit)?, device.upload(&b)?);
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?[..2], [8.0, 9.0]);
    /// assert_eq!(c.to_vec()?[8..10], [24.0, 25.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn load(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, pitch, 1)
    }

    /// Loads a matrix that is stored column by column: column `i` begins at element
    /// `start + i * pitch`. Neighbouring elements of a column are one access.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// The product of `a` and `b`, which is stored column by column.
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let left = mma::A::<f16, 16, 8>::load(a, 0, 8);
    ///     let right = mma::B::<f16, 8, 8>::load_transposed(b, 0, 8);
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    ///     sum.multiply_add(left, right);
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let b: Vec<f16> = (0..8 * 8).map(|i| f16::from_f32(i as f32)).collect();
    /// // The unit matrix, and rows of zeros.
    /// let is_one = |i: usize| i % 9 == 0 && i < 64;
    /// let unit: Vec<f16> = (0..128).map(|i| f16::from_f32(is_one(i).into())).collect();
    /// let (a, b) = (device.upload(&unit)?, device.upload(&b)?);
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?[..3], [0.0, 8.0, 16.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn load_transposed(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, 1, pitch)
    }

    fn load_strided(tile: &[T::Value], start: usize, row: usize, column: usize) -> Self {
        let mut words = [T::ZEROS; 2];
        for word in 0..K * N / 32 / T::PER_WORD {
            let k = (warp::lane_id() % 4 + word * 4) * (T::PER_WORD / T::PER_VALUE);
            let j = warp::lane_id() / 4;
            words[word] = T::load_word(tile, start + k * row + j * column, row);
        }
        Self { words }
    }
}

/// A lane's part of a sum with `M` rows and `N` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<T: SumElement, const M: usize, const N: usize> {
    /// The words of PTX's `mma.sync`, of which smaller matrices have fewer.
    pub words: [T::Word; 4],
}

#[device]
impl<T: SumElement, const M: usize, const N: usize> Accumulator<T, M, N> {
    /// The number of elements that each lane has.
    ///
    /// The documentation of [`Self::get`] has an example.
    pub const LEN: usize = M * N / 32;

    /// Returns a matrix of zeros.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// The product of two matrices: each step adds to the sum, which begins with zeros.
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    ///     for k in (0..32).step_by(8) {
    ///         let left = mma::A::<f16, 16, 8>::load(a, k, 32);
    ///         let right = mma::B::<f16, 8, 8>::load(b, k * 8, 8);
    ///         sum.multiply_add(left, right);
    ///     }
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let a = device.upload(&[f16::from_f32(0.5); 16 * 32])?;
    /// let b = device.upload(&[f16::from_f32(2.0); 32 * 8])?;
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [32.0; 128]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn zero() -> Self {
        Self::splat(T::zero())
    }

    /// Returns a matrix whose elements are all `value`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// Fills a matrix with 16 rows and 8 columns.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     Accumulator::<f32, 16, 8>::splat(0.5).store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 128])?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?, [0.5; 128]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn splat(value: T) -> Self {
        Self { words: [T::splat(value); 4] }
    }

    /// Loads a matrix that is stored row by row: row `i` begins at element
    /// `start + i * pitch`.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// Adds the product of `a` and `b` to `c`.
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let left = mma::A::<f16, 16, 8>::load(a, 0, 8);
    ///     let right = mma::B::<f16, 8, 8>::load(b, 0, 8);
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::load(c, 0, 8);
    ///     sum.multiply_add(left, right);
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let a = device.upload(&[f16::from_f32(0.5); 16 * 8])?;
    /// let b = device.upload(&[f16::from_f32(2.0); 8 * 8])?;
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [16.0; 128]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn load(tile: &[T], start: usize, pitch: usize) -> Self {
        let mut loaded = Self::zero();
        for i in (0..Self::LEN).step_by(2) {
            let at = start + Self::row(i) * pitch + Self::column(i);
            let pair = &tile[at..at + 2];
            loaded.set(i, pair[0]);
            loaded.set(i + 1, pair[1]);
        }
        loaded
    }

    /// Stores the matrix row by row: row `i` begins at element `start + i * pitch`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// Fills columns 8 to 15 of a matrix with 16 columns.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     Accumulator::<f32, 16, 8>::splat(0.5).store(c, 8, 16);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 256])?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[7..9], [1.0, 0.5]);
    /// assert_eq!(c.to_vec()?[15..17], [0.5, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn store(self, tile: &mut [T], start: usize, pitch: usize) {
        for i in (0..Self::LEN).step_by(2) {
            let at = start + Self::row(i) * pitch + Self::column(i);
            let pair = &mut tile[at..at + 2];
            pair[0] = self.get(i);
            pair[1] = self.get(i + 1);
        }
    }

    /// Returns the row of this lane's element `i`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// Makes the upper right triangle of a matrix zero.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Accumulator::<f32, 16, 8>::load(c, 0, 8);
    ///     for i in 0..Accumulator::<f32, 16, 8>::LEN {
    ///         if Accumulator::<f32, 16, 8>::column(i) > Accumulator::<f32, 16, 8>::row(i) {
    ///             sum.set(i, 0.0);
    ///         }
    ///     }
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 128])?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[16..21], [1.0, 1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn row(i: usize) -> usize {
        warp::lane_id() / 4 + i / 2 * 8
    }

    /// Returns the column of this lane's element `i`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// Multiplies each column by its number.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     let mut sum = Accumulator::<f32, 16, 8>::load(c, 0, 8);
    ///     for i in 0..Accumulator::<f32, 16, 8>::LEN {
    ///         sum.set(i, sum.get(i) * Accumulator::<f32, 16, 8>::column(i) as f32);
    ///     }
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 128])?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[8..12], [0.0, 1.0, 2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn column(i: usize) -> usize {
        warp::lane_id() % 4 * 2 + i % 2
    }

    /// Returns this lane's element `i`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// The sum of all elements of a matrix: of a lane's elements, then of the lanes.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     let matrix = Accumulator::<f32, 16, 8>::load(c, 0, 8);
    ///     let mut own = 0.0;
    ///     for i in 0..Accumulator::<f32, 16, 8>::LEN {
    ///         own += matrix.get(i);
    ///     }
    ///     let sum = warp::reduce_add(own);
    ///     if thread_idx_x() == 0 {
    ///         c[0] = sum;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 128])?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[0], 128.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn get(self, i: usize) -> T {
        T::get(self.words[i / T::PER_WORD], i % T::PER_WORD)
    }

    /// Sets this lane's element `i`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// Numbers the elements of a matrix.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     let mut matrix = Accumulator::<f32, 16, 8>::zero();
    ///     for i in 0..Accumulator::<f32, 16, 8>::LEN {
    ///         let row = Accumulator::<f32, 16, 8>::row(i);
    ///         let column = Accumulator::<f32, 16, 8>::column(i);
    ///         matrix.set(i, (row * 8 + column) as f32);
    ///     }
    ///     matrix.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&[1.0f32; 128])?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[126..], [126.0, 127.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn set(&mut self, i: usize, value: T) {
        let word = i / T::PER_WORD;
        self.words[word] = T::with(self.words[word], i % T::PER_WORD, value);
    }

    /// Returns the matrix of `function(element)`.
    ///
    /// ```
    /// use warpwise::{mma::Accumulator, prelude::*};
    ///
    /// /// Replaces negative elements by zero: an activation.
    /// #[kernel(block = 32)]
    /// fn example(c: &mut [f32]) {
    ///     let matrix = Accumulator::<f32, 16, 8>::load(c, 0, 8);
    ///     matrix.map(|x| x.max(0.0)).store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut c = device.upload(&(-64..64).map(|i| i as f32).collect::<Vec<_>>())?;
    /// example::launch(&device, LaunchConfig::grid(1), &mut c)?;
    /// assert_eq!(c.to_vec()?[62..66], [0.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn map<F: Fn(T) -> T>(self, function: F) -> Self {
        let mut mapped = self;
        for i in 0..Self::LEN {
            mapped.set(i, function(self.get(i)));
        }
        mapped
    }

    /// Adds the product of two matrices, on tensor cores.
    ///
    /// ```
    /// use warpwise::{mma, prelude::*};
    ///
    /// /// The product of `a` and `b`.
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
    ///     let left = mma::A::<f16, 16, 8>::load(a, 0, 8);
    ///     let right = mma::B::<f16, 8, 8>::load(b, 0, 8);
    ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    ///     sum.multiply_add(left, right);
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let a = device.upload(&[f16::from_f32(0.5); 16 * 8])?;
    /// let b = device.upload(&[f16::from_f32(2.0); 8 * 8])?;
    /// let mut c = device.zeros::<f32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [8.0; 128]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    pub fn multiply_add<Left, Right>(&mut self, a: Left, b: Right)
    where
        Left: MultiplyAdd<Right, Self>,
    {
        *self = a.multiply_add(b, *self);
    }
}

/// A left factor of a product that tensor cores compute.
#[diagnostic::on_unimplemented(
    message = "tensor cores have no product of `{Self}` and `{Right}` with the sum `{Total}`",
    note = "the documentation of `warpwise::mma` lists the shapes and types"
)]
#[device]
pub trait MultiplyAdd<Right, Total>: Copy {
    /// Returns `self * b + c`.
    ///
    /// ```
    /// use warpwise::{mma::{A, Accumulator, B, MultiplyAdd}, prelude::*};
    ///
    /// /// The product of `a` and `b`, both `i8`, plus 1.
    /// #[kernel(block = 32)]
    /// fn multiply(a: &[i8], b: &[i8], c: &mut [i32]) {
    ///     let left = A::<i8, 16, 32>::load(a, 0, 32);
    ///     let right = B::<i8, 32, 8>::load_transposed(b, 0, 32);
    ///     let sum: Accumulator<i32, 16, 8> = left.multiply_add(right, Accumulator::splat(1));
    ///     sum.store(c, 0, 8);
    /// }
    ///
    /// let device = Device::cpu();
    /// let (a, b) = (device.upload(&[-2i8; 16 * 32])?, device.upload(&[3i8; 32 * 8])?);
    /// let mut c = device.zeros::<i32>(16 * 8)?;
    /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [1 - 32 * 6; 128]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn multiply_add(self, b: Right, c: Total) -> Total;
}

/// Loads 16 bytes of a row.
#[device]
fn load_row<T: FactorElement>(tile: &[T::Value], start: usize) -> [T::Word; 4] {
    let in_word = T::PER_WORD / T::PER_VALUE;
    let row = &tile[start..start + 4 * in_word];
    [
        T::load_word(row, 0, 1),
        T::load_word(row, in_word, 1),
        T::load_word(row, 2 * in_word, 1),
        T::load_word(row, 3 * in_word, 1),
    ]
}

/// Implements loads of whole rows, for factors whose rows of `a` and columns of `b` have 32 bytes.
macro_rules! matrix_loads {
    ($($ty:ty, $value:ty, $k:literal;)*) => {$(
        #[device]
        impl A<$ty, 16, $k> {
            /// Does the same as [`load`](Self::load), with `ldmatrix` from shared memory: each lane
            /// loads 16 bytes of a row, which the lanes then distribute. All lanes of the warp make
            /// the call together. `start` and `pitch` are multiples of 16 bytes; with others, or in
            /// global memory, this takes 16 shuffles.
            ///
            /// ```
            /// use warpwise::{mma, prelude::*};
            ///
            /// /// The product of `a`, by way of shared memory, and `b`.
            /// #[kernel(block = 32)]
            /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
            ///     // Rows of 16 halves and 8 more, so that rows have no banks in common.
            ///     let tile = shared!([f16; 16 * 24]);
            ///     for i in (thread_idx_x()..256).step_by(32) {
            ///         tile[i / 16 * 24 + i % 16] = a[i];
            ///     }
            ///     sync_threads();
            ///     let left = mma::A::<f16, 16, 16>::load_matrix(tile, 0, 24);
            ///     let right = mma::B::<f16, 16, 8>::load(b, 0, 8);
            ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
            ///     sum.multiply_add(left, right);
            ///     sum.store(c, 0, 8);
            /// }
            ///
            /// let device = Device::cpu();
            /// let a: Vec<f16> = (0..16 * 16).map(|i| f16::from_f32(i as f32)).collect();
            /// // The first columns of the unit matrix.
            /// let is_one = |i: usize| i % 9 == 0 && i < 64;
            /// let unit: Vec<f16> = (0..128).map(|i| f16::from_f32(is_one(i).into())).collect();
            /// let (a, b) = (device.upload(&a)?, device.upload(&unit)?);
            /// let mut c = device.zeros::<f32>(16 * 8)?;
            /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
            /// assert_eq!(c.to_vec()?[7..10], [7.0, 16.0, 17.0]);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrix(tile: &[$value], start: usize, pitch: usize) -> Self {
                let lane = warp::lane_id();
                let half = $k / 2 / <$ty>::PER_VALUE;
                let at = start + lane % 16 * pitch + lane / 16 * half;
                Self { words: warpwise::mma::words::distribute_rows(load_row::<$ty>(tile, at)) }
            }
        }

        #[device]
        impl B<$ty, $k, 8> {
            /// Loads two neighbouring matrices, columns 0 to 7 and 8 to 15, with one `ldmatrix`
            /// from shared memory, otherwise as [`load_transposed`](Self::load_transposed): column
            /// `i` begins at element `start + i * pitch`. See [`A::load_matrix`] for the
            /// conditions.
            ///
            /// ```
            /// use warpwise::{mma, prelude::*};
            ///
            /// /// The product of `a` and the 16 columns of `b`, stored one after the other.
            /// #[kernel(block = 32)]
            /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
            ///     // Rows of 16 halves and 8 more, so that rows have no banks in common.
            ///     let tile = shared!([f16; 16 * 24]);
            ///     for i in (thread_idx_x()..256).step_by(32) {
            ///         tile[i / 16 * 24 + i % 16] = b[i];
            ///     }
            ///     sync_threads();
            ///     let left = mma::A::<f16, 16, 16>::load(a, 0, 16);
            ///     let right = mma::B::<f16, 16, 8>::load_matrices_transposed(tile, 0, 24);
            ///     let mut sums = [mma::Accumulator::<f32, 16, 8>::zero(); 2];
            ///     for i in 0..2 {
            ///         sums[i].multiply_add(left, right[i]);
            ///         sums[i].store(c, 8 * i, 16);
            ///     }
            /// }
            ///
            /// let device = Device::cpu();
            /// let b: Vec<f16> = (0..16 * 16).map(|i| f16::from_f32(i as f32)).collect();
            /// let one_or_zero = |i: usize| f16::from_f32((i % 17 == 0).into());
            /// let unit: Vec<f16> = (0..256).map(one_or_zero).collect();
            /// let (a, b) = (device.upload(&unit)?, device.upload(&b)?);
            /// let mut c = device.zeros::<f32>(16 * 16)?;
            /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
            /// assert_eq!(c.to_vec()?[7..10], [112.0, 128.0, 144.0]);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrices_transposed(
                tile: &[$value],
                start: usize,
                pitch: usize,
            ) -> [Self; 2] {
                let lane = warp::lane_id();
                let half = $k / 2 / <$ty>::PER_VALUE;
                let at = start + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * half;
                let words = warpwise::mma::words::distribute_rows(load_row::<$ty>(tile, at));
                [Self { words: [words[0], words[1]] }, Self { words: [words[2], words[3]] }]
            }
        }
    )*};
}

matrix_loads! {
    f16, f16, 16;
    bf16, bf16, 16;
    Tf32, f32, 8;
    i8, i8, 32;
    u8, u8, 32;
    E4M3, E4M3, 32;
    E5M2, E5M2, 32;
    I4, u32, 64;
    U4, u32, 64;
}

/// Implements loads of whole rows whose columns are distributed, for elements of 16 bits.
macro_rules! transposed_matrix_loads {
    ($($ty:ty)*) => {$(
        #[device]
        impl A<$ty, 16, 16> {
            /// Does the same as [`load_transposed`](Self::load_transposed), with `ldmatrix` from
            /// shared memory. See [`A::load_matrix`] for the conditions.
            ///
            /// ```
            /// use warpwise::{mma, prelude::*};
            ///
            /// /// The product of `a`, stored column by column, by way of shared memory, and `b`.
            /// #[kernel(block = 32)]
            /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
            ///     // Rows of 16 halves and 8 more, so that rows have no banks in common.
            ///     let tile = shared!([f16; 16 * 24]);
            ///     for i in (thread_idx_x()..256).step_by(32) {
            ///         tile[i / 16 * 24 + i % 16] = a[i];
            ///     }
            ///     sync_threads();
            ///     let left = mma::A::<f16, 16, 16>::load_matrix_transposed(tile, 0, 24);
            ///     let right = mma::B::<f16, 16, 8>::load(b, 0, 8);
            ///     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
            ///     sum.multiply_add(left, right);
            ///     sum.store(c, 0, 8);
            /// }
            ///
            /// let device = Device::cpu();
            /// let a: Vec<f16> = (0..16 * 16).map(|i| f16::from_f32(i as f32)).collect();
            /// // The first columns of the unit matrix.
            /// let is_one = |i: usize| i % 9 == 0 && i < 64;
            /// let unit: Vec<f16> = (0..128).map(|i| f16::from_f32(is_one(i).into())).collect();
            /// let (a, b) = (device.upload(&a)?, device.upload(&unit)?);
            /// let mut c = device.zeros::<f32>(16 * 8)?;
            /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
            /// assert_eq!(c.to_vec()?[7..10], [112.0, 1.0, 17.0]);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrix_transposed(tile: &[$ty], start: usize, pitch: usize) -> Self {
                let lane = warp::lane_id();
                let at = start + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * 8;
                let row = load_row::<$ty>(tile, at);
                Self { words: warpwise::mma::words::distribute_rows_transposed(row) }
            }
        }

        #[device]
        impl B<$ty, 16, 8> {
            /// Loads two neighbouring matrices, columns 0 to 7 and 8 to 15, with one `ldmatrix`
            /// from shared memory, otherwise as [`load`](Self::load): row `i` begins at element
            /// `start + i * pitch`. See [`A::load_matrix`] for the conditions.
            ///
            /// ```
            /// use warpwise::{mma, prelude::*};
            ///
            /// /// The product of `a` and the 16 columns of `b`, stored row by row.
            /// #[kernel(block = 32)]
            /// fn multiply(a: &[f16], b: &[f16], c: &mut [f32]) {
            ///     // Rows of 16 halves and 8 more, so that rows have no banks in common.
            ///     let tile = shared!([f16; 16 * 24]);
            ///     for i in (thread_idx_x()..256).step_by(32) {
            ///         tile[i / 16 * 24 + i % 16] = b[i];
            ///     }
            ///     sync_threads();
            ///     let left = mma::A::<f16, 16, 16>::load(a, 0, 16);
            ///     let right = mma::B::<f16, 16, 8>::load_matrices(tile, 0, 24);
            ///     let mut sums = [mma::Accumulator::<f32, 16, 8>::zero(); 2];
            ///     for i in 0..2 {
            ///         sums[i].multiply_add(left, right[i]);
            ///         sums[i].store(c, 8 * i, 16);
            ///     }
            /// }
            ///
            /// let device = Device::cpu();
            /// let b: Vec<f16> = (0..16 * 16).map(|i| f16::from_f32(i as f32)).collect();
            /// let one_or_zero = |i: usize| f16::from_f32((i % 17 == 0).into());
            /// let unit: Vec<f16> = (0..256).map(one_or_zero).collect();
            /// let (a, b) = (device.upload(&unit)?, device.upload(&b)?);
            /// let mut c = device.zeros::<f32>(16 * 16)?;
            /// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
            /// assert_eq!(c.to_vec()?[14..18], [14.0, 15.0, 16.0, 17.0]);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrices(tile: &[$ty], start: usize, pitch: usize) -> [Self; 2] {
                let lane = warp::lane_id();
                let row = load_row::<$ty>(tile, start + lane % 16 * pitch + lane / 16 * 8);
                let words = warpwise::mma::words::distribute_rows_transposed(row);
                [Self { words: [words[0], words[1]] }, Self { words: [words[2], words[3]] }]
            }
        }
    )*};
}

transposed_matrix_loads! { f16 bf16 }

/// Implements products by the functions on words.
macro_rules! products {
    ($($words:ident: $a:ty, $b:ty, $sum:ty, $m:literal, $n:literal, $k:literal;)*) => {$(
        #[device]
        impl MultiplyAdd<B<$b, $k, $n>, Accumulator<$sum, $m, $n>> for A<$a, $m, $k> {
            fn multiply_add(
                self,
                b: B<$b, $k, $n>,
                c: Accumulator<$sum, $m, $n>,
            ) -> Accumulator<$sum, $m, $n> {
                Accumulator { words: warpwise::mma::words::$words(self.words, b.words, c.words) }
            }
        }
    )*};
}

products! {
    m16n8k8_f32_f16_f16: f16, f16, f32, 16, 8, 8;
    m16n8k16_f32_f16_f16: f16, f16, f32, 16, 8, 16;
    m16n8k8_f16_f16_f16: f16, f16, f16, 16, 8, 8;
    m16n8k16_f16_f16_f16: f16, f16, f16, 16, 8, 16;
    m16n8k8_f32_bf16_bf16: bf16, bf16, f32, 16, 8, 8;
    m16n8k16_f32_bf16_bf16: bf16, bf16, f32, 16, 8, 16;
    m16n8k4_f32_tf32_tf32: Tf32, Tf32, f32, 16, 8, 4;
    m16n8k8_f32_tf32_tf32: Tf32, Tf32, f32, 16, 8, 8;
    m8n8k4_f64_f64_f64: f64, f64, f64, 8, 8, 4;
    m16n8k4_f64_f64_f64: f64, f64, f64, 16, 8, 4;
    m16n8k8_f64_f64_f64: f64, f64, f64, 16, 8, 8;
    m8n8k16_i32_i8_i8: i8, i8, i32, 8, 8, 16;
    m8n8k16_i32_i8_u8: i8, u8, i32, 8, 8, 16;
    m8n8k16_i32_u8_i8: u8, i8, i32, 8, 8, 16;
    m8n8k16_i32_u8_u8: u8, u8, i32, 8, 8, 16;
    m16n8k16_i32_i8_i8: i8, i8, i32, 16, 8, 16;
    m16n8k16_i32_i8_u8: i8, u8, i32, 16, 8, 16;
    m16n8k16_i32_u8_i8: u8, i8, i32, 16, 8, 16;
    m16n8k16_i32_u8_u8: u8, u8, i32, 16, 8, 16;
    m16n8k32_i32_i8_i8: i8, i8, i32, 16, 8, 32;
    m16n8k32_i32_i8_u8: i8, u8, i32, 16, 8, 32;
    m16n8k32_i32_u8_i8: u8, i8, i32, 16, 8, 32;
    m16n8k32_i32_u8_u8: u8, u8, i32, 16, 8, 32;
    m8n8k32_i32_i4_i4: I4, I4, i32, 8, 8, 32;
    m8n8k32_i32_i4_u4: I4, U4, i32, 8, 8, 32;
    m8n8k32_i32_u4_i4: U4, I4, i32, 8, 8, 32;
    m8n8k32_i32_u4_u4: U4, U4, i32, 8, 8, 32;
    m16n8k32_i32_i4_i4: I4, I4, i32, 16, 8, 32;
    m16n8k32_i32_i4_u4: I4, U4, i32, 16, 8, 32;
    m16n8k32_i32_u4_i4: U4, I4, i32, 16, 8, 32;
    m16n8k32_i32_u4_u4: U4, U4, i32, 16, 8, 32;
    m16n8k64_i32_i4_i4: I4, I4, i32, 16, 8, 64;
    m16n8k64_i32_i4_u4: I4, U4, i32, 16, 8, 64;
    m16n8k64_i32_u4_i4: U4, I4, i32, 16, 8, 64;
    m16n8k64_i32_u4_u4: U4, U4, i32, 16, 8, 64;
    m16n8k32_f32_e4m3_e4m3: E4M3, E4M3, f32, 16, 8, 32;
    m16n8k32_f32_e4m3_e5m2: E4M3, E5M2, f32, 16, 8, 32;
    m16n8k32_f32_e5m2_e4m3: E5M2, E4M3, f32, 16, 8, 32;
    m16n8k32_f32_e5m2_e5m2: E5M2, E5M2, f32, 16, 8, 32;
}
