//! Tensor maps: boxes of arrays that one thread copies to and from shared memory, by hardware.
//!
//! ```
//! use warpwise::{MBarrier, TensorMap2, prelude::*};
//!
//! /// A box of 8 rows and 32 columns.
//! #[device]
//! #[repr(C, align(128))]
//! #[derive(Clone, Copy)]
//! struct Tile([[f32; 32]; 8]);
//!
//! /// The sums of boxes.
//! #[kernel(block = 32)]
//! fn sums(x: TensorMap2<f32, 8, 32, 0>, y: &mut [f32]) {
//!     let full = shared!(MBarrier<1>);
//!     let tile = shared!(Tile);
//!     let (lane, block) = (thread_idx_x(), block_idx_x());
//!     if lane == 0 {
//!         full.tensor_copy(tile, &x, (8 * block as i32, 0));
//!         full.arrive();
//!     }
//!     full.wait_parity(false);
//!     let mut sum = 0.0;
//!     for row in 0..8 {
//!         sum += tile.0[row][lane];
//!     }
//!     let sum = warp::reduce_add(sum);
//!     if lane == 0 && block < y.len() {
//!         y[block] = sum;
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! // 11 rows of 20 numbers: elements of a box outside of the array are zeros.
//! let x = device.upload_2d(&[0.5f32; 220], (11, 20))?;
//! let mut y = device.zeros::<f32>(2)?;
//! sums::launch(&device, LaunchConfig::grid(2), &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [80.0, 30.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A kernel takes a [`TensorMap2<T, ROWS, COLUMNS, SWIZZLE>`](TensorMap2) by value, and its launch
//! a reference to the array: a [`Buffer2`](crate::Buffer2) or a part of one. [`TensorMap3`] is for
//! a [`Buffer3`](crate::Buffer3). The constants are the *box* that a copy moves: its rows and
//! columns, and its swizzle.
//!
//! - [`MBarrier::tensor_copy`](crate::MBarrier::tensor_copy) copies a box to shared memory. It is
//!   waited for as a [bulk copy](crate::MBarrier::bulk_copy).
//! - A [`TensorMap2Mut`] takes `&mut` of the array, and its [`store`](TensorMap2Mut::store) copies
//!   a box from shared memory. It is waited for as the stores of [`bulk_store`](crate::bulk_store).
//! - [`MBarrier::tensor_copy_multicast`](crate::MBarrier::tensor_copy_multicast) copies a box to
//!   several blocks of a [cluster](crate::cluster) at once.
//!
//! **Coordinates** are those of the first element of the box: `(row, column)`, or
//! `(layer, row, column)`. They may be negative. The box begins at a multiple of 16 bytes along the
//! rows: hardware has no other boxes, so that the column is rounded down, for `f32` to a multiple
//! of 4. Elements of the box that are outside of the array are zeros, and stores leave them out, so
//! that copies need no checks. A store with a negative coordinate, which hardware lacks, is left
//! out as a whole.
//!
//! **Tiles.** The place in shared memory has as many bytes as the box, and is aligned to 128 bytes.
//! Without a swizzle (`0`), the tile `[[T; COLUMNS]; ROWS]` in a struct with `repr(C, align(128))`
//! has the rows of the box one after the other. Columns of a tile are in the same banks. A swizzle
//! of `128`, `64` or `32` bytes avoids that: the rows of the box have so many bytes, in chunks of
//! 16, and chunk `c` of row `r` is in the place of another chunk of that row.
//!
//! | swizzle | place of chunk `c` of row `r` | alignment of the tile |
//! |---|---|---|
//! | 128 | `c ^ (r % 8)` | 1024 |
//! | 64 | `c ^ (r / 2 % 4)` | 512 |
//! | 32 | `c ^ (r / 4 % 2)` | 256 |
//!
//! So `[[U32x4; 8]; ROWS]` in a struct with `repr(C, align(1024))` is a tile with a swizzle of 128
//! bytes, and the chunk is `tile.0[r][c ^ (r % 8)]`.
//!
//! **Limits.** Elements have 1, 2, 4 or 8 bytes. A box has 1 to 256 elements along each dimension,
//! and rows of a multiple of 16 bytes; others are errors at build time, or when a kernel is
//! specialized. The array begins at a multiple of 16 bytes, and so do its rows, as those of a
//! `Buffer2` do; rows that are stored have a multiple of 16 bytes. Else the launch is an error.
//!
//! Tensor maps need a GPU of compute capability 9.0, and a driver of CUDA 12.0.
mod layout;
#[doc(hidden)]
pub mod words;

use crate::device;
pub(crate) use layout::TensorLayout;

/// A tensor map that copies boxes to shared memory: [`TensorMap2`] and [`TensorMap3`].
#[device]
pub trait TensorMap {
    /// The coordinates of the first element of a box.
    type Coordinates;
}

