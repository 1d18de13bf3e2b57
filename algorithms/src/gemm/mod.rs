//! Products of matrices.
//!
//! All matrices are stored row by row without gaps. Products of `f32` run on the cores for floats,
//! unless they may round to tf32; all others run on tensor cores.
mod doubles;
mod floats;
mod halves;
mod hopper;
mod words;

pub use halves::HalfElement;
pub use words::{Float8Element, IntegerElement};

use crate::error::{Result, require_length};
use warpwise::{Autotuner, Slice, mma::Tf32, prelude::*};

/// A product of matrices, with its shapes, factors and activation: `c = alpha * a * b + beta * c`.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::Gemm;
///
/// let device = Device::cpu();
/// let a = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let b = device.upload(&[1.0f32, 0.0, 0.0, 1.0])?;
/// let mut c = device.upload(&[100.0f32; 4])?;
/// let product = Gemm { beta: 0.5, ..Gemm::new(2, 2, 2) };
/// product.run(&device, &a, &b, &mut c)?;
/// assert_eq!(c.to_vec()?, [51.0, 52.0, 53.0, 54.0]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// Rows of `a` and `c`.
    pub rows: usize,
    /// Columns of `b` and `c`.
    pub columns: usize,
    /// Columns of `a` and rows of `b`.
    pub depth: usize,
    /// Products, each of matrices that follow those of the product before: at most 65,535.
    pub batches: usize,
    /// The factor of the product, rounded to `f32` where the result is.
    pub alpha: f64,
    /// The factor of the earlier contents of `c`, rounded likewise. They are not read if it is 0.
    pub beta: f64,
    /// The function of each element of the result.
    pub activation: Activation,
    /// The part of `c` that a block of [`Self::run`] computes.
    pub tile: GemmTile,
}

/// The part of the result that a block computes in a product of `f32`. The result has the same bits
/// for every tile.
///
/// A large tile reads each factor less often, small ones keep more multiprocessors busy where the
/// result is small. [`Gemm::tune`] measures them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GemmTile {
    /// 128 rows and 128 columns.
    #[default]
    Large,
    /// 64 rows and 128 columns.
    Medium,
    /// 64 rows and 64 columns.
    Small,
}

/// A function of the elements of a product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// The element itself.
    #[default]
    Identity,
    /// `max(x, 0)`
    Relu,
    /// `x / 2 * (1 + erf(x / sqrt(2)))`
    Gelu,
}

/// The codes of [`Activation`]s in kernels.
#[device]
const IDENTITY: u32 = 0;
#[device]
const RELU: u32 = 1;
#[device]
const GELU: u32 = 2;

/// Stores an element of a product.
#[device]
fn store<T: Float, const ACTIVATION: u32>(sum: T, scales: (T, T), c: &mut T) {
    let old = if scales.1 != T::ZERO { *c } else { T::ZERO };
    *c = finish::<T, ACTIVATION>(sum, scales, old);
}

/// Returns an element of the result from a sum and the earlier element, which counts if beta is not
/// 0.
#[device]
fn finish<T: Float, const ACTIVATION: u32>(sum: T, (alpha, beta): (T, T), old: T) -> T {
    let mut result = alpha * sum;
    if beta != T::ZERO {
        result += beta * old;
    }
    match ACTIVATION {
        RELU => result.max(T::ZERO),
        GELU => {
            let scaled = result * T::from_f64(std::f64::consts::FRAC_1_SQRT_2);
            result * (T::from_f64(0.5) * (T::ONE + math::erf(scaled)))
        }
        _ => result,
    }
}

/// Launches the instance of a kernel for an [`Activation`] that is known only at run time.
macro_rules! launch_with_activation {
    ($activation:expr, $kernel:ident$(::<$($argument:tt),*>)?($($arg:expr),* $(,)?)) => {
        match $activation {
            $crate::Activation::Identity => {
                $kernel::<$($($argument,)*)? { $crate::gemm::IDENTITY }>::launch($($arg),*)
            }
            $crate::Activation::Relu => {
                $kernel::<$($($argument,)*)? { $crate::gemm::RELU }>::launch($($arg),*)
            }
            $crate::Activation::Gelu => {
                $kernel::<$($($argument,)*)? { $crate::gemm::GELU }>::launch($($arg),*)
            }
        }
    };
}
use launch_with_activation;

