//! Page-locked arrays of the host: [`PinnedBuffer`].
use crate::{
    Device, Element, Error, Result, Slice,
    cpu::Interpreter,
    driver::Pinned,
    elements::element::sealed::CastBytes,
    error::PAGE_LOCKED,
    memory::{check_lengths, slice::resolve},
};
use std::{
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut, Range, RangeBounds},
    sync::{Arc, Mutex, PoisonError},
};

/// An [`Element`] for which all bytes are a value: each of them but `bool`.
pub trait PinnedElement: Element + CastBytes {}
impl<T: Element + CastBytes> PinnedElement for T {}

/// An array in page-locked memory of the host, from [`Device::pinned`]. A GPU copies it while the
/// host and other streams do something else, and about twice as fast as other memory.
///
/// Copies begin with [`Slice::copy_from_pinned`](crate::Slice::copy_from_pinned) and
/// [`Slice::copy_to_pinned`](crate::Slice::copy_to_pinned), which do not wait. Access by the host
/// waits for the copies that are under way: [`Self::as_slice`] for those that write the array,
/// [`Self::as_mut_slice`] for all of them. Copies and accesses of a part, [`Self::slice`] and
/// [`Self::slice_mut`], wait for those that use the same elements only.
///
/// ```
/// # use warpwise::Device;
/// let device = Device::cpu();
/// let mut host = device.pinned::<u32>(3)?;
/// host.as_mut_slice()?.copy_from_slice(&[1, 2, 3]);
/// let mut x = device.zeros(3)?;
/// x.copy_from_pinned(&host)?;
/// x.slice_mut(1..)?.fill(7)?;
/// x.copy_to_pinned(&mut host)?;
/// assert_eq!(host.as_slice()?, [1, 7, 7]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct PinnedBuffer<T> {
    memory: PinnedMemory,
    len: usize,
    elements: PhantomData<T>,
}

/// The bytes of a [`PinnedBuffer`].
pub(crate) enum PinnedMemory {
    /// Memory of the host for the interpreter, which needs no page-locked memory.
    Cpu {
        words: Vec<u64>,
        copies: CpuCopies,
    },
    Cuda(Pinned),
}

/// The copies of the interpreter to page-locked memory since the host has accessed it.
#[derive(Default)]
pub(crate) struct CpuCopies {
    writing: Mutex<Vec<CpuCopy>>,
}

/// A copy of the interpreter to page-locked memory.
struct CpuCopy {
    bytes: Range<usize>,
    /// The streams whose faults the next access of the bytes reports.
    streams: Vec<Arc<Interpreter>>,
}

impl CpuCopies {
    /// Adds a copy to these bytes, in place of those that it overwrites.
    pub(crate) fn add(&self, bytes: Range<usize>, streams: Vec<Arc<Interpreter>>) {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = |before: &Range<usize>| before.start < bytes.start || bytes.end < before.end;
        writing.retain(|copy| is_kept(&copy.bytes));
        writing.push(CpuCopy { bytes, streams });
    }

    /// Reports the first fault of copies to some of these bytes; the next call reports the next one.
    fn report(&self, bytes: &Range<usize>) -> Result<()> {
        let overlaps = |of: &Range<usize>| of.start < bytes.end && bytes.start < of.end;
        let lock = || self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut done: Vec<_> = lock().extract_if(.., |copy| overlaps(&copy.bytes)).collect();
        let reported =
            report_first_fault(&mut done, |copy| &mut copy.streams, |stream| stream.synchronize());
        lock().splice(..0, done);
        reported
    }
}

/// Reports the streams of copies that are done up to the first fault. What was not reported stays
/// in `copies`.
pub(crate) fn report_first_fault<C, S>(
    copies: &mut Vec<C>,
    streams: impl Fn(&mut C) -> &mut Vec<S>,
    report: impl Fn(&S) -> Result<()>,
) -> Result<()> {
    while let Some(copy) = copies.first_mut() {
        match streams(copy).pop() {
            Some(stream) => report(&stream)?,
            None => drop(copies.remove(0)),
        }
    }
    Ok(())
}

impl PinnedMemory {
    /// Waits for copies to a part of the memory and returns its bytes.
    pub(crate) fn bytes(&self, part: Range<usize>) -> Result<&[u8]> {
        match self {
            Self::Cpu { words, copies } => {
                copies.report(&part)?;
                Ok(&bytemuck::cast_slice(words)[part])
            }
            Self::Cuda(pinned) => pinned.bytes(part),
        }
    }

