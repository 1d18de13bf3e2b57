//! Two-dimensional arrays: [`Buffer2`], and its parts [`Slice2`], [`View2`] and [`ViewMut2`].
use super::{
    Buffer, Rectangle, Slice, View, ViewMut, check_lengths, no_host_memory, slice::resolve,
};
use crate::{Device, Error, Result, Stored};
use std::{
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut, Range, RangeBounds},
};

/// A two-dimensional array in the memory of a device, all of a [`Buffer2`] or a rectangle of it.
///
/// A kernel's [`Rows<T>`](crate::Rows) takes `&Slice2<T>`, and its
/// [`RowsMut<T>`](crate::RowsMut) takes `&mut Slice2<T>`. [`Buffer2`], [`View2`] and [`ViewMut2`]
/// dereference to it, so a launch takes references to these:
///
/// ```
/// use warpwise::{RowsMut, prelude::*};
///
/// #[kernel]
/// fn brighten(mut image: RowsMut<u8>) {
///     let (row, column) = (global_idx_y(), global_idx_x());
///     if row < image.rows() && column < image.columns() {
///         image[(row, column)] = image[(row, column)].saturating_add(50);
///     }
/// }
///
/// let device = Device::cpu();
/// let mut image = device.upload_2d(&[0u8, 10, 20, 30, 40, 250], (2, 3))?;
/// let mut right = image.rectangle_mut(.., 1..)?;
/// brighten::launch(&device, LaunchConfig::cover((2, 2)), &mut right)?;
/// assert_eq!(image.to_vec()?, [0, 60, 70, 30, 90, 255]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// Shapes and indices name the row first: an image of 1920 x 1080 pixels has the shape
/// `(1080, 1920)`. Copies from and to the host have row after row, without gaps. In the memory of
/// the device, rows begin [`pitch`](Self::pitch) elements apart.
///
/// The parameter `U` exists for Rust's unsized coercion. It makes two arrays impossible to swap.
pub struct Slice2<T, U: ?Sized = [()]> {
    rectangle: Rectangle,
    elements: PhantomData<fn() -> T>,
    _unsized: U,
}

impl<T: Stored> Slice2<T, [(); 0]> {
    fn from_rectangle(rectangle: Rectangle) -> Self {
        Self { rectangle, elements: PhantomData, _unsized: [] }
    }
}

impl<T: Stored> Slice2<T> {
    pub(crate) const fn memory(&self) -> &Rectangle {
        &self.rectangle
    }

