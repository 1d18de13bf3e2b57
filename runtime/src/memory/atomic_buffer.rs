//! The slices that a launch passes for a slice of atomics: [`AtomicBuffer`].
use crate::{
    Atomic,
    memory::{AnySlice, Slice},
};
use std::ops::{Deref, DerefMut};

mod sealed {
    use super::AnySlice;

    /// The argument for a parameter `&[A]`.
    pub trait AtomicArg<A> {
        /// Returns the slice.
        fn slice<'a>(self) -> &'a AnySlice
        where
            Self: 'a;
    }

    /// A slice of atomics, or a value that dereferences to one.
    pub trait Shared<A> {
        /// Returns the slice.
        fn atomics(&self) -> &AnySlice;
    }

    /// A slice of the numbers of atomics, or a value that dereferences to one.
    pub trait Exclusive<A> {
        /// Returns the slice.
        fn numbers(&mut self) -> &AnySlice;
    }
}
use sealed::{AtomicArg, Exclusive, Shared};

/// The argument for a kernel's parameter `&[A]`: a mutable reference to a [`Slice`] of `A::Value`,
/// which is exclusive, or a reference to one of `A`, which may be shared. Values that dereference
/// to a slice, such as a [`Buffer`](crate::Buffer) or an `Arc` of one, may be in its place.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a parameter `&[{A}]`",
    label = "expected `&mut Buffer` of the numbers of `{A}`, or `&Buffer<{A}>`"
)]
pub trait AtomicBuffer<A: Atomic>: AtomicArg<A> {}

#[diagnostic::do_not_recommend]
impl<A: Atomic, S: Shared<A> + ?Sized> AtomicBuffer<A> for &S {}

impl<A: Atomic, S: Shared<A> + ?Sized> AtomicArg<A> for &S {
    fn slice<'a>(self) -> &'a AnySlice
    where
        Self: 'a,
    {
        self.atomics()
    }
}

impl<A: Atomic> Shared<A> for Slice<A> {
    fn atomics(&self) -> &AnySlice {
        self.any()
    }
}

impl<A: Atomic, P: Deref<Target: Shared<A>> + ?Sized> Shared<A> for P {
    fn atomics(&self) -> &AnySlice {
        (**self).atomics()
    }
}

#[diagnostic::do_not_recommend]
impl<A: Atomic, S: Exclusive<A> + ?Sized> AtomicBuffer<A> for &mut S {}

impl<A: Atomic, S: Exclusive<A> + ?Sized> AtomicArg<A> for &mut S {
    fn slice<'a>(self) -> &'a AnySlice
    where
        Self: 'a,
    {
        self.numbers()
    }
}

impl<A: Atomic> Exclusive<A> for Slice<A::Value> {
    fn numbers(&mut self) -> &AnySlice {
        self.any()
    }
}

impl<A: Atomic, P: DerefMut<Target: Exclusive<A>> + ?Sized> Exclusive<A> for P {
    fn numbers(&mut self) -> &AnySlice {
        (**self).numbers()
    }
}
