//! Streams: queues of work on a GPU, each the engine of a [`Device`](crate::Device).
//!
//! All work of a device is enqueued on one stream, in order. Work of several streams of one GPU is
//! ordered where it uses the same memory (`uses.rs`).
use super::{
    api::{Address, Driver, KernelLaunch, LaunchAttribute, Status, StreamHandle},
    context::{Context, Gpu},
    event::{Event, Purpose},
    faults::{self, Faults, Flag, GraphRecords},
    kernel::{GpuKernel, Loaded},
    memory::{self, Allocation, Owner},
    tensor_map::{TENSOR_MAP_WORDS, TensorMapWords},
    uses::{Seen, Uses},
};
use crate::{
    Error, Result,
    device::family::{Family, Reports},
    launch::{
        bound_kernel::Bound,
        checks::{CheckedLaunch, Value},
        config::Geometry,
    },
    observe::output::Printer,
    properties::{DeviceInfo, MemoryInfo},
};
use smallvec::SmallVec;
use std::{
    ffi::{c_int, c_uint, c_void},
    fmt, iter,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use warpwise_compiler::{
    back::ptx::SharedMemory,
    ir::{Access, CoarseGrid},
};

/// `CU_STREAM_NON_BLOCKING`: not ordered with work on the default stream.
const NON_BLOCKING: c_uint = 1;

/// Parameters of a PTX kernel for which nothing is allocated.
const INLINE_PARAMS: usize = 32;
/// Words of these parameters for which nothing is allocated: two tensor maps are among them.
const INLINE_WORDS: usize = INLINE_PARAMS + 2 * TENSOR_MAP_WORDS;

/// A stream of work on a GPU.
pub(crate) struct Stream {
    pub(super) gpu: Arc<Gpu>,
    pub(super) handle: StreamHandle,
    /// Different from that of every other stream of the process.
    pub(super) id: u64,
    /// The event by which other streams wait for this one.
    event: Event,
    /// The number of the last work that was given to the GPU.
    enqueued: AtomicU64,
    queue: Mutex<Queue>,
    pub(super) flag: Flag,
    records: Address,
    printer: Arc<Printer>,
    /// The owner of a stream that another library made, and destroys.
    owner: Option<Owner>,
    /// The streams of the device.
    family: Arc<Family<Stream>>,
    /// True if the device created it as a stream.
    is_stream: bool,
}

/// A function that is called when work is done, with false if it failed.
pub(crate) type Callback = Box<dyn FnOnce(bool) + Send>;

/// The state of a stream that changes with each launch.
struct Queue {
    faults: Faults,
    seen: Seen,
}

/// Slices of a kernel for which nothing is allocated.
const INLINE_OPERANDS: usize = 8;

/// Bytes of an allocation that work uses, and whether it writes them.
pub(super) type Operand<'a> = (&'a Allocation, Range<usize>, bool);