    /// Returns the number of rows.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_2d::<f32>((2, 3))?;
    /// assert_eq!((x.rows(), x.columns()), (2, 3));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn rows(&self) -> usize {
        self.rectangle.rows
    }

    /// Returns the number of columns: of elements in a row.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_2d::<f32>((2, 3))?;
    /// assert_eq!(x.rectangle(.., 1..)?.columns(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn columns(&self) -> usize {
        self.rectangle.columns
    }

    /// Returns the numbers of rows and columns, as [`Device::zeros_2d`] takes them.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let x = device.upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
    /// let y = device.zeros_2d::<f32>(x.shape())?;
    /// assert_eq!(y.shape(), (2, 3));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn shape(&self) -> (usize, usize) {
        (self.rows(), self.columns())
    }

    /// Returns the number of elements from the start of one row to the start of the next.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_2d::<f32>((2, 1001))?;
    /// assert_eq!(x.pitch(), 1024);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn pitch(&self) -> usize {
        self.rectangle.pitch
    }

    /// Returns the device on which the memory was allocated.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_2d::<f32>((2, 3))?;
    /// assert!(!x.device().is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.rectangle.slice.device()
    }

    /// Waits for the work that writes the elements and copies them to the host, row after row.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
    /// assert_eq!(x.rectangle(.., 1..)?.to_vec()?, [2, 3, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Slice::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<T::Value>> {
        self.device().check_download_call()?;
        let read = |bytes: &mut [u8]| self.device().read_rectangle(&self.rectangle, bytes);
        T::Value::collect(self.rectangle.len(), read).unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Waits for the work that writes the elements and copies them to `values`, row after row.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
    /// let mut left = [0; 2];
    /// x.rectangle(.., ..1)?.copy_to(&mut left)?;
    /// assert_eq!(left, [1, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `values` has as many elements; those of [`Slice::to_vec`].
    #[doc(alias = "cudaMemcpy2D")]
    pub fn copy_to(&self, values: &mut [T::Value]) -> Result<()> {
        check_lengths(self.rectangle.len(), values.len())?;
        self.device().check_download_call()?;
        T::Value::load_all(values, |bytes| self.device().read_rectangle(&self.rectangle, bytes))
            .unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Overwrites all elements, row after row, once the launches before it are done.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros_2d::<i32>((2, 3))?;
    /// x.rectangle_mut(.., 1..)?.copy_from(&[2, 3, 5, 6])?;
    /// assert_eq!(x.to_vec()?, [0, 2, 3, 0, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `values` has as many elements.
    #[doc(alias = "cudaMemcpy2D")]
    pub fn copy_from(&mut self, values: &[T::Value]) -> Result<()> {
        check_lengths(values.len(), self.rectangle.len())?;
        self.device().check_upload_call()?;
        T::Value::with_bytes(values, |bytes| self.device().write_rectangle(&self.rectangle, bytes))
            .unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Copies the elements of another array, which may be on another device.
    ///
    /// On one GPU it returns before the copy is done, and later work with either array waits for
    /// it. Between devices, arrays with gaps between their rows travel through the host.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (x, mut y) = (device.upload_2d(&[1, 2], (2, 1))?, device.zeros_2d((2, 3))?);
    /// y.rectangle_mut(.., 2..)?.copy_from_device(&x)?;
    /// assert_eq!(y.to_vec()?, [0, 0, 1, 0, 0, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] unless `source` has as many rows and columns; errors of the driver.
    #[doc(alias = "cudaMemcpy2D")]
    pub fn copy_from_device(&mut self, source: &Self) -> Result<()> {
        let shape = |of: &Self| [1, of.rows(), of.columns()];
        let (source_shape, destination_shape) = (shape(source), shape(self));
        if source_shape != destination_shape {
            return Err(Error::ShapeMismatch { source_shape, destination_shape });
        }
        self.device().check_copy_call()?;
        self.device().copy_rectangle(&source.rectangle, &self.rectangle)
    }

    /// Gives all elements the same value. On a GPU it returns before that is done.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros_2d::<u8>((3, 3))?;
    /// x.rectangle_mut(1..2, 1..)?.fill(7)?;
    /// assert_eq!(x.to_vec()?, [0, 0, 0, 0, 7, 7, 0, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaMemset2D")]
    pub fn fill(&mut self, value: T::Value) -> Result<()> {
        self.device().check_fill_call()?;
        let fill = |element: &[u8]| self.device().fill_rectangle(&self.rectangle, element);
        T::Value::with_bytes(&[value], fill).unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Creates an array on the same device with the same elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
    /// let right = x.rectangle(.., 1..)?.try_clone()?;
    /// x.fill(0)?;
    /// assert_eq!(right.to_vec()?, [2, 3, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn try_clone(&self) -> Result<Buffer2<T>> {
        let mut clone = Buffer2::allocate(self.device(), self.rows(), self.columns(), false)?;
        clone.copy_from_device(self)?;
        Ok(clone)
    }

    /// Borrows the elements in some rows and columns.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
    /// assert_eq!(x.rectangle(1.., ..=1)?.to_vec()?, [4, 5]);
    /// let error = x.rectangle(..3, ..).unwrap_err();
    /// assert_eq!(error.to_string(), "rows 0..3 are not inside of an array of 2 rows");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfArray`] if a range ends after the array, or begins after its own end.
    pub fn rectangle(
        &self,
        rows: impl RangeBounds<usize>,
        columns: impl RangeBounds<usize>,
    ) -> Result<View2<'_, T>> {
        Ok(View2::new(self.part(&rows, &columns)?))
    }

    /// Borrows the elements in some rows and columns, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros_2d::<u32>((2, 2))?;
    /// x.rectangle_mut(.., 1..)?.fill(1)?;
    /// assert_eq!(x.to_vec()?, [0, 1, 0, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::rectangle`].
    pub fn rectangle_mut(
        &mut self,
        rows: impl RangeBounds<usize>,
        columns: impl RangeBounds<usize>,
    ) -> Result<ViewMut2<'_, T>> {
        Ok(ViewMut2::new(self.part(&rows, &columns)?))
    }

    /// Borrows the first `middle` rows, and the others, to be written at the same time.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().upload_2d(&[1, 2, 3, 4], (2, 2))?;
    /// let (first, mut second) = x.split_at_row_mut(1)?;
    /// second.copy_from_device(&first)?;
    /// assert_eq!(x.to_vec()?, [1, 2, 1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfArray`] if there are fewer rows than `middle`.
    pub fn split_at_row_mut(
        &mut self,
        middle: usize,
    ) -> Result<(ViewMut2<'_, T>, ViewMut2<'_, T>)> {
        let (above, below) = (self.part(&(..middle), &..)?, self.part(&(middle..), &..)?);
        Ok((ViewMut2::new(above), ViewMut2::new(below)))
    }

    /// Borrows one row.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_2d(&[1, 2, 3, 4], (2, 2))?;
    /// assert_eq!(x.row(1)?.to_vec()?, [3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfArray`] if there is no such row.
    pub fn row(&self, row: usize) -> Result<View<'_, T>> {
        Ok(View::new(self.part(&(row..=row), &..)?.slice))
    }

    /// Borrows one row, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros_2d::<u32>((2, 2))?;
    /// x.row_mut(0)?.copy_from(&[1, 2])?;
    /// assert_eq!(x.to_vec()?, [1, 2, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::row`].
    pub fn row_mut(&mut self, row: usize) -> Result<ViewMut<'_, T>> {
        Ok(ViewMut::new(self.part(&(row..=row), &..)?.slice))
    }

    fn part(
        &self,
        rows: &impl RangeBounds<usize>,
        columns: &impl RangeBounds<usize>,
    ) -> Result<Rectangle> {
        let rows = resolve_axis("rows", rows, self.rows())?;
        let columns = resolve_axis("columns", columns, self.columns())?;
        Ok(self.rectangle.part(rows, columns))
    }

    /// Returns the error of a host without memory for as many elements.
    fn no_host_memory(&self) -> Error {
        no_host_memory(self.rectangle.len(), T::LAYOUT.size)
    }
}

