//! Parts of buffers: [`Slice`], and its borrowed owners [`View`] and [`ViewMut`].
use super::{AnySlice, Buffer, PinnedArg, PinnedArgMut, PinnedElement};
use crate::{Device, Element, Error, Plain, Result, Stored, vector::Vector};
use std::{
    fmt,
    marker::PhantomData,
    ops::{Bound, Deref, DerefMut, Range, RangeBounds},
};

/// Elements of a [`Buffer`], all of them or a part: the counterpart of Rust's `[T]` in the memory
/// of a device. It is always behind a reference: functions take `&Slice<f32>`, and structs that keep
/// a part of a buffer have a field [`View<'a, f32>`](View).
///
/// A kernel's `&[T]` takes `&Slice<T>`, and its `&mut [T]` takes `&mut Slice<T>`. Buffers and views
/// dereference to slices, so a launch takes references to these:
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel]
/// fn add(x: &[f32], y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < x.len() && i < y.len() {
///         y[i] += x[i];
///     }
/// }
///
/// let device = Device::cpu();
/// let mut all = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let (left, mut right) = all.split_at_mut(2)?;
/// add::launch(&device, LaunchConfig::cover(2), &left, &mut right)?;
/// assert_eq!(all.slice(1..)?.to_vec()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// Functions that take a range return [`Error::OutOfRange`] where slices of Rust panic. A kernel
/// reads neighbouring elements of a slice together, up to 16 bytes at once, if the slice begins at
/// a multiple of 16 bytes. Other slices are passed to a version of the kernel that does not.
///
/// The parameter `U` exists for Rust's unsized coercion. It makes two slices impossible to swap.
pub struct Slice<T, U: ?Sized = [()]> {
    any: AnySlice,
    elements: PhantomData<fn() -> T>,
    _unsized: U,
}

impl<T: Stored> Slice<T, [(); 0]> {
    pub(super) const fn from_any(any: AnySlice) -> Self {
        Self { any, elements: PhantomData, _unsized: [] }
    }

    pub(super) fn into_any(self) -> AnySlice {
        self.any
    }
}

