//! The CPU device: kernels on the SIMT interpreter.
//!
//! A launch runs at once, on all cores, and is done when it returns. Failed checks and printed text
//! are kept until the next call that would synchronize on a GPU, so that programs observe the same
//! on both.
mod programs;

use crate::{
    Error, Result,
    check::{Checks, Finding},
    counters::{LaunchCounters, Launched},
    device::{
        family::{Family, Reports},
        simulator::Simulator,
    },
    error::DevicePanic,
    launch::{
        bound_kernel::{Bound, FaultDetails},
        checks::{CheckedLaunch, Value},
        config::{self, Geometry},
    },
    model::{Gpu, Work},
    observe::{
        output::{self, Printer},
        profile,
        sanitizer::Sanitizer,
        unoptimized,
    },
    occupancy::{Block, Multiprocessor},
    properties::{DeviceInfo, Features, MemorySystem},
    stopped::Stopped,
    trace::Debugger,
};
use programs::{CHECKED, COUNTING, PLAIN, TRACED, modeled_program};
use std::{
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::available_parallelism,
    time::Instant,
};
use warpwise_compiler::{
    fault::Reason,
    hardware::MAX_SHARED_BYTES,
    id::Id,
    ir::{Fault, Kernel},
    output::{CAPACITY_BYTES, Printed, record_bytes},
};
use warpwise_simt::{CacheModel, FaultReport, Memory, Outcome, Snapshot};

/// The name of the interpreter in messages.
pub(crate) const NAME: &str = "cpu (SIMT interpreter)";

/// Threads of a cooperative launch, all of which are held in memory at once: more than any GPU
/// runs.
const COOPERATIVE_THREADS: u64 = 1 << 19;

/// Default step budget of checked and traced launches.
const DEFAULT_STEP_BUDGET: u64 = 1 << 32;

/// An observer of a launch. Each needs a run of its own, because each has instructions of its own
/// in the program that it runs.
#[derive(Clone, Copy)]
enum Observer<'a> {
    Sanitizer(Checks),
    Counters,
    Debugger(&'a Debugger),
}

/// A stream of work on a CPU device. Each launch and copy is done when the call that gives it
/// returns, which is one of the orders in which a GPU may do the work of several streams.
#[derive(Debug)]
pub(crate) struct Interpreter {
    device: Arc<CpuDevice>,
    pending: Mutex<Pending>,
    printer: Arc<Printer>,
    /// The streams of the device.
    family: Arc<Family<Interpreter>>,
    /// True if the device created it as a stream.
    is_stream: bool,
}

/// The properties that all streams of a CPU device share.
#[derive(Debug)]
struct CpuDevice {
    info: DeviceInfo,
    simulator: Simulator,
}

/// The memory of a buffer on a CPU device.
pub(crate) struct CpuMemory {
    pub(crate) bytes: warpwise_simt::Memory,
    /// The streams other than the buffer's own that have written it since it was last read.
    writers: Mutex<Vec<Arc<Interpreter>>>,
}

/// Reports that wait for the next call that would synchronize on a GPU.
#[derive(Debug, Default)]
struct Pending {
    fault: Option<Box<DevicePanic>>,
    /// Printed text.
    text: String,
    /// Bytes that the printed records would take on a GPU.
    room: usize,
    /// The number of prints for which there was no room.
    lost: u64,
}

impl Interpreter {
    /// Creates the device of a simulator.
    pub(crate) fn new(simulator: Simulator) -> Self {
        let device = Arc::new(CpuDevice { info: info(), simulator });
        let (printer, family) = (Arc::default(), Arc::default());
        Self { device, pending: Mutex::default(), printer, family, is_stream: false }
    }

    /// Creates another stream of the same device.
    pub(crate) fn new_stream(&self) -> Arc<Self> {
        let (device, printer) = (Arc::clone(&self.device), Arc::clone(&self.printer));
        let (pending, family) = (Mutex::default(), Arc::clone(&self.family));
        let stream = Arc::new(Self { device, pending, printer, family, is_stream: true });
        self.family.add(&stream);
        stream
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.device.info
    }