/// Returns the indices of a range along an axis of `len` elements.
pub(super) fn resolve_axis(
    axis: &'static str,
    range: &impl RangeBounds<usize>,
    len: usize,
) -> Result<Range<usize>> {
    resolve(range, len).map_err(|(start, end)| Error::OutOfArray { axis, start, end, len })
}

impl<T: Stored> Slice<T> {
    /// Borrows the elements as rows of `columns` elements, without gaps.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(x.as_rows(3)?.rectangle(.., ..1)?.to_vec()?, [1, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotRows`] if the elements are not a whole number of such rows.
    pub fn as_rows(&self, columns: usize) -> Result<View2<'_, T>> {
        self.rows_of(columns).map(View2::new)
    }

    /// Borrows the elements as rows of `columns` elements, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros::<u32>(6)?;
    /// x.as_rows_mut(3)?.rectangle_mut(.., 2..)?.fill(1)?;
    /// assert_eq!(x.to_vec()?, [0, 0, 1, 0, 0, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::as_rows`].
    pub fn as_rows_mut(&mut self, columns: usize) -> Result<ViewMut2<'_, T>> {
        self.rows_of(columns).map(ViewMut2::new)
    }

    fn rows_of(&self, columns: usize) -> Result<Rectangle> {
        match self.len().checked_rem(columns) {
            Some(0) => Ok(Rectangle {
                slice: self.any().clone(),
                rows: self.len() / columns,
                columns,
                pitch: columns,
                elem_bytes: T::LAYOUT.size,
            }),
            _ => Err(Error::NotRows { len: self.len(), columns }),
        }
    }
}

views! {
    Slice2: from_rectangle(Rectangle), memory;
    /// A borrowed [`Slice2`], from [`Slice2::rectangle`] and the like. A reference to it goes where
    /// a kernel takes [`Rows`](crate::Rows).
    View2;
    /// A mutably borrowed [`Slice2`], from [`Slice2::rectangle_mut`] and the like. A mutable
    /// reference to it goes where a kernel takes [`RowsMut`](crate::RowsMut).
    ViewMut2;
}

