//! Two- and three-dimensional arrays in kernels: [`Rows`], [`RowsMut`], [`Layers`] and
//! [`LayersMut`].
//!
//! Each is a slice with the extents of an array and its pitch, the number of elements from the
//! start of one row to the next. A launch guarantees that the slice has every element of the array.
//! The check of an index against the extents is therefore the only one, and a kernel that has
//! compared its indices with the extents needs none.
use crate::device;
use std::ops::{Index, IndexMut};

/// A two-dimensional array that a kernel reads, indexed by `(row, column)` or by rows.
///
/// A launch takes `&` [`Slice2<T>`](crate::Slice2) for it:
///
/// ```
/// use warpwise::{Rows, RowsMut, prelude::*};
///
/// /// Exchanges left and right.
/// #[kernel]
/// fn mirror(x: Rows<f32>, mut y: RowsMut<f32>) {
///     let (row, column) = (global_idx_y(), global_idx_x());
///     if row < y.rows() && column < y.columns() {
///         y[(row, column)] = x[(row, y.columns() - 1 - column)];
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.upload_2d(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3))?;
/// let mut y = device.zeros_2d((2, 3))?;
/// mirror::launch(&device, LaunchConfig::cover((3, 2)), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// An index outside the array ends the thread, as it does for slices. [`get`](Self::get) returns
/// `None` there.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, T> {
    elements: &'a [T],
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<'a, T> Rows<'a, T> {
    /// Divides a slice into rows of `columns` elements. Elements after the last whole row are not
    /// part of the array.
    ///
    /// ```
    /// use warpwise::Rows;
    /// let x = Rows::new(&[1, 2, 3, 4, 5, 6], 3);
    /// assert_eq!((x.rows(), x.columns(), x[(1, 0)]), (2, 3, 4));
    /// ```
    ///
    /// # Panics
    /// If there are 0 columns.
    #[track_caller]
    pub fn new(elements: &'a [T], columns: usize) -> Self {
        let rows = elements.len() / columns;
        Self { elements, rows, columns, pitch: columns }
    }

    /// Returns the number of rows.
    ///
    /// ```
    /// use warpwise::Rows;
    /// assert_eq!(Rows::new(&[0.5; 6], 3).rows(), 2);
    /// ```
    #[track_caller]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns: of elements in a row.
    ///
    /// ```
    /// use warpwise::Rows;
    /// assert_eq!(Rows::new(&[0.5; 6], 3).columns(), 3);
    /// ```
    #[track_caller]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the element at `(row, column)`; `None` outside the array.
    ///
    /// ```
    /// use warpwise::Rows;
    /// let numbers = &[1, 2, 3, 4];
    /// let x = Rows::new(numbers, 2);
    /// assert_eq!((x.get((1, 0)), x.get((0, 2))), (Some(&3), None));
    /// ```
    #[track_caller]
    pub fn get(&self, (row, column): (usize, usize)) -> Option<&T> {
        if row < self.rows && column < self.columns {
            Some(&self.elements[row * self.pitch + column])
        } else {
            None
        }
    }
}

#[device]
impl<T> Index<(usize, usize)> for Rows<'_, T> {
    type Output = T;

    #[track_caller]
    fn index(&self, (row, column): (usize, usize)) -> &T {
        assert!(row < self.rows, "row {row} of an array of {} rows", self.rows);
        assert!(column < self.columns, "column {column} of an array of {} columns", self.columns);
        &self.elements[row * self.pitch + column]
    }
}

#[device]
impl<T> Index<usize> for Rows<'_, T> {
    type Output = [T];

    #[track_caller]
    fn index(&self, row: usize) -> &[T] {
        assert!(row < self.rows, "row {row} of an array of {} rows", self.rows);
        let start = row * self.pitch;
        &self.elements[start..start + self.columns]
    }
}