    /// Waits for copies to and from a part of the memory and returns its bytes.
    pub(crate) fn bytes_mut(&mut self, part: Range<usize>) -> Result<&mut [u8]> {
        match self {
            Self::Cpu { words, copies } => {
                copies.report(&part)?;
                Ok(&mut bytemuck::cast_slice_mut(words)[part])
            }
            Self::Cuda(pinned) => pinned.bytes_mut(part),
        }
    }
}

impl<T: PinnedElement> PinnedBuffer<T> {
    /// Returns the number of elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// assert_eq!(Device::cpu().pinned::<u32>(3)?.len(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// assert!(Device::cpu().pinned::<u32>(0)?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Waits for copies to the array and borrows its elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (x, mut host) = (device.upload(&[1, 2])?, device.pinned::<i32>(2)?);
    /// x.copy_to_pinned(&mut host)?;
    /// assert_eq!(host.as_slice()?, [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DevicePanic`] if a launch of the copied slice's stream failed a check, as of
    /// [`Slice::to_vec`](crate::Slice::to_vec); errors of the driver.
    pub fn as_slice(&self) -> Result<&[T]> {
        elements_of(self.part())
    }

    /// Waits for copies to and from the array and borrows its elements, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (mut x, mut host) = (device.zeros::<i32>(2)?, device.pinned(2)?);
    /// for i in 0..3 {
    ///     host.as_mut_slice()?.fill(i);
    ///     x.copy_from_pinned(&host)?;
    /// }
    /// assert_eq!(x.to_vec()?, [2, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        elements_of_mut(self.part_mut())
    }

    /// Borrows a part of the array, to be copied or read.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (mut x, mut host) = (device.zeros::<u32>(2)?, device.pinned(6)?);
    /// host.as_mut_slice()?.copy_from_slice(&[1, 2, 3, 4, 5, 6]);
    /// x.copy_from_pinned(&host.slice(2..4)?)?;
    /// assert_eq!(x.to_vec()?, [3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`] if the range is not inside of the array.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedView<'_, T>> {
        Ok(PinnedView { range: self.resolve(&range)?, buffer: self })
    }

    /// Borrows a part of the array, to be copied, read or written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (x, mut host) = (device.upload(&[1u32, 2, 3])?, device.pinned(6)?);
    /// x.copy_to_pinned(&mut host.slice_mut(3..)?)?;
    /// // Does not wait for this copy, which uses other elements.
    /// host.slice_mut(..2)?.as_mut_slice()?.fill(7);
    /// assert_eq!(host.as_slice()?, [7, 7, 0, 1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PinnedViewMut<'_, T>> {
        Ok(PinnedViewMut { range: self.resolve(&range)?, buffer: self })
    }

    /// Returns the indices of a range that is in the array.
    fn resolve(&self, range: &impl RangeBounds<usize>) -> Result<Range<usize>> {
        let len = self.len;
        resolve(range, len).map_err(|(start, end)| Error::OutOfRange { start, end, len })
    }
}

/// A borrowed part of a [`PinnedBuffer`], from [`PinnedBuffer::slice`].
#[derive(Clone)]
pub struct PinnedView<'a, T> {
    buffer: &'a PinnedBuffer<T>,
    range: Range<usize>,
}

/// A mutably borrowed part of a [`PinnedBuffer`], from [`PinnedBuffer::slice_mut`].
pub struct PinnedViewMut<'a, T> {
    buffer: &'a mut PinnedBuffer<T>,
    range: Range<usize>,
}

