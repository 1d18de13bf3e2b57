//! Devices that run kernels: [`Device`], and the choice of [`Device::auto`].
//!
//! A device is one of two engines, the interpreter ([`cpu`]) or a stream on a GPU
//! ([`driver`]), which do the same things to their own kind of memory.
pub(crate) mod event;
pub(crate) mod family;
pub(crate) mod graph;
pub mod properties;
pub(crate) mod simulator;
pub(crate) mod stream;

use crate::{
    Error, Result,
    cpu::{self, Interpreter},
    device::{graph::Recorder, simulator::Simulator},
    driver::{self, Pinned},
    launch::{bound_kernel::Bound, checks::CheckedLaunch},
    memory::{AnySlice, CpuCopies, MemoryBytes, PinnedMemory},
    observe::{
        profile,
        sanitizer::Sanitizer,
        spans::{self, Direction},
    },
    properties::{DeviceInfo, MemoryInfo},
};
use std::{
    fmt,
    hash::{Hash, Hasher},
    ops::Range,
    sync::{Arc, Once},
};
use warpwise_compiler::{lint::launch::Gpu, target::Target};

/// Bytes that are copied at once between two devices of which one is the interpreter.
const COPY_BYTES: usize = 1 << 16;

/// A GPU or the SIMT interpreter, and a queue of work on it. Cheap to clone: clones are the same
/// device.
///
/// [`Device::auto`] takes a GPU if there is one and the SIMT interpreter if not;
/// [`Device::cuda`] and [`Device::cpu`] choose one. The environment variable `WARPWISE_DEVICE`
/// overrides the choice of `auto`:
///
/// | value | device |
/// |---|---|
/// | `auto`, empty or unset | GPU 0; without a driver, or a device that kernels run on, the interpreter, which is said once on stderr |
/// | `cpu` | the interpreter, silently |
/// | `cuda` or `cuda:N` | GPU 0 or N, or an error |
///
/// **Order.** Work runs in the order in which it is given to the device, from any thread. Copies to
/// the host and [`Device::synchronize`] wait for it.
///
/// **Faults.** On a GPU a launch returns before its kernel has run. The next
/// [`Device::synchronize`] or [`Slice::to_vec`](crate::Slice::to_vec) of this device reports the
/// first launch that failed a check, once, as [`Error::DevicePanic`]. After that the device remains
/// usable, and buffers hold what was written. The interpreter does the same.
///
/// **Output.** The same calls print the output of kernels, to stdout or to the handler of
/// [`Device::on_print`]: launch by launch, and in each in the order of its threads, blocks and
/// threads being numbered x fastest. There is room for 1 MiB of records between two such calls;
/// further records are counted, and the count is printed. A program that ends without such a call
/// prints nothing.
#[derive(Clone)]
pub struct Device {
    pub(crate) engine: Engine,
    /// The recorder of a graph, which takes launches in place of the engine.
    recorder: Option<Arc<Recorder>>,
}

#[derive(Clone)]
pub(crate) enum Engine {
    Cpu(Arc<Interpreter>),
    Cuda(Arc<driver::Stream>),
}

impl Device {
    /// Returns the device that `WARPWISE_DEVICE` names; without it, the first GPU, or the
    /// interpreter if there is no driver or no device that kernels run on. In this case it prints a
    /// note on stderr, once a process, which `WARPWISE_DEVICE=cpu` silences.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// let device = Device::auto()?;
    /// println!("kernels run on {}", device.name());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadDeviceName`]; [`Error::BadChecks`], whatever the device; what [`Device::cuda`]
    /// returns, if a GPU is requested or the one found cannot be used.
    #[doc(alias = "cudaSetDevice")]
    pub fn auto() -> Result<Self> {
        checks_from_env()?;
        match Choice::from_env()? {
            Choice::Cpu => Ok(Self::cpu()),
            Choice::Cuda(ordinal) => Self::cuda(ordinal),
            Choice::Auto => match Self::cuda(0) {
                Err(
                    reason @ (Error::NoDriver { .. }
                    | Error::NoDevice { .. }
                    | Error::DeviceTooOld { .. }),
                ) => {
                    report_fallback_once(&reason);
                    Ok(Self::cpu())
                }
                opened => opened,
            },
        }
    }

