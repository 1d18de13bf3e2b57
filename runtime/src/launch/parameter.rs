//! The arguments that generated code passes to kernels: no part of the API. A module of its own,
//! since rustc names these in messages.
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

/// An instance of a kernel that is compiled for types that it names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not among the instances of the kernel",
    label = "the kernel is not compiled for these types",
    note = "it is compiled for the types that its attribute names: `#[kernel(instances(..))]`"
)]
pub trait Instance {
    /// The compiled kernel.
    const SOURCE: &'static Source;
    /// Its PTX, for the oldest supported GPU; empty if const parameters are bound at a launch.
    const PTX: &'static str;
}