/// The methods of both kinds of parts.
macro_rules! part {
    ($view:ident) => {
        impl<T: PinnedElement> $view<'_, T> {
            /// Returns the number of elements.
            ///
            /// ```
            /// # use warpwise::Device;
            /// let mut host = Device::cpu().pinned::<u32>(5)?;
            /// assert_eq!((host.slice(1..3)?.len(), host.slice_mut(4..)?.len()), (2, 1));
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            pub fn len(&self) -> usize {
                self.range.len()
            }

            /// Returns true if there are no elements.
            ///
            /// ```
            /// # use warpwise::Device;
            /// let mut host = Device::cpu().pinned::<u32>(5)?;
            /// assert!(host.slice(5..)?.is_empty() && host.slice_mut(..0)?.is_empty());
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            pub fn is_empty(&self) -> bool {
                self.range.is_empty()
            }

            /// Waits for copies to the part and borrows its elements, as
            /// [`PinnedBuffer::as_slice`].
            ///
            /// ```
            /// # use warpwise::Device;
            /// let device = Device::cpu();
            /// let (x, mut host) = (device.upload(&[1, 2])?, device.pinned::<i32>(5)?);
            /// let mut part = host.slice_mut(1..3)?;
            /// x.copy_to_pinned(&mut part)?;
            /// assert_eq!(part.as_slice()?, [1, 2]);
            /// assert_eq!(host.slice(..2)?.as_slice()?, [0, 1]);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            ///
            /// # Errors
            /// As of [`PinnedBuffer::as_slice`].
            pub fn as_slice(&self) -> Result<&[T]> {
                elements_of(self.part())
            }
        }

        impl<T: PinnedElement> fmt::Debug for $view<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (elem, len) = (std::any::type_name::<T>(), self.range.len());
                write!(f, concat!(stringify!($view), "<{}>({} elements)"), elem, len)
            }
        }
    };
}
part!(PinnedView);
part!(PinnedViewMut);

impl<T: PinnedElement> PinnedViewMut<'_, T> {
    /// Waits for copies to and from the part and borrows its elements, to be written.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (mut x, mut host) = (device.zeros::<i32>(2)?, device.pinned(4)?);
    /// // While the copy of one half is under way, the host writes the other half.
    /// for half in [0..2, 2..4, 0..2] {
    ///     let mut part = host.slice_mut(half.clone())?;
    ///     part.as_mut_slice()?.fill(half.start as i32);
    ///     x.copy_from_pinned(&part)?;
    /// }
    /// assert_eq!(x.to_vec()?, [0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`PinnedBuffer::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        elements_of_mut(self.part_mut())
    }
}

/// Page-locked memory that is copied: a [`PinnedBuffer`] or a part of one. Arguments of copies are
/// references to it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no page-locked memory of `{T}`",
    label = "expected a `PinnedBuffer` of `{T}`, or a part of one",
    note = "`device.pinned::<T>(n)?` allocates it; other memory of the host is copied by `copy_from` and `to_vec`"
)]
pub trait PinnedArg<T> {
    /// Returns the memory, and the bytes that are copied.
    #[doc(hidden)]
    fn part(&self) -> PinnedPart<'_>;
}

/// Page-locked memory to which is copied: a [`PinnedBuffer`] or a [`PinnedViewMut`]. Arguments of
/// copies are mutable references to it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no page-locked memory of `{T}` to be written",
    label = "expected a `PinnedBuffer` of `{T}`, or a part of one from `slice_mut`",
    note = "`device.pinned::<T>(n)?` allocates it; other memory of the host is copied by `copy_from` and `to_vec`"
)]
pub trait PinnedArgMut<T> {
    /// Returns the memory, and the bytes that are copied.
    #[doc(hidden)]
    fn part_mut(&mut self) -> PinnedPartMut<'_>;
}

/// A part of page-locked memory.
#[doc(hidden)]
pub struct PinnedPart<'a> {
    memory: &'a PinnedMemory,
    bytes: Range<usize>,
}

/// A part of page-locked memory, to be written.
#[doc(hidden)]
pub struct PinnedPartMut<'a> {
    memory: &'a mut PinnedMemory,
    bytes: Range<usize>,
}

impl fmt::Debug for PinnedPart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedPart({} bytes)", self.bytes.len())
    }
}

impl fmt::Debug for PinnedPartMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedPartMut({} bytes)", self.bytes.len())
    }
}

impl<'a> PinnedPart<'a> {
    /// Returns the memory and the bytes for a copy to `len` elements of type `T`.
    pub(super) fn for_copy_to<T>(self, len: usize) -> Result<(&'a PinnedMemory, Range<usize>)> {
        check_lengths(self.bytes.len() / size_of::<T>(), len)?;
        Ok((self.memory, self.bytes))
    }
}

impl<'a> PinnedPartMut<'a> {
    /// Returns the memory and the bytes for a copy of `len` elements of type `T`.
    pub(super) fn for_copy_of<T>(self, len: usize) -> Result<(&'a mut PinnedMemory, Range<usize>)> {
        check_lengths(len, self.bytes.len() / size_of::<T>())?;
        Ok((self.memory, self.bytes))
    }
}

/// Returns the bytes of a range of elements of type `T`.
fn bytes_of<T>(Range { start, end }: &Range<usize>) -> Range<usize> {
    start * size_of::<T>()..end * size_of::<T>()
}

