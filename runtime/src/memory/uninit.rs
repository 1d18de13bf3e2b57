//! Memory that was allocated and not yet written: [`UninitBuffer`].
use super::{Buffer, Slice};
use crate::{Result, Stored};
use std::fmt;

/// A [`Buffer`] without values, from [`Device::uninit`](crate::Device::uninit). It becomes a buffer
/// when all of it is written.
///
/// A buffer of zeros costs one pass over the memory on a GPU. This costs nothing.
#[must_use]
pub struct UninitBuffer<T: Stored> {
    buffer: Buffer<T>,
}

impl<T: Stored> UninitBuffer<T> {
    pub(super) const fn new(buffer: Buffer<T>) -> Self {
        Self { buffer }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns true if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Copies `values` to it.
    ///
    /// # Errors
    /// As of [`Slice::copy_from`].
    pub fn copy_from(mut self, values: &[T::Value]) -> Result<Buffer<T>> {
        self.buffer.copy_from(values)?;
        Ok(self.buffer)
    }

    /// Copies a slice of a device to it.
    ///
    /// # Errors
    /// As of [`Slice::copy_from_device`].
    pub fn copy_from_device(mut self, source: &Slice<T>) -> Result<Buffer<T>> {
        self.buffer.copy_from_device(source)?;
        Ok(self.buffer)
    }

    /// Gives all elements the same value.
    ///
    /// # Errors
    /// As of [`Slice::fill`].
    pub fn fill(mut self, value: T::Value) -> Result<Buffer<T>> {
        self.buffer.fill(value)?;
        Ok(self.buffer)
    }
}

impl<T: Stored> fmt::Debug for UninitBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uninit{:?}", self.buffer)
    }
}