/// Blocks of a column of the grid that follow each other, so that they share what they read.
#[device]
const GROUP: usize = 8;

/// Returns the row and the column of the tile of a block, in an order in which neighbours share
/// rows and columns.
#[device]
fn tile_of_block(tile_rows: usize, tile_columns: usize) -> (usize, usize) {
    // Grids are not empty, and so no number is zero.
    let in_groups = (GROUP * tile_columns).max(1);
    let (group, in_group) = (block_idx_x() / in_groups, block_idx_x() % in_groups);
    let rows = tile_rows.saturating_sub(group * GROUP).clamp(1, GROUP);
    (group * GROUP + in_group % rows, in_group / rows)
}

impl Gemm {
    /// Creates the product of a matrix of `rows` by `depth` elements and one of `depth` by
    /// `columns`.
    ///
    /// ```
    /// use warpwise_algorithms::{Activation, Gemm};
    ///
    /// let product = Gemm::new(2, 4, 3);
    /// assert_eq!((product.rows, product.columns, product.depth), (2, 4, 3));
    /// // One product `c = a * b`: other factors, batches and functions are set as fields.
    /// assert_eq!((product.batches, product.alpha, product.beta), (1, 1.0, 0.0));
    /// assert_eq!(product.activation, Activation::Identity);
    /// ```
    pub const fn new(rows: usize, columns: usize, depth: usize) -> Self {
        let (activation, tile) = (Activation::Identity, GemmTile::Large);
        Self { rows, columns, depth, batches: 1, alpha: 1.0, beta: 0.0, activation, tile }
    }

