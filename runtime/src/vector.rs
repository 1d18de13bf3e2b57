//! Vector types: a few numbers in a struct, loaded and stored at once.
//!
//! [`F32x4`] and the other types correspond to CUDA's `float4`, `int2`, `half2`: two, three or four
//! integers or floats, aligned such that one access loads them, to 16 bytes at most. They are structs
//! with the fields `x`, `y`, `z` and `w`, and the same on the host and in kernels:
//!
//! ```
//! use warpwise::{F32x4, prelude::*};
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[F32x4], y: &mut [F32x4]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] += a * x[i];
//!     }
//! }
//!
//! let device = Device::cpu();
//! let x = device.upload(&[F32x4::new(1.0, 2.0, 3.0, 4.0); 8])?;
//! let mut y = device.upload(&[F32x4::splat(0.5); 8])?;
//! saxpy::launch(&device, LaunchConfig::cover(8), 2.0, &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [F32x4::new(2.5, 4.5, 6.5, 8.5); 8]);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! Operators work lane by lane, on two vectors or a vector and a number; a shift is by a `u32`. A
//! lane is a field, or `v[i]` with a check. Swizzles are methods: `v.xy()`, `v.wzyx()`, `v.xxx()`.
//! Other functions are applied by `v.map(|lane| lane.exp())`. For 16 bytes that are loaded at once, use
//! `#[device]` structs with `#[repr(C, align(16))]`.
//!
//! [`Slice::as_vectors`](crate::Slice::as_vectors) and
//! [`Buffer::into_vectors`](crate::Buffer::into_vectors) reinterpret a buffer of numbers as one of
//! vectors.
use crate::{Element, Plain};
use crate::{Float as _, Num as _};
use half::{bf16, f16};

/// A vector type of this module. The trait is sealed.
pub trait Vector: Plain + sealed::Sealed {
    /// The type of its lanes.
    type Lane: Element;
    /// The number of its lanes.
    const LANES: usize;
}

mod sealed {
    /// Implemented for the vector types only, so that [`Vector`](super::Vector) is, too.
    pub trait Sealed {}
}

warpwise_macros::vectors!();
