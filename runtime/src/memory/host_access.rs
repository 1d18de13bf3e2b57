//! The answer to accesses of the host to single elements of a buffer, `y[0]` and `y.iter()`, for
//! which rustc has no help; and to those of page-locked memory, which is accessed as a slice.
use crate::{
    elements::plain::Stored,
    memory::{PinnedBuffer, Slice},
};
use std::{convert::Infallible, ops::Index, slice};

/// The types of indices, and those of elements for iterators, by which the host could access the
/// elements of a buffer. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the host cannot access the elements of a buffer, which are in the memory of a device",
    label = "an access to single elements on the host",
    note = "`buffer.to_vec()?` copies the elements to the host, and `buffer.fill(1.0)?` and `buffer.copy_from(&values)?` write them",
    note = "`buffer.get(2)?` copies one element to the host, and `buffer.set(2, 1.0)?` writes one",
    note = "`buffer.slice(2..4)?` and `buffer.slice_mut(2..4)?` are parts of a buffer, which launches take"
)]
pub trait HostAccess {
    /// What an index leads to; an element has no use for it.
    type Output: ?Sized;
}

// Without an implementation, rustc would advise to write one.
impl HostAccess for Infallible {
    type Output = ();
}

/// The types of indices, and those of elements for iterators, by which the host could access the
/// elements of page-locked memory. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the host accesses page-locked memory as a slice, which waits for copies",
    label = "an access without a wait",
    note = "write `host.as_slice()?[2]`, and `host.as_mut_slice()?[2] = 1.0`"
)]
pub trait PinnedAccess {
    /// What an index leads to; an element has no use for it.
    type Output: ?Sized;
}

impl PinnedAccess for Infallible {
    type Output = ();
}

#[doc(hidden)]
impl<T, I: PinnedAccess> Index<I> for PinnedBuffer<T> {
    type Output = I::Output;
    fn index(&self, _: I) -> &I::Output {
        unreachable!("no value is an index")
    }
}

#[doc(hidden)]
impl<T> PinnedBuffer<T> {
    pub fn iter(&self) -> slice::Iter<'_, T>
    where
        T: PinnedAccess,
    {
        unreachable!("no element is accessible")
    }

    pub fn iter_mut(&mut self) -> slice::IterMut<'_, T>
    where
        T: PinnedAccess,
    {
        unreachable!("no element is accessible")
    }
}

#[doc(hidden)]
impl<T, I: HostAccess> Index<I> for Slice<T> {
    type Output = I::Output;
    fn index(&self, _: I) -> &I::Output {
        unreachable!("no value is an index")
    }
}

#[doc(hidden)]
impl<T: Stored> Slice<T> {
    pub fn iter(&self) -> slice::Iter<'_, T>
    where
        T: HostAccess,
    {
        unreachable!("no element is accessible")
    }

    pub fn iter_mut(&mut self) -> slice::IterMut<'_, T>
    where
        T: HostAccess,
    {
        unreachable!("no element is accessible")
    }
}
