//! The order of work on a GPU: what a [`Device`](crate::Device) of a GPU is.
//!
//! Everything a device is given goes to one stream, in order. Two devices of one GPU are two
//! streams; where one uses a buffer of the other, each waits for the other's work around that.
use super::{
    context::Gpu,
    faults::{self, Faults},
    kernel::{GpuKernel, Loaded},
    memory::{self, Allocation},
    table::{Address, Driver, EventHandle, StreamHandle},
};
use crate::{
    Error, Result,
    device::DeviceInfo,
    kernel::{Bound, Source},
    launch::Geometry,
    launch_checks::{Launch, Value},
    output::Printer,
};
use std::{
    ffi::{c_int, c_uint, c_void},
    fmt, ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use warpwise_compiler::{ir::CoarseGrid, specialize::Binding};

/// `CU_STREAM_NON_BLOCKING`: not ordered with what others do on the default stream.
const NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`
const DISABLE_TIMING: c_uint = 2;

/// A stream of work on a GPU.
pub(crate) struct Stream {
    pub(super) gpu: Arc<Gpu>,
    pub(super) handle: StreamHandle,
    /// Marks how far this stream is, for others to wait for.
    event: EventHandle,
    records: Address,
    faults: Mutex<Faults>,
    printer: Printer,
}

impl Stream {
    /// A new stream on the GPU with this number.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<Self>> {
        let gpu = Gpu::get(ordinal)?;
        let context = &gpu.context;
        let (mut handle, mut event) = (StreamHandle::NULL, EventHandle::NULL);
        let (records, faults) = context.enter(|driver| {
            // SAFETY: both take the result; a context is current.
            unsafe {
                driver.cuStreamCreate(&mut handle, NON_BLOCKING)?;
                driver.cuEventCreate(&mut event, DISABLE_TIMING)?;
            }
            let is_usable = !handle.is_null() && !event.is_null();
            driver.expect_usable("cuStreamCreate", is_usable, || "a null handle".to_owned())?;
            let records = memory::allocate(context, driver, handle, faults::BYTES)?;
            Ok((records, Faults::new(context, driver, records, handle)?))
        })?;
        let (faults, printer) = (Mutex::new(faults), Printer::default());
        Ok(Arc::new(Self { gpu, handle, event, records, faults, printer }))
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.gpu.context.info
    }

    /// Returns the destination of printed text.
    pub(crate) fn printer(&self) -> &Printer {
        &self.printer
    }

    pub(crate) fn free_memory(&self) -> Option<u64> {
        self.gpu.context.free_memory()
    }

    pub(crate) fn is_on_the_gpu_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.gpu, &other.gpu)
    }

    /// Zeroed memory; `None` if there is not as much.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<Option<Allocation>> {
        Allocation::new(self, bytes)
    }

    /// Waits for all work, and reports the first fault since the last call.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait_for(|_| Ok(()))
    }

    /// Waits for all work, copies `memory`, which is of this stream, and reports as
    /// [`Self::synchronize`] does.
    pub(crate) fn read(&self, memory: &Allocation, bytes: &mut [u8]) -> Result<()> {
        assert_eq!(bytes.len(), memory.bytes, "a buffer is read whole");
        self.wait_for(|driver| match bytes.len() {
            0 => Ok(()),
            // SAFETY: as many bytes on both sides. The stream is waited for before `bytes` is
            // used again, or freed, unless that wait fails; then the context is lost.
            len => unsafe {
                let to = bytes.as_mut_ptr().cast();
                driver.cuMemcpyDtoHAsync_v2(to, memory.address, len, self.handle)
            },
        })
    }

    /// Overwrites `memory`, which is of this stream, behind the work given before.
    pub(crate) fn write(&self, memory: &Allocation, bytes: &[u8]) -> Result<()> {
        assert_eq!(bytes.len(), memory.bytes, "a buffer is written whole");
        if bytes.is_empty() {
            return Ok(());
        }
        // The wait is for `bytes`: if they lie in pinned memory, the copy reads them only when
        // the stream comes to it, and the caller may change them as soon as this returns.
        self.gpu.context.enter(|driver| {
            // SAFETY: as many bytes on both sides, and they stay until the stream is waited for.
            unsafe {
                let from = bytes.as_ptr().cast();
                driver.cuMemcpyHtoDAsync_v2(memory.address, from, bytes.len(), self.handle)?;
                driver.cuStreamSynchronize(self.handle)
            }
        })
    }

    /// Does `work` in order, waits for the stream, and reports the first fault not reported yet.
    fn wait_for(&self, work: impl FnOnce(&Driver) -> Result<()>) -> Result<()> {
        let context = &self.gpu.context;
        context.enter(|driver| {
            let snapshot = self.faults().snapshot(context, driver, self.handle)?;
            let done = work(driver);
            // SAFETY: the stream lives; a context is current.
            let waited = unsafe { driver.cuStreamSynchronize(self.handle) };
            let mut faults = self.faults();
            match (snapshot, &waited) {
                // SAFETY: the stream was waited for.
                (Some(snapshot), Ok(())) => unsafe { faults.read(snapshot) },
                (Some(snapshot), Err(_)) => snapshot.abandon(),
                (None, _) => {}
            }
            let (text, seen) = (std::mem::take(&mut faults.text), faults.seen.take());
            drop(faults);
            self.printer.print(&text);
            if let Err(error) = waited.and(done) {
                self.faults().seen = seen;
                return Err(error);
            }
            seen.map_or(Ok(()), |panic| Err(Error::DevicePanic(panic)))
        })
    }

    /// Gives a launch to the GPU.
    pub(crate) fn run(&self, launch: &Launch<'_>) -> Result<()> {
        let Launch { source, bindings, bound, geometry, .. } = *launch;
        let kernel = self.kernel(source, bindings, bound)?;
        let context = &self.gpu.context;
        let (loaded, coarse_grid) = kernel.load_for(context, source, bound, geometry)?;
        let others = self.others(launch.args);
        context.enter(|driver| {
            others.iter().try_for_each(|other| self.wait_behind(driver, other))?;
            self.enqueue(driver, launch, &loaded, coarse_grid)?;
            others.iter().try_for_each(|other| other.wait_behind(driver, self))
        })
    }

    /// Returns the kernel for the GPU, whose code is loaded later.
    fn kernel(
        &self,
        source: &'static Source,
        bindings: &[Binding],
        bound: &Bound,
    ) -> Result<Arc<GpuKernel>> {
        let Gpu { kernels, context } = &*self.gpu;
        kernels.get(source, bindings, || GpuKernel::new(context, source, bound))
    }

    /// Returns the kernel as written, loaded now or earlier.
    fn load_plain(
        &self,
        source: &'static Source,
        bindings: &[Binding],
        bound: &Bound,
    ) -> Result<Arc<Loaded>> {
        self.kernel(source, bindings, bound)?.load_plain(&self.gpu.context, source, bound)
    }

    /// The GPU, and the registers that a thread of the kernel as written takes.
    pub(crate) fn taken(
        &self,
        source: &'static Source,
        bindings: &[Binding],
        bound: &Bound,
    ) -> Result<(&DeviceInfo, u32)> {
        Ok((self.info(), self.load_plain(source, bindings, bound)?.registers))
    }

    /// Returns the number of blocks that run at the same time, of so many threads and so much
    /// dynamic shared memory; 0 if the device has no cooperative launches.
    pub(crate) fn cooperative_limit(
        &self,
        source: &'static Source,
        bindings: &[Binding],
        bound: &Bound,
        threads: u32,
        dynamic: u64,
    ) -> Result<u64> {
        let loaded = self.load_plain(source, bindings, bound)?;
        self.gpu.context.enter(|driver| self.most_blocks(driver, &loaded, threads, dynamic))
    }

    fn most_blocks(
        &self,
        driver: &Driver,
        loaded: &Loaded,
        threads: u32,
        dynamic: u64,
    ) -> Result<u64> {
        let context = &self.gpu.context;
        let mut each = 0;
        if context.cooperative {
            let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
            let shared = usize::try_from(dynamic).unwrap_or(usize::MAX);
            // SAFETY: `each` takes the result; the function is loaded in the context, which is
            // current.
            unsafe {
                driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &mut each,
                    loaded.function,
                    threads,
                    shared,
                )
            }?;
        }
        Ok(u64::try_from(each).unwrap_or(0) * context.info.multiprocessors as u64)
    }

    /// The other streams whose buffers are among `args`.
    fn others<'a>(&self, args: &[Value<'a>]) -> Vec<&'a Self> {
        let mut others: Vec<&Self> = Vec::new();
        for arg in args {
            let Value::Slice { buffer, .. } = arg else { continue };
            let home: &Self = &buffer.memory.gpu().stream;
            if !ptr::eq(home, self) && !others.iter().any(|other| ptr::eq(*other, home)) {
                others.push(home);
            }
        }
        others
    }

    /// Makes what this stream gets from here on wait for what `other` has got so far.
    fn wait_behind(&self, driver: &Driver, other: &Self) -> Result<()> {
        // SAFETY: both streams and the event live; all are of the context that is current.
        unsafe {
            driver.cuEventRecord(other.event, other.handle)?;
            driver.cuStreamWaitEvent(self.handle, other.event, 0)
        }
    }

    fn enqueue(
        &self,
        driver: &Driver,
        launch: &Launch<'_>,
        loaded: &Loaded,
        coarse_grid: Option<CoarseGrid>,
    ) -> Result<()> {
        let Launch { source, bound, geometry: Geometry { grid, block }, ref shared, args, .. } =
            *launch;
        self.check_grid(driver, launch, loaded)?;
        let mut faults = self.faults();
        if faults.is_full() {
            self.read_faults(driver, &mut faults)?;
        }
        let mut values = Vec::with_capacity(2 * args.len() + 1);
        for arg in args {
            match *arg {
                Value::Scalar { bits, .. } => values.push(bits),
                Value::Slice { buffer, .. } => {
                    values.extend([buffer.memory.gpu().address, buffer.len as u64]);
                }
            }
        }
        values.extend(&shared.offsets);
        values.push(faults.next());
        let mut hardware_grid = grid;
        if let Some(coarse_grid) = coarse_grid {
            let launched;
            (hardware_grid, launched) = coarse_grid.divide(grid);
            values.push(launched.into());
        }
        if bound.kernel.prints() {
            values.push(faults.prints(|| self.allocate_zeros(driver, faults::PRINT_BYTES))?);
        }
        if bound.signature.cooperative {
            values.push(faults.barrier(|| self.allocate_zeros(driver, faults::BARRIER_BYTES))?);
        }
        // No device has as much as does not fit; the launch was checked against that.
        let shared = u32::try_from(shared.dynamic).unwrap_or(u32::MAX);
        let mut params: Vec<*mut c_void> =
            values.iter_mut().map(|value| ptr::from_mut(value).cast()).collect();
        // SAFETY: the function takes these parameters: the arguments were checked against the
        // kernel's IR, and its PTX was made from the same. The launcher reads as many of a
        // value's low bytes as the parameter has. Buffers belong to this GPU, have as many
        // elements as is said, and are freed behind this launch; the kernel checks its indices.
        // Its shared memory is as much as its arrays take.
        unsafe {
            let ([gx, gy, gz], [bx, by, bz]) = (hardware_grid, block);
            let (function, stream, params) = (loaded.function, self.handle, params.as_mut_ptr());
            match bound.signature.cooperative {
                true => driver.cuLaunchCooperativeKernel(
                    function, gx, gy, gz, bx, by, bz, shared, stream, params,
                ),
                false => {
                    let extra = ptr::null_mut();
                    driver.cuLaunchKernel(
                        function, gx, gy, gz, bx, by, bz, shared, stream, params, extra,
                    )
                }
            }
        }?;
        faults.launched(source, bound, launch.geometry);
        Ok(())
    }

    /// Zeroed memory for what kernels print, or where they count.
    fn allocate_zeros(&self, driver: &Driver, bytes: usize) -> Result<Address> {
        let zeros = memory::allocate(&self.gpu.context, driver, self.handle, bytes)?;
        // SAFETY: all bytes of the allocation, in the order of its stream.
        unsafe { driver.cuMemsetD8Async(zeros, 0, bytes, self.handle) }?;
        Ok(zeros)
    }

    /// Refuses a cooperative launch of more blocks than the GPU runs at the same time.
    fn check_grid(&self, driver: &Driver, launch: &Launch<'_>, loaded: &Loaded) -> Result<()> {
        if !launch.bound.signature.cooperative {
            return Ok(());
        }
        let threads = launch.geometry.threads();
        let limit = self.most_blocks(driver, loaded, threads, launch.shared.dynamic)?;
        launch.check_cooperative(limit, &*self.gpu.context)
    }

    /// Waits, so that records are free again.
    fn read_faults(&self, driver: &Driver, faults: &mut Faults) -> Result<()> {
        let Some(snapshot) = faults.snapshot(&self.gpu.context, driver, self.handle)? else {
            return Ok(());
        };
        // SAFETY: the stream lives; a context is current.
        match unsafe { driver.cuStreamSynchronize(self.handle) } {
            // SAFETY: the stream was waited for.
            Ok(()) => unsafe { faults.read(snapshot) },
            Err(error) => {
                snapshot.abandon();
                return Err(error);
            }
        }
        Ok(())
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `cuda:0 (NVIDIA H200)`
impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.gpu.context.fmt(f)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let context = &self.gpu.context;
        let made = self.faults().made();
        // SAFETY: each was made once and is destroyed once. The wait is for the flag in host memory,
        // which is not freed in the order of the stream. An error (of a lost context) leaves
        // nothing to do.
        let _ = context.enter(|driver| unsafe {
            driver.cuStreamSynchronize(self.handle)?;
            memory::free(context, driver, self.handle, self.records)?;
            for address in made {
                memory::free(context, driver, self.handle, address)?;
            }
            driver.cuEventDestroy_v2(self.event)?;
            driver.cuStreamDestroy_v2(self.handle)
        });
    }
}
