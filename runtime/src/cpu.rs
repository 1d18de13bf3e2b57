//! The CPU device: kernels on the SIMT interpreter.
//!
//! A launch runs at once, on all cores, and is done when it returns. A failed check, and what was printed, is
//! kept until the next call that would synchronise on a GPU, so that programs see the same on both.
use crate::{
    Error, Result,
    check::{Checking, Checks, Finding},
    counters::{self, LaunchCounters, Launched},
    device::DeviceInfo,
    dispatch::{Launch, Value},
    error::DevicePanic,
    kernel::{Cache, FaultDetails, Source},
    launch::Geometry,
    output::{self, Printer},
    profile,
    trace::Debugger,
    unoptimized,
};
use std::{
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::available_parallelism,
    time::Instant,
};
use warpwise_compiler::{
    compile::optimized,
    id::Id,
    ir::Kernel,
    output::{Printed, ROOM, record_bytes},
};
use warpwise_simt::{
    CheckedProgram, CountingProgram, FaultReport, Memory, Outcome, Program, Requests, Stopped,
    TracedProgram, Waiting,
};

/// Where the interpreter is named in messages.
pub(crate) const NAME: &str = "cpu (SIMT interpreter)";

/// Bytes of shared memory that a block gets: what those GPUs give that give most.
const SHARED_MEMORY: u64 = 227 << 10;

/// Threads of a cooperative launch, all of which are held in memory at once: more than any GPU runs.
const COOPERATIVE_THREADS: u64 = 1 << 19;

/// Programs depend on the kernel only, so all CPU devices share them.
static PROGRAMS: Cache<Program> = Cache::new();
/// The same, of kernels that are run as the front end made them.
static UNOPTIMIZED: Cache<Program> = Cache::new();
/// Both, with what counts.
static COUNTING: Cache<CountingProgram> = Cache::new();
static UNOPTIMIZED_COUNTING: Cache<CountingProgram> = Cache::new();
/// Both, with what checks.
static CHECKED: Cache<CheckedProgram> = Cache::new();
static UNOPTIMIZED_CHECKED: Cache<CheckedProgram> = Cache::new();
/// Those that can be looked at, as the front end made them.
static TRACED: Cache<TracedProgram> = Cache::new();

/// One CPU device: what it still has to report.
#[derive(Debug)]
pub(crate) struct Interpreter {
    info: DeviceInfo,
    optimize: bool,
    pending: Mutex<Pending>,
    printer: Printer,
}

/// What is reported by the next call that would synchronise on a GPU.
#[derive(Debug, Default)]
struct Pending {
    fault: Option<Box<DevicePanic>>,
    /// What was printed.
    text: String,
    /// Bytes that it would take on a GPU.
    room: usize,
    /// How much more there was.
    lost: u64,
}

