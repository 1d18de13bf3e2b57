//! Arrays that own their memory: [`Buffer`].
//!
//! No element is ever seen uninitialized, and sizes that overflow or do not fit are errors.
use super::{AnySlice, Memory, Slice, UninitBuffer};
use crate::{Atomic, AtomicElement, Device, Element, Error, Plain, Result, Stored, vector::Vector};
use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// An array of `T` in the memory of a [`Device`], which it keeps alive.
///
/// It dereferences to [`Slice`], which has most of its functions. Everything that is done with a
/// buffer is ordered: a copy sees what the launches before it wrote, and dropping a buffer frees
/// the memory once the work given out before is done.
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
pub struct Buffer<T> {
    all: Slice<T, [(); 0]>,
}

impl<T: Stored> Buffer<T> {
    /// Allocates `len` elements, zeroed or with arbitrary contents.
    pub(super) fn allocate(device: &Device, len: usize, is_zeroed: bool) -> Result<Self> {
        const {
            assert!(
                T::LAYOUT.size > 0,
                "a buffer of a type that takes no bytes would hold nothing: pass the length as a `usize`"
            );
        }
        let size = T::LAYOUT.size;
        let bytes = len.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok());
        let allocated = match bytes {
            Some(bytes) => device.allocate(bytes, is_zeroed)?.map(|memory| (bytes, memory)),
            None => None,
        };
        let Some((bytes, memory)) = allocated else {
            let (place, free) = (device.to_string(), device.free_memory());
            return Err(Error::OutOfMemory { place, elements: len, size, free });
        };
        let memory = Arc::new(Memory { device: device.without_recorder(), bytes: memory });
        Ok(Self::from_any(AnySlice { memory, offset: 0, len, bytes }))
    }

    pub(crate) fn from_any(any: AnySlice) -> Self {
        Self { all: Slice::from_any(any) }
    }

    pub(crate) fn into_any(self) -> AnySlice {
        self.all.into_any()
    }

    /// Returns the same memory as `len` elements of another type.
    fn reinterpret<U: Stored>(self, len: usize) -> Buffer<U> {
        Buffer::from_any(AnySlice { len, ..self.all.into_any() })
    }
}

impl<T: Stored> Deref for Buffer<T> {
    type Target = Slice<T>;
    fn deref(&self) -> &Slice<T> {
        &self.all
    }
}

impl<T: Stored> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut Slice<T> {
        &mut self.all
    }
}

impl<T: AtomicElement> Buffer<T> {
    /// Returns the same buffer, for kernels that take it as atomics.
    ///
    /// ```
    /// # use warpwise::Device;
    /// use std::sync::atomic::AtomicU32;
    /// use warpwise::Buffer;
    /// let counts: Buffer<AtomicU32> = Device::cpu().upload(&[1u32, 2])?.into_atomic();
    /// assert_eq!(counts.to_vec()?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn into_atomic(self) -> Buffer<T::Atomic> {
        let len = self.len();
        self.reinterpret(len)
    }
}

impl<A: Atomic> Buffer<A> {
    /// Returns the same buffer, for kernels that take it as plain elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// use std::sync::atomic::AtomicU32;
    /// use warpwise::Buffer;
    /// let counts: Buffer<AtomicU32> = Device::cpu().zeros(2)?;
    /// let counts: Buffer<u32> = counts.into_plain();
    /// assert_eq!(counts.to_vec()?, [0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn into_plain(self) -> Buffer<A::Value> {
        let len = self.len();
        self.reinterpret(len)
    }
}

impl<T: Element> Buffer<T> {
    /// Returns the same buffer as `#[device]` structs or other plain types: for kernels that take
    /// `&[S]` or `&mut [S]`, where the numbers come from elsewhere, such as a file.
    ///
    /// The fields lie as `#[repr(C)]` says. A buffer begins at a multiple of 256 bytes, which is
    /// the greatest alignment that a struct may have. Padding is neither read nor written. Whatever
    /// bytes there are, a `bool` in them is `true` or `false`, and an enum is one of its variants.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[device]
    /// #[derive(Clone, Copy, Debug, PartialEq)]
    /// struct Point {
    ///     x: f32,
    ///     y: f32,
    /// }
    ///
    /// let file: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    /// let points = Device::cpu().upload(&file)?.into_structs::<Point>()?;
    /// assert_eq!(points.to_vec()?, [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotStructs`] if the last struct would not be whole, or has no size;
    /// [`Error::Misaligned`] if another library allocated the memory and no struct may begin there.
    /// The buffer is dropped.
    pub fn into_structs<S: Plain>(self) -> Result<Buffer<S>> {
        Ok(Buffer::from_any(self.structs::<S>()?))
    }

