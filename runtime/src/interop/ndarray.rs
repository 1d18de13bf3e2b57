//! Arrays of `ndarray`.
use crate::{Buffer, Device, Plain, Result, Slice, memory::check_lengths};
use ndarray::{Array, ArrayView, Dimension, ShapeBuilder};

impl Device {
    /// Creates a buffer with the elements of an array, row by row, whatever its memory layout is.
    ///
    /// ```
    /// use ndarray::array;
    /// # use warpwise::Device;
    /// let table = array![[1, 2, 3], [4, 5, 6]];
    /// let buffer = Device::cpu().upload_array(table.view())?;
    /// assert_eq!(buffer.to_vec()?, [1, 2, 3, 4, 5, 6]);
    /// assert_eq!(buffer.to_array((2, 3))?, table);
    /// let columns = Device::cpu().upload_array(table.t())?;
    /// assert_eq!(columns.to_vec()?, [1, 4, 2, 5, 3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::upload`].
    pub fn upload_array<T: Plain, D: Dimension>(
        &self,
        array: ArrayView<'_, T, D>,
    ) -> Result<Buffer<T>> {
        match array.as_slice() {
            Some(values) => self.upload(values),
            None => self.upload_iter(array.iter().copied()),
        }
    }
}

impl<T: Plain> Slice<T> {
    /// Waits for the work that writes the elements and copies them to an array of this shape, row
    /// by row.
    ///
    /// The documentation of [`Device::upload_array`] has an example.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) unless the slice has as many
    /// elements as the shape; those of [`Self::to_vec`].
    pub fn to_array<D: Dimension>(&self, shape: impl ShapeBuilder<Dim = D>) -> Result<Array<T, D>> {
        let shape = shape.into_shape_with_order();
        check_lengths(self.len(), elements(shape.raw_dim()))?;
        let array = Array::from_shape_vec(shape, self.to_vec()?);
        Ok(array.expect("there are as many elements"))
    }
}

/// Returns the number of elements of a shape.
fn elements(shape: &impl Dimension) -> usize {
    shape.slice().iter().fold(1, |elements: usize, &extent| elements.saturating_mul(extent))
}
