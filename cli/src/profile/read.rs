//! Reads what programs wrote because of `WARPWISE_PROFILE`: one file a process, one JSON object a line.
//!
//! Launches of a kernel with the same shape are merged: their counts are added up, and of each access the worst request
//! is kept.
//!
//! The files may come from anywhere, so [`plausible`] refuses what no program writes before
//! anything is computed from it.
use super::counts::{Active, Counted, Iterations};
use super::plausible::{self, Implausible};
use crate::fault::Fault;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
};
use warpwise::counters::{ActiveThreads, Counts, Trips};

/// All that was written.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// Kernels by shape, in the order in which they were launched first.
    pub(crate) kernels: Vec<Launches>,
    /// IR of each kernel, by name and what its generic parameters stand for.
    pub(crate) ir: BTreeMap<(String, String), String>,
    /// Launches that were given up, and why.
    pub(crate) stopped: Vec<(String, String)>,
    /// Launches that ran on a GPU.
    pub(crate) on_gpu: u64,
    /// The sum of all counts, which bounds every sum that a report computes.
    sum: u64,
}

/// The launches of a kernel with one shape.
#[derive(Clone, Debug)]
pub(crate) struct Launches {
    /// How many.
    pub(crate) count: u64,
    pub(crate) kernel: String,
    pub(crate) generics: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_memory: u64,
    pub(crate) barriers: u32,
    pub(crate) total: Counts,
    pub(crate) active_threads: ActiveThreads,
    /// By file and line.
    pub(crate) lines: BTreeMap<(String, usize), (Counts, ActiveThreads)>,
    /// In the order of the kernel.
    pub(crate) loops: Vec<Loop>,
    pub(crate) accesses: Vec<Access>,
    /// The sum of all counts of one launch.
    sum: u64,
}

/// What was counted of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) trips: Trips,
}

/// What one access asked.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Access {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Name of the parameter or array.
    pub(crate) memory: String,
    pub(crate) space: Space,
    pub(crate) access: Verb,
    pub(crate) bytes: u32,
    pub(crate) requests: u64,
    pub(crate) taken: u64,
    pub(crate) ideal: u64,
    pub(crate) worst: Request,
}

/// Where memory is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Space {
    Shared,
    Global,
}

/// What an access does.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verb {
    Load,
    Store,
    Atomic,
}

/// A request of a warp.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Request {
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) active: u32,
    pub(crate) taken: u64,
    pub(crate) ideal: u64,
    /// Of each lane, from the beginning of the memory, in bytes.
    pub(crate) offsets: [Option<u64>; 32],
}

/// A line of a file.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Line {
    Program { warpwise: String },
    Kernel { kernel: String, generics: String, ir: String },
    Launch(Box<Launch>),
    Again { launch: usize },
    Stopped { kernel: String, reason: String },
    Gpu {},
}

#[derive(Deserialize)]
pub(super) struct Launch {
    kernel: String,
    generics: String,
    grid: [u32; 3],
    pub(super) block: [u32; 3],
    shared_memory: u64,
    barriers: u32,
    total: Counted,
    active_threads: Active,
    lines: Vec<OfLine>,
    loops: Vec<OfLoop>,
    pub(super) accesses: Vec<Access>,
    /// Not in the file: [`plausible::parse`] computes it.
    #[serde(skip)]
    pub(super) sum: u64,
}

#[derive(Deserialize)]
struct OfLine {
    file: String,
    line: usize,
    counts: Counted,
    active_threads: Active,
}

#[derive(Deserialize)]
struct OfLoop {
    file: String,
    line: usize,
    column: usize,
    iterations: Iterations,
}

/// Reads all files of a folder.
pub(crate) fn folder(folder: &Path) -> Result<Recorded, Fault> {
    let unreadable = |path: &Path, error: io::Error| {
        Fault::new(format!("cannot read {}: {error}", path.display()))
    };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()
        .map_err(|error| unreadable(folder, error))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    let mut recorded = Recorded::default();
    for path in paths {
        let file = fs::File::open(&path).map_err(|error| unreadable(&path, error))?;
        // Of each launch of the file, where it was merged, and what it was.
        let mut known: Vec<Launches> = Vec::new();
        let mut lines = BufReader::new(file).split(b'\n').enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let line = line.map_err(|error| unreadable(&path, error))?;
            let line = match plausible::parse(&line) {
                Ok(line) => line,
                // The last line may be incomplete, if the disk was full or the process was killed.
                Err(Implausible::Incomplete) if lines.peek().is_none() => break,
                Err(problem) => {
                    let number = index + 1;
                    return Err(Fault::new(format!("{}:{number}: {problem}", path.display())));
                }
            };
            recorded.take(line, &mut known)?;
        }
    }
    Ok(recorded)
}