/// A two-dimensional array that a kernel writes, indexed by `(row, column)` or by rows.
///
/// A launch takes `&mut` [`Slice2<T>`](crate::Slice2) for it. The kernel declares the parameter
/// `mut`, as for every value that is written through an index:
///
/// ```
/// use warpwise::{RowsMut, prelude::*};
///
/// #[kernel]
/// fn multiplication_table(mut table: RowsMut<u32>) {
///     let (row, column) = (global_idx_y(), global_idx_x());
///     if row < table.rows() && column < table.columns() {
///         table[(row, column)] = (row * column) as u32;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut table = device.zeros_2d((3, 3))?;
/// multiplication_table::launch(&device, LaunchConfig::cover((3, 3)), &mut table)?;
/// assert_eq!(table.row(2)?.to_vec()?, [0, 2, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Debug)]
pub struct RowsMut<'a, T> {
    elements: &'a mut [T],
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<'a, T> RowsMut<'a, T> {
    /// Divides a slice into rows of `columns` elements. Elements after the last whole row are not
    /// part of the array.
    ///
    /// ```
    /// use warpwise::RowsMut;
    /// let numbers = &mut [1, 2, 3, 4, 5, 6];
    /// let mut x = RowsMut::new(numbers, 3);
    /// x[(1, 0)] += 10;
    /// assert_eq!(x[1], [14, 5, 6]);
    /// ```
    ///
    /// # Panics
    /// If there are 0 columns.
    #[track_caller]
    pub fn new(elements: &'a mut [T], columns: usize) -> Self {
        let rows = elements.len() / columns;
        Self { elements, rows, columns, pitch: columns }
    }

    /// Returns the number of rows.
    ///
    /// ```
    /// use warpwise::RowsMut;
    /// assert_eq!(RowsMut::new(&mut [0.5; 6], 3).rows(), 2);
    /// ```
    #[track_caller]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns: of elements in a row.
    ///
    /// ```
    /// use warpwise::RowsMut;
    /// assert_eq!(RowsMut::new(&mut [0.5; 6], 3).columns(), 3);
    /// ```
    #[track_caller]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the element at `(row, column)`; `None` outside the array.
    ///
    /// ```
    /// use warpwise::RowsMut;
    /// let numbers = &mut [1, 2, 3, 4];
    /// let x = RowsMut::new(numbers, 2);
    /// assert_eq!((x.get((1, 0)), x.get((0, 2))), (Some(&3), None));
    /// ```
    #[track_caller]
    pub fn get(&self, (row, column): (usize, usize)) -> Option<&T> {
        if row < self.rows && column < self.columns {
            Some(&self.elements[row * self.pitch + column])
        } else {
            None
        }
    }

    /// Returns the element at `(row, column)` to be written; `None` outside the array.
    ///
    /// ```
    /// use warpwise::RowsMut;
    /// let numbers = &mut [1, 2, 3, 4];
    /// let mut x = RowsMut::new(numbers, 2);
    /// if let Some(number) = x.get_mut((1, 0)) {
    ///     *number += 10;
    /// }
    /// assert_eq!(x[1], [13, 4]);
    /// ```
    #[track_caller]
    pub fn get_mut(&mut self, (row, column): (usize, usize)) -> Option<&mut T> {
        if row < self.rows && column < self.columns {
            Some(&mut self.elements[row * self.pitch + column])
        } else {
            None
        }
    }

    /// Returns the place of the element at `(row, column)` in the slice.
    #[track_caller]
    fn place(&self, row: usize, column: usize) -> usize {
        assert!(row < self.rows, "row {row} of an array of {} rows", self.rows);
        assert!(column < self.columns, "column {column} of an array of {} columns", self.columns);
        row * self.pitch + column
    }

    /// Returns the place of the first element of a row in the slice.
    #[track_caller]
    fn row_place(&self, row: usize) -> usize {
        assert!(row < self.rows, "row {row} of an array of {} rows", self.rows);
        row * self.pitch
    }
}

#[device]
impl<T> Index<(usize, usize)> for RowsMut<'_, T> {
    type Output = T;

    #[track_caller]
    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.elements[self.place(row, column)]
    }
}

#[device]
impl<T> IndexMut<(usize, usize)> for RowsMut<'_, T> {
    #[track_caller]
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut T {
        let place = self.place(row, column);
        &mut self.elements[place]
    }
}

#[device]
impl<T> Index<usize> for RowsMut<'_, T> {
    type Output = [T];

    #[track_caller]
    fn index(&self, row: usize) -> &[T] {
        let start = self.row_place(row);
        &self.elements[start..start + self.columns]
    }
}