impl<T: Stored> fmt::Debug for Slice2<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elem, rows, columns) = (std::any::type_name::<T>(), self.rows(), self.columns());
        write!(f, "Slice2<{elem}>({rows} x {columns} elements on {})", self.device())
    }
}

/// A two-dimensional array in the memory of a [`Device`], which it keeps alive.
///
/// It dereferences to [`Slice2`], which has its functions. [`Device::upload_2d`] and
/// [`Device::zeros_2d`] create it. If an element has 1, 2, 4, .. or 128 bytes, rows begin at
/// multiples of 128 bytes, the size of a cache line, so that a warp that reads a row reads as few
/// lines as possible; other rows follow each other without gaps.
///
/// ```
/// use warpwise::{Buffer2, Device};
/// let device = Device::cpu();
/// let image: Buffer2<u8> = device.upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
/// assert_eq!(image.row(1)?.to_vec()?, [4, 5, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Buffer2<T> {
    all: Slice2<T, [(); 0]>,
}

/// The bytes at whose multiples rows begin: a line of the caches.
const ROW_ALIGN: usize = 128;

impl<T: Stored> Buffer2<T> {
    pub(super) fn allocate(
        device: &Device,
        rows: usize,
        columns: usize,
        is_zeroed: bool,
    ) -> Result<Self> {
        let elem_bytes = T::LAYOUT.size;
        let is_aligned = elem_bytes.is_power_of_two() && elem_bytes <= ROW_ALIGN;
        let pitch = if is_aligned {
            columns.checked_next_multiple_of(ROW_ALIGN / elem_bytes).unwrap_or(usize::MAX)
        } else {
            columns
        };
        let memory = Buffer::<T>::allocate(device, rows.saturating_mul(pitch), is_zeroed)?;
        let whole = Rectangle { slice: memory.any().clone(), rows, columns, pitch, elem_bytes };
        Ok(Self { all: Slice2::from_rectangle(whole.part(0..rows, 0..columns)) })
    }
}

impl<T: Stored> Deref for Buffer2<T> {
    type Target = Slice2<T>;
    fn deref(&self) -> &Slice2<T> {
        &self.all
    }
}

impl<T: Stored> DerefMut for Buffer2<T> {
    fn deref_mut(&mut self) -> &mut Slice2<T> {
        &mut self.all
    }
}

impl<T: Stored> fmt::Debug for Buffer2<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elem, rows, columns) = (std::any::type_name::<T>(), self.rows(), self.columns());
        write!(f, "Buffer2<{elem}>({rows} x {columns} elements on {})", self.device())
    }
}

impl Device {
    /// Creates a two-dimensional array of `(rows, columns)` elements from values in row-major
    /// order.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
    /// assert_eq!(x.row(1)?.to_vec()?, [4, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless there are `rows * columns` values;
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn upload_2d<T: Stored>(
        &self,
        values: &[T],
        (rows, columns): (usize, usize),
    ) -> Result<Buffer2<T>> {
        check_lengths(values.len(), rows.saturating_mul(columns))?;
        let buffer = Buffer2::<T>::allocate(self, rows, columns, false)?;
        T::with_bytes(values, |bytes| self.write_rectangle(&buffer.rectangle, bytes))
            .unwrap_or_else(|| Err(buffer.no_host_memory()))?;
        Ok(buffer)
    }

    /// Creates a two-dimensional array of `(rows, columns)` elements that are all zero, as those of
    /// [`Self::zeros`] are.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().zeros_2d::<f32>((2, 3))?;
    /// assert_eq!(x.to_vec()?, [0.0; 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    #[doc(alias = "cudaMallocPitch")]
    pub fn zeros_2d<T: Stored>(&self, (rows, columns): (usize, usize)) -> Result<Buffer2<T>> {
        const {
            assert!(
                T::ZEROED,
                "no value of this type has bytes that are all zero: `upload_2d` what the array is to hold"
            );
        }
        Buffer2::allocate(self, rows, columns, true)
    }
}
