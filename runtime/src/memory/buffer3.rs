//! Three-dimensional arrays: [`Buffer3`].
use super::{Buffer2, Slice2, View2, ViewMut2, slice2::resolve_axis};
use crate::{Device, Result, Stored};
use std::fmt;

/// A three-dimensional array in the memory of a [`Device`], which it keeps alive: layers of rows.
///
/// A kernel's [`Layers<T>`](crate::Layers) takes `&Buffer3<T>`, and its
/// [`LayersMut<T>`](crate::LayersMut) takes `&mut Buffer3<T>`:
///
/// ```
/// use warpwise::{LayersMut, prelude::*};
///
/// #[kernel]
/// fn number(mut x: LayersMut<u32>) {
///     let (layer, row, column) = (global_idx_z(), global_idx_y(), global_idx_x());
///     if layer < x.layers() && row < x.rows() && column < x.columns() {
///         x[(layer, row, column)] = (100 * layer + 10 * row + column) as u32;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.zeros_3d((2, 2, 3))?;
/// number::launch(&device, LaunchConfig::cover((3, 2, 2)), &mut x)?;
/// assert_eq!(x.layer(1)?.to_vec()?, [100, 101, 102, 110, 111, 112]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// [`Device::upload_3d`] and [`Device::zeros_3d`] create it. All rows of all layers have the same
/// distance, and are aligned as those of [`Buffer2`]: they are one [`Slice2`], which
/// [`as_rows`](Self::as_rows) returns. Shapes and indices name the layer first.
pub struct Buffer3<T> {
    all: Buffer2<T>,
    layers: usize,
    rows: usize,
}

impl<T: Stored> Buffer3<T> {
    /// Returns the number of layers.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_3d::<f32>((2, 3, 4))?;
    /// assert_eq!((x.layers(), x.rows(), x.columns()), (2, 3, 4));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the number of rows in a layer.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_3d::<f32>((2, 3, 4))?;
    /// assert_eq!(x.rows(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns: of elements in a row.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_3d::<f32>((2, 3, 4))?;
    /// assert_eq!(x.columns(), 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.all.columns()
    }

    /// Returns the numbers of layers, rows and columns, as [`Device::zeros_3d`] takes them.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_3d::<f32>((2, 3, 4))?;
    /// assert_eq!(x.shape(), (2, 3, 4));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn shape(&self) -> (usize, usize, usize) {
        (self.layers, self.rows, self.columns())
    }

    /// Returns the device on which the memory was allocated.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_3d::<f32>((2, 3, 4))?;
    /// assert!(!x.device().is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.all.device()
    }

    /// Returns all rows of all layers as an array of two dimensions, for copies, `fill` and parts.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_3d(&[1, 2, 3, 4], (2, 1, 2))?;
    /// assert_eq!(x.as_rows().rectangle(.., 1..)?.to_vec()?, [2, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_rows(&self) -> &Slice2<T> {
        &self.all
    }

    /// Returns all rows of all layers as an array of two dimensions that is written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros_3d::<u32>((2, 1, 2))?;
    /// x.as_rows_mut().fill(7)?;
    /// assert_eq!(x.to_vec()?, [7; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_rows_mut(&mut self) -> &mut Slice2<T> {
        &mut self.all
    }

    /// Waits for the work that writes the elements and copies them to the host, layer after layer
    /// and row after row.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_3d(&[1, 2, 3, 4], (2, 1, 2))?;
    /// assert_eq!(x.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Slice::to_vec`](crate::Slice::to_vec).
    pub fn to_vec(&self) -> Result<Vec<T::Value>> {
        self.all.to_vec()
    }

    /// Creates an array on the same device with the same elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().upload_3d(&[1, 2, 3, 4], (2, 1, 2))?;
    /// let y = x.try_clone()?;
    /// x.layer_mut(1)?.fill(0)?;
    /// assert_eq!((y.to_vec()?, y.shape()), (vec![1, 2, 3, 4], x.shape()));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::Error::OutOfMemory), or an error of the driver.
    pub fn try_clone(&self) -> Result<Self> {
        Ok(Self { all: self.all.try_clone()?, layers: self.layers, rows: self.rows })
    }

    /// Borrows one layer.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_3d(&[1, 2, 3, 4], (2, 1, 2))?;
    /// assert_eq!(x.layer(1)?.to_vec()?, [3, 4]);
    /// assert_eq!(x.layer(2).unwrap_err().to_string(), "layers 2..3 are not inside of an array of 2 layers");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfArray`](crate::Error::OutOfArray) if there is no such layer.
    pub fn layer(&self, layer: usize) -> Result<View2<'_, T>> {
        let layer = resolve_axis("layers", &(layer..=layer), self.layers)?.start;
        self.all.rectangle(layer * self.rows..(layer + 1) * self.rows, ..)
    }

    /// Borrows one layer, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros_3d::<u32>((2, 1, 2))?;
    /// x.layer_mut(0)?.copy_from(&[1, 2])?;
    /// assert_eq!(x.to_vec()?, [1, 2, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::layer`].
    pub fn layer_mut(&mut self, layer: usize) -> Result<ViewMut2<'_, T>> {
        let layer = resolve_axis("layers", &(layer..=layer), self.layers)?.start;
        self.all.rectangle_mut(layer * self.rows..(layer + 1) * self.rows, ..)
    }
}

impl<T: Stored> fmt::Debug for Buffer3<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elem, layers, rows, columns) =
            (std::any::type_name::<T>(), self.layers, self.rows, self.columns());
        write!(f, "Buffer3<{elem}>({layers} x {rows} x {columns} elements on {})", self.device())
    }
}

impl Device {
    /// Creates a three-dimensional array of `(layers, rows, columns)` elements from values in
    /// row-major order.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_3d(&[1, 2, 3, 4, 5, 6, 7, 8], (2, 2, 2))?;
    /// assert_eq!(x.layer(1)?.row(0)?.to_vec()?, [5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::upload_2d`].
    pub fn upload_3d<T: Stored>(
        &self,
        values: &[T],
        (layers, rows, columns): (usize, usize, usize),
    ) -> Result<Buffer3<T>> {
        let all = self.upload_2d(values, (layers.saturating_mul(rows), columns))?;
        Ok(Buffer3 { all, layers, rows })
    }

    /// Creates a three-dimensional array of `(layers, rows, columns)` elements that are all zero,
    /// as those of [`Self::zeros`] are.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_3d::<f32>((2, 3, 4))?;
    /// assert_eq!(x.to_vec()?, [0.0; 24]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::zeros`].
    #[doc(alias = "cudaMalloc3D")]
    pub fn zeros_3d<T: Stored>(
        &self,
        (layers, rows, columns): (usize, usize, usize),
    ) -> Result<Buffer3<T>> {
        let all = self.zeros_2d((layers.saturating_mul(rows), columns))?;
        Ok(Buffer3 { all, layers, rows })
    }
}
