//! The slices that a launch passes for a slice of atomics: [`AtomicBuffer`].
use crate::{
    Atomic, AtomicElement,
    memory::{AnySlice, Buffer, Slice, View, ViewMut},
};

mod sealed {
    use super::AnySlice;

    /// A [`Slice`](crate::Slice) that goes where a kernel takes a slice of atomics.
    pub trait AtomicArg {
        /// Returns the slice.
        fn slice<'a>(self) -> &'a AnySlice
        where
            Self: 'a;
    }
}
use sealed::AtomicArg;

/// The argument for a kernel's parameter `&[A]`: a mutable reference to a [`Slice`], [`Buffer`] or
/// [`ViewMut`] of `A::Value`, which is exclusive, or a reference to one of `A`, which may be
/// shared.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a parameter `&[{A}]`",
    label = "expected `&mut Buffer` of the numbers of `{A}`, or `&Buffer<{A}>`"
)]
pub trait AtomicBuffer<A: Atomic>: AtomicArg {}

macro_rules! shared_atomic_args {
    ($($slice:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<A: Atomic> AtomicBuffer<A> for &$slice {}
        impl<A: Atomic> AtomicArg for &$slice {
            fn slice<'a>(self) -> &'a AnySlice
            where
                Self: 'a,
            {
                self.any()
            }
        }
    )*};
}
shared_atomic_args! { Slice<A> Buffer<A> View<'_, A> ViewMut<'_, A> }

macro_rules! exclusive_atomic_args {
    ($($slice:ident $(<$lifetime:lifetime>)?)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<A: Atomic> AtomicBuffer<A> for &mut $slice<$($lifetime,)? A::Value> {}
        impl<T: AtomicElement> AtomicArg for &mut $slice<$($lifetime,)? T> {
            fn slice<'a>(self) -> &'a AnySlice
            where
                Self: 'a,
            {
                self.any()
            }
        }
    )*};
}
exclusive_atomic_args! { Slice Buffer ViewMut<'_> }