impl Interpreter {
    /// One that runs kernels optimized, or as the front end made them.
    pub(crate) fn new(optimize: bool) -> Self {
        let info = DeviceInfo {
            name: "SIMT interpreter".into(),
            sm: None,
            cuda: None,
            multiprocessors: available_parallelism().map_or(1, NonZero::get),
            memory: None,
            shared_memory_per_block: SHARED_MEMORY,
        };
        Self { info, optimize, pending: Mutex::default(), printer: Printer::default() }
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Zeroed memory; `None` if there is not as much.
    pub(crate) fn allocate(bytes: usize) -> Option<Memory> {
        // `Memory` aborts where there is not enough; asking first keeps it from that.
        Vec::<u8>::new().try_reserve_exact(bytes).ok()?;
        Some(Memory::zeroed(bytes))
    }

    /// Where kernels print to.
    pub(crate) fn printer(&self) -> &Printer {
        &self.printer
    }

    /// Prints what was printed, and reports the first fault, since the last call.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self.print() {
            Some(panic) => Err(Error::DevicePanic(panic)),
            None => Ok(()),
        }
    }

    /// Prints what was printed since the last call; yields the first fault.
    fn print(&self) -> Option<Box<DevicePanic>> {
        let Pending { fault, text, lost, .. } = std::mem::take(&mut *self.pending());
        self.printer.print(&(text + &output::lost(lost)));
        fault
    }

    /// Runs a launch, of at most so many `steps`, to its end; counts it, if there is a place for that, or checks it,
    /// if that is asked for, or does what the debugger asks for.
    pub(crate) fn run(
        &self,
        launch: &Launch<'_>,
        steps: Option<u64>,
        counters: Option<&counters::Pending>,
        checking: Option<&Checking>,
        debugger: Option<&Debugger>,
    ) -> Result<()> {
        let checks = checking.map(|checking| checking.checks.clone()).transpose()?;
        launch.check_cooperative(cooperative_limit(launch.geometry.threads()), &NAME)?;
        let args: Vec<_> = launch.args.iter().map(argument).collect();
        let Geometry { grid, block } = launch.geometry;
        let lent = warpwise_simt::Launch { grid, block, args: &args, workers: None, steps };
        let start = Instant::now();
        let counting = counters.is_some() || profile::is_on();
        let (outcome, found) = match (debugger, counting, checks) {
            (Some(debugger), _, _) => {
                let Launch { source, bindings, bound, .. } = *launch;
                let program =
                    TRACED.get(source, bindings, || Ok(TracedProgram::new(&bound.kernel)))?;
                (debugger.run(source, &program, &lent), Vec::new())
            }
            (None, true, _) => (self.count(launch, &lent, counters)?, Vec::new()),
            (None, false, Some(checks)) => self.check(launch, &lent, checks)?,
            (None, false, None) => (self.program(launch)?.run(&lent), Vec::new()),
        };
        unoptimized::took(start.elapsed());
        let (source, kernel) = (launch.source, &launch.bound.kernel);
        let fault = outcome.fault.map(|report| Box::new(source.panic(kernel, details(&report))));
        self.pending().print(kernel, &outcome.printed, outcome.lost);
        let found = checking.map_or(Ok(()), |checking| checking.found(source.name, found));
        if let Some(stopped) = outcome.stopped {
            let reason = reason(source, &stopped);
            profile::stopped(source.name, &reason);
            // Perhaps there is no such call any more, and the text says what went wrong.
            self.pending().fault = self.print();
            return Err(Error::Stopped { kernel: source.name, reason, fault });
        }
        let mut pending = self.pending();
        pending.fault = pending.fault.take().or(fault);
        found
    }

    fn program(&self, launch: &Launch<'_>) -> Result<Arc<Program>> {
        let Launch { source, bindings, bound, .. } = *launch;
        let kernel = &bound.kernel;
        if !self.optimize {
            return UNOPTIMIZED.get(source, bindings, || Ok(Program::new(kernel)));
        }
        PROGRAMS.get(source, bindings, || Ok(Program::new(&optimize(source, kernel)?)))
    }

    /// Runs a launch and counts it.
    fn count(
        &self,
        launch: &Launch<'_>,
        lent: &warpwise_simt::Launch<'_>,
        pending: Option<&counters::Pending>,
    ) -> Result<Outcome> {
        let Launch { source, bindings, bound, .. } = *launch;
        let kernel = &bound.kernel;
        let program = if self.optimize {
            COUNTING.get(source, bindings, || {
                Ok(CountingProgram::new(&optimize(source, kernel)?, Requests::Vectors))
            })?
        } else {
            UNOPTIMIZED_COUNTING
                .get(source, bindings, || Ok(CountingProgram::new(kernel, Requests::Scalars)))?
        };
        let (outcome, counted) = program.run(lent);
        if outcome.stopped.is_none() {
            let Geometry { grid, block } = launch.geometry;
            let shared_memory = launch.shared.bytes;
            let launched = Launched { source, bindings, grid, block, shared_memory };
            let counters = LaunchCounters::new(&launched, program.kernel(), &counted);
            profile::launched(&counters, program.kernel());
            pending.into_iter().for_each(|pending| pending.add(counters.clone()));
        }
        Ok(outcome)
    }

    /// Runs a launch and checks it.
    fn check(
        &self,
        launch: &Launch<'_>,
        lent: &warpwise_simt::Launch<'_>,
        checks: Checks,
    ) -> Result<(Outcome, Vec<Finding>)> {
        let Launch { source, bindings, bound, .. } = *launch;
        let kernel = &bound.kernel;
        let program = if self.optimize {
            CHECKED.get(source, bindings, || Ok(CheckedProgram::new(&optimize(source, kernel)?)))?
        } else {
            UNOPTIMIZED_CHECKED.get(source, bindings, || Ok(CheckedProgram::new(kernel)))?
        };
        let mut all = Vec::new();
        if checks.contains(Checks::ORDER) {
            let traced = TRACED.get(source, bindings, || Ok(TracedProgram::new(kernel)))?;
            all.extend(traced.compare_orders(lent).map(|found| Finding::new(source, found)));
        }
        let (outcome, found) = program.run(lent, checks);
        all.extend(found.into_iter().map(|found| Finding::new(source, found)));
        Ok((outcome, all))
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    /// Keeps what a launch of `kernel` printed, where there is room.
    fn print(&mut self, kernel: &Kernel, printed: &[Printed], lost: u64) {
        self.lost += lost;
        for printed in printed {
            self.room += record_bytes(printed.values.len());
            if self.room <= ROOM {
                self.text += &output::printed(kernel, printed);
            } else {
                self.lost += 1;
            }
        }
    }
}