    /// Creates the SIMT interpreter, on the host's cores. [`Simulator`] creates one that counts,
    /// checks or traces.
    ///
    /// If the environment variable `WARPWISE_CHECK` is set, launches are
    /// [checked](Simulator::checks) for what it names, in the notation of
    /// [`Checks`](crate::check::Checks); findings that do not make a launch fail are printed on
    /// stderr. If it names anything else, the first buffer or launch of the device fails with
    /// [`Error::BadChecks`].
    ///
    /// A launch whose threads wait in loops that no other thread can end is
    /// [stopped](Error::Stopped) as soon as that is certain. One that computes forever is stopped
    /// by a [budget](Simulator::step_budget) only.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0])?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn cpu() -> Self {
        Self::simulated(Simulator::new())
    }

    /// Creates the interpreter with the observers of a simulator.
    pub(crate) fn simulated(simulator: Simulator) -> Self {
        let sanitizer = simulator.sanitizer.or_else(|| Sanitizer::from_env().map(Arc::new));
        let simulator = Simulator { sanitizer, ..simulator };
        Self::on(Engine::Cpu(Arc::new(Interpreter::new(simulator))))
    }

    /// Opens the GPU with this number, from 0, as the driver counts (`CUDA_VISIBLE_DEVICES` hides
    /// some).
    ///
    /// Opened twice, it is two devices that share the GPU's memory and compiled kernels; work
    /// given to one is not ordered with the other's, except where both use a buffer.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// match Device::cuda(0) {
    ///     Ok(device) => println!("the first GPU is {}", device.name()),
    ///     Err(error) => println!("there is none: {error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::BadChecks`], [`Error::NoDriver`], [`Error::NoDevice`], [`Error::DeviceTooOld`], or
    /// errors of the driver.
    pub fn cuda(ordinal: usize) -> Result<Self> {
        checks_from_env()?;
        Ok(Self::on(Engine::Cuda(driver::Stream::open(ordinal)?)))
    }

    pub(crate) const fn on(engine: Engine) -> Self {
        Self { engine, recorder: None }
    }

    /// Returns the same device as one that records launches instead of running them.
    pub(crate) fn recording(&self, recorder: Arc<Recorder>) -> Self {
        Self { engine: self.engine.clone(), recorder: Some(recorder) }
    }

    /// Returns the same device as one that runs launches.
    pub(crate) fn without_recorder(&self) -> Self {
        Self::on(self.engine.clone())
    }

    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_deref()
    }

    /// Returns the number of GPUs that the driver shows (`CUDA_VISIBLE_DEVICES` hides some): 0
    /// without a driver, or a GPU. Those that are too old for kernels count.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// for ordinal in 0..Device::count()? {
    ///     println!("{}", Device::cuda(ordinal)?);
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoDriver`] if there is a driver that is broken or too old; errors of the driver.
    #[doc(alias = "cudaGetDeviceCount")]
    pub fn count() -> Result<usize> {
        driver::device_count()
    }

    /// Opens all GPUs that kernels run on, in the driver's order. Those that are too old are left
    /// out, so [`Device::ordinal`] says which each is. The interpreter is not among them.
    ///
    /// Every GPU is used from any thread, and several at the same time:
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel]
    /// fn double(x: &mut [u32]) {
    ///     if let Some(x) = x.get_mut(global_idx_x()) {
    ///         *x *= 2;
    ///     }
    /// }
    ///
    /// let mut devices = Device::all()?;
    /// devices.push(Device::cpu());
    /// std::thread::scope(|scope| {
    ///     let threads = devices.iter().map(|device| {
    ///         scope.spawn(|| {
    ///             let mut x = device.upload(&[21u32; 100])?;
    ///             double::launch(device, LaunchConfig::cover(100), &mut x)?;
    ///             x.to_vec()
    ///         })
    ///     });
    ///     let threads: Vec<_> = threads.collect();
    ///     for thread in threads {
    ///         assert_eq!(thread.join().unwrap()?, [42; 100]);
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Device::count`] and [`Device::cuda`].
    pub fn all() -> Result<Vec<Self>> {
        let opened = (0..Self::count()?).map(Self::cuda);
        opened.filter(|opened| !matches!(opened, Err(Error::DeviceTooOld { .. }))).collect()
    }

    /// Returns the number of the GPU, which [`Device::cuda`] takes; `None` for the interpreter.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// assert_eq!(Device::cpu().ordinal(), None);
    /// for device in Device::all()? {
    ///     let again = Device::cuda(device.ordinal().unwrap())?;
    ///     assert_eq!(again.info(), device.info());
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn ordinal(&self) -> Option<usize> {
        match &self.engine {
            Engine::Cpu(_) => None,
            Engine::Cuda(stream) => Some(stream.ordinal()),
        }
    }

    /// Returns the bytes of a GPU's memory that are free, and all; `None` for the interpreter,
    /// whose buffers are in the host's memory.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// let device = Device::auto()?;
    /// if let Some(memory) = device.memory_info()? {
    ///     println!("{} of {} bytes are free", memory.free, memory.total);
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaMemGetInfo")]
    pub fn memory_info(&self) -> Result<Option<MemoryInfo>> {
        match &self.engine {
            Engine::Cpu(_) => Ok(None),
            Engine::Cuda(stream) => stream.memory_info().map(Some),
        }
    }

    /// Returns true if kernels of this device can access the memory of `other`: if both are one
    /// device, or two GPUs that NVLink or PCI Express connects closely enough. Always false between
    /// the interpreter and a GPU.
    ///
    /// The answer describes the hardware. Launches take buffers of their own device only, and
    /// [`Slice::copy_from_device`](crate::Slice::copy_from_device) copies between any two.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// let (device, other) = (Device::cpu(), Device::cpu());
    /// assert!(device.can_access_peer(&device)?);
    /// assert!(!device.can_access_peer(&other)?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaDeviceCanAccessPeer")]
    pub fn can_access_peer(&self, other: &Self) -> Result<bool> {
        match (&self.engine, &other.engine) {
            _ if self.shares_memory_with(other) => Ok(true),
            (Engine::Cuda(stream), Engine::Cuda(other)) => stream.can_access_peer(other),
            (Engine::Cpu(_), _) | (Engine::Cuda(_), Engine::Cpu(_)) => Ok(false),
        }
    }

    /// Returns the name of the GPU, or `SIMT interpreter`.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// assert_eq!(Device::cpu().name(), "SIMT interpreter");
    /// ```
    pub fn name(&self) -> &str {
        &self.info().name
    }

    /// Returns the properties of the device.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// let info = Device::cpu().info().clone();
    /// println!("{} has {} multiprocessors", info.name, info.multiprocessors);
    /// ```
    #[doc(alias = "cudaGetDeviceProperties")]
    pub fn info(&self) -> &DeviceInfo {
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.info(),
            Engine::Cuda(stream) => stream.info(),
        }
    }

    /// Returns true if kernels run on a GPU.
    ///
    /// ```
    /// use warpwise::Device;
    ///
    /// assert!(!Device::cpu().is_gpu());
    /// ```
    pub fn is_gpu(&self) -> bool {
        match &self.engine {
            Engine::Cpu(_) => false,
            Engine::Cuda(_) => true,
        }
    }

    /// Waits for all work of the device, that of its [streams](Self::stream) included. Called on a
    /// [`Stream`](crate::Stream), it waits for the work of this stream alone.
    ///
    /// ```
    /// use warpwise::{Error, prelude::*};
    ///
    /// #[kernel]
    /// fn read(index: usize, x: &[f32], y: &mut [f32]) {
    ///     if global_idx_x() == 0 {
    ///         y[0] = x[index];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let (x, mut y) = (device.zeros::<f32>(4)?, device.zeros::<f32>(1)?);
    /// read::launch(&device, LaunchConfig::cover(1), 4, &x, &mut y)?;
    /// assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
    ///
    /// // The fault of a launch on a stream, of which nothing else waited for.
    /// let stream = device.stream()?;
    /// read::launch(&stream, LaunchConfig::cover(1), 4, &x, &mut y)?;
    /// assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
    /// stream.synchronize()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DevicePanic`] if a launch failed a check, the first one if several of a stream did.
    /// Each is reported once: if launches of several streams failed, those of the device first, then
    /// of its streams in the order of their creation, one at each call.
    #[doc(alias("cudaDeviceSynchronize", "cudaStreamSynchronize"))]
    pub fn synchronize(&self) -> Result<()> {
        self.check_recorded("a wait for the device", "wait after a launch of the graph")?;
        let _scope = spans::wait(self);
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.synchronize_device(),
            Engine::Cuda(stream) => stream.synchronize_device(),
        }
    }

    /// Waits for the work of this device or stream, and not for other streams of the device.
    pub(crate) fn synchronize_stream(&self) -> Result<()> {
        let _scope = spans::wait(self);
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.synchronize(),
            Engine::Cuda(stream) => stream.synchronize(),
        }
    }

    /// Passes the output of kernels to `handler` from now on, instead of to stdout: some text
    /// whenever a call waits for kernels that print. Applies to all clones of this device.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use warpwise::prelude::*;
    ///
    /// #[kernel]
    /// fn hello() {
    ///     println!("hello from thread {}", thread_idx_x());
    /// }
    ///
    /// let device = Device::cpu();
    /// let text = Arc::new(Mutex::new(String::new()));
    /// let seen = Arc::clone(&text);
    /// device.on_print(move |text| *seen.lock().unwrap() += text);
    /// hello::launch(&device, LaunchConfig::grid(1).block(2))?;
    /// device.synchronize()?;
    /// assert_eq!(*text.lock().unwrap(), "hello from thread 0\nhello from thread 1\n");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn on_print(&self, handler: impl Fn(&str) + Send + Sync + 'static) {
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.printer().set_handler(Arc::new(handler)),
            Engine::Cuda(stream) => stream.printer().set_handler(Arc::new(handler)),
        }
    }

    /// Returns true if launches on this device or stream take buffers of `other`: if both are the
    /// same GPU or the same CPU device, or streams of it. Buffers of other devices are copied first.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let (device, other) = (Device::cpu(), Device::cpu());
    /// let stream = device.stream()?;
    /// assert!(device.shares_memory_with(&stream));
    /// assert!(!device.shares_memory_with(&other));
    ///
    /// let mut x = other.upload(&[1, 2])?;
    /// if !x.device().shares_memory_with(&device) {
    ///     x = device.uninit(x.len())?.copy_from_device(&x)?;
    /// }
    /// assert!(x.device().shares_memory_with(&device));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn shares_memory_with(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Cpu(interpreter), Engine::Cpu(other)) => {
                interpreter.is_on_the_device_of(other)
            }
            (Engine::Cuda(stream), Engine::Cuda(other)) => stream.is_on_the_gpu_of(other),
            (Engine::Cpu(_), Engine::Cuda(_)) | (Engine::Cuda(_), Engine::Cpu(_)) => false,
        }
    }

    /// Returns its stream on a GPU; `None` for the interpreter.
    pub(crate) fn gpu_stream(&self) -> Option<&Arc<driver::Stream>> {
        match &self.engine {
            Engine::Cpu(_) => None,
            Engine::Cuda(stream) => Some(stream),
        }
    }

    /// Returns its stream on the interpreter; `None` for a GPU.
    fn interpreter(&self) -> Option<&Arc<Interpreter>> {
        match &self.engine {
            Engine::Cpu(interpreter) => Some(interpreter),
            Engine::Cuda(_) => None,
        }
    }

    /// Returns true if `interpreter` is its stream.
    pub(crate) fn is_interpreter(&self, interpreter: &Arc<Interpreter>) -> bool {
        matches!(&self.engine, Engine::Cpu(own) if Arc::ptr_eq(own, interpreter))
    }

    /// Returns the number of free bytes, if it is known.
    pub(crate) fn free_memory(&self) -> Option<u64> {
        self.memory_info().ok().flatten().map(|memory| memory.free)
    }

    /// Allocates memory, zeroed if asked to; `None` if there is not enough.
    pub(crate) fn allocate(&self, bytes: usize, is_zeroed: bool) -> Result<Option<MemoryBytes>> {
        match &self.engine {
            Engine::Cpu(interpreter) => Ok(interpreter.allocate(bytes)?.map(MemoryBytes::Cpu)),
            Engine::Cuda(stream) => Ok(stream.allocate(bytes, is_zeroed)?.map(MemoryBytes::Cuda)),
        }
    }

    /// Allocates zeroed page-locked memory of the host; `None` if there is not enough.
    pub(crate) fn allocate_pinned(&self, bytes: usize) -> Result<Option<PinnedMemory>> {
        match &self.engine {
            Engine::Cpu(_) => {
                let words = bytemuck::allocation::try_zeroed_vec(bytes.div_ceil(size_of::<u64>()));
                let copies = CpuCopies::default();
                Ok(words.ok().map(|words| PinnedMemory::Cpu { words, copies }))
            }
            Engine::Cuda(stream) => Ok(Pinned::new(stream, bytes)?.map(PinnedMemory::Cuda)),
        }
    }

    /// Waits, reports faults, and copies a slice that is of this device.
    pub(crate) fn read(&self, slice: &AnySlice, bytes: &mut [u8]) -> Result<()> {
        let _scope = spans::copy(Direction::ToHost, bytes.len());
        self.read_unobserved(slice, bytes)
    }

    fn read_unobserved(&self, slice: &AnySlice, bytes: &mut [u8]) -> Result<()> {
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.read(slice.cpu(), slice.offset, bytes),
            Engine::Cuda(stream) => stream.read(slice.gpu(), slice.range(), bytes),
        }
    }

    /// Copies the texels of a surface to the host, after the work given before.
    pub(crate) fn read_texels(&self, texels: &AnySlice, bytes: &mut [u8]) -> Result<()> {
        let _scope = spans::copy(Direction::ToHost, bytes.len());
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.read(texels.cpu(), texels.offset, bytes),
            Engine::Cuda(stream) => texels.gpu().read_texels(stream, bytes),
        }
    }

    /// Overwrites the texels of a surface, after the work given before.
    pub(crate) fn write_texels(&self, texels: &AnySlice, bytes: &[u8]) -> Result<()> {
        let _scope = spans::copy(Direction::ToDevice, bytes.len());
        match &self.engine {
            Engine::Cpu(_) => {
                texels.cpu().bytes.write(texels.offset, bytes);
                Ok(())
            }
            Engine::Cuda(stream) => texels.gpu().write_texels(stream, bytes),
        }
    }

    /// Overwrites a slice that is of this device, after the work given before.
    pub(crate) fn write(&self, slice: &AnySlice, bytes: &[u8]) -> Result<()> {
        let _scope = spans::copy(Direction::ToDevice, bytes.len());
        self.write_unobserved(slice, bytes)
    }

    fn write_unobserved(&self, slice: &AnySlice, bytes: &[u8]) -> Result<()> {
        match &self.engine {
            Engine::Cpu(_) => {
                slice.cpu().bytes.write(slice.offset, bytes);
                Ok(())
            }
            Engine::Cuda(stream) => stream.write(slice.gpu(), slice.range(), bytes),
        }
    }

    /// Overwrites a slice, in memory of this device, with repetitions of `element`.
    pub(crate) fn fill_bytes(&self, slice: &AnySlice, element: &[u8]) -> Result<()> {
        match &self.engine {
            Engine::Cpu(_) => {
                let places = slice.range().step_by(element.len());
                places.for_each(|place| slice.cpu().bytes.write(place, element));
                Ok(())
            }
            Engine::Cuda(stream) => stream.fill(slice.gpu(), slice.range(), element),
        }
    }

    /// Copies `from` to `to`, which is in memory of this device and has as many bytes.
    pub(crate) fn copy_bytes(&self, from: &AnySlice, to: &AnySlice) -> Result<()> {
        let _scope = spans::copy(Direction::OnDevice, from.bytes);
        if let (Engine::Cuda(stream), Some(source)) = (&self.engine, from.memory.gpu()) {
            return stream.copy((source, from.range()), (to.gpu(), to.range()));
        }
        let mut bytes = vec![0; COPY_BYTES.min(from.bytes)];
        for start in (0..from.bytes).step_by(COPY_BYTES) {
            let len = COPY_BYTES.min(from.bytes - start);
            let part =
                |of: &AnySlice| AnySlice { offset: of.offset + start, bytes: len, ..of.clone() };
            from.device().read_unobserved(&part(from), &mut bytes[..len])?;
            self.write_unobserved(&part(to), &bytes[..len])?;
        }
        Ok(())
    }

    /// Starts a copy of a part of page-locked memory to a slice that is in memory of this device.
    pub(crate) fn write_from_pinned(
        &self,
        (from, part): (&PinnedMemory, Range<usize>),
        to: &AnySlice,
    ) -> Result<()> {
        match (&self.engine, from) {
            (Engine::Cuda(stream), PinnedMemory::Cuda(pinned)) => {
                let _scope = spans::copy(Direction::ToDevice, to.bytes);
                stream.copy_from_pinned((pinned, part), to.gpu(), to.range())
            }
            (Engine::Cuda(_), PinnedMemory::Cpu { .. }) | (Engine::Cpu(_), _) => {
                self.write(to, from.bytes(part)?)
            }
        }
    }

    /// Starts a copy of a slice that is in memory of this device to a part of page-locked memory.
    pub(crate) fn read_to_pinned(
        &self,
        from: &AnySlice,
        (to, part): (&mut PinnedMemory, Range<usize>),
    ) -> Result<()> {
        match (&self.engine, &mut *to) {
            (Engine::Cuda(stream), PinnedMemory::Cuda(pinned)) => {
                let _scope = spans::copy(Direction::ToHost, from.bytes);
                stream.copy_to_pinned(from.gpu(), from.range(), (pinned, part))
            }
            (Engine::Cpu(_), PinnedMemory::Cpu { .. }) if part.is_empty() => Ok(()),
            (Engine::Cpu(interpreter), PinnedMemory::Cpu { words, copies }) => {
                let _scope = spans::copy(Direction::ToHost, from.bytes);
                let to = &mut bytemuck::cast_slice_mut(words)[part.clone()];
                from.cpu().bytes.read_into(from.offset, to);
                let own = from.device().interpreter().unwrap_or(interpreter);
                let mut streams = own.writers(from.cpu());
                streams.push(Arc::clone(interpreter));
                copies.add(part, streams);
                Ok(())
            }
            (Engine::Cpu(_), PinnedMemory::Cuda(_))
            | (Engine::Cuda(_), PinnedMemory::Cpu { .. }) => self.read(from, to.bytes_mut(part)?),
        }
    }

    /// Returns the GPU by whose limits lints judge the interpreter's launches, if there is one,
    /// with an unknown number of registers.
    pub(crate) fn target(&self, shared: u64) -> Option<Gpu> {
        let Engine::Cpu(interpreter) = &self.engine else { return None };
        let gpu = interpreter.target()?;
        let multiprocessors = gpu.multiprocessors.into();
        Some(Gpu { target: gpu.target, multiprocessors, registers: 0, shared })
    }

    /// Returns the resources that a kernel takes of a GPU, in blocks with `shared` bytes of shared
    /// memory; `None` on the interpreter.
    pub(crate) fn gpu_of_kernel(&self, bound: &'static Bound, shared: u64) -> Result<Option<Gpu>> {
        match &self.engine {
            Engine::Cpu(_) => Ok(None),
            Engine::Cuda(stream) => {
                let (info, registers) = stream.register_use(bound)?;
                let target = info.sm.map_or(Target::OLDEST, Target::new);
                let multiprocessors = info.multiprocessors as u64;
                Ok(Some(Gpu { target, multiprocessors, registers, shared }))
            }
        }
    }

    /// Returns the number of blocks of a kernel that reside on a multiprocessor of a GPU, by its
    /// driver; `None` on the interpreter.
    pub(crate) fn resident_blocks(
        &self,
        bound: &'static Bound,
        threads: u32,
        dynamic: u64,
    ) -> Result<Option<u32>> {
        match &self.engine {
            Engine::Cpu(_) => Ok(None),
            Engine::Cuda(stream) => stream.resident_blocks(bound, threads, dynamic).map(Some),
        }
    }

    /// Returns the threads of a block that suit a kernel on a GPU, and the number of blocks that
    /// reside there, by its driver, 0 if no block fits; `None` on the interpreter.
    pub(crate) fn suggest_block(
        &self,
        bound: &'static Bound,
        dynamic: u64,
    ) -> Result<Option<(u32, u32)>> {
        match &self.engine {
            Engine::Cpu(_) => Ok(None),
            Engine::Cuda(stream) => stream.suggest_block(bound, dynamic).map(Some),
        }
    }

    /// Returns the most blocks that a cooperative launch may have, given the dynamic shared memory
    /// of each.
    pub(crate) fn cooperative_limit(
        &self,
        bound: &'static Bound,
        threads: u32,
        dynamic: u64,
    ) -> Result<u64> {
        match &self.engine {
            Engine::Cpu(_) => Ok(cpu::cooperative_limit(threads)),
            Engine::Cuda(stream) => stream.cooperative_limit(bound, threads, dynamic),
        }
    }

    /// Runs a launch; on a GPU, enqueues it.
    pub(crate) fn run(&self, launch: &CheckedLaunch<'_>) -> Result<()> {
        if let Some(recorder) = &self.recorder {
            return recorder.launch(launch);
        }
        let help = "launch on the recorder, as in `k::launch(recorder, ..)`";
        self.check_recorded("a launch on the device itself", help)?;
        let _scope = spans::launch(launch, self);
        match &self.engine {
            Engine::Cpu(interpreter) => interpreter.run(launch),
            Engine::Cuda(stream) if profile::is_on() => run_measured(stream, launch),
            Engine::Cuda(stream) => stream.run(launch),
        }
    }
}

