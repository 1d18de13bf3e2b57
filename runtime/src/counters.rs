//! What launches did, counted as hardware counts: where a kernel loses time, without a GPU.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! #[kernel]
//! fn gather(x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = x[8 * i];
//!     }
//! }
//!
//! let device = Device::cpu().with_counters();
//! let x = device.upload(&[1.0f32; 8192])?;
//! let mut y = device.zeros::<f32>(1024)?;
//! gather::launch(&device, LaunchConfig::cover(1024), &x, &mut y)?;
//!
//! let launches = device.take_counters();
//! println!("{}", launches[0]);
//! let loads = launches[0].total.global_loads;
//! assert_eq!((loads.requests, loads.sectors, loads.ideal), (32, 1024, 128));
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! What is counted is the optimized kernel, whose neighbouring accesses are one request where they are on a
//! GPU. The models are measured ones; `docs/counters.md` says which. `cargo warpwise profile` counts all launches of a
//! program as it is, and says what its lines do beyond what they need.
mod json;

use crate::{
    kernel::Source,
    occupancy::{Block, Multiprocessor, Occupancy, Target, Unlaunchable},
};
pub(crate) use json::Object;
use std::{
    cmp::Reverse,
    fmt,
    sync::{Mutex, PoisonError},
};
pub use warpwise_compiler::hardware::Kind;
use warpwise_compiler::{
    id::Id,
    ir::{InstId, Kernel},
    lint::launch::has_barriers,
    specialize::Binding,
};
pub use warpwise_simt::{Counts, Floats, Sectors, Wavefronts, WorstRequest};

/// The architecture that occupancy is printed for.
pub const TARGET: Target = Target::new(90);

/// What one launch did. Printed, it is a table of lines, those with the most to gain first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchCounters {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// What its generic parameters stand for, such as `f32, 16`.
    pub generics: String,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads in a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory that a block takes.
    pub shared_memory: u64,
    /// Barriers that a block takes: 1 if its threads wait for each other.
    pub barriers: u32,
    /// What all lines did.
    pub total: Counts,
    /// What each line did, in the order of files and lines.
    pub lines: Vec<LineCounters>,
    /// What each access to shared or global memory asked, in the order of the kernel.
    pub accesses: Vec<AccessCounters>,
}

/// What the instructions of one line did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineCounters {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// What they did.
    pub counts: Counts,
}

/// What one access of a kernel asked of shared or global memory.
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
    /// How many they need.
    pub ideal: u64,
    /// The worst of them.
    pub worst: WorstRequest,
}

/// Which launch was counted.
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
    ) -> Self {
        let Launched { source, bindings, grid, block, shared_memory } = *launched;
        let mut lines: Vec<LineCounters> = Vec::new();
        for (id, counts) in counters.iter().filter(|(_, counts)| *counts != Counts::default()) {
            let place = source.place(kernel.insts[id].span.index());
            let here = |line: &LineCounters| (line.file, line.line).cmp(&(place.file, place.line));
            match lines.binary_search_by(here) {
                Ok(at) => lines[at].counts += counts,
                Err(at) => {
                    let line = LineCounters { file: place.file, line: place.line, counts };
                    lines.insert(at, line);
                }
            }
        }
        let access = |(id, worst): &(InstId, WorstRequest)| {
            let counts = counters.get(*id);
            let place = source.place(kernel.insts[*id].span.index());
            let (shared, global) = (counts.shared(), counts.global());
            AccessCounters {
                file: place.file,
                line: place.line,
                column: place.column,
                memory: memory(kernel, worst.memory),
                requests: shared.requests + global.requests,
                taken: shared.wavefronts + global.sectors,
                ideal: shared.ideal + global.ideal,
                worst: worst.clone(),
            }
        };
        Self {
            kernel: source.name,
            generics: generics(bindings),
            grid,
            block,
            shared_memory,
            barriers: has_barriers(kernel).into(),
            total: counters.total(),
            lines,
            accesses: counters.worst().iter().map(access).collect(),
        }
    }

    /// How many of its blocks run on a multiprocessor at the same time, if a thread takes so many registers. What
    /// is not known is no limit.
    ///
    /// ```
    /// # use warpwise::prelude::*;
    /// use warpwise::occupancy::{Limiter, Multiprocessor, Target};
    /// # #[kernel(block = 256)]
    /// # fn fill(x: &mut [u32]) {
    /// #     let i = global_idx_x();
    /// #     if i < x.len() {
    /// #         x[i] = 1;
    /// #     }
    /// # }
    /// # let device = Device::cpu().with_counters();
    /// # let mut x = device.zeros::<u32>(1024)?;
    /// # fill::launch(&device, LaunchConfig::cover(1024), &mut x)?;
    ///
    /// let launches = device.take_counters();
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
        let Self { block: [x, y, z], shared_memory: shared, barriers, .. } = *self;
        on.occupancy(&Block { threads: x * y * z, registers, shared, barriers })
    }
}

/// The name of the memory with this number.
fn memory(kernel: &Kernel, number: usize) -> String {
    let params = kernel.params.iter().map(|(_, param)| &param.name);
    let mut names = params.chain(kernel.shared.iter().map(|(_, shared)| &shared.name));
    names.nth(number).cloned().unwrap_or_default()
}

