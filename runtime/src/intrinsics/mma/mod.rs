//! Products of small matrices on tensor cores.
//!
//! The 32 lanes of a warp multiply two matrices together and add the product to a third. Each lane
//! holds a part of every matrix, a *fragment*: [`A`] of the left factor, [`B`] of the right one,
//! [`Accumulator`] of the sum.
//!
//! ```
//! use warpwise::{mma, prelude::*};
//!
//! /// `c = a * b` for an `a` of 16 rows and a `b` of 8 columns, which is stored column by column.
//! #[kernel(block = 32)]
//! fn multiply(k: usize, a: &[f16], b: &[f16], c: &mut [f32]) {
//!     let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
//!     for at in (0..k).step_by(16) {
//!         let left = mma::A::<f16, 16, 16>::load(a, at, k);
//!         let right = mma::B::<f16, 16, 8>::load_transposed(b, at, k);
//!         sum.multiply_add(left, right);
//!     }
//!     sum.store(c, 0, 8);
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::cpu();
//! let a: Vec<f16> = (0..16 * 32).map(|i| f16::from_f32((i % 7) as f32)).collect();
//! let b: Vec<f16> = (0..8 * 32).map(|i| f16::from_f32((i % 5) as f32)).collect();
//! let mut c = device.zeros::<f32>(16 * 8)?;
//! multiply::launch(&device, LaunchConfig::grid(1), 32, &device.upload(&a)?, &device.upload(&b)?, &mut c)?;
//! let exact = |row: usize, column: usize| -> f32 {
//!     (0..32).map(|k| a[row * 32 + k].to_f32() * b[column * 32 + k].to_f32()).sum()
//! };
//! assert_eq!(c.to_vec()?[3 * 8 + 5], exact(3, 5));
//! # Ok(())
//! # }
//! ```
//!
//! # Shapes and types
//!
//! | factors | sum | `A` | `B` | `Accumulator` | targets |
//! |---|---|---|---|---|---|
//! | `f16` | `f32`, `f16` | 16 x 8 | 8 x 8 | 16 x 8 | sm_75 and later |
//! | `f16` | `f32`, `f16` | 16 x 16 | 16 x 8 | 16 x 8 | sm_80 and later |
//! | `bf16` | `f32` | 16 x 8, 16 x 16 | 8 x 8, 16 x 8 | 16 x 8 | sm_80 and later |
//! | [`Tf32`] | `f32` | 16 x 4, 16 x 8 | 4 x 8, 8 x 8 | 16 x 8 | sm_80 and later |
//! | `f64` | `f64` | 8 x 4 | 4 x 8 | 8 x 8 | sm_80 and later |
//! | `f64` | `f64` | 16 x 4, 16 x 8 | 4 x 8, 8 x 8 | 16 x 8 | sm_90 and later |
//! | `i8`, `u8` | `i32` | 8 x 16 | 16 x 8 | 8 x 8 | sm_75 and later |
//! | `i8`, `u8` | `i32` | 16 x 16, 16 x 32 | 16 x 8, 32 x 8 | 16 x 8 | sm_80 and later |
//! | [`I4`], [`U4`] | `i32` | 8 x 32 | 32 x 8 | 8 x 8 | sm_75 and later |
//! | [`I4`], [`U4`] | `i32` | 16 x 32, 16 x 64 | 32 x 8, 64 x 8 | 16 x 8 | sm_80 and later |
//! | [`E4M3`], [`E5M2`] | `f32` | 16 x 32 | 32 x 8 | 16 x 8 | sm_89 and later |
//!
//! One integer factor may be signed and the other unsigned, and one factor `E4M3` and the other
//! `E5M2`. A launch on a GPU that lacks a product is an error.
//!
//! # Accuracy
//!
//! Sums of integers wrap. Sums of `f64` are fused multiply-adds in the order of `k`. All products
//! of an element of an `f32` or `f16` sum and the element itself are one sum of terms that are
//! truncated to 25 bits after the point of the largest; sums in `f32` are truncated, those in
//! `f16` rounded. Products of floats of 8 bits are two such sums, and are added to the
//! element as floats are. `docs/mma.md` has the details.
//!
//! # Lanes
//!
//! All 32 lanes of a warp must reach a product, `load_matrix` and similar loads together: blocks
//! are multiples of 32 threads, no thread has returned, and no branch around the call diverges
//! within a warp. Otherwise the result is unspecified. A plain load or store is an access of each
//! lane to elements of its own, with bounds checks, and needs no other lane.
//!
//! On the host products panic: see [`host`](crate::host).
mod elements;
mod float8;
mod fragments;
mod int4;
#[doc(hidden)]
pub mod words;

pub use elements::{FactorElement, SumElement, Tf32, round_to_tf32};
pub use float8::{E4M3, E5M2};
pub use fragments::{A, Accumulator, B, MultiplyAdd};
pub use int4::{I4, U4};