impl Stream {
    /// Opens the GPU with this number, as a stream of its own.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<Self>> {
        Self::new(Gpu::get(ordinal)?, 0, None)
    }

    /// Opens another stream of the same device, whose kernels print to the same destination.
    pub(crate) fn new_stream(&self, priority: i32) -> Result<Arc<Self>> {
        let stream = Self::new(Arc::clone(&self.gpu), priority, Some(self))?;
        self.family.add(&stream);
        Ok(stream)
    }

    fn new(gpu: Arc<Gpu>, priority: i32, device: Option<&Self>) -> Result<Arc<Self>> {
        let handle = OwnedHandle::new(&gpu.context, priority)?;
        let stream = Self::with_handle(Arc::clone(&gpu), handle.stream, None, device)?;
        handle.release();
        Ok(stream)
    }

    /// Makes a stream of a handle in the GPU's context, which outlives the stream: a stream of a
    /// device, or without one a device. The handle is an owner's, or one that the stream destroys; a
    /// failed call leaves it to the caller.
    pub(super) fn with_handle(
        gpu: Arc<Gpu>,
        handle: StreamHandle,
        owner: Option<Owner>,
        device: Option<&Self>,
    ) -> Result<Arc<Self>> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let context = &gpu.context;
        let flag = Flag::new(context)?;
        let event = Event::new(context, Purpose::Order)?;
        let (records, faults) = context.enter(|driver| {
            let purpose = "the faults of a stream's launches";
            let records = memory::allocate_for(purpose, context, driver, handle, faults::BYTES)?;
            match Faults::new(driver, records, &flag, handle) {
                Ok(faults) => Ok((records, faults)),
                Err(error) => {
                    // SAFETY: allocated just now, and used by work of the stream only.
                    let _ = unsafe { memory::free(context, driver, handle, records) };
                    Err(error)
                }
            }
        })?;
        Ok(Arc::new(Self {
            handle,
            id: COUNT.fetch_add(1, Ordering::Relaxed),
            event,
            enqueued: AtomicU64::new(0),
            queue: Mutex::new(Queue { faults, seen: Seen::default() }),
            flag,
            records,
            printer: device.map(|device| Arc::clone(&device.printer)).unwrap_or_default(),
            owner,
            family: device.map(|device| Arc::clone(&device.family)).unwrap_or_default(),
            is_stream: device.is_some(),
            gpu,
        }))
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.gpu.context.info
    }

    /// Returns the destination of printed text.
    pub(crate) fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Returns the number of the GPU.
    pub(crate) fn ordinal(&self) -> usize {
        self.gpu.context.ordinal
    }

    pub(crate) fn memory_info(&self) -> Result<MemoryInfo> {
        self.gpu.context.memory_info()
    }

    /// Returns true if the hardware lets kernels of this GPU access memory of another GPU.
    pub(crate) fn can_access_peer(&self, other: &Self) -> Result<bool> {
        self.gpu.context.can_access_peer(&other.gpu.context)
    }

    pub(crate) fn is_on_the_gpu_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.gpu, &other.gpu)
    }

    /// Allocates memory, zeroed if asked to; `None` if there is not enough.
    pub(crate) fn allocate(
        self: &Arc<Self>,
        bytes: usize,
        is_zeroed: bool,
    ) -> Result<Option<Allocation>> {
        Allocation::new(self, bytes, is_zeroed)
    }

    /// Gives work to the GPU that does not wait, after the conflicting work of other streams.
    pub(super) fn submit<'a>(
        self: &Arc<Self>,
        operands: impl IntoIterator<Item = Operand<'a>>,
        work: impl FnOnce(&Driver, &mut Faults) -> Result<()>,
    ) -> Result<()> {
        self.gpu.context.enter(|driver| {
            let mut all = SmallVec::<[Operand<'a>; INLINE_OPERANDS]>::new();
            for operand in operands {
                // Before the lock, since this may lock the queue of another stream.
                operand.0.share_with(self);
                all.push(operand);
            }
            let Queue { faults, seen } = &mut *self.queue();
            let ticket = self.enqueued.load(Ordering::Relaxed) + 1;
            // Another stream may share an allocation until the queue is locked.
            all.retain(|operand| operand.0.is_shared() && !operand.1.is_empty());
            // The locks are held until the work is enqueued, so that no other thread sees its uses
            // before. All threads lock in the order of the addresses, which excludes a deadlock.
            let address = |allocation: &Allocation| ptr::from_ref(allocation).addr();
            all.sort_unstable_by_key(|(allocation, ..)| address(allocation));
            let mut locked = SmallVec::<[MutexGuard<'a, Uses>; INLINE_OPERANDS]>::new();
            let mut last = None;
            for (allocation, bytes, is_write) in all {
                if last != Some(address(allocation)) {
                    locked.push(allocation.uses());
                    last = Some(address(allocation));
                }
                let Some(uses) = locked.last_mut() else { continue };
                uses.delay(driver, self, seen, &bytes, is_write)?;
                uses.add(self, ticket, bytes, is_write);
            }
            let done = work(driver, faults);
            // A thread that reads this number and then records an event waits for the work. The
            // number grows also if the work failed, because a part may have been enqueued.
            self.enqueued.store(ticket, Ordering::Release);
            done
        })
    }

    /// Passes the number of the last work that was given to the GPU, while no other is given.
    pub(super) fn with_ticket(&self, work: impl FnOnce(u64)) {
        let _queue = self.queue();
        work(self.enqueued.load(Ordering::Acquire));
    }

    /// Makes later work of this stream wait for the work that `other` has so far; returns the
    /// ticket of the last such work. The stream's context is current.
    pub(super) fn wait_for_stream(&self, driver: &Driver, other: &Self) -> Result<u64> {
        let ticket = other.enqueued.load(Ordering::Acquire);
        other.event.record(other.handle)?;
        // SAFETY: the stream lives; its context is current.
        unsafe { other.event.delay(driver, self.handle) }?;
        Ok(ticket)
    }

    /// Makes later work of this stream wait for an event.
    pub(crate) fn wait_for(&self, event: &Event) -> Result<()> {
        // SAFETY: the stream lives; its context is current.
        self.gpu.context.enter(|driver| unsafe { event.delay(driver, self.handle) })
    }

    /// Records an event after the work of the stream.
    pub(crate) fn record(&self) -> Result<Event> {
        let event = Event::new(&self.gpu.context, Purpose::Timing)?;
        event.record(self.handle)?;
        Ok(event)
    }

    /// Waits for all work, and reports the first fault since the last call.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.finish(|_| Ok(()))
    }

    /// Waits for all work, and, unless this is a stream, then for that of the streams of the device.
    /// Reports the first fault since the last call, and leaves those of the streams after it to the
    /// next one.
    pub(crate) fn synchronize_device(&self) -> Result<()> {
        let mut result = self.synchronize();
        if self.is_stream {
            return result;
        }
        for stream in self.family.streams() {
            // The streams after a fault are waited for as well, and keep theirs.
            match &result {
                Ok(()) => result = stream.synchronize(),
                Err(_) => _ = stream.wait(),
            }
        }
        result?;
        let Reports { fault, text } = self.family.take_left();
        self.printer.print(&text);
        fault.map_or(Ok(()), |panic| Err(Error::DevicePanic(panic)))
    }

    /// Reports the first fault of the work that is done, if there is one. Waits only if there is
    /// something to report.
    pub(crate) fn report(&self) -> Result<()> {
        let has_seen = self.queue().faults.seen.is_some();
        if has_seen || self.flag.is_set() { self.synchronize() } else { Ok(()) }
    }

    /// Waits for all work with some bytes of `memory`, which is of this stream, copies them, and
    /// reports as [`Self::synchronize`] does, for streams that have written them, too.
    pub(crate) fn read(
        &self,
        memory: &Allocation,
        part: Range<usize>,
        bytes: &mut [u8],
    ) -> Result<()> {
        assert_eq!(bytes.len(), part.len(), "a copy has as many bytes on both sides");
        self.read_with(memory, &part, |driver| {
            let (to, from) = (bytes.as_mut_ptr().cast(), memory.address_of(part.start));
            // SAFETY: as many bytes on both sides, which are waited for.
            unsafe { driver.cuMemcpyDtoHAsync_v2(to, from, bytes.len(), self.handle) }
        })
    }

    /// Does the same as [`Self::read`], by a `copy` that is enqueued. The stream is waited for
    /// before its destination is used again, or freed, unless that wait fails; then the context is
    /// lost.
    pub(super) fn read_with(
        &self,
        memory: &Allocation,
        part: &Range<usize>,
        copy: impl FnOnce(&Driver) -> Result<()>,
    ) -> Result<()> {
        self.finish(|driver| self.work_and_wait(driver, memory, part, false, || copy(driver)))?;
        let writers = memory.uses().writers(self, part);
        writers.iter().try_for_each(|writer| writer.report())
    }

    /// Overwrites bytes of `memory`, which is of this stream, after the work given before.
    pub(crate) fn write(
        &self,
        memory: &Allocation,
        part: Range<usize>,
        bytes: &[u8],
    ) -> Result<()> {
        assert_eq!(bytes.len(), part.len(), "a copy has as many bytes on both sides");
        self.write_with(memory, &part, |driver| {
            let (to, from) = (memory.address_of(part.start), bytes.as_ptr().cast());
            // SAFETY: as many bytes on both sides, which are waited for.
            unsafe { driver.cuMemcpyHtoDAsync_v2(to, from, bytes.len(), self.handle) }
        })
    }

    /// Does the same as [`Self::write`], by a `copy` that is enqueued. It is waited for because of
    /// its source: if that lies in pinned memory, the copy reads it only when the stream reaches
    /// the copy, and the caller may change it as soon as this returns.
    pub(super) fn write_with(
        &self,
        memory: &Allocation,
        part: &Range<usize>,
        copy: impl FnOnce(&Driver) -> Result<()>,
    ) -> Result<()> {
        self.gpu
            .context
            .enter(|driver| self.work_and_wait(driver, memory, part, true, || copy(driver)))
    }

    /// Does work with bytes of `memory` after that of other streams, and waits for its end. No
    /// other work has to wait for it later, and none with the memory is given before.
    fn work_and_wait(
        &self,
        driver: &Driver,
        memory: &Allocation,
        part: &Range<usize>,
        is_write: bool,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if part.is_empty() {
            return Ok(());
        }
        memory.share_with(self);
        let mut queue = self.queue();
        let uses = memory.uses();
        uses.delay(driver, self, &mut queue.seen, part, is_write)?;
        drop(queue);
        work()?;
        // SAFETY: the stream lives; a context is current.
        unsafe { driver.cuStreamSynchronize(self.handle) }
    }

    /// Copies bytes of an allocation, perhaps of another GPU, to as many of one of this stream.
    pub(crate) fn copy(
        self: &Arc<Self>,
        (from, source): (&Allocation, Range<usize>),
        (to, destination): (&Allocation, Range<usize>),
    ) -> Result<()> {
        assert_eq!(source.len(), destination.len(), "a copy has as many bytes on both sides");
        let bytes = source.len();
        if bytes == 0 {
            return Ok(());
        }
        let addresses = (to.address_of(destination.start), from.address_of(source.start));
        let operands = [(from, source, false), (to, destination, true)];
        self.submit(operands, |driver, _| {
            let (to, source, stream) = (addresses.0, addresses.1, self.handle);
            let (own, other) = (self.gpu.context.handle, from.stream.gpu.context.handle);
            // SAFETY: as many bytes on both sides, of live allocations of these contexts, which
            // are freed after this work.
            unsafe {
                if own == other {
                    driver.cuMemcpyDtoDAsync_v2(to, source, bytes, stream)
                } else {
                    driver.cuMemcpyPeerAsync(to, own, source, other, bytes, stream)
                }
            }
        })
    }

    /// Overwrites bytes of `memory`, which is of this stream, with repetitions of `element`.
    pub(crate) fn fill(
        self: &Arc<Self>,
        memory: &Allocation,
        part: Range<usize>,
        element: &[u8],
    ) -> Result<()> {
        if part.is_empty() {
            return Ok(());
        }
        let (to, bytes, stream) = (memory.address_of(part.start), part.len(), self.handle);
        self.submit([(memory, part, true)], |driver, _| {
            let mut columns = memory::fill_columns(to, bytes, element);
            // SAFETY: the columns are inside of the part.
            columns.try_for_each(|column| unsafe { column.set(driver, stream) })
        })
    }

    /// Calls `function` after the work of the stream, on a thread of the driver, with false if that
    /// work failed because the device is lost.
    pub(crate) fn call(&self, function: Callback) -> Result<()> {
        unsafe extern "system" fn call(_: StreamHandle, status: Status, data: *mut c_void) {
            // SAFETY: made by `into_raw` below, for this call alone.
            let function = unsafe { Box::from_raw(data.cast::<Callback>()) };
            // A panic must not unwind into the driver, and there is nobody to report it to.
            let _ = catch_unwind(AssertUnwindSafe(|| function(status == 0)));
        }
        let data = Box::into_raw(Box::new(function)).cast();
        // `cuLaunchHostFunc`, which is newer, does not call the function when the device is lost.
        // SAFETY: `call` takes what `data` is, and is called once at most.
        let enqueued = self
            .gpu
            .context
            .enter(|driver| unsafe { driver.cuStreamAddCallback(self.handle, call, data, 0) });
        if enqueued.is_err() {
            // SAFETY: made above, and the driver has not taken it.
            drop(unsafe { Box::from_raw(data.cast::<Callback>()) });
        }
        enqueued
    }

    /// Waits for all work, and leaves its reports to the next call.
    pub(super) fn wait(&self) -> Result<()> {
        self.gpu.context.enter(|driver| {
            // SAFETY: the stream lives; its context is current.
            unsafe { driver.cuStreamSynchronize(self.handle) }
        })
    }

    /// Waits for all work, reads its reports, and keeps them for the next call.
    pub(super) fn synchronize_and_keep(&self) -> Result<()> {
        self.gpu.context.enter(|driver| self.queue().faults.read(driver, &self.flag, self.handle))
    }

    /// Forgets the records of a graph, which are about to be freed.
    pub(super) fn forget_graph(&self, records: &Arc<GraphRecords>) {
        self.queue().faults.forget_graph(records);
    }

    /// Does `work` in order, waits for the stream, and reports the first fault not reported yet.
    fn finish(&self, work: impl FnOnce(&Driver) -> Result<()>) -> Result<()> {
        self.gpu.context.enter(|driver| {
            let done = work(driver);
            let enqueued = self.enqueued.load(Ordering::Acquire);
            // SAFETY: the stream lives; a context is current.
            let waited = unsafe { driver.cuStreamSynchronize(self.handle) };
            let mut queue = self.queue();
            let read = waited.and_then(|()| {
                if self.flag.is_set() {
                    return queue.faults.read(driver, &self.flag, self.handle);
                }
                if self.enqueued.load(Ordering::Acquire) == enqueued {
                    queue.faults.forget();
                }
                Ok(())
            });
            let text = std::mem::take(&mut queue.faults.text);
            let result = read.and(done).and_then(|()| {
                let seen = queue.faults.seen.take();
                seen.map_or(Ok(()), |panic| Err(Error::DevicePanic(panic)))
            });
            drop(queue);
            self.printer.print(&text);
            result
        })
    }

    /// Gives a launch to the GPU.
    pub(crate) fn run(self: &Arc<Self>, launch: &CheckedLaunch<'_>) -> Result<()> {
        let kernel = self.kernel(launch.bound)?;
        let (loaded, coarse_grid) = kernel.load_for(&self.gpu.context, launch)?;
        let operands = launch_operands(launch);
        // Streams whose last references are these end after `submit`, when no lock is held.
        let mut kept = Vec::new();
        self.submit(operands, |driver, faults| {
            let constants = loaded.constants.prepare(self, driver, launch, &mut kept)?;
            // A kernel reads constants before it waits for the work before it.
            let may_start_early = loaded.may_start_early && !constants.has_copied;
            self.enqueue(driver, faults, launch, loaded, coarse_grid, may_start_early)?;
            drop(constants);
            Ok(())
        })
    }

    /// Returns the kernel for the GPU, whose code is loaded later.
    pub(super) fn kernel(&self, bound: &'static Bound) -> Result<&GpuKernel> {
        let Gpu { kernels, context } = &*self.gpu;
        kernels.get(bound, || GpuKernel::new(context, bound))
    }

    /// Returns the kernel as written, loaded now or earlier.
    fn load_plain(&self, bound: &'static Bound) -> Result<&Loaded> {
        self.kernel(bound)?.load_plain(&self.gpu.context, bound)
    }

    /// Returns the GPU, and the number of registers that a thread of the kernel as written takes.
    pub(crate) fn register_use(&self, bound: &'static Bound) -> Result<(&DeviceInfo, u32)> {
        Ok((self.info(), self.load_plain(bound)?.registers))
    }

    /// Returns the number of blocks that run at the same time, given their threads and dynamic
    /// shared memory; 0 if the device has no cooperative launches.
    pub(crate) fn cooperative_limit(
        &self,
        bound: &'static Bound,
        threads: u32,
        dynamic: u64,
    ) -> Result<u64> {
        let loaded = self.load_plain(bound)?;
        self.gpu.context.enter(|driver| self.most_blocks(driver, loaded, threads, dynamic))
    }

    fn most_blocks(
        &self,
        driver: &Driver,
        loaded: &Loaded,
        threads: u32,
        dynamic: u64,
    ) -> Result<u64> {
        let context = &self.gpu.context;
        if !context.cooperative {
            return Ok(0);
        }
        let each = resident_blocks(driver, loaded, threads, dynamic)?;
        Ok(u64::from(each) * context.info.multiprocessors as u64)
    }

    /// Returns the number of blocks that reside on a multiprocessor, given their threads and
    /// dynamic shared memory.
    pub(crate) fn resident_blocks(
        &self,
        bound: &'static Bound,
        threads: u32,
        dynamic: u64,
    ) -> Result<u32> {
        let loaded = self.load_plain(bound)?;
        self.gpu.context.enter(|driver| resident_blocks(driver, loaded, threads, dynamic))
    }

    /// Returns the threads of a block with which most threads reside on the GPU, and the number of
    /// such blocks, given the dynamic shared memory of each; 0 if no block fits.
    pub(crate) fn suggest_block(&self, bound: &'static Bound, dynamic: u64) -> Result<(u32, u32)> {
        let loaded = self.load_plain(bound)?;
        let shared = usize::try_from(dynamic).unwrap_or(usize::MAX);
        let (mut blocks, mut threads) = (0, 0);
        self.gpu.context.enter(|driver| {
            // SAFETY: the first two take the results; the function is loaded in the context, which
            // is current; no function says how much shared memory a block takes, since all take the
            // same. A limit of 0 threads is none.
            unsafe {
                driver.cuOccupancyMaxPotentialBlockSize(
                    &mut blocks,
                    &mut threads,
                    loaded.function,
                    None,
                    shared,
                    0,
                )
            }
        })?;
        Ok((u32::try_from(threads).unwrap_or(0), u32::try_from(blocks).unwrap_or(0)))
    }

    fn enqueue(
        &self,
        driver: &Driver,
        faults: &mut Faults,
        launch: &CheckedLaunch<'_>,
        loaded: &Loaded,
        coarse_grid: Option<CoarseGrid>,
        may_start_early: bool,
    ) -> Result<()> {
        let CheckedLaunch { bound, geometry: Geometry { block, .. }, ref shared, .. } = *launch;
        self.check_grid(driver, launch, loaded)?;
        if faults.is_full() {
            faults.read(driver, &self.flag, self.handle)?;
        }
        let mut values = Params::default();
        let grid = push_params(&mut values, driver, launch, faults.next(), coarse_grid)?;
        if bound.signature.prints {
            let allocate =
                || self.allocate_zeros(driver, faults::PRINT_BYTES, "what kernels print");
            values.push(faults.prints(allocate)?);
        }
        if bound.signature.cooperative {
            let purpose = "the block counter of cooperative launches";
            let allocate = || self.allocate_zeros(driver, faults::BARRIER_BYTES, purpose);
            values.push(faults.barrier(allocate)?);
        }
        let mut params = values.pointers();
        // SAFETY: the function takes these parameters: the arguments were checked against the
        // kernel's IR, and its PTX was made from the same. The launcher reads as many of a
        // value's low bytes as the parameter has. Buffers belong to this GPU, have as many
        // elements as is said, and are freed after this launch; the kernel checks its indices.
        // Its shared memory is as much as its arrays take. One that may start early waits before it
        // accesses memory, and ends after the grids before it.
        unsafe {
            let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
            let shared = dynamic_bytes(shared);
            let (function, stream, params) = (loaded.function, self.handle, params.as_mut_ptr());
            let extra = ptr::null_mut();
            if bound.signature.cooperative {
                driver.cuLaunchCooperativeKernel(
                    function, gx, gy, gz, bx, by, bz, shared, stream, params,
                )
            } else if may_start_early
                && let attributes = [LaunchAttribute::PROGRAMMATIC_STREAM_SERIALIZATION]
                && let Some(launched) = driver.cuLaunchKernelEx(
                    &KernelLaunch {
                        grid,
                        block,
                        shared_bytes: shared,
                        stream,
                        attributes: attributes.as_ptr(),
                        count: 1,
                    },
                    function,
                    params,
                    extra,
                )
            {
                launched
            } else {
                driver
                    .cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra)
            }
        }?;
        faults.launched(bound, launch.geometry);
        Ok(())
    }

    /// Allocates zeroed memory for the output of kernels, or for a counter.
    fn allocate_zeros(
        &self,
        driver: &Driver,
        bytes: usize,
        purpose: &'static str,
    ) -> Result<Address> {
        let context = &self.gpu.context;
        let zeros = memory::allocate_for(purpose, context, driver, self.handle, bytes)?;
        // SAFETY: all bytes of the allocation, in the order of its stream.
        let zeroed = unsafe { driver.cuMemsetD8Async(zeros, 0, bytes, self.handle) };
        zeroed.map(|()| zeros).inspect_err(|_| {
            // SAFETY: allocated just now; nobody else has the address.
            let _ = unsafe { memory::free(context, driver, self.handle, zeros) };
        })
    }

    /// Refuses a cooperative launch of more blocks than the GPU runs at the same time.
    fn check_grid(
        &self,
        driver: &Driver,
        launch: &CheckedLaunch<'_>,
        loaded: &Loaded,
    ) -> Result<()> {
        if !launch.bound.signature.cooperative {
            return Ok(());
        }
        let threads = launch.geometry.threads();
        let limit = self.most_blocks(driver, loaded, threads, launch.shared.dynamic)?;
        launch.check_cooperative(limit, &*self.gpu.context)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the number of blocks that reside on a multiprocessor. The code's context is current.
fn resident_blocks(driver: &Driver, loaded: &Loaded, threads: u32, dynamic: u64) -> Result<u32> {
    let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
    let shared = usize::try_from(dynamic).unwrap_or(usize::MAX);
    let mut blocks = 0;
    // SAFETY: `blocks` takes the result; the function is loaded in the context, which is current.
    unsafe {
        driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            loaded.function,
            threads,
            shared,
        )
    }?;
    Ok(u32::try_from(blocks).unwrap_or(0))
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
        // What was not reported is left to the device. The work is waited for below in any case.
        if self.is_stream && self.synchronize_and_keep().is_ok() {
            let Queue { faults, .. } = &mut *self.queue();
            let (fault, text) = (faults.seen.take(), std::mem::take(&mut faults.text));
            self.family.leave(Reports { fault, text });
        }
        // Every call is made, even after an error of an earlier one, which is that of a lost
        // context.
        for address in iter::once(self.records).chain(self.queue().faults.launch_allocations()) {
            // SAFETY: made once and freed once, after the work that the stream still has.
            let _ = context
                .enter(|driver| unsafe { memory::free(context, driver, self.handle, address) });
        }
        if self.wait().is_err() {
            // A thread of its work that fails a check may still write the flag.
            self.flag.leak();
        }
        if self.owner.is_none() {
            // SAFETY: made once and destroyed once; work that it still has goes on.
            let _ = context.enter(|driver| unsafe { driver.cuStreamDestroy_v2(self.handle) });
        }
    }
}