/// An array of two dimensions, of which a kernel copies boxes of `ROWS` rows and `COLUMNS` columns
/// to shared memory, with a swizzle of `SWIZZLE` bytes or 0.
///
/// A launch takes `&` [`Slice2<T>`](crate::Slice2) for it. The documentation of
/// [`tensor_map`](crate::tensor_map) has the rules.
///
/// ```
/// use warpwise::{MBarrier, TensorMap2, prelude::*};
///
/// /// A box of 8 rows and 32 columns.
/// #[device]
/// #[repr(C, align(128))]
/// #[derive(Clone, Copy)]
/// struct Tile([[f32; 32]; 8]);
///
/// /// The sums of the first 32 columns, box by box.
/// #[kernel(block = 32)]
/// fn sum_columns(x: TensorMap2<f32, 8, 32, 0>, y: &mut [f32]) {
///     let (full, tile) = (shared!(MBarrier<1>), shared!(Tile));
///     let t = thread_idx_x();
///     let mut sum = 0.0;
///     for step in 0..x.rows().div_ceil(8) {
///         if t == 0 {
///             full.tensor_copy(tile, &x, (8 * step as i32, 0));
///             full.arrive();
///         }
///         full.wait_parity(step % 2 == 1);
///         for row in 0..8 {
///             sum += tile.0[row][t];
///         }
///         sync_threads();
///     }
///     if t < x.columns() && t < y.len() {
///         y[t] = sum;
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.upload_2d(&[0.5f32; 220], (11, 20))?;
/// let mut y = device.zeros::<f32>(20)?;
/// sum_columns::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [5.5; 20]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct TensorMap2<'a, T, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize> {
    tensor: &'a [T],
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<T, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize>
    TensorMap2<'_, T, ROWS, COLUMNS, SWIZZLE>
{
    /// Returns the number of rows of the array.
    ///
    /// The documentation of [`TensorMap2`] has an example.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns of the array.
    ///
    /// The documentation of [`TensorMap2`] has an example.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

#[device]
impl<T, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize> TensorMap
    for TensorMap2<'_, T, ROWS, COLUMNS, SWIZZLE>
{
    type Coordinates = (i32, i32);
}

/// An array of two dimensions, to which a kernel copies boxes of `ROWS` rows and `COLUMNS` columns
/// from shared memory, with a swizzle of `SWIZZLE` bytes or 0.
///
/// A launch takes `&mut` [`Slice2<T>`](crate::Slice2) for it.
#[device]
#[derive(Debug)]
pub struct TensorMap2Mut<'a, T, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize> {
    tensor: &'a mut [T],
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<T, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize>
    TensorMap2Mut<'_, T, ROWS, COLUMNS, SWIZZLE>
{
    /// Returns the number of rows of the array.
    ///
    /// The documentation of [`Self::store`] has an example.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns of the array.
    ///
    /// The documentation of [`Self::store`] has an example.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Begins to copy a box from shared memory, as part of the thread's open group of stores: see
    /// [`bulk_store`](crate::bulk_store).
    ///
    /// ```standalone_crate
    /// # // By itself, so that this file, which declares `TensorMap`, is the place of its spans.
    /// use warpwise::{TensorMap2Mut, prelude::*};
    ///
    /// #[device]
    /// #[repr(C, align(128))]
    /// #[derive(Clone, Copy)]
    /// struct Tile([[u32; 4]; 8]);
    ///
    /// /// Numbers the elements of each box.
    /// #[kernel(block = 32)]
    /// fn number(y: TensorMap2Mut<u32, 8, 4, 0>) {
    ///     let tile = shared!(Tile);
    ///     let t = thread_idx_x();
    ///     tile.0[t / 4][t % 4] = (t / 4 * y.columns() + t % 4) as u32;
    ///     sync_threads();
    ///     if t == 0 && 8 * block_idx_x() < y.rows() {
    ///         y.store(tile, (8 * block_idx_x() as i32, 0));
    ///         bulk_store::wait_all();
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut y = device.zeros_2d::<u32>((10, 4))?;
    /// number::launch(&device, LaunchConfig::grid(3), &mut y)?;
    /// assert_eq!(y.to_vec()?[28..], [28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn store<U: Copy>(&self, from: &U, at: (i32, i32)) {
        warpwise::tensor_map::words::store(self, from, at);
    }
}

