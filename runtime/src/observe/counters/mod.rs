//! Counters of launches, as hardware counts: they locate lost time without a GPU.
//!
//! ```
//! use warpwise::{Simulator, prelude::*};
//!
//! #[allow(gpu_uncoalesced_accesses)] // Without it, the build warns of the 1024 sectors below.
//! #[kernel]
//! fn gather(x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = x[8 * i];
//!     }
//! }
//!
//! let simulator = Simulator::new().counters();
//! let device = simulator.device();
//! let x = device.upload(&[1.0f32; 8192])?;
//! let mut y = device.zeros::<f32>(1024)?;
//! gather::launch(&device, LaunchConfig::cover(1024), &x, &mut y)?;
//!
//! let launches = simulator.take_counters();
//! println!("{}", launches[0]);
//! let loads = launches[0].total.global_loads;
//! assert_eq!((loads.requests, loads.sectors, loads.ideal), (32, 1024, 128));
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! Counts are those of the optimized kernel: neighbouring accesses of a thread count as one request
//! wherever they are one on a GPU. The models of accesses are measured (`docs/counters.md`).
//! `cargo warpwise profile` counts all launches of an unchanged program, and compares each line
//! with its ideal counts.
mod json;
pub mod metrics;
pub mod text;

use crate::{
    launch::source::Source,
    model::{self, Gpu, Prediction, Work},
    occupancy::{Block, Multiprocessor, Occupancy, Target, Unlaunchable},
};
pub(crate) use json::Object;
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};
pub use warpwise_compiler::hardware::Kind;
use warpwise_compiler::{
    id::Id,
    ir::{InstId, Kernel},
    lint::launch::barrier_count,
    specialize::{Binding, list_bindings},
};
pub use warpwise_simt::{
    ActiveThreads, BulkCopies, Counts, Floats, MatrixProducts, Sectors, Trips, Wavefronts,
    WorstRequest,
};

/// The architecture that occupancy is printed for.
///
/// ```
/// assert_eq!(warpwise::counters::TARGET.to_string(), "sm_90");
/// ```
pub const TARGET: Target = Target::new(90);

/// The counters of one launch. `Display` prints a table of lines, those with the most to gain
/// first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchCounters {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// The bindings of its generic parameters, such as `f32, 16`.
    pub generics: String,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads in a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory that a block takes.
    pub shared_memory: u64,
    /// Barriers that a block takes: 1 if its threads wait for each other.
    pub barriers: u32,
    /// The sum over all lines.
    pub total: Counts,
    /// The distribution of active threads over the instructions.
    pub active_threads: ActiveThreads,
    /// The counters of each line, in the order of files and lines.
    pub lines: Vec<LineCounters>,
    /// The trip counts of each loop by warp, in the order of the kernel.
    pub loops: Vec<LoopCounters>,
    /// The requests of each access to shared or global memory, in the order of the kernel.
    pub accesses: Vec<AccessCounters>,
    /// Estimates for the [time model](crate::model): machine instructions, and the critical path.
    pub work: Work,
}

/// The counters of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineCounters {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// The counts.
    pub counts: Counts,
    /// The distribution of active threads over its instructions.
    pub active_threads: ActiveThreads,
}

/// The trip counts of a loop by warp.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopCounters {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The trip counts of each visit of a warp.
    pub trips: Trips,
}

/// The requests of one access to shared or global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessCounters {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Name of the parameter, or of the shared array.
    pub memory: String,
    /// Requests, each once for a warp.
    pub requests: u64,
    /// Wavefronts or sectors that they took.
    pub taken: u64,
    /// The number that they need.
    pub ideal: u64,
    /// The worst of them.
    pub worst: WorstRequest,
}

/// The identity of a counted launch.
pub(crate) struct Launched<'a> {
    pub(crate) source: &'static Source,
    pub(crate) bindings: &'a [Binding],
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_memory: u64,
}

impl LaunchCounters {
    pub(crate) fn new(
        launched: &Launched<'_>,
        kernel: &Kernel,
        counters: &warpwise_simt::Counters,
        work: Option<Work>,
    ) -> Self {
        let Launched { source, bindings, grid, block, shared_memory } = *launched;
        let place_of = |id: InstId| source.place(kernel.insts[id].span.index());
        let mut lines: Vec<LineCounters> = Vec::new();
        for (id, counts) in counters.iter().filter(|(_, counts)| *counts != Counts::default()) {
            let place = place_of(id);
            let here = |line: &LineCounters| (line.file, line.line).cmp(&(place.file, place.line));
            let at = lines.binary_search_by(here).unwrap_or_else(|at| {
                let (file, line) = (place.file, place.line);
                lines.insert(at, LineCounters { file, line, ..LineCounters::default() });
                at
            });
            lines[at].counts += counts;
            lines[at].active_threads += counters.active_threads(id);
        }
        let mut active_threads = ActiveThreads::default();
        for line in &lines {
            active_threads += line.active_threads;
        }
        let loop_counters = |(id, trips): &(InstId, Trips)| {
            let place = place_of(*id);
            let (file, line, column) = (place.file, place.line, place.column);
            LoopCounters { file, line, column, trips: *trips }
        };
        let access_counters = |(id, worst): &(InstId, WorstRequest)| {
            let counts = counters.get(*id);
            let place = place_of(*id);
            let (shared, global) = (counts.shared(), counts.global());
            let constant = counts.constant_loads;
            AccessCounters {
                file: place.file,
                line: place.line,
                column: place.column,
                memory: kernel.memory_name(worst.memory),
                requests: shared.requests + global.requests + constant.requests,
                taken: shared.wavefronts + global.sectors + constant.wavefronts,
                ideal: shared.ideal + global.ideal + constant.ideal,
                worst: worst.clone(),
            }
        };
        Self {
            kernel: source.name,
            generics: list_bindings(bindings),
            grid,
            block,
            shared_memory,
            barriers: barrier_count(kernel),
            total: counters.total(),
            active_threads,
            lines,
            loops: counters.trips().iter().map(loop_counters).collect(),
            accesses: counters.worst().iter().map(access_counters).collect(),
            work: work.unwrap_or_else(|| counters.work()),
        }
    }