impl<T: Stored> Slice<T> {
    pub(crate) const fn any(&self) -> &AnySlice {
        &self.any
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3])?;
    /// assert_eq!((x.len(), x.slice(1..)?.len()), (3, 2));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn len(&self) -> usize {
        self.any.len
    }

    /// Returns true if there are no elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3])?;
    /// assert!(x.slice(3..)?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.any.len == 0
    }

    /// Returns the device or stream on which the memory was allocated. To launch a kernel that writes
    /// the slice, clone the device first; a clone costs a reference count.
    ///
    /// ```
    /// use warpwise::{Slice, prelude::*};
    ///
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     if let Some(x) = x.get_mut(global_idx_x()) {
    ///         *x *= 2.0;
    ///     }
    /// }
    ///
    /// fn double_all(x: &mut Slice<f32>) -> warpwise::Result<()> {
    ///     let device = x.device().clone();
    ///     double::launch(&device, LaunchConfig::cover(x.len()), x)
    /// }
    ///
    /// let mut x = Device::cpu().upload(&[1.0f32, 2.0])?;
    /// double_all(&mut x)?;
    /// assert_eq!(x.to_vec()?, [2.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.any.device()
    }

    /// Waits for the work that writes the elements and copies them to the host.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3])?;
    /// assert_eq!(x.slice(1..)?.to_vec()?, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DevicePanic`] if a launch before it failed a check: once, after which the same
    /// call returns the elements with whatever was written.
    #[doc(alias = "cudaMemcpy")]
    pub fn to_vec(&self) -> Result<Vec<T::Value>> {
        self.device().check_download_call()?;
        T::Value::collect(self.len(), |bytes| self.device().read(&self.any, bytes))
            .unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Waits for the work that writes the elements and copies them to `values`.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3])?;
    /// let mut last = [0; 2];
    /// x.slice(1..)?.copy_to(&mut last)?;
    /// assert_eq!(last, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `values` has as many elements; those of
    /// [`Self::to_vec`].
    #[doc(alias = "cudaMemcpy")]
    pub fn copy_to(&self, values: &mut [T::Value]) -> Result<()> {
        check_lengths(self.len(), values.len())?;
        self.device().check_download_call()?;
        T::Value::load_all(values, |bytes| self.device().read(&self.any, bytes))
            .unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Waits for the work that writes an element and returns its value. Each call is a copy of its
    /// own; for several elements, [`Self::to_vec`] of a slice is one copy.
    ///
    /// ```
    /// # use warpwise::Device;
    /// use warpwise::Error;
    /// let x = Device::cpu().upload(&[1.5f32, 2.5])?;
    /// assert_eq!(x.get(1)?, 2.5);
    /// assert!(matches!(x.get(2), Err(Error::OutOfRange { .. })));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is such an element; those of [`Self::to_vec`].
    pub fn get(&self, index: usize) -> Result<T::Value> {
        Ok(self.slice(index..=index)?.to_vec()?.pop().expect("a slice of one element"))
    }

    /// Overwrites all elements, once the launches before it are done.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros::<i32>(3)?;
    /// x.slice_mut(1..)?.copy_from(&[7, 8])?;
    /// assert_eq!(x.to_vec()?, [0, 7, 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `values` has as many elements.
    #[doc(alias = "cudaMemcpy")]
    pub fn copy_from(&mut self, values: &[T::Value]) -> Result<()> {
        self.device().check_upload_call()?;
        self.initialize(values)
    }

    /// Overwrites the elements, also while a graph is recorded.
    pub(super) fn initialize(&mut self, values: &[T::Value]) -> Result<()> {
        check_lengths(values.len(), self.len())?;
        self.write(|take| T::Value::with_bytes(values, take))
    }

    /// Copies the elements of another slice, which may be on another device.
    ///
    /// Between slices of GPUs it returns before the copy is done. Later work with either slice
    /// waits for it.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (x, mut y) = (device.upload(&[1, 2, 3])?, device.zeros(3)?);
    /// y.slice_mut(..2)?.copy_from_device(&x.slice(1..)?)?;
    /// assert_eq!(y.to_vec()?, [2, 3, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `source` has as many elements; errors of the driver.
    #[doc(alias("cudaMemcpyPeer", "cudaMemcpyPeerAsync"))]
    pub fn copy_from_device(&mut self, source: &Self) -> Result<()> {
        check_lengths(source.len(), self.len())?;
        self.device().check_copy_call()?;
        self.device().copy_bytes(&source.any, &self.any)
    }

    /// Gives all elements the same value. On a GPU it returns before that is done.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros::<u16>(4)?;
    /// x.slice_mut(1..3)?.fill(7)?;
    /// assert_eq!(x.to_vec()?, [0, 7, 7, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaMemset")]
    pub fn fill(&mut self, value: T::Value) -> Result<()> {
        self.device().check_fill_call()?;
        self.initialize_all(value)
    }

    /// Gives all elements the same value, also while a graph is recorded.
    pub(super) fn initialize_all(&mut self, value: T::Value) -> Result<()> {
        self.with_element(value, |element| self.device().fill_bytes(&self.any, element))
    }

    /// Gives one element a value. On a GPU it returns before that is done.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros::<f32>(3)?;
    /// x.set(1, 2.5)?;
    /// assert_eq!(x.to_vec()?, [0.0, 2.5, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is such an element; errors of the driver.
    pub fn set(&mut self, index: usize, value: T::Value) -> Result<()> {
        self.slice_mut(index..=index)?.fill(value)
    }

    /// Creates a buffer on the same device with the same elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().upload(&[1, 2, 3])?;
    /// let y = x.slice(..2)?.try_clone()?;
    /// x.fill(0)?;
    /// assert_eq!(y.to_vec()?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn try_clone(&self) -> Result<Buffer<T>> {
        self.device().uninit(self.len())?.copy_from_device(self)
    }

    /// Borrows the elements in `range`.
    ///
    /// ```
    /// # use warpwise::Device;
    /// use warpwise::Error;
    /// let x = Device::cpu().upload(&[1, 2, 3])?;
    /// assert_eq!(x.slice(1..=1)?.to_vec()?, [2]);
    /// assert!(matches!(x.slice(2..4), Err(Error::OutOfRange { .. })));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the range ends after the slice, or begins after its own end.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        Ok(View::new(self.part(self.resolve(&range)?)))
    }

    /// Borrows the elements in `range`, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().upload(&[1, 2, 3])?;
    /// x.slice_mut(1..)?.fill(0)?;
    /// assert_eq!(x.to_vec()?, [1, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        Ok(ViewMut::new(self.part(self.resolve(&range)?)))
    }

    /// Borrows the first `middle` elements, and the others.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3])?;
    /// let (left, right) = x.split_at(1)?;
    /// assert_eq!((left.to_vec()?, right.to_vec()?), (vec![1], vec![2, 3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if there are fewer elements than `middle`.
    pub fn split_at(&self, middle: usize) -> Result<(View<'_, T>, View<'_, T>)> {
        Ok((self.slice(..middle)?, self.slice(middle..)?))
    }

    /// Borrows the first `middle` elements, and the others, to be written at the same time.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().upload(&[1, 2, 3, 4])?;
    /// let (left, mut right) = x.split_at_mut(2)?;
    /// right.copy_from_device(&left)?;
    /// assert_eq!(x.to_vec()?, [1, 2, 1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::split_at`].
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>)> {
        let (left, right) = (self.resolve(&(..middle))?, self.resolve(&(middle..))?);
        Ok((ViewMut::new(self.part(left)), ViewMut::new(self.part(right))))
    }

    /// Borrows parts of `size` elements, of which the last may be shorter.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let x = Device::cpu().upload(&[1, 2, 3, 4, 5])?;
    /// let lengths: Vec<usize> = x.chunks(2).map(|chunk| chunk.len()).collect();
    /// assert_eq!(lengths, [2, 2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `size` is 0, as Rust's `chunks`.
    pub fn chunks(&self, size: usize) -> impl ExactSizeIterator<Item = View<'_, T>> {
        chunk_ranges(self.len(), size).map(|range| View::new(self.part(range)))
    }

    /// Borrows parts of `size` elements, of which the last may be shorter, to be written at the
    /// same time.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut x = Device::cpu().zeros::<u32>(5)?;
    /// for (mut chunk, value) in x.chunks_mut(2).zip(1..) {
    ///     chunk.fill(value)?;
    /// }
    /// assert_eq!(x.to_vec()?, [1, 1, 2, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// As of [`Self::chunks`].
    pub fn chunks_mut(&mut self, size: usize) -> impl ExactSizeIterator<Item = ViewMut<'_, T>> {
        chunk_ranges(self.len(), size).map(|range| ViewMut::new(self.part(range)))
    }

    /// Returns the same memory as `len` elements of another type.
    fn reinterpret(&self, len: usize) -> AnySlice {
        AnySlice { len, ..self.any.clone() }
    }

    /// Returns the elements in `range`, which are in the slice.
    fn part(&self, range: Range<usize>) -> AnySlice {
        let size = T::LAYOUT.size;
        AnySlice {
            offset: self.any.offset + range.start * size,
            len: range.len(),
            bytes: range.len() * size,
            ..self.any.clone()
        }
    }

    /// Returns the indices of a range that is in the slice.
    fn resolve(&self, range: &impl RangeBounds<usize>) -> Result<Range<usize>> {
        let len = self.len();
        resolve(range, len).map_err(|(start, end)| Error::OutOfRange { start, end, len })
    }

    /// Passes the bytes of a value to `take`.
    pub(crate) fn with_element(
        &self,
        value: T::Value,
        take: impl FnOnce(&[u8]) -> Result<()>,
    ) -> Result<()> {
        T::Value::with_bytes(&[value], take).unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Overwrites the elements with the bytes that `with_bytes` passes.
    pub(super) fn write(
        &mut self,
        with_bytes: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Option<Result<()>>,
    ) -> Result<()> {
        with_bytes(&mut |bytes| self.device().write(&self.any, bytes))
            .unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Returns the error of a host without memory for as many elements.
    fn no_host_memory(&self) -> Error {
        no_host_memory(self.len(), T::LAYOUT.size)
    }
}

/// Returns the error of a host without memory for `len` elements of `size` bytes.
pub(crate) fn no_host_memory(elements: usize, size: usize) -> Error {
    Error::OutOfMemory { place: "the host".to_owned(), elements, size, free: None }
}

/// Returns the indices of a range of `len` elements; its start and end if it is not inside of them.
pub(super) fn resolve(
    range: &impl RangeBounds<usize>,
    len: usize,
) -> Result<Range<usize>, (usize, usize)> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    if start <= end && end <= len { Ok(start..end) } else { Err((start, end)) }
}