/// Returns the memory that a launch uses.
pub(super) fn launch_operands<'a>(
    launch: &CheckedLaunch<'a>,
) -> impl Iterator<Item = Operand<'a>> + use<'a> {
    launch.args.values().filter_map(|arg| match arg {
        Value::Scalar { .. } => None,
        Value::Slice { slice, access, .. } => {
            Some((slice.gpu(), slice.range(), !access.is_read_only()))
        }
    })
}

/// The values of a kernel's parameters.
#[derive(Default)]
pub(super) struct Params {
    /// The values, one after the other: a tensor map is several words.
    words: SmallVec<[u64; INLINE_WORDS]>,
    /// The index of the first word of each value.
    starts: SmallVec<[usize; INLINE_PARAMS]>,
}

impl Params {
    fn push(&mut self, value: u64) {
        self.starts.push(self.words.len());
        self.words.push(value);
    }

    fn push_words(&mut self, words: &[u64]) {
        self.starts.push(self.words.len());
        self.words.extend_from_slice(words);
    }

    /// Returns the address of each value, as the driver takes them.
    pub(super) fn pointers(&mut self) -> SmallVec<[*mut c_void; INLINE_PARAMS]> {
        let first = self.words.as_mut_ptr();
        let mut pointers = SmallVec::new();
        // By `push`, which is faster than `collect` for so few.
        self.starts.iter().for_each(|start| pointers.push(first.wrapping_add(*start).cast()));
        pointers
    }
}