#[device]
impl<T> IndexMut<usize> for RowsMut<'_, T> {
    #[track_caller]
    fn index_mut(&mut self, row: usize) -> &mut [T] {
        let start = self.row_place(row);
        &mut self.elements[start..start + self.columns]
    }
}

/// A three-dimensional array that a kernel reads, indexed by `(layer, row, column)`.
///
/// A launch takes `&` [`Buffer3<T>`](crate::Buffer3) for it:
///
/// ```
/// use warpwise::{Layers, RowsMut, prelude::*};
///
/// #[kernel]
/// fn sum_of_layers(x: Layers<f32>, mut sums: RowsMut<f32>) {
///     let (row, column) = (global_idx_y(), global_idx_x());
///     if row < sums.rows() && column < sums.columns() {
///         for layer in 0..x.layers() {
///             sums[(row, column)] += x[(layer, row, column)];
///         }
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.upload_3d(&[1.0f32, 2.0, 3.0, 4.0], (2, 1, 2))?;
/// let mut sums = device.zeros_2d((1, 2))?;
/// sum_of_layers::launch(&device, LaunchConfig::cover((2, 1)), &x, &mut sums)?;
/// assert_eq!(sums.to_vec()?, [4.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a, T> {
    elements: &'a [T],
    layers: usize,
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<'a, T> Layers<'a, T> {
    /// Divides a slice into layers of `rows` rows of `columns` elements. Elements after the last
    /// whole layer are not part of the array.
    ///
    /// ```
    /// use warpwise::Layers;
    /// let x = Layers::new(&[1, 2, 3, 4, 5, 6, 7, 8], 2, 2);
    /// assert_eq!((x.layers(), x.rows(), x.columns()), (2, 2, 2));
    /// assert_eq!(x[(1, 1, 0)], 7);
    /// ```
    ///
    /// # Panics
    /// If there are 0 rows or 0 columns.
    #[track_caller]
    pub fn new(elements: &'a [T], rows: usize, columns: usize) -> Self {
        let layers = elements.len() / columns / rows;
        Self { elements, layers, rows, columns, pitch: columns }
    }

    /// Returns the number of layers.
    ///
    /// ```
    /// use warpwise::Layers;
    /// assert_eq!(Layers::new(&[0.5; 6], 1, 3).layers(), 2);
    /// ```
    #[track_caller]
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the number of rows in a layer.
    ///
    /// ```
    /// use warpwise::Layers;
    /// assert_eq!(Layers::new(&[0.5; 6], 1, 3).rows(), 1);
    /// ```
    #[track_caller]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns: of elements in a row.
    ///
    /// ```
    /// use warpwise::Layers;
    /// assert_eq!(Layers::new(&[0.5; 6], 1, 3).columns(), 3);
    /// ```
    #[track_caller]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the element at `(layer, row, column)`; `None` outside the array.
    ///
    /// ```
    /// use warpwise::Layers;
    /// let numbers = &[1, 2, 3, 4];
    /// let x = Layers::new(numbers, 1, 2);
    /// assert_eq!((x.get((1, 0, 0)), x.get((0, 1, 0))), (Some(&3), None));
    /// ```
    #[track_caller]
    pub fn get(&self, (layer, row, column): (usize, usize, usize)) -> Option<&T> {
        if layer < self.layers && row < self.rows && column < self.columns {
            Some(&self.elements[(layer * self.rows + row) * self.pitch + column])
        } else {
            None
        }
    }
}

#[device]
impl<T> Index<(usize, usize, usize)> for Layers<'_, T> {
    type Output = T;

    #[track_caller]
    fn index(&self, (layer, row, column): (usize, usize, usize)) -> &T {
        assert!(layer < self.layers, "layer {layer} of an array of {} layers", self.layers);
        assert!(row < self.rows, "row {row} of an array of {} rows", self.rows);
        assert!(column < self.columns, "column {column} of an array of {} columns", self.columns);
        &self.elements[(layer * self.rows + row) * self.pitch + column]
    }
}