/// Runs a launch on a GPU, waits for it, and writes its time to the profile.
fn run_measured(stream: &Arc<driver::Stream>, launch: &CheckedLaunch<'_>) -> Result<()> {
    let start = stream.record()?;
    stream.run(launch)?;
    let end = stream.record()?;
    // A launch that fails has no time; the program learns of its fault where it waits.
    profile::record_gpu_launch(launch, end.elapsed_since(&start).ok());
    Ok(())
}

/// Devices are equal if they are one queue of work: a device and its clones. A
/// [stream](Device::stream) is equal to its clones alone; [`Device::shares_memory_with`] compares
/// the memory.
///
/// ```
/// # use warpwise::Device;
/// use std::collections::HashMap;
///
/// let (device, other) = (Device::cpu(), Device::cpu());
/// assert!(device == device.clone() && device != other && device != *device.stream()?);
///
/// let mut buffers = HashMap::from([(device.clone(), device.zeros::<f32>(8)?)]);
/// buffers.insert(other.clone(), other.zeros(8)?);
/// assert_eq!(*buffers[&device].device(), device);
/// # Ok::<(), warpwise::Error>(())
/// ```
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Cpu(own), Engine::Cpu(other)) => Arc::ptr_eq(own, other),
            (Engine::Cuda(own), Engine::Cuda(other)) => Arc::ptr_eq(own, other),
            (Engine::Cpu(_), Engine::Cuda(_)) | (Engine::Cuda(_), Engine::Cpu(_)) => false,
        }
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.engine {
            Engine::Cpu(own) => Arc::as_ptr(own).addr().hash(state),
            Engine::Cuda(own) => Arc::as_ptr(own).addr().hash(state),
        }
    }
}

