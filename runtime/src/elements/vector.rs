//! Vector types: a few numbers in a struct, loaded and stored at once.
//!
//! [`F32x4`] and the other types correspond to CUDA's `float4`, `int2`, `half2`: two, three or four
//! integers or floats, aligned such that one access loads them, to 16 bytes at most. They are
//! structs with the fields `x`, `y`, `z` and `w`, and the same on the host and in kernels:
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
//!
//! ```
//! use warpwise::{F32x2, F32x3, F32x4};
//!
//! let v = F32x4::new(1.0, 2.0, 3.0, 4.0);
//! assert_eq!(2.0 * v - v, v);
//! assert_eq!((v.y, v[1]), (2.0, 2.0));
//! assert_eq!((v.zw(), v.xxx()), (F32x2::new(3.0, 4.0), F32x3::splat(1.0)));
//! assert_eq!(v.wzyx(), F32x4::new(4.0, 3.0, 2.0, 1.0));
//! ```
//!
//! Other functions are applied by `v.map(|lane| lane.exp())`. For 16 bytes that are loaded at once,
//! use `#[device]` structs with `#[repr(C, align(16))]`.
//!
//! [`Slice::as_vectors`](crate::Slice::as_vectors) and
//! [`Buffer::into_vectors`](crate::Buffer::into_vectors) reinterpret a buffer of numbers as one of
//! vectors; [`AsVectors`] does so with shared memory, in kernels.
use crate::{Element, Plain, host::only_in_a_kernel};
use crate::{Float as _, Num as _};
use half::{bf16, f16};

/// A vector type of this module. The trait is sealed.
pub trait Vector: Plain + sealed::Sealed {
    /// The type of its lanes.
    type Lane: Element;
    /// The number of its lanes.
    ///
    /// ```
    /// use warpwise::{Slice, prelude::*, vector::Vector};
    ///
    /// /// Returns the number of vectors that a slice has room for.
    /// fn count_vectors<V: Vector>(x: &Slice<V::Lane>) -> usize {
    ///     x.len() / V::LANES
    /// }
    /// let x = Device::cpu().zeros::<f32>(10)?;
    /// assert_eq!(count_vectors::<warpwise::F32x4>(&x), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    const LANES: usize;
}

/// Views of shared memory as vectors.
///
/// Each vector is one access of 8 or 16 bytes to the memory that `shared!` or `shared_dyn!` has
/// declared as numbers, as after a `reinterpret_cast<float4 *>` in CUDA C++.
///
/// ```
/// use warpwise::{F32x4, prelude::*};
///
/// /// Stores numbers one by one, and loads them in fours.
/// #[kernel(block = 128)]
/// fn sums_of_four(x: &[f32], sums: &mut [f32]) {
///     let tile = shared!([f32; 128]);
///     let t = thread_idx_x();
///     tile[t] = x[t];
///     sync_threads();
///     if t < 32 {
///         sums[t] = tile.as_vectors::<F32x4>()[t].sum();
///     }
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&(0..128u8).map(f32::from).collect::<Vec<_>>())?;
/// # let mut sums = device.zeros(32)?;
/// # sums_of_four::launch(&device, LaunchConfig::grid(1), &x, &mut sums)?;
/// assert_eq!(sums.to_vec()?[1], 4.0 + 5.0 + 6.0 + 7.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// A view has no rest and begins at a multiple of its vectors' alignment. A length or start that
/// violates this is an error of the build where it is known, and elsewhere a length ends the
/// thread. Buffers have [methods](crate::Slice::as_vectors) of the same names on the host.
///
/// # Panics
/// On the host, as [`shared!`](crate::shared) does.
pub trait AsVectors {
    /// The type of the numbers.
    type Lane;

    /// Returns the numbers as vectors.
    ///
    /// The documentation of [`AsVectors`] has an example.
    fn as_vectors<V: Vector<Lane = Self::Lane>>(&self) -> &[V];

    /// Returns the numbers as vectors, to be written.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*};
    ///
    /// /// Stores numbers in fours, and reads them one by one.
    /// #[kernel(block = 128)]
    /// fn repeat(y: &mut [u32]) {
    ///     let tile = shared!([u32; 128]);
    ///     let t = thread_idx_x();
    ///     if t < 32 {
    ///         tile.as_vectors_mut::<U32x4>()[t] = U32x4::splat(t as u32);
    ///     }
    ///     sync_threads();
    ///     if t < y.len() {
    ///         y[t] = tile[t];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut y = device.zeros::<u32>(8)?;
    /// repeat::launch(&device, LaunchConfig::grid(1), &mut y)?;
    /// assert_eq!(y.to_vec()?, [0, 0, 0, 0, 1, 1, 1, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn as_vectors_mut<V: Vector<Lane = Self::Lane>>(&mut self) -> &mut [V];
}

impl<T: Element> AsVectors for [T] {
    type Lane = T;

    #[track_caller]
    fn as_vectors<V: Vector<Lane = T>>(&self) -> &[V] {
        only_in_a_kernel("`as_vectors`")
    }

    #[track_caller]
    fn as_vectors_mut<V: Vector<Lane = T>>(&mut self) -> &mut [V] {
        only_in_a_kernel("`as_vectors_mut`")
    }
}

mod sealed {
    /// Implemented for the vector types only, so that [`Vector`](super::Vector) is, too.
    pub trait Sealed {}
}

warpwise_macros::vectors!();
