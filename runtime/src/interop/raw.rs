//! Raw pointers and streams.
use crate::{
    Buffer, Device, Error, Result, Slice, Stored,
    device::Engine,
    driver::{self, Allocation},
    memory::{AnySlice, Memory, MemoryBytes},
};
use std::{any::Any, ffi::c_void, ops::Range, sync::Arc};

/// A use of a slice by the work of another library: see [`Device::with_raw_stream`].
#[derive(Clone, Copy, Debug)]
pub struct SliceUse<'a> {
    slice: &'a AnySlice,
    is_write: bool,
}

impl<'a> SliceUse<'a> {
    /// Declares that the work reads the slice, or if it holds atomics, changes it.
    ///
    /// ```
    /// use warpwise::{Device, interop::SliceUse};
    ///
    /// /// Copies by a function of another library. Needs a GPU.
    /// fn copy(device: &Device) -> warpwise::Result<()> {
    ///     let (x, mut y) = (device.upload(&[1.0f32; 8])?, device.zeros::<f32>(8)?);
    ///     let addresses = (x.as_device_ptr(), y.as_device_ptr());
    ///     // `x` is read, so that other readers need not wait.
    ///     let uses = [SliceUse::read(&x), SliceUse::write(&mut y)];
    ///     device.with_raw_stream(&uses, |stream| {
    ///         // cublasSetStream(handle, stream);
    ///         // cublasScopy(handle, 8, addresses.0, 1, addresses.1, 1);
    /// # let _ = (stream, addresses);
    ///     })
    /// }
    /// ```
    pub fn read<T: Stored>(slice: &'a Slice<T>) -> Self {
        Self { slice: slice.any(), is_write: T::ATOMIC }
    }

    /// Declares that the work writes the slice.
    ///
    /// ```
    /// use warpwise::{Device, interop::SliceUse};
    ///
    /// /// Copies by a function of another library. Needs a GPU.
    /// fn copy(device: &Device) -> warpwise::Result<()> {
    ///     let (x, mut y) = (device.upload(&[1.0f32; 8])?, device.zeros::<f32>(8)?);
    ///     let addresses = (x.as_device_ptr(), y.as_device_ptr());
    ///     // `x` is read, and `y` written: later readers of `y` wait for the copy.
    ///     let uses = [SliceUse::read(&x), SliceUse::write(&mut y)];
    ///     device.with_raw_stream(&uses, |stream| {
    ///         // cublasSetStream(handle, stream);
    ///         // cublasScopy(handle, 8, addresses.0, 1, addresses.1, 1);
    /// # let _ = (stream, addresses);
    ///     })
    /// }
    /// ```
    pub fn write<T: Stored>(slice: &'a mut Slice<T>) -> Self {
        Self { slice: slice.any(), is_write: true }
    }

    /// Returns the address of the first element; 0 for a slice of the interpreter.
    pub(super) fn address(&self) -> u64 {
        self.slice.gpu_address().unwrap_or(0)
    }

    /// Refuses a slice in memory that `device` does not reach.
    pub(super) fn check_device(&self, device: &Device) -> Result<()> {
        let own = self.slice.device();
        if own.shares_memory_with(device) {
            Ok(())
        } else {
            let (place, device) = (own.to_string(), device.to_string());
            Err(Error::WrongDevice { what: "a slice", place, device })
        }
    }

    /// Returns the bytes that a GPU uses. The device was checked.
    pub(super) fn operand(&self) -> (&'a Allocation, Range<usize>, bool) {
        (self.slice.gpu(), self.slice.range(), self.is_write)
    }
}

impl<T: Stored> Slice<T> {
    /// Returns the address of the first element on a GPU, a `CUdeviceptr`; `None` on the
    /// interpreter.
    ///
    /// The address is valid while the buffer lives. Work of other libraries that uses it is ordered
    /// after the work of the [device](Self::device) if it is given to [`Device::raw_stream`]. Work
    /// on other streams, and with buffers of several streams, goes through
    /// [`Device::with_raw_stream`]. A kernel of another library must not write elements that are
    /// borrowed elsewhere, nor bytes after the last element.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0])?;
    /// // A GPU's slices have addresses, those of parts too.
    /// assert_eq!(x.slice(1..)?.as_device_ptr(), x.as_device_ptr().map(|address| address + 4));
    /// assert_eq!(x.as_device_ptr().is_some(), device.is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_device_ptr(&self) -> Option<u64> {
        self.any().gpu_address()
    }
}