impl Recorded {
    fn take(&mut self, line: Line, known: &mut Vec<Launches>) -> Result<(), Fault> {
        match line {
            Line::Program { warpwise } => {
                let ours = env!("CARGO_PKG_VERSION");
                if warpwise != ours {
                    let text = format!(
                        "the program uses warpwise {warpwise}, and this is cargo-warpwise {ours}"
                    );
                    let help = format!("install cargo-warpwise {warpwise}");
                    return Err(Fault::new(text).help(help));
                }
            }
            Line::Kernel { kernel, generics, ir } => {
                self.ir.insert((kernel, generics), ir);
            }
            Line::Launch(launch) => {
                let launch = Launches::of(*launch);
                self.add(&launch)?;
                known.push(launch);
            }
            Line::Again { launch } => {
                if let Some(launch) = known.get(launch).cloned() {
                    self.add(&launch)?;
                    known.push(launch);
                }
            }
            Line::Stopped { kernel, reason } => self.stopped.push((kernel, reason)),
            Line::Gpu {} => self.on_gpu += 1,
        }
        Ok(())
    }

    fn add(&mut self, launch: &Launches) -> Result<(), Fault> {
        self.sum = self.sum.saturating_add(launch.sum);
        if self.sum > plausible::MAX_SUM {
            let text = "the launches recorded count more than any program can";
            return Err(Fault::new(text).help("record them again, with `WARPWISE_PROFILE` set"));
        }
        match self.kernels.iter_mut().find(|known| known.is_like(launch)) {
            Some(known) => known.merge(launch),
            None => self.kernels.push(launch.clone()),
        }
        Ok(())
    }
}

impl Launches {
    fn of(launch: Launch) -> Self {
        let line = |OfLine { file, line, counts, active_threads }| {
            ((file, line), (counts.into(), active_threads.into()))
        };
        let round = |OfLoop { file, line, column, iterations }| {
            let trips = iterations.into();
            Loop { file, line, column, trips }
        };
        Self {
            count: 1,
            kernel: launch.kernel,
            generics: launch.generics,
            grid: launch.grid,
            block: launch.block,
            shared_memory: launch.shared_memory,
            barriers: launch.barriers,
            total: launch.total.into(),
            active_threads: launch.active_threads.into(),
            lines: launch.lines.into_iter().map(line).collect(),
            loops: launch.loops.into_iter().map(round).collect(),
            accesses: launch.accesses,
            sum: launch.sum,
        }
    }

    /// Whether both are of one kernel and shape.
    fn is_like(&self, other: &Self) -> bool {
        let shape = |of: &Self| (of.grid, of.block, of.shared_memory);
        (&self.kernel, &self.generics) == (&other.kernel, &other.generics)
            && shape(self) == shape(other)
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.active_threads += other.active_threads;
        for (place, (counts, active)) in &other.lines {
            let (mine, mine_active) = self.lines.entry(place.clone()).or_default();
            *mine += *counts;
            *mine_active += *active;
        }
        for (index, theirs) in other.loops.iter().enumerate() {
            // Several may be at one place: those that a loop was unrolled to.
            match self.loops.get_mut(index).filter(|mine| mine.is_like(theirs)) {
                Some(mine) => mine.trips += theirs.trips,
                None => self.loops.push(theirs.clone()),
            }
        }
        for theirs in &other.accesses {
            match self.accesses.iter_mut().find(|mine| mine.is_like(theirs)) {
                Some(mine) => mine.merge(theirs),
                None => self.accesses.push(theirs.clone()),
            }
        }
    }
}

impl Loop {
    /// Whether both are at one place.
    fn is_like(&self, other: &Self) -> bool {
        (&self.file, self.line, self.column) == (&other.file, other.line, other.column)
    }
}

impl Access {
    /// Whether both are of one instruction, or of two at one place that do the same.
    fn is_like(&self, other: &Self) -> bool {
        let place = |of: &Self| (of.line, of.column, of.space, of.access, of.bytes);
        place(self) == place(other) && (&self.file, &self.memory) == (&other.file, &other.memory)
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.taken += other.taken;
        self.ideal += other.ideal;
        let rank = |of: &Request| (of.taken.saturating_sub(of.ideal), of.taken);
        if rank(&other.worst) > rank(&self.worst) {
            self.worst.clone_from(&other.worst);
        }
    }
}