    /// Returns the same buffer as vectors: for kernels that take `&[F32x4]` or `&mut [F32x4]`.
    ///
    /// ```
    /// use warpwise::{F32x2, prelude::*};
    ///
    /// let numbers = Device::cpu().upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let vectors = numbers.into_vectors::<F32x2>()?;
    /// assert_eq!(vectors.to_vec()?, [F32x2::new(1.0, 2.0), F32x2::new(3.0, 4.0)]);
    /// assert_eq!(vectors.into_lanes().len(), 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotVectors`] if the last vector would not be whole; [`Error::Misaligned`] if
    /// another library allocated the memory and no vector may begin there. The buffer is dropped.
    pub fn into_vectors<V: Vector<Lane = T>>(self) -> Result<Buffer<V>> {
        Ok(Buffer::from_any(self.vectors::<V>()?))
    }
}

impl<V: Vector> Buffer<V> {
    /// Returns the same buffer as the lanes of its vectors.
    ///
    /// ```
    /// # use warpwise::{F32x2, prelude::*};
    /// let vectors = Device::cpu().upload(&[F32x2::new(1.0, 2.0), F32x2::new(3.0, 4.0)])?;
    /// assert_eq!(vectors.into_lanes().to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn into_lanes(self) -> Buffer<V::Lane> {
        let len = self.len() * V::LANES;
        self.reinterpret(len)
    }
}

impl<T: Stored> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elem = std::any::type_name::<T>();
        write!(f, "Buffer<{elem}>({} elements on {})", self.len(), self.device())
    }
}

impl Device {
    /// Creates a buffer that holds a copy of `values`.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1.5f32, 2.5])?;
    /// assert_eq!(x.to_vec()?, [1.5, 2.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    #[doc(alias = "cudaMemcpy")]
    pub fn upload<T: Stored>(&self, values: &[T]) -> Result<Buffer<T>> {
        let mut buffer = Buffer::<T>::allocate(self, values.len(), false)?;
        buffer.write(|take| T::with_bytes(values, take))?;
        Ok(buffer)
    }

    /// Creates a buffer that holds the values of an iterator.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let squares = Device::cpu().upload_iter((0..4).map(|i| i * i))?;
    /// assert_eq!(squares.to_vec()?, [0, 1, 4, 9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::upload`].
    pub fn upload_iter<T: Stored>(&self, values: impl IntoIterator<Item = T>) -> Result<Buffer<T>> {
        self.upload(&values.into_iter().collect::<Vec<_>>())
    }

    /// Creates a buffer of `len` elements, all zero (`false` for `bool`). Of enums, the variant
    /// whose discriminant is 0, of options `None`, of results `Ok`; it does not compile where that
    /// is no value.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros::<f32>(2)?;
    /// assert_eq!(x.to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    #[doc(alias("cudaMalloc", "cudaMallocAsync"))]
    pub fn zeros<T: Stored>(&self, len: usize) -> Result<Buffer<T>> {
        const {
            assert!(
                T::ZEROED,
                "no value of this type has bytes that are all zero: `upload` what the buffer is to hold"
            );
        }
        Buffer::allocate(self, len, true)
    }

    /// Allocates `len` elements without a value: for memory that is written as a whole before it
    /// is read.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let ones = device.uninit::<f32>(1000)?.fill(1.0)?;
    /// assert_eq!(ones.to_vec()?, [1.0; 1000]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    #[doc(alias("cudaMalloc", "cudaMallocAsync"))]
    pub fn uninit<T: Stored>(&self, len: usize) -> Result<UninitBuffer<T>> {
        Ok(UninitBuffer::new(Buffer::allocate(self, len, false)?))
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