/// `cpu (SIMT interpreter)`, `cuda:0 (NVIDIA H200)`
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.engine {
            Engine::Cpu(_) => f.write_str(cpu::NAME),
            Engine::Cuda(stream) => stream.fmt(f),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

/// Refuses a `WARPWISE_CHECK` that names no checks.
fn checks_from_env() -> Result<()> {
    Sanitizer::from_env().map_or(Ok(()), |sanitizer| sanitizer.checks().map(|_| ()))
}

/// The request of `WARPWISE_DEVICE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Auto,
    Cpu,
    Cuda(usize),
}

impl Choice {
    fn from_env() -> Result<Self> {
        let value = std::env::var_os("WARPWISE_DEVICE").unwrap_or_default();
        let value = value.to_string_lossy();
        Self::parse(&value).ok_or_else(|| Error::BadDeviceName { value: value.into_owned() })
    }

    fn parse(value: &str) -> Option<Self> {
        match value {
            "" | "auto" => Some(Self::Auto),
            "cpu" => Some(Self::Cpu),
            "cuda" => Some(Self::Cuda(0)),
            _ => {
                let number = value.strip_prefix("cuda:")?;
                let digits = number.bytes().all(|byte| byte.is_ascii_digit());
                number.parse().ok().filter(|_| digits).map(Self::Cuda)
            }
        }
    }
}

