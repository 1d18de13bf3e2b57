//! Reader of the records that programs write under `WARPWISE_PROFILE`: one file per process, one
//! JSON object per line.
//!
//! Launches of a kernel with the same shape are merged: their counts are added, and each access
//! keeps its worst request.
//!
//! The files may come from anywhere, so [`plausible`] refuses implausible records before anything
//! is computed from them.
use super::counts::{ActiveThreadsRecord, CountsRecord, TripsRecord};
use super::plausible::{self, Implausible};
use crate::error::CommandError;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
};
use warpwise::{
    counters::{ActiveThreads, Counts, Trips},
    model::Work,
};
use warpwise_compiler::{drawing, hardware::Kind, ir};

/// Contents of all files.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// Kernels by shape, in the order of their first launches.
    pub(crate) kernels: Vec<LaunchGroup>,
    /// IR of each kernel, by name and generic arguments.
    pub(crate) ir: BTreeMap<(String, String), String>,
    /// Launches that were aborted, with the reasons.
    pub(crate) stopped: Vec<(String, String)>,
    /// Launches that ran on a GPU, in order.
    pub(crate) gpu_launches: Vec<GpuLaunch>,
    /// Counted launches in order, process by process.
    pub(crate) sequence: Vec<SequencedLaunch>,
    /// Work of the launches that were recorded in full, for the time model.
    pub(crate) works: Vec<Option<Work>>,
    /// The program, if a file names one.
    pub(crate) program: Option<String>,
    /// The sum of all counts, which bounds every sum that a report computes.
    sum: u64,
}

/// Launches of a kernel with one shape.
#[derive(Clone, Debug)]
pub(crate) struct LaunchGroup {
    /// Number of launches.
    pub(crate) count: u64,
    pub(crate) kernel: String,
    pub(crate) generics: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_memory: u64,
    pub(crate) barriers: u32,
    pub(crate) total: Counts,
    pub(crate) active_threads: ActiveThreads,
    /// Counters by file and line.
    pub(crate) lines: BTreeMap<(String, usize), (Counts, ActiveThreads)>,
    /// Loops in the kernel's order.
    pub(crate) loops: Vec<LoopCounts>,
    pub(crate) accesses: Vec<Access>,
    /// Work for the time model, if the records have it.
    pub(crate) work: Option<Work>,
    /// Sum of all counts of one launch.
    sum: u64,
}

/// Counted launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SequencedLaunch {
    /// Index of its group.
    pub(crate) group: usize,
    /// Index of its work.
    pub(crate) work: usize,
}

/// Launch that ran on a GPU.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct GpuLaunch {
    pub(crate) kernel: String,
    pub(crate) generics: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Time that it took, if it succeeded.
    nanoseconds: Option<u64>,
}

/// Trip counts of a loop.
#[derive(Clone, Debug)]
pub(crate) struct LoopCounts {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) trips: Trips,
}

/// Requests of an access.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Access {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Name of the parameter or array.
    pub(crate) memory: String,
    pub(crate) space: Space,
    pub(crate) access: AccessKind,
    pub(crate) bytes: u32,
    pub(crate) requests: u64,
    pub(crate) taken: u64,
    pub(crate) ideal: u64,
    pub(crate) worst: Request,
}

/// Memory space.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Space {
    Shared,
    Constant,
    Global,
}

/// Kind of an access.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// Request of a warp.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Request {
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) active: u32,
    pub(crate) taken: u64,
    pub(crate) ideal: u64,
    /// Byte offset of each lane from the start of the memory.
    pub(crate) offsets: [Option<u64>; 32],
}

impl Access {
    /// Returns its most expensive request, for a drawing.
    pub(crate) fn worst_request(&self) -> drawing::request::Request<'_> {
        let Request { active, taken, ideal, ref offsets, .. } = self.worst;
        let space = match self.space {
            Space::Shared => ir::Space::Shared,
            Space::Constant => ir::Space::Constant,
            Space::Global => ir::Space::Global,
        };
        let kind = match self.access {
            AccessKind::Load => Kind::Load,
            AccessKind::Store => Kind::Store,
            AccessKind::Atomic => Kind::Atomic,
        };
        drawing::request::Request { space, kind, bytes: self.bytes, active, taken, ideal, offsets }
    }
}