    /// Predicts the launch on a GPU, if a thread takes `registers` registers: see [`model`]. An
    /// unknown register count is no limit.
    ///
    /// ```
    /// use warpwise::{Simulator, model::Gpu, prelude::*};
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().counters();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(1 << 16)?;
    /// increment::launch(&device, LaunchConfig::cover(1 << 16), &mut x)?;
    /// let h200 = Gpu::named("H200").expect("it is known");
    /// let prediction = simulator.take_counters()[0].predict(h200, Some(16)).expect("a block fits");
    /// println!("{:.1} us, bound by {}", prediction.seconds * 1e6, prediction.bound_by);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no block runs.
    pub fn predict(&self, gpu: &Gpu, registers: Option<u32>) -> Result<Prediction, Unlaunchable> {
        let blocks = self.grid.iter().map(|dim| u64::from(*dim)).product();
        let block = self.block_resources(registers);
        model::predict(&self.work, model::Grid { blocks, block }, gpu)
    }

    /// Returns the resources of a block.
    fn block_resources(&self, registers: Option<u32>) -> Block {
        let Self { block: [x, y, z], shared_memory: shared, barriers, .. } = *self;
        Block { threads: x * y * z, registers, shared, barriers }
    }

    /// Returns the number of blocks that run on a multiprocessor at the same time, if a thread
    /// takes `registers` registers. An unknown register count is no limit.
    ///
    /// ```
    /// # use warpwise::{Simulator, prelude::*};
    /// use warpwise::occupancy::{Limiter, Multiprocessor, Target};
    /// # #[kernel(block = 256)]
    /// # fn fill(x: &mut [u32]) {
    /// #     let i = global_idx_x();
    /// #     if i < x.len() {
    /// #         x[i] = 1;
    /// #     }
    /// # }
    /// # let simulator = Simulator::new().counters();
    /// # let device = simulator.device();
    /// # let mut x = device.zeros::<u32>(1024)?;
    /// # fill::launch(&device, LaunchConfig::cover(1024), &mut x)?;
    ///
    /// let launches = simulator.take_counters();
    /// let h200 = Multiprocessor::of(Target::new(90)).expect("sm_90 is known");
    /// let occupancy = launches[0].occupancy(h200, Some(72)).expect("72 registers are possible");
    /// assert_eq!((occupancy.blocks, occupancy.ratio()), (3, 0.375));
    /// assert_eq!(occupancy.limiters, [Limiter::Registers]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no block runs.
    pub fn occupancy(
        &self,
        on: &Multiprocessor,
        registers: Option<u32>,
    ) -> Result<Occupancy, Unlaunchable> {
        on.occupancy(&self.block_resources(registers))
    }
}

/// The counters of a device since they were last taken.
#[derive(Debug, Default)]
pub(crate) struct Pending(Mutex<Vec<LaunchCounters>>);

impl Pending {
    pub(crate) fn add(&self, counters: LaunchCounters) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(counters);
    }

    pub(crate) fn take(&self) -> Vec<LaunchCounters> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Display for LaunchCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, grid: [x, y, z], block: [i, j, k], total, .. } = self;
        writeln!(f, "`{kernel}`, {x} x {y} x {z} blocks of {i} x {j} x {k} threads")?;
        for line in text::summary(total).into_iter().chain(text::spread(&self.active_threads)) {
            writeln!(f, "{line}")?;
        }
        write_occupancy(f, self)?;
        let mut lines: Vec<_> = self.lines.iter().collect();
        lines.sort_by_key(|line| text::gain(&line.counts));
        let lines = lines.iter().map(|line| (format!("{}:{}", line.file, line.line), &line.counts));
        f.write_str(&text::table(lines, total))?;
        let loops = self.loops.iter();
        let loops = loops.map(|of| (format!("{}:{}", of.file, of.line), &of.trips));
        let loops = text::loops(loops);
        if loops.is_empty() { Ok(()) } else { write!(f, "\n{loops}") }
    }
}

/// Writes the occupancy of [`TARGET`].
fn write_occupancy(f: &mut fmt::Formatter<'_>, launch: &LaunchCounters) -> fmt::Result {
    let Some(multiprocessor) = Multiprocessor::of(TARGET) else { return Ok(()) };
    match launch.occupancy(multiprocessor, None) {
        Ok(found) => {
            let Occupancy { blocks, warps, most_warps, .. } = found;
            let (percent, limit) = (100.0 * found.ratio(), found.limited_by());
            writeln!(
                f,
                "occupancy on {TARGET}: at most {warps} of {most_warps} warps of a multiprocessor ({percent:.1} %), \
                 in {blocks} blocks, limited by {limit}; registers are not known"
            )
        }
        Err(refused) => writeln!(f, "occupancy on {TARGET}: none: {refused}"),
    }
}