/// Refuses a copy between arrays of different lengths.
pub(crate) fn check_lengths(source_len: usize, destination_len: usize) -> Result<()> {
    if source_len == destination_len {
        Ok(())
    } else {
        Err(Error::LengthMismatch { source_len, destination_len })
    }
}

/// Returns the ranges of `chunks`.
fn chunk_ranges(len: usize, size: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    assert!(size > 0, "chunks of no elements");
    let starts = (0..len).step_by(size);
    starts.map(move |start| start..start.saturating_add(size).min(len))
}

impl<T: PinnedElement> Slice<T> {
    /// Starts a copy from page-locked memory, a [`PinnedBuffer`] or a [part] of one, and returns
    /// before it is done. Later work with the slice waits for it, and so does
    /// [`PinnedBuffer::as_mut_slice`]. The copy runs on the stream that the slice was allocated on;
    /// [`Device::copy_from_pinned`] runs it on another one.
    ///
    /// [`PinnedBuffer`]: crate::PinnedBuffer
    /// [`PinnedBuffer::as_mut_slice`]: crate::PinnedBuffer::as_mut_slice
    /// [part]: crate::PinnedBuffer::slice
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (mut x, mut host) = (device.zeros::<u32>(2)?, device.pinned(2)?);
    /// host.as_mut_slice()?.copy_from_slice(&[1, 2]);
    /// x.copy_from_pinned(&host)?;
    /// assert_eq!(x.to_vec()?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `source` has as many elements; errors of the driver.
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_from_pinned(&mut self, source: &(impl PinnedArg<T> + ?Sized)) -> Result<()> {
        let from = source.part().for_copy_to::<T>(self.len())?;
        self.device().check_pinned_call()?;
        self.device().write_from_pinned(from, &self.any)
    }