    /// Returns the GPU by whose limits lints judge launches, if there is one.
    pub(crate) fn target(&self) -> Option<&'static Gpu> {
        self.device.simulator.target
    }

    /// Returns true if both are streams of one device.
    pub(crate) fn is_on_the_device_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.device, &other.device)
    }

    /// Returns zeroed memory; `None` if the host has not enough.
    ///
    /// # Errors
    /// [`Error::BadChecks`]: a wrong `WARPWISE_CHECK` is reported by the first allocation of a program.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Option<CpuMemory>> {
        self.checks()?;
        // `Memory` aborts if there is not enough memory, so this tests it first.
        let has_room = Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
        let memory = || CpuMemory { bytes: Memory::zeroed(bytes), writers: Mutex::default() };
        Ok(has_room.then(memory))
    }

    /// Reports as [`Self::synchronize`] does, for the memory's other writers, too, and copies a
    /// part of `memory`, which is of this stream.
    pub(crate) fn read(&self, memory: &CpuMemory, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.synchronize()?;
        synchronize_all(&memory.writers)?;
        memory.bytes.read_into(offset, bytes);
        Ok(())
    }

    /// Returns the streams whose faults a copy of `memory`, which is of this stream, reports.
    pub(crate) fn writers(self: &Arc<Self>, memory: &CpuMemory) -> Vec<Arc<Self>> {
        let writers = memory.writers.lock().unwrap_or_else(PoisonError::into_inner);
        writers.iter().chain([self]).map(Arc::clone).collect()
    }

    /// Returns the checks of every launch.
    fn checks(&self) -> Result<Option<Checks>> {
        self.device.simulator.sanitizer.as_deref().map(Sanitizer::checks).transpose()
    }

    /// Returns the destination of printed text.
    pub(crate) fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Prints the output of kernels, and reports the first fault, since the last call.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self.print_pending() {
            Some(panic) => Err(Error::DevicePanic(panic)),
            None => Ok(()),
        }
    }

    /// Reports as [`Self::synchronize`] does, and, unless this is a stream, then for the streams of
    /// the device, until one has a fault.
    pub(crate) fn synchronize_device(&self) -> Result<()> {
        self.synchronize()?;
        if self.is_stream {
            return Ok(());
        }
        self.family.streams().iter().try_for_each(|stream| stream.synchronize())?;
        let Reports { fault, text } = self.family.take_left();
        self.printer.print(&text);
        fault.map_or(Ok(()), |panic| Err(Error::DevicePanic(panic)))
    }

    /// Prints the output of kernels since the last call; returns the first fault.
    fn print_pending(&self) -> Option<Box<DevicePanic>> {
        let Pending { fault, text, lost, .. } = std::mem::take(&mut *self.pending());
        self.printer.print(&(text + &output::lost_note(lost)));
        fault
    }

    /// Runs a launch to its end, once for each observer.
    pub(crate) fn run(self: &Arc<Self>, launch: &CheckedLaunch<'_>) -> Result<()> {
        let Simulator { step_budget, ref sanitizer, ref debugger, .. } = self.device.simulator;
        let sanitizer = sanitizer.as_deref();
        let checks = self.checks()?;
        launch.check_cooperative(cooperative_limit(launch.geometry.threads()), &NAME)?;
        let args: Vec<_> = launch.args.values().map(argument).collect();
        let Geometry { grid, block } = launch.geometry;
        let is_observed = checks.is_some() || debugger.is_some();
        let steps = step_budget.or(is_observed.then_some(DEFAULT_STEP_BUDGET));
        let lent = warpwise_simt::Launch { grid, block, args: &args, workers: None, steps };
        self.note_writes(launch);
        let start = Instant::now();
        let (outcome, found) = self.observe(launch, &lent, checks)?;
        unoptimized::add_time(start.elapsed());
        let (source, kernel) = (launch.bound.source, &launch.bound.kernel);
        // The sanitizer reports an index out of bounds as a finding, which fails the launch. The
        // panic would report it again.
        let is_found = checks.is_some_and(|checks| checks.contains(Checks::MEMORY))
            && outcome
                .fault
                .is_some_and(|fault| fault.reason == Reason::Check(Fault::IndexOutOfBounds));
        let fault = outcome.fault.map(|report| Box::new(launch.bound.panic(details(&report))));
        self.pending().print(kernel, &outcome.printed, outcome.lost);
        if let Some(stopped) = outcome.stopped {
            let reason = Box::new(Stopped::new(source, kernel, stopped, step_budget.is_some()));
            let findings =
                sanitizer.map_or_else(Vec::new, |sanitizer| sanitizer.record_stopped(found));
            profile::record_stopped(source.name, &reason.to_string());
            // The caller may make no further call, and the text may show what went wrong.
            self.pending().fault = self.print_pending();
            return Err(Error::Stopped { kernel: source.name, reason, findings, fault });
        }
        let found = sanitizer.map_or(Ok(()), |sanitizer| sanitizer.record(source.name, found));
        let mut pending = self.pending();
        pending.fault = pending.fault.take().or(fault.filter(|_| !is_found));
        found
    }

    /// Runs a launch once for each observer, each time with the same memory; once if there is none.
    /// Returns the outcome of the last run, or of the first that did not end.
    fn observe(
        &self,
        launch: &CheckedLaunch<'_>,
        lent: &warpwise_simt::Launch<'_>,
        checks: Option<Checks>,
    ) -> Result<(Outcome, Vec<Finding>)> {
        let counts = self.device.simulator.counters.is_some() || profile::is_on();
        let all = [
            checks.map(Observer::Sanitizer),
            counts.then_some(Observer::Counters),
            self.device.simulator.debugger.as_deref().map(Observer::Debugger),
        ];
        let observers: Vec<_> = all.into_iter().flatten().collect();
        let Some((last, others)) = observers.split_last() else {
            return Ok((PLAIN.get(launch, self.device.simulator.optimize)?.run(lent), Vec::new()));
        };
        let before = (!others.is_empty()).then(|| Snapshot::take(lent));
        let mut found = Vec::new();
        for observer in others {
            let outcome = self.run_observed(launch, lent, *observer, &mut found)?;
            if outcome.stopped.is_some() {
                return Ok((outcome, found));
            }
            before.iter().for_each(|before| before.restore(lent));
        }
        let outcome = self.run_observed(launch, lent, *last, &mut found)?;
        Ok((outcome, found))
    }

    /// Runs a launch with an observer.
    fn run_observed(
        &self,
        launch: &CheckedLaunch<'_>,
        lent: &warpwise_simt::Launch<'_>,
        observer: Observer<'_>,
        found: &mut Vec<Finding>,
    ) -> Result<Outcome> {
        match observer {
            Observer::Sanitizer(checks) => self.check(launch, lent, checks, found),
            Observer::Counters => self.count(launch, lent),
            Observer::Debugger(debugger) => {
                Ok(debugger.run(launch.bound.source, TRACED.get(launch, false)?, lent))
            }
        }
    }

    /// Runs a launch and counts it.
    fn count(
        &self,
        launch: &CheckedLaunch<'_>,
        lent: &warpwise_simt::Launch<'_>,
    ) -> Result<Outcome> {
        let optimize = self.device.simulator.optimize && !profile::is_unoptimized();
        let program = COUNTING.get(launch, optimize)?;
        let gpu = self.device.simulator.caches.or_else(profile::simulated_gpu);
        let work = match gpu {
            Some(gpu) => self.model(launch, lent, gpu)?,
            None => None,
        };
        profile::record_start(launch.bound.source.name);
        let (outcome, counted) = program.run(lent);
        if outcome.stopped.is_none() {
            let Geometry { grid, block } = launch.geometry;
            let shared_memory = launch.shared.bytes;
            let &Bound { source, ref bindings, .. } = launch.bound;
            let launched = Launched { source, bindings, grid, block, shared_memory };
            let counters = LaunchCounters::new(&launched, program.kernel(), &counted, work);
            profile::record_launch(&counters, program.kernel());
            self.device.simulator.counters.iter().for_each(|pending| pending.add(counters.clone()));
        }
        Ok(outcome)
    }

    /// Runs the code that a GPU would run, and then its first blocks with simulated caches, with
    /// the same memory; `None` if it does not end.
    fn model(
        &self,
        launch: &CheckedLaunch<'_>,
        lent: &warpwise_simt::Launch<'_>,
        gpu: &Gpu,
    ) -> Result<Option<Work>> {
        let program = if self.device.simulator.optimize {
            modeled_program(launch, gpu)?
        } else {
            COUNTING.get(launch, false)?
        };
        let before = Snapshot::take(lent);
        let (outcome, counted) = program.run(lent);
        before.restore(lent);
        if outcome.stopped.is_some() {
            return Ok(None);
        }
        let steps = Some(lent.steps.map_or(CACHE_STEPS, |steps| steps.min(CACHE_STEPS)));
        let first_blocks = warpwise_simt::Launch { steps, ..*lent };
        let (_, caches) = program.run_caches(&first_blocks, cache_model(launch, gpu));
        before.restore(lent);
        Ok(Some(Work { caches: Some(caches), ..counted.work() }))
    }

    /// Runs a launch and checks it.
    fn check(
        &self,
        launch: &CheckedLaunch<'_>,
        lent: &warpwise_simt::Launch<'_>,
        checks: Checks,
        all: &mut Vec<Finding>,
    ) -> Result<Outcome> {
        let source = launch.bound.source;
        if checks.contains(Checks::ORDER) {
            let traced = TRACED.get(launch, false)?;
            all.extend(traced.compare_orders(lent).map(|found| Finding::new(source, found)));
        }
        let (outcome, found) =
            CHECKED.get(launch, self.device.simulator.optimize)?.run(lent, checks);
        all.extend(found.into_iter().map(|found| Finding::new(source, found)));
        Ok(outcome)
    }

    /// Records this stream as a writer of the memory of other streams that a launch writes.
    fn note_writes(self: &Arc<Self>, launch: &CheckedLaunch<'_>) {
        for arg in launch.args.values() {
            let Value::Slice { slice, access, .. } = arg else { continue };
            if access.is_read_only() {
                continue;
            }
            if slice.device().is_interpreter(self) {
                continue;
            }
            let mut writers = slice.cpu().writers.lock().unwrap_or_else(PoisonError::into_inner);
            if !writers.iter().any(|writer| Arc::ptr_eq(writer, self)) {
                writers.push(Arc::clone(self));
            }
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    /// Keeps the text that a launch of `kernel` printed, as far as there is room.
    fn print(&mut self, kernel: &Kernel, printed: &[Printed], lost: u64) {
        self.lost += lost;
        for printed in printed {
            self.room += record_bytes(printed.values.len());
            if self.room <= CAPACITY_BYTES {
                self.text += &output::format_printed(kernel, printed);
            } else {
                self.lost += 1;
            }
        }
    }
}

/// Steps of a launch after which its caches are no longer simulated.
const CACHE_STEPS: u64 = 1 << 20;

/// Leaves what was not reported to the device.
impl Drop for Interpreter {
    fn drop(&mut self) {
        if self.is_stream {
            let Pending { fault, text, lost, .. } = std::mem::take(&mut *self.pending());
            self.family.leave(Reports { fault, text: text + &output::lost_note(lost) });
        }
    }
}

/// Returns the caches of a GPU that a launch uses.
fn cache_model(launch: &CheckedLaunch<'_>, gpu: &Gpu) -> CacheModel {
    let (threads, shared) = (launch.geometry.threads(), launch.shared.bytes);
    let block = Block { threads, registers: None, shared, barriers: 0 };
    let occupancy = Multiprocessor::of(gpu.target).map(|on| on.occupancy(&block));
    let blocks = occupancy.and_then(std::result::Result::ok).map_or(1, |found| found.blocks);
    CacheModel::new(gpu, shared * u64::from(blocks))
}

/// Returns the properties of every CPU device.
fn info() -> DeviceInfo {
    DeviceInfo {
        name: "SIMT interpreter".into(),
        sm: None,
        cuda: None,
        multiprocessors: available_parallelism().map_or(1, NonZero::get),
        cores_per_multiprocessor: None,
        clock_khz: None,
        memory: None,
        shared_memory_per_block: MAX_SHARED_BYTES,
        copy_engines: None,
        limits: config::limits(),
        memory_system: MemorySystem {
            clock_khz: None,
            bus_bits: None,
            l2_bytes: None,
            constant_bytes: None,
            default_shared_bytes_per_block: Some(MAX_SHARED_BYTES),
            reserved_shared_bytes_per_block: None,
            shared_bytes_per_multiprocessor: None,
            max_pitch: None,
            ecc: None,
        },
        features: Features { integrated: true, cooperative_launch: true, ..Features::default() },
        textures: None,
        compute_mode: None,
        pci: None,
        uuid: None,
    }
}

/// Reports the faults of these streams, each once, and forgets the streams.
pub(crate) fn synchronize_all(streams: &Mutex<Vec<Arc<Interpreter>>>) -> Result<()> {
    loop {
        let stream = streams.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(stream) = stream else { return Ok(()) };
        stream.synchronize()?;
    }
}

/// Returns the most blocks of `threads` threads that a cooperative launch may have.
pub(crate) fn cooperative_limit(threads: u32) -> u64 {
    COOPERATIVE_THREADS / u64::from(threads)
}

fn argument<'a>(arg: &Value<'a>) -> warpwise_simt::Arg<'a> {
    match *arg {
        Value::Scalar { bits, .. } => warpwise_simt::Arg::Scalar(bits),
        Value::Slice { slice, .. } => warpwise_simt::Arg::Slice {
            memory: &slice.cpu().bytes,
            offset: slice.offset as u64,
            len: slice.len as u64,
        },
    }
}

fn details(report: &FaultReport) -> FaultDetails {
    let FaultReport { reason, span, values, block, thread, count } = *report;
    FaultDetails { reason: Some(reason), span: span.index(), values, block, thread, count }
}
