//! Products of matrices.
//!
//! All matrices are stored row by row without gaps. A product of halves runs on tensor cores, one of
//! `f32` on the cores for floats.
mod floats;
mod halves;
mod warpgroups;

pub use halves::HalfElement;

use crate::error::{Result, require_length};
use warpwise::{Slice, prelude::*};

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
    /// Products, each of matrices that follow those of the product before.
    pub batches: usize,
    /// The factor of the product.
    pub alpha: f32,
    /// The factor of the earlier contents of `c`, which are not read if it is 0.
    pub beta: f32,
    /// The function of each element of the result.
    pub activation: Activation,
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
fn store<const ACTIVATION: u32>(sum: f32, factors: (f32, f32), c: &mut f32) {
    let old = if factors.1 != 0.0 { *c } else { 0.0 };
    *c = finish::<ACTIVATION>(sum, factors, old);
}

/// Returns an element of the result from a sum, and from the earlier element if that counts.
#[device]
fn finish<const ACTIVATION: u32>(sum: f32, (alpha, beta): (f32, f32), old: f32) -> f32 {
    let mut result = alpha * sum;
    if beta != 0.0 {
        result += beta * old;
    }
    match ACTIVATION {
        RELU => result.max(0.0),
        GELU => result * (0.5 * (1.0 + math::erf(result * std::f32::consts::FRAC_1_SQRT_2))),
        _ => result,
    }
}

/// Launches the instance of a kernel for an [`Activation`] that only the program's run decides.
macro_rules! launch_with_activation {
    ($activation:expr, $kernel:ident$(::<$($constant:literal),*>)?($($arg:expr),* $(,)?)) => {
        match $activation {
            $crate::Activation::Identity => {
                $kernel::<$($($constant,)*)? { $crate::gemm::IDENTITY }>::launch($($arg),*)
            }
            $crate::Activation::Relu => {
                $kernel::<$($($constant,)*)? { $crate::gemm::RELU }>::launch($($arg),*)
            }
            $crate::Activation::Gelu => {
                $kernel::<$($($constant,)*)? { $crate::gemm::GELU }>::launch($($arg),*)
            }
        }
    };
}
use launch_with_activation;

/// Blocks of a column of the grid that follow each other, so that they share what they read.
#[device]
const GROUP: usize = 8;

/// Returns the row and the column of the tile of a block, in an order in which neighbours share rows
/// and columns.
#[device]
fn tile_of_block(tile_rows: usize, tile_columns: usize) -> (usize, usize) {
    // Grids are not empty, and so no number is zero.
    let in_groups = (GROUP * tile_columns).max(1);
    let (group, in_group) = (block_idx_x() / in_groups, block_idx_x() % in_groups);
    let rows = tile_rows.saturating_sub(group * GROUP).clamp(1, GROUP);
    (group * GROUP + in_group % rows, in_group / rows)
}

impl Gemm {
    /// Creates the product of a matrix of `rows` by `depth` elements and one of `depth` by `columns`.
    pub const fn new(rows: usize, columns: usize, depth: usize) -> Self {
        let activation = Activation::Identity;
        Self { rows, columns, depth, batches: 1, alpha: 1.0, beta: 0.0, activation }
    }

    /// Multiplies matrices of `f32`, without waiting for the result. Each element is a sum of fused
    /// multiply-adds in the order of the columns of `a`.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) unless the slices have the elements of the matrices of
    /// all batches, and those of launches.
    pub fn run(
        &self,
        device: &Device,
        a: &Slice<f32>,
        b: &Slice<f32>,
        c: &mut Slice<f32>,
    ) -> Result<()> {
        self.check_lengths(a.len(), b.len(), c.len())?;
        match self.is_empty() {
            true => Ok(()),
            false => floats::launch(device, self, a, b, c),
        }
    }

    /// Multiplies matrices of `f16` or `bf16` on tensor cores, without waiting for the result. The sums
    /// are `f32`; the module [`mma`](warpwise::mma) states their accuracy.
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
        match self.is_empty() {
            true => Ok(()),
            false => halves::launch(device, self, a, b, c),
        }
    }

    fn check_lengths(&self, a: usize, b: usize, c: usize) -> Result<()> {
        require_length("a", a, self.batches * self.rows * self.depth)?;
        require_length("b", b, self.batches * self.depth * self.columns)?;
        require_length("c", c, self.batches * self.rows * self.columns)
    }

    const fn is_empty(&self) -> bool {
        self.rows == 0 || self.columns == 0 || self.batches == 0
    }

    const fn factors(&self) -> (f32, f32) {
        (self.alpha, self.beta)
    }
}