/// Reports, the first time, that kernels run on the interpreter. The line is short, because every
/// program on a machine without a GPU prints it; `Device::cuda` returns the whole `reason`.
#[expect(
    clippy::print_stderr,
    reason = "a slow device taken silently would be taken for a slow crate"
)]
fn report_fallback_once(reason: &Error) {
    static REPORTED: Once = Once::new();
    let found = match reason {
        Error::DeviceTooOld { .. } => "the GPU is too old for its kernels",
        _ => "no GPU found",
    };
    REPORTED.call_once(|| {
        eprintln!(
            "warpwise: {found}, running on the SIMT interpreter \
             (WARPWISE_DEVICE=cpu hides this line, WARPWISE_DEVICE=cuda shows the reason)"
        );
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names() {
        assert_eq!(Choice::parse(""), Some(Choice::Auto));
        assert_eq!(Choice::parse("auto"), Some(Choice::Auto));
        assert_eq!(Choice::parse("cpu"), Some(Choice::Cpu));
        assert_eq!(Choice::parse("cuda"), Some(Choice::Cuda(0)));
        assert_eq!(Choice::parse("cuda:12"), Some(Choice::Cuda(12)));
        for bad in [
            "gpu",
            "CPU",
            "cuda:",
            "cuda:+1",
            "cuda:-1",
            "cuda:1x",
            " cpu",
            "cuda:99999999999999999999",
        ] {
            assert_eq!(Choice::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_interpreter_has_the_limits_of_launches_and_no_hardware() {
        let device = Device::cpu();
        let info = device.info();
        assert_eq!(info.limits.threads_per_block, 1024);
        assert_eq!(info.limits.grid, [i32::MAX as u32, 65_535, 65_535]);
        assert_eq!((&info.pci, &info.uuid, info.clock_khz), (&None, &None, None));
        assert_eq!(device.memory_info(), Ok(None));
        assert_eq!(device.ordinal(), None);
    }

    #[test]
    fn a_cpu_device_reaches_its_own_memory_and_no_other() {
        let device = Device::cpu();
        let stream = device.stream().unwrap();
        assert_eq!(device.can_access_peer(&stream), Ok(true));
        assert_eq!(device.can_access_peer(&Device::cpu()), Ok(false));
    }

    #[test]
    fn devices_travel_between_threads() {
        fn travels<T: Send + Sync + Clone>() {}
        travels::<Device>();
    }
}