    /// Starts a copy to page-locked memory, a [`PinnedBuffer`] or a [part] of one, and returns before
    /// it is done. [`PinnedBuffer::as_slice`] waits for it. The copy runs on the stream that the slice
    /// was allocated on; [`Device::copy_to_pinned`] runs it on another one.
    ///
    /// [`PinnedBuffer`]: crate::PinnedBuffer
    /// [`PinnedBuffer::as_slice`]: crate::PinnedBuffer::as_slice
    /// [part]: crate::PinnedBuffer::slice_mut
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (x, mut host) = (device.upload(&[1, 2, 3])?, device.pinned(2)?);
    /// x.slice(1..)?.copy_to_pinned(&mut host)?;
    /// assert_eq!(host.as_slice()?, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless `destination` has as many elements; errors of the driver.
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_to_pinned(&self, destination: &mut (impl PinnedArgMut<T> + ?Sized)) -> Result<()> {
        let to = destination.part_mut().for_copy_of::<T>(self.len())?;
        self.device().check_pinned_call()?;
        self.device().read_to_pinned(&self.any, to)
    }
}

impl<T: Plain> Slice<T> {
    /// Borrows the elements as `#[device]` structs or other plain types: see
    /// [`Buffer::into_structs`].
    ///
    /// ```
    /// # use warpwise::Device;
    /// let numbers = Device::cpu().upload(&[1u32, 2, 3, 4])?;
    /// let pairs = numbers.as_structs::<(u32, u32)>()?;
    /// assert_eq!(pairs.to_vec()?, [(1, 2), (3, 4)]);
    /// assert_eq!(pairs.as_structs::<u16>()?.to_vec()?, [1, 0, 2, 0, 3, 0, 4, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotStructs`] if the last struct would not be whole, or has no size, or the slice
    /// does not begin where a struct may.
    pub fn as_structs<S: Plain>(&self) -> Result<View<'_, S>> {
        Ok(View::new(self.structs::<S>()?))
    }

    /// Borrows the elements as `#[device]` structs or other plain types, to be written: see
    /// [`Buffer::into_structs`].
    ///
    /// ```
    /// # use warpwise::Device;
    /// let mut numbers = Device::cpu().zeros::<u32>(4)?;
    /// numbers.as_structs_mut::<(u32, u32)>()?.fill((5, 6))?;
    /// assert_eq!(numbers.to_vec()?, [5, 6, 5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::as_structs`].
    pub fn as_structs_mut<S: Plain>(&mut self) -> Result<ViewMut<'_, S>> {
        Ok(ViewMut::new(self.structs::<S>()?))
    }

    /// Returns the same memory as structs.
    pub(super) fn structs<S: Plain>(&self) -> Result<AnySlice> {
        let len = count_structs::<S, T>(self.len())?;
        self.check_alignment::<S>()?;
        Ok(self.reinterpret(len))
    }

    /// Refuses elements of another type that need more alignment than the slice has.
    fn check_alignment<U: Stored>(&self) -> Result<()> {
        let (offset, align) = (self.any.offset, U::LAYOUT.align);
        if self.any.is_aligned(align.max(1) as u64) {
            Ok(())
        } else {
            Err(Error::Misaligned { offset, align })
        }
    }
}