fn elements_of<T: PinnedElement>(PinnedPart { memory, bytes }: PinnedPart<'_>) -> Result<&[T]> {
    memory.bytes(bytes).map(T::cast)
}

fn elements_of_mut<T: PinnedElement>(
    PinnedPartMut { memory, bytes }: PinnedPartMut<'_>,
) -> Result<&mut [T]> {
    memory.bytes_mut(bytes).map(T::cast_mut)
}

impl<T> PinnedArg<T> for PinnedBuffer<T> {
    fn part(&self) -> PinnedPart<'_> {
        PinnedPart { memory: &self.memory, bytes: bytes_of::<T>(&(0..self.len)) }
    }
}

impl<T> PinnedArg<T> for PinnedView<'_, T> {
    fn part(&self) -> PinnedPart<'_> {
        PinnedPart { memory: &self.buffer.memory, bytes: bytes_of::<T>(&self.range) }
    }
}

impl<T> PinnedArg<T> for PinnedViewMut<'_, T> {
    fn part(&self) -> PinnedPart<'_> {
        PinnedPart { memory: &self.buffer.memory, bytes: bytes_of::<T>(&self.range) }
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: Deref<Target: PinnedArg<T>> + ?Sized> PinnedArg<T> for P {
    fn part(&self) -> PinnedPart<'_> {
        (**self).part()
    }
}

impl<T> PinnedArgMut<T> for PinnedBuffer<T> {
    fn part_mut(&mut self) -> PinnedPartMut<'_> {
        PinnedPartMut { bytes: bytes_of::<T>(&(0..self.len)), memory: &mut self.memory }
    }
}

impl<T> PinnedArgMut<T> for PinnedViewMut<'_, T> {
    fn part_mut(&mut self) -> PinnedPartMut<'_> {
        PinnedPartMut { bytes: bytes_of::<T>(&self.range), memory: &mut self.buffer.memory }
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: DerefMut<Target: PinnedArgMut<T>> + ?Sized> PinnedArgMut<T> for P {
    fn part_mut(&mut self) -> PinnedPartMut<'_> {
        (**self).part_mut()
    }
}

impl<T: PinnedElement> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elem = std::any::type_name::<T>();
        write!(f, "PinnedBuffer<{elem}>({} elements)", self.len)
    }
}