/// Line of a file.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum RecordLine {
    Program {
        warpwise: String,
        #[serde(default)]
        program: Option<String>,
    },
    Kernel {
        kernel: String,
        generics: String,
        ir: String,
    },
    Launch(Box<LaunchRecord>),
    Again {
        launch: usize,
    },
    Stopped {
        kernel: String,
        reason: String,
    },
    Started {},
    Gpu(GpuLaunch),
}

#[derive(Deserialize)]
pub(super) struct LaunchRecord {
    kernel: String,
    generics: String,
    grid: [u32; 3],
    pub(super) block: [u32; 3],
    shared_memory: u64,
    barriers: u32,
    total: CountsRecord,
    active_threads: ActiveThreadsRecord,
    lines: Vec<LineRecord>,
    loops: Vec<LoopRecord>,
    pub(super) accesses: Vec<Access>,
    #[serde(default)]
    work: BTreeMap<String, u64>,
    /// Not in the file: [`plausible::parse_line`] computes it.
    #[serde(skip)]
    pub(super) sum: u64,
}

#[derive(Deserialize)]
struct LineRecord {
    file: String,
    line: usize,
    counts: CountsRecord,
    active_threads: ActiveThreadsRecord,
}

#[derive(Deserialize)]
struct LoopRecord {
    file: String,
    line: usize,
    column: usize,
    iterations: TripsRecord,
}

/// Reads all files of a folder.
pub(crate) fn read_folder(folder: &Path) -> Result<Recording, CommandError> {
    let unreadable = |path: &Path, error: io::Error| {
        CommandError::new(format!("cannot read {}: {error}", path.display()))
    };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()
        .map_err(|error| unreadable(folder, error))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    let mut recorded = Recording::default();
    for path in paths {
        let file = fs::File::open(&path).map_err(|error| unreadable(&path, error))?;
        // Launches of the file so far, to which later lines refer by index, with their works.
        let mut known: Vec<(LaunchGroup, usize)> = Vec::new();
        let mut lines = BufReader::new(file).split(b'\n').enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            let line = line.map_err(|error| unreadable(&path, error))?;
            let line = match plausible::parse_line(&line) {
                Ok(line) => line,
                // The last line may be incomplete, if the disk was full or the process was killed.
                Err(Implausible::Incomplete) if lines.peek().is_none() => break,
                Err(problem) => {
                    let number = index + 1;
                    return Err(CommandError::new(format!(
                        "{}:{number}: {problem}",
                        path.display()
                    )));
                }
            };
            recorded.add_line(line, &mut known)?;
        }
    }
    Ok(recorded)
}

impl GpuLaunch {
    /// Returns the time that it took.
    #[expect(clippy::cast_precision_loss, reason = "a time has fewer digits")]
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.nanoseconds.map(|nanoseconds| nanoseconds as f64 * 1e-9)
    }
}

impl Recording {
    /// Returns the number of launches on a GPU of kernels and shapes that were not counted.
    pub(crate) fn uncounted_launches(&self) -> usize {
        let is_counted = |launch: &&GpuLaunch| {
            self.kernels.iter().any(|group| {
                (&group.kernel, &group.generics) == (&launch.kernel, &launch.generics)
                    && (group.grid, group.block) == (launch.grid, launch.block)
            })
        };
        self.gpu_launches.iter().filter(|launch| !is_counted(launch)).count()
    }

