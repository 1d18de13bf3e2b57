//! Page-locked arrays of the host: [`PinnedBuffer`].
use crate::{
    Device, Element, Error, Result, Slice,
    cpu::{self, Interpreter},
    driver::Pinned,
    elements::element::sealed::CastBytes,
    error::PAGE_LOCKED,
    memory::check_lengths,
};
use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex},
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
/// [`Self::as_mut_slice`] for all of them. A copy moves the whole array: allocate one for each chunk
/// of a larger array.
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
        bytes: usize,
        /// The streams whose faults the next access by the host reports.
        writers: Mutex<Vec<Arc<Interpreter>>>,
    },
    Cuda(Pinned),
}

impl PinnedMemory {
    /// Waits for copies to the memory and returns its bytes.
    pub(crate) fn bytes(&self) -> Result<&[u8]> {
        match self {
            Self::Cpu { words, bytes, writers } => {
                cpu::synchronize_all(writers)?;
                Ok(&bytemuck::cast_slice(words)[..*bytes])
            }
            Self::Cuda(pinned) => pinned.bytes(),
        }
    }

    /// Waits for copies to and from the memory and returns its bytes.
    pub(crate) fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        match self {
            Self::Cpu { words, bytes, writers } => {
                cpu::synchronize_all(writers)?;
                Ok(&mut bytemuck::cast_slice_mut(words)[..*bytes])
            }
            Self::Cuda(pinned) => pinned.bytes_mut(),
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
        self.memory.bytes().map(T::cast)
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
        self.memory.bytes_mut().map(T::cast_mut)
    }

    pub(super) const fn memory(&self) -> &PinnedMemory {
        &self.memory
    }

    pub(super) const fn memory_mut(&mut self) -> &mut PinnedMemory {
        &mut self.memory
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
        source: &PinnedBuffer<T>,
        destination: &mut Slice<T>,
    ) -> Result<()> {
        check_lengths(source.len(), destination.len())?;
        self.check_pinned_copy(destination)?;
        self.write_from_pinned(source.memory(), destination.any())
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
        destination: &mut PinnedBuffer<T>,
    ) -> Result<()> {
        check_lengths(source.len(), destination.len())?;
        self.check_pinned_copy(source)?;
        self.read_to_pinned(source.any(), destination.memory_mut())
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
