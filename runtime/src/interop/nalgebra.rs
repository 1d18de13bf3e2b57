//! Vectors and matrices of `nalgebra`.
//!
//! A matrix of constant size is an array of its columns, `[[f32; 3]; 2]` for three rows and two
//! columns, and goes into buffers by [`Device::upload_host`]. A matrix of any size is a buffer of
//! its elements, column by column.
use super::HostElement;
use crate::{Buffer, Device, Element, PinnedElement, Result, Slice, memory::check_lengths};
use bytemuck::Pod;
use nalgebra::{DMatrix, SMatrix, Scalar};

impl<T: PinnedElement + Pod + Scalar, const ROWS: usize, const COLUMNS: usize> HostElement
    for SMatrix<T, ROWS, COLUMNS>
{
    type Element = [[T; ROWS]; COLUMNS];
}

impl Device {
    /// Creates a buffer with the elements of a matrix, column by column.
    ///
    /// ```
    /// use nalgebra::{DMatrix, Vector3};
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let matrix = DMatrix::from_row_slice(2, 3, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// let buffer = device.upload_matrix(&matrix)?;
    /// assert_eq!(buffer.to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// assert_eq!(buffer.to_matrix(2, 3)?, matrix);
    ///
    /// let points = [Vector3::new(1.0f32, 2.0, 3.0)];
    /// let buffer = device.upload_host(&points)?;
    /// assert_eq!(buffer.to_vec()?, [[[1.0, 2.0, 3.0]]]);
    /// assert_eq!(buffer.to_host_vec::<Vector3<f32>>()?, points);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::upload`].
    pub fn upload_matrix<T: Element + Scalar>(&self, matrix: &DMatrix<T>) -> Result<Buffer<T>> {
        self.upload(matrix.as_slice())
    }
}

impl<T: Element + Scalar> Slice<T> {
    /// Waits for the work that writes the elements and copies them to a matrix, column by column.
    ///
    /// The documentation of [`Device::upload_matrix`] has an example.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) unless the slice has as many
    /// elements as the matrix; those of [`Self::to_vec`].
    pub fn to_matrix(&self, rows: usize, columns: usize) -> Result<DMatrix<T>> {
        check_lengths(self.len(), rows.saturating_mul(columns))?;
        Ok(DMatrix::from_vec(rows, columns, self.to_vec()?))
    }
}
