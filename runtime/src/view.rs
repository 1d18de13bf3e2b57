//! Buffers of numbers as buffers of vectors, and back, and as buffers of structs: the same memory,
//! nothing copied.
use crate::{Buffer, Element, Error, Plain, Result, Stored, buffer::AnyBuffer, vector::Vector};
use std::{fmt, marker::PhantomData, ops::Deref, sync::Arc};

/// A borrowed [`Buffer`] with elements of another type: [`Buffer::as_vectors`],
/// [`Buffer::as_lanes`], [`Buffer::as_structs`]. A reference to it goes where a kernel takes a
/// slice that it reads.
pub struct View<'a, T: Stored> {
    buffer: Buffer<T>,
    of: PhantomData<&'a AnyBuffer>,
}

impl<T: Stored> Deref for View<'_, T> {
    type Target = Buffer<T>;
    fn deref(&self) -> &Buffer<T> {
        &self.buffer
    }
}

impl<T: Stored> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.buffer.fmt(f)
    }
}

/// The same memory as elements of which there are `len`.
fn view<'a, T: Stored>(of: &'a AnyBuffer, len: usize) -> View<'a, T> {
    let any = AnyBuffer { memory: Arc::clone(&of.memory), len, device: of.device.clone() };
    View { buffer: Buffer::from_any(any), of: PhantomData }
}

/// Returns the number of vectors that `len` numbers are.
fn vectors<V: Vector>(len: usize) -> Result<usize> {
    match len % V::LANES {
        0 => Ok(len / V::LANES),
        _ => Err(Error::NotVectors { len, lanes: V::LANES }),
    }
}

/// Returns the number of structs that `len` numbers are.
fn structs<S: Plain, T: Element>(len: usize) -> Result<usize> {
    let (bytes, size) = (len * size_of::<T>(), S::LAYOUT.size);
    match bytes.checked_rem(size) {
        Some(0) => Ok(bytes / size),
        _ => Err(Error::NotStructs { bytes, size }),
    }
}

impl<T: Element> Buffer<T> {
    /// The same buffer, as `#[device]` structs, or whatever else is plain: for kernels that take
    /// `&[S]` or `&mut [S]`, where the numbers come from somewhere else, such as a file.
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
    /// [`Error::NotStructs`] if the last struct would not be whole, or has no size; the buffer is
    /// dropped.
    pub fn into_structs<S: Plain>(self) -> Result<Buffer<S>> {
        let len = structs::<S, T>(self.len())?;
        Ok(Buffer::from_any(AnyBuffer { len, ..self.into_any() }))
    }

    /// As [`into_structs`](Self::into_structs), borrowed: to be read by kernels.
    ///
    /// # Errors
    /// [`Error::NotStructs`] if the last struct would not be whole, or has no size.
    pub fn as_structs<S: Plain>(&self) -> Result<View<'_, S>> {
        let len = structs::<S, T>(self.len())?;
        Ok(view(self.any(), len))
    }

    /// The same buffer, as vectors: for kernels that take `&[F32x4]` or `&mut [F32x4]`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// let numbers = Device::cpu().upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let vectors = numbers.into_vectors::<F32x2>()?;
    /// assert_eq!(vectors.to_vec()?, [F32x2::new(1.0, 2.0), F32x2::new(3.0, 4.0)]);
    /// assert_eq!(vectors.into_lanes().len(), 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotVectors`] if the last vector would not be whole; the buffer is dropped.
    pub fn into_vectors<V: Vector<Lane = T>>(self) -> Result<Buffer<V>> {
        let len = vectors::<V>(self.len())?;
        Ok(Buffer::from_any(AnyBuffer { len, ..self.into_any() }))
    }

    /// As [`into_vectors`](Self::into_vectors), borrowed: to be read by kernels.
    ///
    /// # Errors
    /// [`Error::NotVectors`] if the last vector would not be whole.
    pub fn as_vectors<V: Vector<Lane = T>>(&self) -> Result<View<'_, V>> {
        let len = vectors::<V>(self.len())?;
        Ok(view(self.any(), len))
    }
}

impl<V: Vector> Buffer<V> {
    /// The same buffer, as the numbers that its vectors are made of.
    pub fn into_lanes(self) -> Buffer<V::Lane> {
        let len = self.len() * V::LANES;
        Buffer::from_any(AnyBuffer { len, ..self.into_any() })
    }

    /// As [`into_lanes`](Self::into_lanes), borrowed: to be read by kernels.
    pub fn as_lanes(&self) -> View<'_, V::Lane> {
        view(self.any(), self.len() * V::LANES)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Device, Error, F32x3, F32x4, U8x2};

    #[test]
    fn numbers_are_structs_of_them() {
        let device = Device::cpu();
        let words = device.upload(&[1u32, 2, 3, 4, 5, 6]).unwrap();
        type Padded = (u32, u64);
        assert_eq!(size_of::<(u32, [u32; 2])>(), 12);
        let view = words.as_structs::<(u32, [u32; 2])>().unwrap();
        assert_eq!(view.to_vec().unwrap(), [(1, [2, 3]), (4, [5, 6])]);
        let error = words.as_structs::<Padded>().unwrap_err();
        assert_eq!(error.to_string(), "24 bytes are no whole number of structs of 16 bytes");
        assert!(matches!(words.as_structs::<()>(), Err(Error::NotStructs { size: 0, .. })));
        let flags = device.upload(&[0u8, 1, 2, 255]).unwrap().into_structs::<bool>().unwrap();
        assert_eq!(flags.to_vec().unwrap()[..2], [false, true]);
        let mut pairs = words.into_structs::<[u32; 2]>().unwrap();
        pairs.copy_from(&[[7, 8]; 3]).unwrap();
        assert_eq!(pairs.to_vec().unwrap(), [[7, 8]; 3]);
        let padded = device.upload(&[9u64; 4]).unwrap().into_structs::<Padded>().unwrap();
        assert_eq!(padded.to_vec().unwrap(), [(9, 9); 2]);
    }

    #[test]
    fn numbers_are_vectors_of_them() {
        let device = Device::cpu();
        let numbers = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let view = numbers.as_vectors::<F32x3>().unwrap();
        assert_eq!(view.to_vec().unwrap()[1], F32x3::new(4.0, 5.0, 6.0));
        let error = numbers.as_vectors::<F32x4>().unwrap_err();
        assert_eq!(error.to_string(), "6 numbers are no whole number of vectors of 4 lanes");
        let mut vectors = numbers.into_vectors::<F32x3>().unwrap();
        vectors.copy_from(&[F32x3::ONE; 2]).unwrap();
        assert_eq!(vectors.as_lanes().to_vec().unwrap(), [1.0; 6]);
        assert_eq!(vectors.into_lanes().len(), 6);
        let odd = device.zeros::<u8>(3).unwrap().into_vectors::<U8x2>();
        assert!(matches!(odd, Err(Error::NotVectors { len: 3, lanes: 2 })));
    }
}
