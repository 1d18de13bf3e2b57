//! Arrays in a device's memory: [`Buffer`].
//!
//! No element is ever seen uninitialised, and sizes that overflow or do not fit are errors.
use crate::{Atomic, AtomicElement, Device, Error, Result, Stored, device::Memory};
use std::{fmt, marker::PhantomData, sync::Arc};

/// An array of `T` in the memory of a [`Device`], which it keeps alive.
///
/// What is done with a buffer is ordered: a copy sees what the launches before it wrote, and
/// dropping it frees the memory once the work given out before is done.
///
/// A kernel's `&[T]` takes `&Buffer<T>`, its `&mut [T]` takes `&mut Buffer<T>`, so the borrow
/// checker keeps a launch's slices apart. Its `&[AtomicU32]` takes either `&mut Buffer<u32>` or, to
/// be shared between launches and threads, `&Buffer<AtomicU32>`:
///
/// ```
/// use std::sync::atomic::AtomicU32;
/// use warpwise::{Buffer, Device};
/// let device = Device::cpu();
/// let counts: Buffer<AtomicU32> = device.upload(&[0u32; 16])?.into_atomic();
/// assert_eq!(counts.to_vec()?, [0; 16]);
/// let counts: Buffer<u32> = counts.into_plain();
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// A type that takes no bytes is refused while the program is built, as it is in kernels:
///
/// ```compile_fail,E0080
/// let nothing = warpwise::Device::cpu().zeros::<()>(1 << 34);
/// ```
pub struct Buffer<T: Stored> {
    any: AnyBuffer,
    elements: PhantomData<fn() -> T::Value>,
}

/// A [`Buffer`] whose element type is known otherwise.
pub struct AnyBuffer {
    /// Of one buffer, and the [`View`](crate::View)s of it.
    pub(crate) memory: Arc<Memory>,
    pub(crate) len: usize,
    pub(crate) device: Device,
}

impl<T: Stored> Buffer<T> {
    pub(crate) fn zeroed(device: &Device, len: usize) -> Result<Self> {
        const {
            assert!(
                T::LAYOUT.size > 0,
                "a buffer of a type that takes no bytes would hold nothing: pass the length as a `usize`"
            );
        }
        let size = T::LAYOUT.size;
        let bytes = len.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok());
        let memory = match bytes {
            Some(bytes) => device.allocate(bytes)?,
            None => None,
        };
        let Some(memory) = memory else {
            let (place, free) = (device.to_string(), device.free_memory());
            return Err(Error::OutOfMemory { place, elements: len, size, free });
        };
        let any = AnyBuffer { memory: Arc::new(memory), len, device: device.clone() };
        Ok(Self::from_any(any))
    }

    pub(crate) const fn from_any(any: AnyBuffer) -> Self {
        Self { any, elements: PhantomData }
    }

    pub(crate) fn into_any(self) -> AnyBuffer {
        self.any
    }

    pub(crate) fn any(&self) -> &AnyBuffer {
        &self.any
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.any.len
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.any.len == 0
    }

    /// Returns the device of this buffer.
    pub fn device(&self) -> &Device {
        &self.any.device
    }

    /// Waits for the launches before it and copies the elements to the host.
    ///
    /// # Errors
    /// [`Error::DevicePanic`] if a launch before it failed a check: once, after which the same
    /// call returns the elements with whatever was written.
    pub fn to_vec(&self) -> Result<Vec<T::Value>> {
        let AnyBuffer { memory, len, device } = &self.any;
        T::Value::collect(*len, |bytes| device.read(memory, bytes))
            .unwrap_or_else(|| Err(self.no_memory("the host")))
    }

    /// Returns the error for a `place` without memory for as many elements.
    fn no_memory(&self, place: &str) -> Error {
        let (place, size) = (place.to_owned(), T::LAYOUT.size);
        Error::OutOfMemory { place, elements: self.any.len, size, free: None }
    }

    /// Overwrites all elements, once the launches before it are done.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `values` has as many elements.
    pub fn copy_from(&mut self, values: &[T::Value]) -> Result<()> {
        let (buffer_len, source_len) = (self.any.len, values.len());
        if buffer_len != source_len {
            return Err(Error::LengthMismatch { buffer_len, source_len });
        }
        let write = |bytes: &[u8]| self.any.device.write(&self.any.memory, bytes);
        T::Value::with_bytes(values, write).unwrap_or_else(|| Err(self.no_memory("the host")))
    }
}

impl<T: AtomicElement> Buffer<T> {
    /// The same buffer, for kernels that take it as atomics.
    pub fn into_atomic(self) -> Buffer<T::Atomic> {
        Buffer { any: self.any, elements: PhantomData }
    }
}

impl<A: Atomic> Buffer<A> {
    /// The same buffer, for kernels that take it as plain elements.
    pub fn into_plain(self) -> Buffer<A::Value> {
        Buffer { any: self.any, elements: PhantomData }
    }
}

impl<T: Stored> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elem = std::any::type_name::<T>();
        write!(f, "Buffer<{elem}>({} elements on {})", self.any.len, self.any.device)
    }
}

impl Device {
    /// A buffer that holds a copy of `values`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or what the driver says.
    pub fn upload<T: Stored>(&self, values: &[T]) -> Result<Buffer<T>> {
        let buffer = Buffer::<T>::zeroed(self, values.len())?;
        let write = |bytes: &[u8]| self.write(&buffer.any.memory, bytes);
        T::with_bytes(values, write).unwrap_or_else(|| Err(buffer.no_memory("the host")))?;
        Ok(buffer)
    }

    /// A buffer of `len` elements, all zero (`false` for `bool`). Of enums, the variant whose
    /// discriminant is 0, of options `None`, of results `Ok`; it does not compile where that is no
    /// value.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or what the driver says.
    pub fn zeros<T: Stored>(&self, len: usize) -> Result<Buffer<T>> {
        const {
            assert!(
                T::ZEROED,
                "no value of this type has bytes that are all zero: `upload` what the buffer is to hold"
            );
        }
        Buffer::zeroed(self, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtomicF32;

    #[test]
    fn buffers_travel_between_threads() {
        fn travels<T: Send + Sync>() {}
        travels::<Buffer<f32>>();
        travels::<Buffer<bool>>();
        travels::<Buffer<AtomicF32>>();
    }

    #[test]
    fn a_buffer_says_what_and_where_it_is() {
        let buffer = Device::cpu().zeros::<f32>(3).unwrap();
        assert_eq!(format!("{buffer:?}"), "Buffer<f32>(3 elements on cpu (SIMT interpreter))");
        assert_eq!(buffer.device().name(), "SIMT interpreter");
    }
}
