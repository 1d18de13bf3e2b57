//! Buffers of numbers as buffers of vectors, and back: the same memory, nothing copied.
use crate::{Buffer, Element, Error, Result, Stored, buffer::AnyBuffer, vector::Vector};
use std::{fmt, marker::PhantomData, ops::Deref, sync::Arc};

/// A borrowed [`Buffer`] with elements of another type: [`Buffer::as_vectors`], [`Buffer::as_lanes`].
/// A reference to it goes where a kernel takes a slice that it reads.
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

/// How many vectors `len` numbers are.
fn vectors<V: Vector>(len: usize) -> Result<usize> {
    match len % V::LANES {
        0 => Ok(len / V::LANES),
        _ => Err(Error::NotVectors { len, lanes: V::LANES }),
    }
}

impl<T: Element> Buffer<T> {
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