/// An array of three dimensions, of which a kernel copies boxes of `LAYERS` layers, `ROWS` rows and
/// `COLUMNS` columns to shared memory, with a swizzle of `SWIZZLE` bytes or 0.
///
/// A launch takes `&` [`Buffer3<T>`](crate::Buffer3) for it:
///
/// ```
/// use warpwise::{MBarrier, TensorMap3, prelude::*};
///
/// /// A box of 1 layer, 8 rows and 4 columns.
/// #[device]
/// #[repr(C, align(128))]
/// #[derive(Clone, Copy)]
/// struct Tile([[f32; 4]; 8]);
///
/// /// The mean of each layer, which has at most 8 rows and 4 columns.
/// #[kernel(block = 32)]
/// fn means(x: TensorMap3<f32, 1, 8, 4, 0>, y: &mut [f32]) {
///     let (full, tile) = (shared!(MBarrier<1>), shared!(Tile));
///     let (t, layer) = (thread_idx_x(), block_idx_x());
///     if t == 0 {
///         full.tensor_copy(tile, &x, (layer as i32, 0, 0));
///         full.arrive();
///     }
///     full.wait_parity(false);
///     let sum = warp::reduce_add(tile.0[t / 4][t % 4]);
///     if t == 0 && layer < x.layers() && layer < y.len() {
///         y[layer] = sum / (x.rows() * x.columns()) as f32;
///     }
/// }
///
/// let device = Device::cpu();
/// // 2 layers of 3 rows and 4 columns.
/// let x = device.upload_3d(&std::array::from_fn::<f32, 24, _>(|i| i as f32), (2, 3, 4))?;
/// let mut y = device.zeros::<f32>(2)?;
/// means::launch(&device, LaunchConfig::grid(2), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [5.5, 17.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct TensorMap3<
    'a,
    T,
    const LAYERS: usize,
    const ROWS: usize,
    const COLUMNS: usize,
    const SWIZZLE: usize,
> {
    tensor: &'a [T],
    layers: usize,
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<T, const LAYERS: usize, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize>
    TensorMap3<'_, T, LAYERS, ROWS, COLUMNS, SWIZZLE>
{
    /// Returns the number of layers of the array.
    ///
    /// The documentation of [`TensorMap3`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the number of rows of a layer.
    ///
    /// The documentation of [`TensorMap3`] has an example.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns of the array.
    ///
    /// The documentation of [`TensorMap3`] has an example.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

#[device]
impl<T, const LAYERS: usize, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize>
    TensorMap for TensorMap3<'_, T, LAYERS, ROWS, COLUMNS, SWIZZLE>
{
    type Coordinates = (i32, i32, i32);
}

/// An array of three dimensions, to which a kernel copies boxes of `LAYERS` layers, `ROWS` rows and
/// `COLUMNS` columns from shared memory, with a swizzle of `SWIZZLE` bytes or 0.
///
/// A launch takes `&mut` [`Buffer3<T>`](crate::Buffer3) for it.
#[device]
#[derive(Debug)]
pub struct TensorMap3Mut<
    'a,
    T,
    const LAYERS: usize,
    const ROWS: usize,
    const COLUMNS: usize,
    const SWIZZLE: usize,
> {
    tensor: &'a mut [T],
    layers: usize,
    rows: usize,
    columns: usize,
    pitch: usize,
}

#[device]
impl<T, const LAYERS: usize, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize>
    TensorMap3Mut<'_, T, LAYERS, ROWS, COLUMNS, SWIZZLE>
{
    /// Returns the number of layers of the array.
    ///
    /// The documentation of [`Self::store`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the number of rows of a layer.
    ///
    /// The documentation of [`Self::store`] has an example.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns of the array.
    ///
    /// The documentation of [`Self::store`] has an example.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Begins to copy a box from shared memory: see [`TensorMap2Mut::store`].
    ///
    /// ```
    /// use warpwise::{TensorMap3Mut, prelude::*};
    ///
    /// #[device]
    /// #[repr(C, align(128))]
    /// #[derive(Clone, Copy)]
    /// struct Tile([[[u32; 4]; 4]; 2]);
    ///
    /// /// Numbers the elements of each box of 2 layers, if these have 4 rows and 4 columns.
    /// #[kernel(block = 32)]
    /// fn number(y: TensorMap3Mut<u32, 2, 4, 4, 0>) {
    ///     let tile = shared!(Tile);
    ///     let t = thread_idx_x();
    ///     let (layer, row, column) = (t / 16, t / 4 % 4, t % 4);
    ///     tile.0[layer][row][column] = ((layer * y.rows() + row) * y.columns() + column) as u32;
    ///     sync_threads();
    ///     if t == 0 && 2 * block_idx_x() < y.layers() {
    ///         y.store(tile, (2 * block_idx_x() as i32, 0, 0));
    ///         bulk_store::wait_all();
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// // The second box has one layer of the array: the other one is left out.
    /// let mut y = device.zeros_3d::<u32>((3, 4, 4))?;
    /// number::launch(&device, LaunchConfig::grid(3), &mut y)?;
    /// assert_eq!(y.to_vec()?[28..36], [28, 29, 30, 31, 0, 1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn store<U: Copy>(&self, from: &U, at: (i32, i32, i32)) {
        warpwise::tensor_map::words::store(self, from, at);
    }
}
