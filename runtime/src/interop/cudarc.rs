//! Streams and slices of `cudarc`.
use crate::{
    Buffer, Device, Error, PinnedElement, Plain, Result, driver::Released, memory::MemoryBytes,
};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut};
use std::sync::Arc;

impl Device {
    /// Creates a device whose work goes to a stream of `cudarc`, which it keeps.
    ///
    /// Work of both is done in the order given. The stream's context is the primary one of its GPU,
    /// as `CudaContext::new` makes it.
    ///
    /// ```no_run
    /// use cudarc::driver::CudaContext;
    /// use warpwise::{Buffer, Device};
    ///
    /// let stream = CudaContext::new(0)?.new_stream()?;
    /// let device = Device::from_cudarc(&stream)?;
    /// let x = Buffer::from_cudarc(&device, stream.clone_htod(&[1.0f32; 100])?)?;
    /// assert_eq!(x.to_vec()?, [1.0; 100]);
    /// let x = x.into_cudarc(&stream)?;
    /// assert_eq!(stream.clone_dtoh(&x)?, [1.0; 100]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Device::from_raw_stream`].
    #[expect(unsafe_code, reason = "a stream of `cudarc`'s")]
    pub fn from_cudarc(stream: &Arc<CudaStream>) -> Result<Self> {
        let (ordinal, raw) = (stream.context().ordinal(), stream.cu_stream().cast());
        // SAFETY: the device keeps the stream alive. It is not being captured, which is unsafe in
        // `cudarc`.
        let device = unsafe { Self::from_raw_stream(ordinal, raw, Arc::clone(stream)) }?;
        device.check_context(stream)?;
        Ok(device)
    }

    /// Returns an error for a stream of another context than the device's.
    fn check_context(&self, stream: &CudaStream) -> Result<()> {
        let context = stream.context();
        let own = self.require_gpu("slices of `cudarc`")?.raw_context();
        if own == context.cu_ctx().cast() {
            return Ok(());
        }
        let problem = "it is of another context than the device".to_owned();
        Err(Error::ForeignStream { ordinal: context.ordinal(), problem })
    }
}

impl<T: Plain> Buffer<T> {
    /// Creates a buffer over a slice of `cudarc`, without a copy. Later work of the device waits
    /// for the work that uses it.
    ///
    /// When the buffer is dropped, the calling thread waits for the work that uses it, and then
    /// `cudarc` frees the memory. [`Self::into_cudarc`] returns the slice.
    ///
    /// The documentation of [`Device::from_cudarc`] has an example.
    ///
    /// # Errors
    /// [`Error::ForeignStream`] for a slice of another context than the device's; those of
    /// [`Device::buffer_from_raw`].
    #[expect(unsafe_code, reason = "memory of `cudarc`'s")]
    pub fn from_cudarc(device: &Device, mut slice: CudaSlice<T>) -> Result<Self> {
        const {
            assert!(
                T::LAYOUT.as_in_rust,
                "Rust leaves the layout of tuples and options open, so that no slice of `cudarc` holds them"
            );
        }
        let stream = Arc::clone(slice.stream());
        device.check_context(&stream)?;
        let len = slice.len();
        // The slice's stream waits for its uses by others, and the device for that stream.
        let (address, uses) = slice.device_ptr_mut(&stream);
        drop(uses);
        let address = if len == 0 { 0 } else { address };
        // SAFETY: the stream lives, in the context of the device.
        unsafe { device.wait_for_raw_stream(stream.cu_stream().cast()) }?;
        // SAFETY: `cudarc` allocated `len` elements, which the owner frees. Allocating without
        // initializing them is unsafe in `cudarc`. Kernels read valid values from any bytes.
        unsafe { device.buffer_from_raw(address, len, slice) }
    }
}

impl<T: PinnedElement> Buffer<T> {
    /// Returns the memory as a slice of `cudarc`, without a copy: the slice that
    /// [`Self::from_cudarc`] took, or one of memory that `cudarc` frees. Work given to `stream`
    /// afterwards runs after the work of this crate.
    ///
    /// The documentation of [`Device::from_cudarc`] has an example.
    ///
    /// # Errors
    /// [`Error::NeedsGpu`] for a buffer of the interpreter; [`Error::ForeignStream`] if the stream
    /// is of another context; [`Error::ForeignMemory`] if a [`Graph`](crate::Graph) uses the
    /// memory, or it came from another library or as a slice of other elements; those of either
    /// driver. The buffer is dropped.
    #[expect(unsafe_code, reason = "memory for `cudarc`")]
    pub fn into_cudarc(self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        let (address, len, size) = (self.as_device_ptr().unwrap_or(0), self.len(), T::LAYOUT.size);
        let refused = |problem: String| Error::ForeignMemory { address, len, size, problem };
        self.device().check_context(stream)?;
        if len == 0 {
            return stream.null().map_err(|error| refused(error.to_string()));
        }
        let memory = Arc::into_inner(self.into_any().memory);
        let memory = memory.ok_or_else(|| refused("a graph uses it".to_owned()))?;
        let MemoryBytes::Cuda(memory) = memory.bytes else {
            unreachable!("the device is a GPU, as its context shows");
        };
        // Two streams wait for this crate's work: the one that uses the memory next, and the one
        // that frees it.
        let mut frees = stream.cu_stream();
        if let Some(owner) = memory.owner() {
            let slice = owner.downcast_ref::<CudaSlice<T>>();
            let slice = slice.ok_or_else(|| refused("it came from elsewhere".to_owned()))?;
            frees = slice.stream().cu_stream();
        }
        // SAFETY: the streams live, in the context of the memory.
        unsafe {
            memory.delay_raw(frees.cast())?;
            memory.delay_raw(stream.cu_stream().cast())?;
        }
        // SAFETY: these streams use and free the memory.
        let mut slice = match unsafe { memory.release() } {
            // SAFETY: memory of the driver with so many initialized elements, which nobody else
            // frees. `cudarc` frees it as it was allocated, by what the device supports.
            Released::Memory(address) => unsafe { stream.upgrade_device_ptr(address, len) },
            Released::Owner(owner) => *owner.downcast().expect("its type was checked above"),
        };
        // `cudarc` records all uses up to here as one use by `stream`.
        drop(slice.device_ptr_mut(stream));
        Ok(slice)
    }
}