impl Device {
    /// Allocates `len` elements of page-locked memory of the host, all zero. See [`PinnedBuffer`].
    ///
    /// ```
    /// # use warpwise::Device;
    /// let host = Device::cpu().pinned::<f32>(2)?;
    /// assert_eq!(host.as_slice()?, [0.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    #[doc(alias("cudaMallocHost", "cudaHostAlloc"))]
    pub fn pinned<T: PinnedElement>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let memory = match bytes {
            Some(bytes) => self.allocate_pinned(bytes)?,
            None => None,
        };
        let memory = memory.ok_or_else(|| Error::OutOfMemory {
            place: if self.is_gpu() { PAGE_LOCKED } else { "the host" }.into(),
            elements: len,
            size: size_of::<T>(),
            free: None,
        })?;
        Ok(PinnedBuffer { memory, len, elements: PhantomData })
    }

    /// Starts a copy of page-locked memory to a slice, as [`Slice::copy_from_pinned`], in the order
    /// of this device or stream. Copies of one buffer's parts run on several streams in this way.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (stream, mut x) = (device.stream()?, device.zeros::<u32>(4)?);
    /// let mut host = device.pinned(2)?;
    /// host.as_mut_slice()?.copy_from_slice(&[1, 2]);
    /// stream.copy_from_pinned(&host, &mut x.slice_mut(2..)?)?;
    /// assert_eq!(x.to_vec()?, [0, 0, 1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless both have as many elements; [`Error::WrongDevice`] unless
    /// the slice is of this device; [`Error::NotRecorded`] while a graph is recorded; errors of the
    /// driver.
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_from_pinned<T: PinnedElement>(
        &self,
        source: &(impl PinnedArg<T> + ?Sized),
        destination: &mut Slice<T>,
    ) -> Result<()> {
        let from = source.part().for_copy_to::<T>(destination.len())?;
        self.check_pinned_copy(destination)?;
        self.write_from_pinned(from, destination.any())
    }

    /// Starts a copy of a slice to page-locked memory, as [`Slice::copy_to_pinned`], in the order
    /// of this device or stream.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (stream, x) = (device.stream()?, device.upload(&[1u32, 2, 3])?);
    /// let mut host = device.pinned(2)?;
    /// stream.copy_to_pinned(&x.slice(1..)?, &mut host)?;
    /// assert_eq!(host.as_slice()?, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::copy_from_pinned`].
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy_to_pinned<T: PinnedElement>(
        &self,
        source: &Slice<T>,
        destination: &mut (impl PinnedArgMut<T> + ?Sized),
    ) -> Result<()> {
        let to = destination.part_mut().for_copy_of::<T>(source.len())?;
        self.check_pinned_copy(source)?;
        self.read_to_pinned(source.any(), to)
    }

    /// Refuses a copy between page-locked memory and a slice of another device, or in a recording.
    fn check_pinned_copy<T: PinnedElement>(&self, slice: &Slice<T>) -> Result<()> {
        let help = "start it before or after the launch of the graph";
        self.check_recorded("a copy of page-locked memory", help)?;
        self.check_device_of(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_buffers_travel_between_threads() {
        fn travels<T: Send + Sync>() {}
        travels::<PinnedBuffer<f32>>();
    }

    #[test]
    fn parts_are_copied_and_accessed() {
        let device = Device::cpu();
        let (mut x, mut host) = (device.upload(&[1u16, 2, 3]).unwrap(), device.pinned(6).unwrap());
        x.copy_to_pinned(&mut host.slice_mut(2..5).unwrap()).unwrap();
        host.slice_mut(..=0).unwrap().as_mut_slice().unwrap().fill(9);
        assert_eq!(host.as_slice().unwrap(), [9, 0, 1, 2, 3, 0]);
        // Parts of parts of buffers, in a box and behind a reference.
        let mut boxed = Box::new(host);
        x.slice_mut(1..).unwrap().copy_from_pinned(&boxed.slice(..2).unwrap()).unwrap();
        assert_eq!(x.to_vec().unwrap(), [1, 9, 0]);
        x.copy_to_pinned(&mut &mut boxed.slice_mut(3..).unwrap()).unwrap();
        let part = boxed.slice_mut(3..).unwrap();
        device.copy_from_pinned(&part, &mut x).unwrap();
        assert_eq!((part.len(), part.as_slice().unwrap()), (3, &[1, 9, 0][..]));
        assert_eq!(format!("{part:?}"), "PinnedViewMut<u16>(3 elements)");
        let error = boxed.slice(4..7).unwrap_err().to_string();
        assert_eq!(error, "elements 4..7 are not inside of a slice of 6");
        let error = x.copy_from_pinned(&boxed.slice(1..3).unwrap()).unwrap_err().to_string();
        assert_eq!(error, "cannot copy 2 elements to 3");
        assert!(boxed.slice(6..).unwrap().is_empty() && boxed.slice_mut(7..).is_err());
    }

    #[test]
    fn lengths_that_do_not_fit_are_errors() {
        let device = Device::cpu();
        assert!(matches!(device.pinned::<u64>(usize::MAX / 4), Err(Error::OutOfMemory { .. })));
        let mut host = device.pinned::<u8>(3).unwrap();
        let mut x = device.zeros::<u8>(4).unwrap();
        assert!(matches!(x.copy_from_pinned(&host), Err(Error::LengthMismatch { .. })));
        assert!(matches!(x.copy_to_pinned(&mut host), Err(Error::LengthMismatch { .. })));
        assert!(device.pinned::<f32>(0).unwrap().as_slice().unwrap().is_empty());
    }

    #[test]
    fn copies_on_a_stream_are_checked() {
        let device = Device::cpu();
        let (stream, mut x) = (device.stream().unwrap(), device.zeros::<u8>(3).unwrap());
        let mut host = device.pinned::<u8>(2).unwrap();
        let error = stream.copy_from_pinned(&host, &mut x).unwrap_err();
        assert_eq!(error.to_string(), "cannot copy 2 elements to 3");
        assert!(matches!(stream.copy_to_pinned(&x, &mut host), Err(Error::LengthMismatch { .. })));
        let part = x.slice(..2).unwrap();
        let error = Device::cpu().copy_to_pinned(&part, &mut host).unwrap_err();
        assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
        let recorded = stream.record_graph(|recorder| recorder.copy_to_pinned(&part, &mut host));
        let error = recorded.unwrap_err().to_string();
        assert_eq!(
            error,
            "a copy of page-locked memory cannot be recorded in a graph: start it before or after the \
                        launch of the graph"
        );
    }
}