/// What generic parameters are bound to, as a list.
fn generics(bindings: &[Binding]) -> String {
    let text = |binding: &Binding| match binding {
        Binding::Type(scalar) => scalar.to_string(),
        Binding::Const(bits) => bits.to_string(),
    };
    bindings.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The counters of a device that nobody has taken yet.
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

/// Columns of the table: what they are called, and what stands there.
type Column = (&'static str, fn(&Counts) -> String);

const INSTRUCTIONS: [Column; 2] = [
    ("instructions", |counts| counts.warp_instructions.to_string()),
    ("threads", |counts| counts.active_threads().map_or(String::new(), |all| format!("{all:.1}"))),
];

const BRANCHES: [Column; 2] = [
    ("branches", |counts| counts.branches.to_string()),
    ("divergent", |counts| counts.divergent_branches.to_string()),
];

const SECTORS: [Column; 3] = [
    ("sectors", |counts| counts.global().sectors.to_string()),
    ("needed", |counts| counts.global().ideal.to_string()),
    ("", |counts| times(counts.global().sectors, counts.global().ideal)),
];

const WAVEFRONTS: [Column; 3] = [
    ("wavefronts", |counts| counts.shared().wavefronts.to_string()),
    ("needed", |counts| counts.shared().ideal.to_string()),
    ("", |counts| times(counts.shared().wavefronts, counts.shared().ideal)),
];

/// How many times what is needed there was, if that is more than once.
fn times(got: u64, needed: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    let times = got as f64 / needed as f64;
    if got > needed { format!("{times:.2}x") } else { String::new() }
}

/// The columns in which something stands.
fn columns(total: &Counts) -> Vec<Column> {
    let mut columns = INSTRUCTIONS.to_vec();
    if total.branches != 0 {
        columns.extend(BRANCHES);
    }
    if total.global().requests != 0 {
        columns.extend(SECTORS);
    }
    if total.shared().requests != 0 {
        columns.extend(WAVEFRONTS);
    }
    columns
}

/// What to show first: what memory did without need, then branches that parted, then what is run most.
fn gain(line: &LineCounters) -> Reverse<[u64; 3]> {
    let counts = &line.counts;
    let excess = counts.global().excess() + counts.shared().conflicts();
    Reverse([excess, counts.divergent_branches, counts.warp_instructions])
}

impl fmt::Display for LaunchCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, grid: [x, y, z], block: [i, j, k], total, .. } = self;
        writeln!(f, "`{kernel}`, {x} x {y} x {z} blocks of {i} x {j} x {k} threads")?;
        summary(f, total)?;
        occupancy(f, self)?;
        let mut lines: Vec<_> = self.lines.iter().collect();
        lines.sort_by_key(|line| gain(line));
        let columns = columns(total);
        let mut rows = vec![vec![String::new()]];
        rows[0].extend(columns.iter().map(|(name, _)| (*name).into()));
        for LineCounters { file, line, counts } in lines {
            let mut row = vec![format!("{file}:{line}")];
            // What is zero need not be read.
            let cells =
                columns.iter().map(|(_, cell)| Some(cell(counts)).filter(|cell| cell != "0"));
            row.extend(cells.map(Option::unwrap_or_default));
            rows.push(row);
        }
        table(f, &rows)
    }
}

/// What can be said of the whole launch.
fn summary(f: &mut fmt::Formatter<'_>, total: &Counts) -> fmt::Result {
    let percent = 100.0 * total.warp_execution_efficiency().unwrap_or(1.0);
    let threads = total.active_threads().unwrap_or(0.0);
    writeln!(
        f,
        "{} instructions of warps, {threads:.1} of 32 threads active ({percent:.1} %)",
        total.warp_instructions
    )?;
    let Counts { branches, divergent_branches, .. } = total;
    if *branches != 0 {
        let percent = 100.0 * total.branch_efficiency();
        writeln!(
            f,
            "{branches} branches, {divergent_branches} divergent ({percent:.1} % are not)"
        )?;
    }
    let Sectors { requests, sectors, ideal, .. } = total.global();
    if requests != 0 {
        let times = times(sectors, ideal);
        let times = if times.is_empty() { times } else { format!(": {times}") };
        writeln!(
            f,
            "global memory: {requests} requests, {sectors} sectors, {ideal} needed{times}"
        )?;
    }
    let shared = total.shared();
    if shared.requests != 0 {
        let Wavefronts { requests, wavefronts, .. } = shared;
        let conflicts = shared.conflicts();
        writeln!(
            f,
            "shared memory: {requests} requests, {wavefronts} wavefronts, {conflicts} of them by bank conflicts"
        )?;
    }
    if total.barriers != 0 {
        writeln!(f, "{} barriers of warps", total.barriers)?;
    }
    if total.atomics != 0 {
        writeln!(f, "{} atomic updates of threads", total.atomics)?;
    }
    Ok(())
}

/// Says how many blocks run at the same time on [`TARGET`].
fn occupancy(f: &mut fmt::Formatter<'_>, launch: &LaunchCounters) -> fmt::Result {
    let Some(row) = Multiprocessor::of(TARGET) else { return Ok(()) };
    match launch.occupancy(row, None) {
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

/// Writes rows, the first column to the left and the others to the right.
fn table(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let width =
        |column: usize| rows.iter().map(|row: &Vec<String>| row[column].chars().count()).max();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let mut text = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        writeln!(f, "{}", text.trim_end())?;
    }
    Ok(())
}