/// A three-dimensional array that a kernel writes, indexed by `(layer, row, column)`.
///
/// A launch takes `&mut` [`Buffer3<T>`](crate::Buffer3) for it, which has an example.
#[device]
#[derive(Debug)]
pub struct LayersMut<'a, T> {
    elements: &'a mut [T],
    layers: usize,
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<'a, T> LayersMut<'a, T> {
    /// Divides a slice into layers of `rows` rows of `columns` elements. Elements after the last
    /// whole layer are not part of the array.
    ///
    /// ```
    /// use warpwise::LayersMut;
    /// let numbers = &mut [1, 2, 3, 4, 5, 6, 7, 8];
    /// let mut x = LayersMut::new(numbers, 2, 2);
    /// x[(1, 1, 0)] += 10;
    /// assert_eq!(x[(1, 1, 0)], 17);
    /// ```
    ///
    /// # Panics
    /// If there are 0 rows or 0 columns.
    #[track_caller]
    pub fn new(elements: &'a mut [T], rows: usize, columns: usize) -> Self {
        let layers = elements.len() / columns / rows;
        Self { elements, layers, rows, columns, pitch: columns }
    }

    /// Returns the number of layers.
    ///
    /// ```
    /// use warpwise::LayersMut;
    /// assert_eq!(LayersMut::new(&mut [0.5; 6], 1, 3).layers(), 2);
    /// ```
    #[track_caller]
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the number of rows in a layer.
    ///
    /// ```
    /// use warpwise::LayersMut;
    /// assert_eq!(LayersMut::new(&mut [0.5; 6], 1, 3).rows(), 1);
    /// ```
    #[track_caller]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns: of elements in a row.
    ///
    /// ```
    /// use warpwise::LayersMut;
    /// assert_eq!(LayersMut::new(&mut [0.5; 6], 1, 3).columns(), 3);
    /// ```
    #[track_caller]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the element at `(layer, row, column)`; `None` outside the array.
    ///
    /// ```
    /// use warpwise::LayersMut;
    /// let numbers = &mut [1, 2, 3, 4];
    /// let x = LayersMut::new(numbers, 1, 2);
    /// assert_eq!((x.get((1, 0, 0)), x.get((0, 1, 0))), (Some(&3), None));
    /// ```
    #[track_caller]
    pub fn get(&self, (layer, row, column): (usize, usize, usize)) -> Option<&T> {
        if layer < self.layers && row < self.rows && column < self.columns {
            Some(&self.elements[(layer * self.rows + row) * self.pitch + column])
        } else {
            None
        }
    }

    /// Returns the element at `(layer, row, column)` to be written; `None` outside the array.
    ///
    /// ```
    /// use warpwise::LayersMut;
    /// let numbers = &mut [1, 2, 3, 4];
    /// let mut x = LayersMut::new(numbers, 1, 2);
    /// if let Some(number) = x.get_mut((1, 0, 0)) {
    ///     *number += 10;
    /// }
    /// assert_eq!(x[(1, 0, 0)], 13);
    /// ```
    #[track_caller]
    pub fn get_mut(&mut self, (layer, row, column): (usize, usize, usize)) -> Option<&mut T> {
        if layer < self.layers && row < self.rows && column < self.columns {
            Some(&mut self.elements[(layer * self.rows + row) * self.pitch + column])
        } else {
            None
        }
    }

    /// Returns the place of the element at `(layer, row, column)` in the slice.
    #[track_caller]
    fn place(&self, layer: usize, row: usize, column: usize) -> usize {
        assert!(layer < self.layers, "layer {layer} of an array of {} layers", self.layers);
        assert!(row < self.rows, "row {row} of an array of {} rows", self.rows);
        assert!(column < self.columns, "column {column} of an array of {} columns", self.columns);
        (layer * self.rows + row) * self.pitch + column
    }
}

#[device]
impl<T> Index<(usize, usize, usize)> for LayersMut<'_, T> {
    type Output = T;

    #[track_caller]
    fn index(&self, (layer, row, column): (usize, usize, usize)) -> &T {
        &self.elements[self.place(layer, row, column)]
    }
}

#[device]
impl<T> IndexMut<(usize, usize, usize)> for LayersMut<'_, T> {
    #[track_caller]
    fn index_mut(&mut self, (layer, row, column): (usize, usize, usize)) -> &mut T {
        let place = self.place(layer, row, column);
        &mut self.elements[place]
    }
}