    fn add_line(
        &mut self,
        line: RecordLine,
        known: &mut Vec<(LaunchGroup, usize)>,
    ) -> Result<(), CommandError> {
        match line {
            RecordLine::Program { warpwise, program } => {
                self.program = self.program.take().or(program);
                let ours = env!("CARGO_PKG_VERSION");
                if warpwise != ours {
                    let text = format!(
                        "the program uses warpwise {warpwise}, and this is cargo-warpwise {ours}"
                    );
                    let help = format!("install cargo-warpwise {warpwise}");
                    return Err(CommandError::new(text).with_help(help));
                }
            }
            RecordLine::Kernel { kernel, generics, ir } => {
                self.ir.insert((kernel, generics), ir);
            }
            RecordLine::Launch(launch) => {
                let launch = LaunchGroup::from_record(*launch);
                self.works.push(launch.work);
                let work = self.works.len() - 1;
                self.add_launch(&launch, work)?;
                known.push((launch, work));
            }
            RecordLine::Again { launch } => {
                if let Some((launch, work)) = known.get(launch).cloned() {
                    self.add_launch(&launch, work)?;
                    known.push((launch, work));
                }
            }
            RecordLine::Stopped { kernel, reason } => self.stopped.push((kernel, reason)),
            RecordLine::Started {} => {}
            RecordLine::Gpu(launch) => self.gpu_launches.push(launch),
        }
        Ok(())
    }

    fn add_launch(&mut self, launch: &LaunchGroup, work: usize) -> Result<(), CommandError> {
        self.sum = self.sum.saturating_add(launch.sum);
        if self.sum > plausible::MAX_SUM {
            let text = "the launches recorded count more than any program can";
            return Err(
                CommandError::new(text).with_help("record them again, with `WARPWISE_PROFILE` set")
            );
        }
        let known = self.kernels.iter().position(|known| known.is_same_shape(launch));
        match known {
            Some(known) => self.kernels[known].merge(launch),
            None => self.kernels.push(launch.clone()),
        }
        let group = known.unwrap_or(self.kernels.len() - 1);
        self.sequence.push(SequencedLaunch { group, work });
        Ok(())
    }
}

impl LaunchGroup {
    fn from_record(launch: LaunchRecord) -> Self {
        let line = |LineRecord { file, line, counts, active_threads }| {
            ((file, line), (counts.into(), active_threads.into()))
        };
        let round = |LoopRecord { file, line, column, iterations }| {
            let trips = iterations.into();
            LoopCounts { file, line, column, trips }
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
            work: Work::from_fields(|name| launch.work.get(name).copied()),
            sum: launch.sum,
        }
    }

    /// Returns true if both are launches of one kernel with one shape.
    fn is_same_shape(&self, other: &Self) -> bool {
        let shape = |group: &Self| (group.grid, group.block, group.shared_memory);
        (&self.kernel, &self.generics) == (&other.kernel, &other.generics)
            && shape(self) == shape(other)
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.active_threads += other.active_threads;
        self.work = self.work.zip(other.work).map(|(mut mine, theirs)| {
            mine += theirs;
            mine
        });
        for (place, (counts, active)) in &other.lines {
            let (mine, mine_active) = self.lines.entry(place.clone()).or_default();
            *mine += *counts;
            *mine_active += *active;
        }
        for (index, theirs) in other.loops.iter().enumerate() {
            // The copies of an unrolled loop share a place, so loops are matched by index first.
            match self.loops.get_mut(index).filter(|mine| mine.is_same_place(theirs)) {
                Some(mine) => mine.trips += theirs.trips,
                None => self.loops.push(theirs.clone()),
            }
        }
        for theirs in &other.accesses {
            match self.accesses.iter_mut().find(|mine| mine.is_same_access(theirs)) {
                Some(mine) => mine.merge(theirs),
                None => self.accesses.push(theirs.clone()),
            }
        }
    }
}

impl LoopCounts {
    /// Returns true if both loops are at one place.
    fn is_same_place(&self, other: &Self) -> bool {
        (&self.file, self.line, self.column) == (&other.file, other.line, other.column)
    }
}

impl Access {
    /// Returns true if both are accesses of one instruction, or of equal instructions at one place.
    fn is_same_access(&self, other: &Self) -> bool {
        let place =
            |access: &Self| (access.line, access.column, access.space, access.access, access.bytes);
        place(self) == place(other) && (&self.file, &self.memory) == (&other.file, &other.memory)
    }

    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.taken += other.taken;
        self.ideal += other.ideal;
        // The request with the largest excess shows the most; among equals, the most expensive.
        let rank = |request: &Request| (request.taken.saturating_sub(request.ideal), request.taken);
        if rank(&other.worst) > rank(&self.worst) {
            self.worst.clone_from(&other.worst);
        }
    }
}