impl<T: Element> Slice<T> {
    /// Borrows the numbers as vectors.
    ///
    /// ```
    /// # use warpwise::{F32x2, prelude::*};
    /// let numbers = Device::cpu().upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let vectors = numbers.as_vectors::<F32x2>()?;
    /// assert_eq!(vectors.to_vec()?[1], F32x2::new(3.0, 4.0));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotVectors`] if the last vector would not be whole; [`Error::Misaligned`] if the
    /// slice does not begin where a vector may.
    pub fn as_vectors<V: Vector<Lane = T>>(&self) -> Result<View<'_, V>> {
        Ok(View::new(self.vectors::<V>()?))
    }

    /// Borrows the numbers as vectors, to be written.
    ///
    /// ```
    /// # use warpwise::{F32x2, prelude::*};
    /// let mut numbers = Device::cpu().zeros::<f32>(4)?;
    /// numbers.as_vectors_mut::<F32x2>()?.fill(F32x2::new(1.0, 2.0))?;
    /// assert_eq!(numbers.to_vec()?, [1.0, 2.0, 1.0, 2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::as_vectors`].
    pub fn as_vectors_mut<V: Vector<Lane = T>>(&mut self) -> Result<ViewMut<'_, V>> {
        Ok(ViewMut::new(self.vectors::<V>()?))
    }

    /// Returns the same memory as vectors.
    pub(super) fn vectors<V: Vector<Lane = T>>(&self) -> Result<AnySlice> {
        let len = count_vectors::<V>(self.len())?;
        self.check_alignment::<V>()?;
        Ok(self.reinterpret(len))
    }
}