    /// Returns this product with the [tile](GemmTile) that is the fastest for it on the device,
    /// measured now or [earlier](Autotuner), where `c` is a buffer of zeros.
    ///
    /// One choice serves all depths up to the same power of two, and all products whose results
    /// have as many rows and columns of 64 by 64 elements.
    ///
    /// # Errors
    /// As of [`Self::run`], and those of the allocation.
    ///
    /// ```
    /// use warpwise::{Autotuner, prelude::*};
    /// use warpwise_algorithms::Gemm;
    ///
    /// static TUNER: Autotuner = Autotuner::new();
    ///
    /// let device = Device::auto()?;
    /// let a = device.upload(&[1.0f32; 40 * 30])?;
    /// let b = device.upload(&[2.0f32; 30 * 20])?;
    /// let mut c = device.zeros::<f32>(40 * 20)?;
    /// let product = Gemm::new(40, 20, 30).tune(&TUNER, &device, &a, &b)?;
    /// product.run(&device, &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [60.0; 40 * 20]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn tune(
        &self,
        tuner: &Autotuner,
        device: &Device,
        a: &Slice<f32>,
        b: &Slice<f32>,
    ) -> Result<Self> {
        let Self { rows, columns, depth, batches, .. } = *self;
        // A remembered choice says nothing about these factors.
        let elements = self.count_elements(rows, columns);
        self.check_lengths(a.len(), b.len(), elements)?;
        if self.is_empty() {
            return Ok(*self);
        }
        let mut c = device.zeros::<f32>(elements)?;
        let task = format!(
            "warpwise-algorithms {} Gemm::run, {batches} of {} x {} x {}, {} columns beyond vectors",
            env!("CARGO_PKG_VERSION"),
            rows.div_ceil(64),
            columns.div_ceil(64),
            depth.next_power_of_two(),
            columns % 4,
        );
        let tiles = [GemmTile::Large, GemmTile::Medium, GemmTile::Small];
        let tile = *tuner.choose(device, &task, &tiles, |tile| {
            Self { tile: *tile, ..*self }.run(device, a, b, &mut c)
        })?;
        Ok(Self { tile, ..*self })
    }

    /// Multiplies matrices of `f32`, without waiting for the result. Each element is a sum of fused
    /// multiply-adds in the order of the columns of `a`. On GPUs of compute capability 9.0,
    /// products of at least 512 columns take memory for a transposed copy of `a`.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) unless the slices have the elements of the matrices
    /// of all batches, and those of launches.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::{Activation, Gemm};
    ///
    /// let device = Device::cpu();
    /// // Two products of 1 x 2 and 2 x 1 elements.
    /// let a = device.upload(&[1.0f32, 2.0, 3.0, -4.0])?;
    /// let b = device.upload(&[10.0f32, 1.0, 1.0, 5.0])?;
    /// let mut c = device.zeros::<f32>(2)?;
    /// let product = Gemm { batches: 2, activation: Activation::Relu, ..Gemm::new(1, 1, 2) };
    /// product.run(&device, &a, &b, &mut c)?;
    /// assert_eq!(c.to_vec()?, [12.0, 0.0]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn run(
        &self,
        device: &Device,
        a: &Slice<f32>,
        b: &Slice<f32>,
        c: &mut Slice<f32>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        if self.is_empty() { Ok(()) } else { floats::launch(device, self, a, b, c) }
    }

    /// Multiplies matrices of `f64` on tensor cores, without waiting for the result. Each element
    /// is a sum of fused multiply-adds in the order of the columns of `a`.
    ///
    /// # Errors
    /// As of [`Self::run`]; devices before sm_80 lack the instructions.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::Gemm;
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[0.5f64, 1.0, 2.0, 4.0])?;
    /// let mut c = device.zeros::<f64>(4)?;
    /// Gemm { alpha: 0.1, ..Gemm::new(2, 2, 2) }.run_doubles(&device, &x, &x, &mut c)?;
    /// assert_eq!(c.to_vec()?, [0.1 * 2.25, 0.1 * 4.5, 0.1 * 9.0, 0.1 * 18.0]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn run_doubles(
        &self,
        device: &Device,
        a: &Slice<f64>,
        b: &Slice<f64>,
        c: &mut Slice<f64>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        if self.is_empty() { Ok(()) } else { doubles::launch(device, self, a, b, c) }
    }

    /// Multiplies matrices of `i8` or `u8` on tensor cores, without waiting for the result. The
    /// sums are exact, and wrap at 32 bits. They are scaled, added and activated as `f64`, and what
    /// comes out is rounded toward zero, to the nearest `i32` if it is beyond those. On GPUs of
    /// compute capability 9.0, products of at least 128 rows take memory for a transposed copy of
    /// `b`.
    ///
    /// # Errors
    /// As of [`Self::run`]; devices before sm_80 lack the instructions.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::Gemm;
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[100i8, -100, 2, 3])?;
    /// let mut c = device.zeros::<i32>(4)?;
    /// Gemm::new(2, 2, 2).run_integers(&device, &x, &x, &mut c)?;
    /// assert_eq!(c.to_vec()?, [9800, -10300, 206, -191]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn run_integers<T: IntegerElement>(
        &self,
        device: &Device,
        a: &Slice<T>,
        b: &Slice<T>,
        c: &mut Slice<i32>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        if self.is_empty() {
            return Ok(());
        }
        let factors = [&*a.as_structs()?, &*b.as_structs()?];
        words::launch::<T>(device, self, factors, &mut c.as_structs_mut()?)
    }

    /// Multiplies matrices of [`E4M3`](struct@warpwise::mma::E4M3) or
    /// [`E5M2`](struct@warpwise::mma::E5M2) on tensor cores, without waiting for the result.
    ///
    /// The sums are `f32`; the module [`mma`](warpwise::mma) states their accuracy. On GPUs of
    /// compute capability 9.0, products of at least 128 rows take memory for a transposed copy of
    /// `b`, and hardware keeps 14 digits of sums: it adds up the products of 128 columns, each of
    /// which loses less than 2<sup>-13</sup> of the largest one or of the largest sum on the way,
    /// and these sums are added as `f32`s.
    ///
    /// # Errors
    /// As of [`Self::run`]; devices before sm_89 lack the instructions.
    ///
    /// ```
    /// use warpwise::{mma::E4M3, prelude::*};
    /// use warpwise_algorithms::Gemm;
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[0.5, -4.0, 1.5, 2.0].map(E4M3::from_f32))?;
    /// let mut c = device.zeros::<f32>(4)?;
    /// Gemm::new(2, 2, 2).run_float8(&device, &x, &x, &mut c)?;
    /// assert_eq!(c.to_vec()?, [-5.75, -10.0, 3.75, -2.0]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn run_float8<T: Float8Element>(
        &self,
        device: &Device,
        a: &Slice<T>,
        b: &Slice<T>,
        c: &mut Slice<f32>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        if self.is_empty() {
            return Ok(());
        }
        let factors = [&*a.as_structs()?, &*b.as_structs()?];
        words::launch::<T>(device, self, factors, &mut c.as_structs_mut()?)
    }

    /// Multiplies matrices of `f32` on tensor cores, without waiting for the result: their elements
    /// are rounded to the nearest tf32, which has 11 digits instead of 24.
    ///
    /// The sums are `f32`; the module [`mma`](warpwise::mma) states their accuracy. On GPUs of
    /// compute capability 9.0, products of at least 128 rows take memory for a rounded copy of `a`
    /// and a transposed one of `b`.
    ///
    /// # Errors
    /// As of [`Self::run`]; devices before sm_80 lack the instructions.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::Gemm;
    ///
    /// let device = Device::cpu();
    /// // The last digits do not count.
    /// let x = device.upload(&[1.000_1f32, 2.0, 0.999_99, -1.0])?;
    /// let mut c = device.zeros::<f32>(4)?;
    /// Gemm::new(2, 2, 2).run_tf32(&device, &x, &x, &mut c)?;
    /// assert_eq!(c.to_vec()?, [3.0, 0.0, 0.0, 3.0]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn run_tf32(
        &self,
        device: &Device,
        a: &Slice<f32>,
        b: &Slice<f32>,
        c: &mut Slice<f32>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        if self.is_empty() {
            return Ok(());
        }
        let factors = [&*a.as_structs()?, &*b.as_structs()?];
        words::launch::<Tf32>(device, self, factors, &mut c.as_structs_mut()?)
    }

    /// Multiplies matrices of `f16` or `bf16` on tensor cores, without waiting for the result. The
    /// sums are `f32`; the module [`mma`](warpwise::mma) states their accuracy.
    ///
    /// # Errors
    /// As of [`Self::run`]; devices before sm_80 lack the instructions.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::Gemm;
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[bf16::from_f32(0.5); 256])?;
    /// let mut c = device.zeros::<f32>(256)?;
    /// Gemm::new(16, 16, 16).run_halves(&device, &x, &x, &mut c)?;
    /// assert_eq!(c.to_vec()?, [4.0; 256]);
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn run_halves<T: HalfElement>(
        &self,
        device: &Device,
        a: &Slice<T>,
        b: &Slice<T>,
        c: &mut Slice<f32>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        if self.is_empty() { Ok(()) } else { halves::launch(device, self, a, b, c) }
    }

    fn check_lengths(&self, a: usize, b: usize, c: usize) -> Result<()> {
        require_length("a", a, self.count_elements(self.rows, self.depth))?;
        require_length("b", b, self.count_elements(self.depth, self.columns))?;
        require_length("c", c, self.count_elements(self.rows, self.columns))
    }

    /// Returns the number of elements of the matrices of all batches; `usize::MAX`, which no slice
    /// has, for a larger one.
    const fn count_elements(&self, rows: usize, columns: usize) -> usize {
        self.batches.saturating_mul(rows).saturating_mul(columns)
    }

    const fn is_empty(&self) -> bool {
        self.rows == 0 || self.columns == 0 || self.batches == 0
    }

    /// Returns alpha and beta as `f32`.
    const fn scales(&self) -> (f32, f32) {
        (self.alpha as f32, self.beta as f32)
    }
}