impl Device {
    /// Returns the stream of a GPU for another library, a `CUstream`; `None` on the interpreter.
    ///
    /// It lives as long as the device, in the GPU's primary context. It must not be destroyed, nor
    /// captured into a graph.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// let device = Device::cpu();
    /// match device.raw_stream() {
    ///     // cublasSetStream(handle, stream): cuBLAS then runs in the order of the launches.
    ///     Some(stream) => println!("{stream:?}"),
    ///     None => assert!(!device.is_gpu()),
    /// }
    /// ```
    pub fn raw_stream(&self) -> Option<*mut c_void> {
        self.gpu_stream().map(|stream| stream.raw())
    }

    /// Calls `work`, which gives work of another library to the [raw stream](Self::raw_stream).
    /// This work waits for other uses of the slices, and later uses of them wait for it, on all
    /// streams.
    ///
    /// ```
    /// # use warpwise::{Device, Error, interop::SliceUse};
    /// # let device = Device::cpu();
    /// let (x, mut y) = (device.upload(&[1.0f32; 8])?, device.zeros::<f32>(8)?);
    /// let addresses = (x.as_device_ptr(), y.as_device_ptr());
    /// let uses = [SliceUse::read(&x), SliceUse::write(&mut y)];
    /// let given = device.with_raw_stream(&uses, |stream| {
    ///     // cublasSetStream(handle, stream), cublasScopy(handle, 8, addresses.0, 1, addresses.1, 1)
    /// # let _ = (stream, addresses);
    /// });
    /// // Of a GPU that is done when `y` is read. The interpreter has no such stream.
    /// # let given: Result<(), Error> = given;
    /// assert_eq!(given.is_ok(), device.is_gpu());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NeedsGpu`] on the interpreter, [`Error::WrongDevice`] for a slice that the device
    /// does not reach, and [`Error::NotInGraphs`] while a graph is recorded, each without a call;
    /// errors of the driver.
    pub fn with_raw_stream<R>(
        &self,
        uses: &[SliceUse<'_>],
        work: impl FnOnce(*mut c_void) -> R,
    ) -> Result<R> {
        let stream = self.work_stream("raw streams")?;
        uses.iter().try_for_each(|slice_use| slice_use.check_device(self))?;
        let operands = || uses.iter().map(SliceUse::operand);
        stream.add_uses(operands())?;
        let result = work(stream.raw());
        // Again, since a stream that waited for this one meanwhile has not waited for this work.
        stream.add_uses(operands())?;
        Ok(result)
    }

    /// Creates a buffer over memory of another library, without a copy. `owner` frees the memory
    /// when it is dropped; it is `()` if the memory outlives the program's use of it.
    ///
    /// The buffer works like any other: it can be passed to kernels, read, sliced and
    /// reinterpreted. When it is dropped, and the graphs that use it, the calling thread waits for
    /// the work that uses it, and then `owner` is dropped. A kernel reads neighbouring elements
    /// together only if the memory begins at a multiple of 16 bytes.
    ///
    /// ```no_run
    /// use warpwise::{Buffer, Device};
    ///
    /// // Needs a GPU. Memory of another library is, here, memory of this one.
    /// let device = Device::cuda(0)?;
    /// let owner = device.upload(&[1.0f32; 100])?;
    /// let address = owner.as_device_ptr().expect("the device is a GPU");
    /// // SAFETY: 100 elements are there while their owner lives, and only the buffer uses them.
    /// let buffer: Buffer<f32> = unsafe { device.buffer_from_raw(address, 100, owner) }?;
    /// assert_eq!(buffer.to_vec()?, [1.0; 100]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ForeignMemory`] for a null pointer, unless `len` is 0, for an address at which no
    /// `T` may lie, and for a size that no memory has; [`Error::NeedsGpu`] on the interpreter; what
    /// the driver returns. `owner` is dropped.
    ///
    /// # Safety
    /// - While `owner` lives, `len` elements of `T` lie at `address`: memory that kernels of this
    ///   GPU may read and write, up to the end of the 32-bit words in which the first and the last
    ///   byte lie, and that was written once.
    /// - Other work with the memory is done, or ordered before the work of this device, and from
    ///   now to the drop of `owner` it is used only by the buffer and through
    ///   [`Slice::as_device_ptr`].
    #[expect(unsafe_code, reason = "the memory is as the caller says")]
    pub unsafe fn buffer_from_raw<T: Stored>(
        &self,
        address: u64,
        len: usize,
        owner: impl Any + Send + Sync,
    ) -> Result<Buffer<T>> {
        const {
            assert!(
                T::LAYOUT.size > 0,
                "a buffer of a type that takes no bytes would hold nothing"
            );
        }
        let stream = self.require_gpu("raw pointers")?;
        let (size, align) = (T::LAYOUT.size, T::LAYOUT.align);
        let refused = |problem: String| Error::ForeignMemory { address, len, size, problem };
        let bytes = len.checked_mul(size).filter(|&bytes| {
            isize::try_from(bytes).is_ok() && address.checked_add(bytes as u64).is_some()
        });
        let bytes = bytes.ok_or_else(|| refused("no memory has as many".to_owned()))?;
        if address == 0 && bytes > 0 {
            return Err(refused("it is a null pointer".to_owned()));
        }
        if !address.is_multiple_of(align as u64) {
            return Err(refused(format!("they are aligned to {align} bytes")));
        }
        // SAFETY: the caller's promise.
        let memory = unsafe { Allocation::foreign(stream, address, bytes, Box::new(owner)) }?;
        let memory = Memory { device: self.without_recorder(), bytes: MemoryBytes::Cuda(memory) };
        Ok(Buffer::from_any(AnySlice { memory: Arc::new(memory), offset: 0, len, bytes }))
    }

    /// Creates a device whose work goes to a stream of another library, a `CUstream` of the GPU
    /// with this number. Null is the default stream. `owner` destroys the stream when it is
    /// dropped; it may be `()`.
    ///
    /// Work of the device and of the other library is done in the order given. When the device and
    /// its buffers are dropped, the calling thread waits for the stream, which is not destroyed,
    /// and then `owner` is dropped.
    ///
    /// ```no_run
    /// use warpwise::Device;
    ///
    /// // Needs a GPU. Null is its default stream, which lives as long as the program.
    /// // SAFETY: nothing captures the default stream.
    /// let device = unsafe { Device::from_raw_stream(0, std::ptr::null_mut(), ()) }?;
    /// assert_eq!(device.upload(&[1.0f32; 4])?.to_vec()?, [1.0; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ForeignStream`] for the stream `CU_STREAM_PER_THREAD`, and for one of another
    /// context than the GPU's primary one; [`Error::NoDriver`], [`Error::NoDevice`],
    /// [`Error::DeviceTooOld`], or an error of the driver. `owner` is dropped.
    ///
    /// # Safety
    /// The stream lives while `owner` does, and it is not captured into a graph while the device
    /// lives.
    #[expect(unsafe_code, reason = "the stream is as the caller says")]
    pub unsafe fn from_raw_stream(
        ordinal: usize,
        stream: *mut c_void,
        owner: impl Any + Send + Sync,
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        let stream = unsafe { driver::Stream::foreign(ordinal, stream, Box::new(owner)) }?;
        Ok(Self::on(Engine::Cuda(stream)))
    }

    /// Makes work that is given from now on wait for the work that a stream of another library has,
    /// a `CUstream` of the GPU's primary context.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// /// Uses results of another library, which has given its work to `stream`. Needs a GPU.
    /// ///
    /// /// # Safety
    /// /// The stream lives, in the context of the device, and is not captured.
    /// unsafe fn after(device: &Device, stream: *mut std::ffi::c_void) -> warpwise::Result<()> {
    ///     // SAFETY: the caller's promise.
    ///     unsafe { device.wait_for_raw_stream(stream) }?;
    ///     // Launches on `device` see what the other library has written.
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::NeedsGpu`] on the interpreter; errors of the driver.
    ///
    /// # Safety
    /// The stream lives, in this context, and is not being captured into a graph.
    #[expect(unsafe_code, reason = "the stream is as the caller says")]
    pub unsafe fn wait_for_raw_stream(&self, stream: *mut c_void) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.require_gpu("raw streams")?.wait_for_raw(stream) }
    }

    /// Makes later work of a stream of another library wait for the work that the device has.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// /// Lets another library use the results of launches on `device`. Needs a GPU.
    /// ///
    /// /// # Safety
    /// /// The stream lives, in the context of the device, and is not captured.
    /// unsafe fn before(device: &Device, stream: *mut std::ffi::c_void) -> warpwise::Result<()> {
    ///     // SAFETY: the caller's promise.
    ///     unsafe { device.delay_raw_stream(stream) }
    ///     // Work that `stream` is given from now on sees what the launches have written.
    /// }
    /// ```
    ///
    /// # Errors
    /// As of [`Self::wait_for_raw_stream`].
    ///
    /// # Safety
    /// As of [`Self::wait_for_raw_stream`].
    #[expect(unsafe_code, reason = "the stream is as the caller says")]
    pub unsafe fn delay_raw_stream(&self, stream: *mut c_void) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.require_gpu("raw streams")?.delay_raw(stream) }
    }

    /// Returns the stream of a GPU for work of other libraries.
    pub(super) fn work_stream(&self, what: &'static str) -> Result<&Arc<driver::Stream>> {
        match self.recorder() {
            Some(_) => Err(Error::NotInGraphs { what }),
            None => self.require_gpu(what),
        }
    }

    /// Returns the stream of a GPU.
    pub(super) fn require_gpu(&self, what: &'static str) -> Result<&Arc<driver::Stream>> {
        self.gpu_stream().ok_or_else(|| Error::NeedsGpu { what, device: self.to_string() })
    }
}