impl<V: Vector> Slice<V> {
    /// Borrows the vectors as the numbers in their lanes.
    ///
    /// ```
    /// # use warpwise::{F32x2, prelude::*};
    /// let vectors = Device::cpu().upload(&[F32x2::new(1.0, 2.0); 2])?;
    /// assert_eq!(vectors.as_lanes().to_vec()?, [1.0, 2.0, 1.0, 2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_lanes(&self) -> View<'_, V::Lane> {
        View::new(self.reinterpret(self.len() * V::LANES))
    }

    /// Borrows the vectors as the numbers in their lanes, to be written.
    ///
    /// ```
    /// # use warpwise::{F32x2, prelude::*};
    /// let mut vectors = Device::cpu().zeros::<F32x2>(2)?;
    /// vectors.as_lanes_mut().slice_mut(1..)?.fill(3.0)?;
    /// assert_eq!(vectors.to_vec()?, [F32x2::new(0.0, 3.0), F32x2::splat(3.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_lanes_mut(&mut self) -> ViewMut<'_, V::Lane> {
        ViewMut::new(self.reinterpret(self.len() * V::LANES))
    }
}

impl<T: Stored> fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elem = std::any::type_name::<T>();
        write!(f, "Slice<{elem}>({} elements on {})", self.len(), self.device())
    }
}

/// Returns the number of vectors in `len` numbers; an error if there is a rest.
fn count_vectors<V: Vector>(len: usize) -> Result<usize> {
    match len % V::LANES {
        0 => Ok(len / V::LANES),
        _ => Err(Error::NotVectors { len, lanes: V::LANES }),
    }
}

/// Returns the number of structs in `len` elements; an error if there is a rest.
fn count_structs<S: Plain, T: Plain>(len: usize) -> Result<usize> {
    count_whole(len * T::LAYOUT.size, S::LAYOUT.size)
}

/// Returns the number of values of `size` bytes in `bytes` bytes; an error if there is a rest.
pub(crate) fn count_whole(bytes: usize, size: usize) -> Result<usize> {
    match bytes.checked_rem(size) {
        Some(0) => Ok(bytes / size),
        _ => Err(Error::NotStructs { bytes, size }),
    }
}

views! {
    Slice: from_any(AnySlice), any;
    /// A borrowed [`Slice`], from [`Slice::slice`] and the like. A reference to it goes where a
    /// kernel takes a slice that it reads.
    View;
    /// A mutably borrowed [`Slice`], from [`Slice::slice_mut`] and the like. A mutable reference to
    /// it goes where a kernel takes a slice that it writes.
    ViewMut;
}

#[cfg(test)]
mod tests {
    use crate::{Device, Error, F32x3, F32x4, U8x2};

