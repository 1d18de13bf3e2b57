//! The arguments that generated code passes to kernels: no part of the API but for [`Instance`]. A
//! module of its own, since rustc names these in messages.
pub use crate::launch::checks::{Arg, Parameter};

use crate::{Slice, launch::source::Source};
use std::ops::{Deref, DerefMut};

/// The argument of a launch behind a reference, for a parameter `&[T]`: a [`Slice`], or a value
/// that dereferences to one, such as a [`Buffer`](crate::Buffer).
///
/// With `&Slice<T>` instead, every other argument would be mismatched types to rustc, without a
/// word about buffers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no buffer of `{T}` that a kernel can read",
    label = "expected a buffer or a slice of `{T}` on a device",
    note = "values of the host are copied to a buffer first: `device.upload(&values)?`",
    note = "a `Result` becomes a buffer by `?`",
    note = "an `UninitBuffer` becomes a buffer by `.fill(0.0)?`, and a `PinnedBuffer` is copied to one by `copy_from_pinned`"
)]
pub trait ReadArg<T> {
    /// Returns the slice.
    fn slice(&self) -> &Slice<T>;
}

#[diagnostic::do_not_recommend]
impl<T> ReadArg<T> for Slice<T> {
    fn slice(&self) -> &Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: Deref<Target: ReadArg<T>> + ?Sized> ReadArg<T> for P {
    fn slice(&self) -> &Slice<T> {
        (**self).slice()
    }
}

/// The argument of a launch behind a mutable reference, for a parameter `&mut [T]`: as [`ReadArg`],
/// mutable.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no buffer of `{T}` that a kernel can write",
    label = "expected a buffer or a slice of `{T}` on a device",
    note = "values of the host are copied to a buffer first: `device.upload(&values)?`",
    note = "a `Result` becomes a buffer by `?`",
    note = "an `UninitBuffer` becomes a buffer by `.fill(0.0)?`, and a `PinnedBuffer` is copied to one by `copy_from_pinned`"
)]
pub trait WriteArg<T> {
    /// Returns the slice.
    fn slice(&mut self) -> &mut Slice<T>;
}

#[diagnostic::do_not_recommend]
impl<T> WriteArg<T> for Slice<T> {
    fn slice(&mut self) -> &mut Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: DerefMut<Target: WriteArg<T>> + ?Sized> WriteArg<T> for P {
    fn slice(&mut self) -> &mut Slice<T> {
        (**self).slice()
    }
}

/// A kernel with the types of one of its `instances(..)`: the bound of host functions that are
/// generic over these types, and launch the kernel.
///
/// ```
/// use warpwise::{Instance, prelude::*};
///
/// #[device]
/// trait Operation {
///     fn apply(a: u32, b: u32) -> u32;
/// }
///
/// #[device]
/// struct Sum;
///
/// #[device]
/// impl Operation for Sum {
///     fn apply(a: u32, b: u32) -> u32 {
///         a + b
///     }
/// }
///
/// #[kernel(instances(Sum))]
/// fn combine<O: Operation>(x: &[u32], y: &mut [u32]) {
///     let i = global_idx_x();
///     if i < x.len() && i < y.len() {
///         y[i] = O::apply(y[i], x[i]);
///     }
/// }
///
/// fn combined<O: Operation>(device: &Device, x: &[u32], y: &[u32]) -> warpwise::Result<Vec<u32>>
/// where
///     combine<O>: Instance,
/// {
///     let (x, mut y) = (device.upload(x)?, device.upload(y)?);
///     combine::<O>::launch(device, LaunchConfig::cover(y.len()), &x, &mut y)?;
///     y.to_vec()
/// }
///
/// assert_eq!(combined::<Sum>(&Device::cpu(), &[1, 2], &[3, 4])?, [4, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// `#[kernel]` implements it for each of the instances. If a parameter of the kernel is of a type
/// parameter, the function has the bound of this parameter, too: [`Stored`](crate::Stored) for
/// elements of buffers, and [`Plain`](crate::Plain) for values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not among the instances of the kernel",
    label = "the kernel is not compiled for these types",
    note = "it is compiled for the types that its attribute names: `#[kernel(instances(..))]`",
    note = "a host function that is generic over these types has a bound on the kernel: `where kernel<T>: warpwise::Instance`"
)]
pub trait Instance {
    /// The compiled kernel.
    #[doc(hidden)]
    const SOURCE: &'static Source;
    /// Its PTX, for the oldest supported GPU; empty if const parameters are bound at a launch.
    #[doc(hidden)]
    const PTX: &'static str;
}