/// Pushes the values that a launch passes, up to the fault record and the coarsened grid; returns
/// the grid of the hardware. The caller pushes the values after them, which only some kernels take.
pub(super) fn push_params(
    values: &mut Params,
    driver: &Driver,
    launch: &CheckedLaunch<'_>,
    record: Address,
    coarse_grid: Option<CoarseGrid>,
) -> Result<[u32; 3]> {
    for arg in launch.args.values() {
        match *arg {
            Value::Scalar { bits, .. } => values.push(bits),
            // The elements are in the constant memory of the module.
            Value::Slice { slice, access: Access::Constant { .. }, .. } => {
                values.push(slice.len as u64);
            }
            Value::Slice { slice, access, ref tensor, .. } => {
                let address = match access.surface_shape() {
                    Some(_) => slice.gpu().surface_object(),
                    None => slice.gpu().address_of(slice.offset),
                };
                match tensor {
                    Some(layout) => {
                        let map = TensorMapWords::encode(driver, layout, address)?;
                        values.push_words(&map.0);
                    }
                    None => values.push(address),
                }
                values.push(slice.len as u64);
            }
        }
    }
    launch.shared.offsets.iter().for_each(|offset| values.push(*offset));
    values.push(record);
    let grid = launch.geometry.grid;
    Ok(coarse_grid.map_or(grid, |coarse_grid| {
        let (hardware_grid, launched) = coarse_grid.divide(grid);
        values.push(launched.into());
        hardware_grid
    }))
}