    #[test]
    fn ranges_are_those_of_rust() {
        let x = Device::cpu().upload(&[0, 1, 2, 3, 4]).unwrap();
        assert_eq!(x.slice(..).unwrap().to_vec().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(x.slice(1..=2).unwrap().to_vec().unwrap(), [1, 2]);
        assert_eq!(x.slice(2..).unwrap().slice(1..).unwrap().to_vec().unwrap(), [3, 4]);
        assert!(x.slice(5..).unwrap().is_empty());
        for (range, start, end) in [(2..6, 2, 6), (6..6, 6, 6)] {
            let error = x.slice(range).unwrap_err();
            assert_eq!(error, Error::OutOfRange { start, end, len: 5 });
        }
        let backwards = (std::ops::Bound::Included(3), std::ops::Bound::Excluded(1));
        assert!(matches!(x.slice(backwards), Err(Error::OutOfRange { start: 3, end: 1, .. })));
        assert!(matches!(x.slice(..=usize::MAX), Err(Error::OutOfRange { .. })));
        assert!(matches!(x.split_at(6), Err(Error::OutOfRange { start: 0, end: 6, len: 5 })));
    }

    #[test]
    fn parts_are_written_apart() {
        let mut x = Device::cpu().upload(&[0u8; 7]).unwrap();
        let (mut left, mut right) = x.split_at_mut(3).unwrap();
        left.fill(1).unwrap();
        right.copy_from(&[2, 3, 4, 5]).unwrap();
        for mut chunk in x.chunks_mut(4) {
            let last = chunk.len() - 1;
            chunk.slice_mut(last..).unwrap().fill(9).unwrap();
        }
        assert_eq!(x.to_vec().unwrap(), [1, 1, 1, 9, 3, 4, 9]);
        let clone = x.slice(2..5).unwrap().try_clone().unwrap();
        x.fill(0).unwrap();
        assert_eq!(clone.to_vec().unwrap(), [1, 9, 3]);
        let mut wrong = Device::cpu().zeros(2).unwrap();
        let error = wrong.copy_from_device(&clone).unwrap_err();
        assert_eq!(error.to_string(), "cannot copy 3 elements to 2");
    }

    #[test]
    fn single_elements_are_read_and_written() {
        let device = Device::cpu();
        let mut pairs = device.zeros::<(u8, u32)>(3).unwrap();
        pairs.set(2, (7, 8)).unwrap();
        pairs.slice_mut(1..).unwrap().set(0, (5, 6)).unwrap();
        assert_eq!((pairs.get(1).unwrap(), pairs.get(2).unwrap()), ((5, 6), (7, 8)));
        let error = pairs.slice(1..).unwrap().get(2).unwrap_err();
        assert_eq!(error, Error::OutOfRange { start: 2, end: 3, len: 2 });
        assert!(matches!(pairs.set(usize::MAX, (0, 0)), Err(Error::OutOfRange { .. })));
        let counts = device.upload(&[3u32, 4]).unwrap().into_atomic();
        assert_eq!(counts.get(1).unwrap(), 4);
    }

    #[test]
    fn structs_are_filled_and_copied() {
        let device = Device::cpu();
        let mut pairs = device.zeros::<(u8, u32)>(3).unwrap();
        pairs.slice_mut(1..).unwrap().fill((7, 8)).unwrap();
        let mut read = [(1, 1); 2];
        pairs.slice(..2).unwrap().copy_to(&mut read).unwrap();
        assert_eq!(read, [(0, 0), (7, 8)]);
    }

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
        let mut numbers = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let view = numbers.as_vectors::<F32x3>().unwrap();
        assert_eq!(view.to_vec().unwrap()[1], F32x3::new(4.0, 5.0, 6.0));
        let error = numbers.as_vectors::<F32x4>().unwrap_err();
        assert_eq!(error.to_string(), "6 numbers are no whole number of vectors of 4 lanes");
        let odd = numbers.slice(1..5).unwrap();
        let error = odd.as_vectors::<F32x4>().unwrap_err();
        assert_eq!(error, Error::Misaligned { offset: 4, align: 16 });
        numbers.as_vectors_mut::<F32x3>().unwrap().fill(F32x3::ONE).unwrap();
        let mut vectors = numbers.into_vectors::<F32x3>().unwrap();
        assert_eq!(vectors.as_lanes().to_vec().unwrap(), [1.0; 6]);
        vectors.as_lanes_mut().fill(2.0).unwrap();
        assert_eq!(vectors.into_lanes().to_vec().unwrap(), [2.0; 6]);
        let odd = device.zeros::<u8>(3).unwrap().into_vectors::<U8x2>();
        assert!(matches!(odd, Err(Error::NotVectors { len: 3, lanes: 2 })));
    }
}
