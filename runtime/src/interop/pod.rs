//! Values of any type that is plain bytes.
use crate::{
    Buffer, Device, Error, Plain, Result, Slice, Stored,
    memory::{check_lengths, count_whole},
};
use bytemuck::{NoUninit, Pod};

/// A type of another library whose bytes are those of a type that kernels know: vectors and
/// matrices of `glam` and `nalgebra`, complex numbers of `num-complex`.
///
/// You may implement it for types of your own. Both must have the same size, which is checked while
/// the program is compiled.
pub trait HostElement: Pod {
    /// The type in buffers and kernels.
    type Element: Plain;
}

impl Device {
    /// Creates a buffer of `T` with the bytes of values of another type.
    ///
    /// ```
    /// use bytemuck::{Pod, Zeroable};
    /// use warpwise::{F32x4, prelude::*};
    ///
    /// // A type of a library that knows nothing of kernels.
    /// #[derive(Clone, Copy, Pod, Zeroable)]
    /// #[repr(C)]
    /// struct Vertex {
    ///     position: [f32; 3],
    ///     weight: f32,
    /// }
    ///
    /// let vertices = [Vertex { position: [1.0, 2.0, 3.0], weight: 4.0 }; 2];
    /// let buffer: Buffer<F32x4> = Device::cpu().upload_pod(&vertices)?;
    /// assert_eq!(buffer.to_vec()?, [F32x4::new(1.0, 2.0, 3.0, 4.0); 2]);
    /// let vertices: Vec<Vertex> = buffer.to_pod_vec()?;
    /// assert_eq!(vertices[1].weight, 4.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotStructs`] if the last `T` would not be whole; those of [`Self::upload`].
    pub fn upload_pod<T: Plain, P: NoUninit>(&self, values: &[P]) -> Result<Buffer<T>> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        self.upload(bytes)?.into_structs()
    }

    /// Creates a buffer with the elements of values of another library.
    ///
    /// ```
    /// use bytemuck::{Pod, Zeroable};
    /// use warpwise::{Device, F32x2, interop::HostElement};
    ///
    /// /// A point of a library of the program.
    /// #[derive(Clone, Copy, Pod, Zeroable)]
    /// #[repr(C)]
    /// struct Point {
    ///     x: f32,
    ///     y: f32,
    /// }
    /// impl HostElement for Point {
    ///     type Element = F32x2;
    /// }
    ///
    /// let buffer = Device::cpu().upload_host(&[Point { x: 1.0, y: 2.0 }])?;
    /// assert_eq!(buffer.to_vec()?, [F32x2::new(1.0, 2.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::upload`].
    pub fn upload_host<P: HostElement>(&self, values: &[P]) -> Result<Buffer<P::Element>> {
        const { assert_same_size::<P>() }
        self.upload_pod(values)
    }
}

impl<T: Stored> Slice<T> {
    /// Waits for the work that writes the elements and copies their bytes to values of another
    /// type. See [`Device::upload_pod`].
    ///
    /// ```
    /// use warpwise::{Device, F32x2};
    ///
    /// let buffer = Device::cpu().upload(&[F32x2::new(1.0, 2.0), F32x2::new(3.0, 4.0)])?;
    /// let arrays: Vec<[f32; 2]> = buffer.to_pod_vec()?;
    /// assert_eq!(arrays, [[1.0, 2.0], [3.0, 4.0]]);
    /// // By any type of the same bytes in all.
    /// assert_eq!(buffer.to_pod_vec::<f32>()?.len(), 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotStructs`] if the last value would not be whole; those of [`Self::to_vec`].
    pub fn to_pod_vec<P: Pod>(&self) -> Result<Vec<P>> {
        let size = size_of::<P>();
        let len = count_whole(self.any().bytes, size)?;
        let Ok(mut values) = bytemuck::allocation::try_zeroed_vec::<P>(len) else {
            let place = "the host".to_owned();
            return Err(Error::OutOfMemory { place, elements: len, size, free: None });
        };
        self.device().check_download_call()?;
        self.device().read(self.any(), bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    /// Overwrites the elements with the bytes of values of another type. See
    /// [`Device::upload_pod`].
    ///
    /// ```
    /// use warpwise::{Device, F32x2};
    ///
    /// let mut buffer = Device::cpu().zeros::<F32x2>(2)?;
    /// buffer.copy_from_pod(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(buffer.to_vec()?, [F32x2::new(1.0, 2.0), F32x2::new(3.0, 4.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], in bytes, unless there are as many.
    pub fn copy_from_pod<P: NoUninit>(&mut self, values: &[P]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        check_lengths(bytes.len(), self.any().bytes)?;
        self.device().check_upload_call()?;
        self.device().write(self.any(), bytes)
    }

    /// Waits for the work that writes the elements and copies them to values of another library.
    /// See [`Device::upload_host`].
    ///
    /// ```
    /// use bytemuck::{Pod, Zeroable};
    /// use warpwise::{Device, F32x2, interop::HostElement};
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    /// #[repr(C)]
    /// struct Point {
    ///     x: f32,
    ///     y: f32,
    /// }
    /// impl HostElement for Point {
    ///     type Element = F32x2;
    /// }
    ///
    /// let buffer = Device::cpu().zeros::<F32x2>(2)?;
    /// let points: Vec<Point> = buffer.to_host_vec()?;
    /// assert_eq!(points, [Point { x: 0.0, y: 0.0 }; 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::to_vec`].
    pub fn to_host_vec<P: HostElement<Element = T>>(&self) -> Result<Vec<P>> {
        const { assert_same_size::<P>() }
        self.to_pod_vec()
    }
}

/// Refuses a pair of types of different sizes.
const fn assert_same_size<P: HostElement>() {
    assert!(
        size_of::<P>() == P::Element::LAYOUT.size,
        "a host type and its element differ in size"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_whole_number_of_values_are_refused() {
        let mut buffer: Buffer<u32> = Device::cpu().upload_pod(&[1u16, 0, 2, 0]).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [1, 2]);
        let error = buffer.to_pod_vec::<[u32; 3]>().unwrap_err();
        assert_eq!(error, Error::NotStructs { bytes: 8, size: 12 });
        assert!(matches!(buffer.to_pod_vec::<()>(), Err(Error::NotStructs { size: 0, .. })));
        let odd = Device::cpu().upload_pod::<u32, u8>(&[1, 2, 3]);
        assert_eq!(odd.unwrap_err(), Error::NotStructs { bytes: 3, size: 4 });
        buffer.slice_mut(1..).unwrap().copy_from_pod(&[7u16, 0]).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [1, 7]);
        let error = buffer.copy_from_pod(&[7u16]).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { source_len: 2, destination_len: 8 });
    }
}
