//! Memory that was allocated and not yet written: [`UninitBuffer`].
use super::{Buffer, Slice};
use crate::{Result, Stored};
use std::fmt;

/// A [`Buffer`] without values, from [`Device::uninit`](crate::Device::uninit). It becomes a buffer
/// when all of it is written.
///
/// A buffer of zeros costs one pass over the memory on a GPU. This costs nothing. A launch takes no
/// `UninitBuffer`, since its kernel may leave elements unwritten: the output of a kernel begins as
/// [zeros](crate::Device::zeros), and one that is needed again is allocated once.
#[must_use]
pub struct UninitBuffer<T> {
    buffer: Buffer<T>,
}

impl<T: Stored> UninitBuffer<T> {
    pub(super) const fn new(buffer: Buffer<T>) -> Self {
        Self { buffer }
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// assert_eq!(Device::cpu().uninit::<f32>(3)?.len(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns true if there are no elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// assert!(Device::cpu().uninit::<f32>(0)?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Copies `values` to it.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().uninit::<f32>(2)?.copy_from(&[1.0, 2.0])?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Slice::copy_from`].
    pub fn copy_from(mut self, values: &[T::Value]) -> Result<Buffer<T>> {
        self.buffer.initialize(values)?;
        Ok(self.buffer)
    }

    /// Copies a slice of a device to it.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let x = device.upload(&[1, 2])?;
    /// let y = device.uninit(2)?.copy_from_device(&x)?;
    /// assert_eq!(y.to_vec()?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Slice::copy_from_device`].
    pub fn copy_from_device(mut self, source: &Slice<T>) -> Result<Buffer<T>> {
        self.buffer.copy_from_device(source)?;
        Ok(self.buffer)
    }

    /// Gives all elements the same value.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().uninit::<f32>(2)?.fill(1.0)?;
    /// assert_eq!(x.to_vec()?, [1.0, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Slice::fill`].
    pub fn fill(mut self, value: T::Value) -> Result<Buffer<T>> {
        self.buffer.initialize_all(value)?;
        Ok(self.buffer)
    }
}

impl<T: Stored> fmt::Debug for UninitBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uninit{:?}", self.buffer)
    }
}