/// What a GPU would get of `kernel`.
fn optimize(source: &Source, kernel: &Kernel) -> Result<Kernel> {
    optimized(kernel.clone()).map_err(|error| Error::Compile {
        kernel: source.name,
        device: NAME.into(),
        message: error.to_string(),
    })
}

/// How many blocks of so many threads a cooperative launch has at most.
pub(crate) fn cooperative_limit(threads: u32) -> u64 {
    COOPERATIVE_THREADS / u64::from(threads)
}

fn argument<'a>(arg: &Value<'a>) -> warpwise_simt::Arg<'a> {
    match *arg {
        Value::Scalar { bits, .. } => warpwise_simt::Arg::Scalar(bits),
        Value::Slice { buffer, .. } => {
            warpwise_simt::Arg::Slice { memory: buffer.memory.host(), len: buffer.len as u64 }
        }
    }
}

fn details(report: &FaultReport) -> FaultDetails {
    let FaultReport { reason, span, values, block, thread, count } = *report;
    FaultDetails { reason: Some(reason), span: span.index(), values, block, thread, count }
}

/// Why a launch was given up, at places of the user's source.
fn reason(source: &Source, stopped: &Stopped) -> String {
    match stopped {
        Stopped::Deadlock { block: [x, y, z], waiting } => {
            let waiting: Vec<_> = waiting.iter().map(|waiting| wait(source, waiting)).collect();
            format!("deadlock in block ({x}, {y}, {z}): {}", waiting.join("; "))
        }
        Stopped::Halted { block: [x, y, z], span } => {
            let place = source.place(span.index());
            format!("a breakpoint ended it at {place}, in block ({x}, {y}, {z})")
        }
        Stopped::StepBudget { .. } | Stopped::Malformed { .. } => stopped.to_string(),
    }
}

fn wait(source: &Source, waiting: &Waiting) -> String {
    let Waiting { at, span, warp, lanes, missing } = waiting;
    let place = source.place(span.index());
    let mut text = format!("lanes {lanes:#010x} of warp {warp} wait at a {} ({place})", at.name());
    if *missing != 0 {
        text += &format!(" without lanes {missing:#010x}");
    }
    text
}