/// Returns the bytes of shared memory that a launch asks for. The launch was checked against the
/// device's memory, which is less than 4 GiB.
pub(super) fn dynamic_bytes(shared: &SharedMemory) -> u32 {
    u32::try_from(shared.dynamic).unwrap_or(u32::MAX)
}

/// A stream of the driver that is destroyed when dropped.
struct OwnedHandle<'a> {
    context: &'a Context,
    stream: StreamHandle,
}

impl<'a> OwnedHandle<'a> {
    fn new(context: &'a Context, priority: i32) -> Result<Self> {
        let mut stream = StreamHandle::NULL;
        context.enter(|driver| {
            let (mut least, mut greatest) = (0, 0);
            // SAFETY: all take the results; a context is current.
            unsafe {
                driver.cuCtxGetStreamPriorityRange(&mut least, &mut greatest)?;
                let priority = priority.clamp(greatest.min(least), least.max(greatest));
                driver.cuStreamCreateWithPriority(&mut stream, NON_BLOCKING, priority)?;
            }
            let problem = || "a null handle".to_owned();
            driver.expect_usable("cuStreamCreateWithPriority", !stream.is_null(), problem)
        })?;
        Ok(Self { context, stream })
    }

    /// Leaves the stream to its new owner.
    fn release(self) {
        std::mem::forget(self);
    }
}

impl Drop for OwnedHandle<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. An error leaves nothing to do.
        let _ = self.context.enter(|driver| unsafe { driver.cuStreamDestroy_v2(self.stream) });
    }
}
