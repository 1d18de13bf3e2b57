//! Contents of a report: for each kernel and shape, the lines with their source, their excess work,
//! and the lints that explain it.
use super::{
    code::KernelCode,
    compare::Comparison,
    lints::{self, BranchVerdicts, Explanation},
    ncu::{self, NcuLaunch},
    program::ProgramRun,
    read::{Access, LaunchGroup, Recording},
    timeline::{self, TimelineLaunch},
    verdict,
};
use crate::{progress::Progress, project::Project, sass::ThreadResources, sources::Sources};
use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};
use warpwise::{
    counters::{
        ActiveThreads, Counts,
        text::{gain, times},
    },
    model::Gpu,
    occupancy::{Block, Multiprocessor, Occupancy, Unlaunchable},
};
use warpwise_compiler::diag::Diagnostic;

/// The GPU of a report.
#[derive(Clone, Copy)]
pub(crate) struct ReportTarget {
    pub(crate) multiprocessor: &'static Multiprocessor,
    /// The GPU that times are predicted for, if one is known.
    pub(crate) gpu: Option<&'static Gpu>,
}

/// Report on all kernels, the largest possible gains first.
pub(crate) struct Report {
    pub(crate) kernels: Vec<KernelProfile>,
    pub(crate) multiprocessor: &'static Multiprocessor,
    /// The GPU that times are predicted for, if one is known.
    pub(crate) gpu: Option<&'static Gpu>,
    /// Texts of source files.
    pub(crate) texts: SourceTexts,
    /// Launches that were aborted, with the reasons.
    pub(crate) stopped: Vec<(String, String)>,
    /// Launches that ran on a GPU.
    pub(crate) on_gpu: usize,
    /// Exit status of the program, if it failed.
    pub(crate) failed: Option<String>,
    /// All launches, in their order.
    pub(crate) timeline: Vec<TimelineLaunch>,
    /// The program, if its records name one.
    pub(crate) program: Option<String>,
    /// The comparison with an earlier run.
    pub(crate) comparison: Option<Comparison>,
}

/// Launches of a kernel with one shape.
pub(crate) struct KernelProfile {
    pub(crate) launches: LaunchGroup,
    pub(crate) registers: Option<Registers>,
    /// Lines, the largest possible gains first.
    pub(crate) lines: Vec<LineProfile>,
    /// The findings about the size of the launch.
    pub(crate) launch_lints: Vec<Diagnostic>,
    /// Code of a GPU, if it was compiled.
    pub(crate) code: Option<Rc<KernelCode>>,
    /// Seconds of launches on a GPU, as its events measure them.
    pub(crate) measured: Vec<f64>,
    /// Launches that Nsight Compute measured.
    pub(crate) ncu: Vec<NcuLaunch>,
}

/// Registers of a thread, with their source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) number: u32,
    /// All resources, if `ptxas` reports them; `None` if the count is from the command line.
    pub(crate) assembled: Option<ThreadResources>,
}

/// Counters of a line.
pub(crate) struct LineProfile {
    /// Path as shown.
    pub(crate) file: String,
    pub(crate) number: usize,
    /// Text without indentation; empty if the file cannot be read.
    pub(crate) source: String,
    pub(crate) counts: Counts,
    pub(crate) active_threads: ActiveThreads,
    pub(crate) excesses: Vec<Excess>,
}

/// Excess work of a line.
pub(crate) struct Excess {
    pub(crate) kind: ExcessKind,
    pub(crate) expected: u64,
    pub(crate) got: u64,
    pub(crate) explanation: Explanation,
}

/// Kind of excess work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExcessKind {
    /// Sectors of loads and stores.
    Sectors,
    /// Sectors of atomic updates.
    Updates,
    /// Wavefronts of loads and stores.
    Wavefronts,
    /// Wavefronts of atomic updates.
    SharedUpdates,
    /// Wavefronts of loads from constant memory.
    Constants,
    /// Divergent branches.
    Divergence,
}

impl ExcessKind {
    /// Returns the memory or instruction that it concerns, and the unit of its counts.
    pub(crate) const fn memory_and_unit(self) -> (&'static str, &'static str) {
        match self {
            Self::Sectors => ("global memory", "sectors"),
            Self::Updates => ("atomics of global memory", "sectors"),
            Self::Wavefronts => ("shared memory", "wavefronts"),
            Self::SharedUpdates => ("atomics of shared memory", "wavefronts"),
            Self::Constants => ("constant memory", "wavefronts"),
            Self::Divergence => ("branches", "divergent"),
        }
    }

    /// Returns its name in JSON.
    pub(crate) const fn json_name(self) -> &'static str {
        match self {
            Self::Sectors => "global_memory",
            Self::Updates => "global_atomics",
            Self::Wavefronts => "shared_memory",
            Self::SharedUpdates => "shared_atomics",
            Self::Constants => "constant_memory",
            Self::Divergence => "branches",
        }
    }

    /// Returns the expected and the actual counts of each kind that has an excess.
    fn excesses_in(counts: &Counts) -> impl Iterator<Item = (Self, u64, u64)> {
        let updates = [counts.global_reductions, counts.global_atomics];
        let atomics = updates
            .iter()
            .fold((0, 0), |(ideal, got), counter| (ideal + counter.ideal, got + counter.sectors));
        let accesses = [counts.global_loads, counts.global_stores];
        let sectors = accesses
            .iter()
            .fold((0, 0), |(ideal, got), counter| (ideal + counter.ideal, got + counter.sectors));
        let accesses = [counts.shared_loads, counts.shared_stores];
        let wavefronts = accesses.iter().fold((0, 0), |(ideal, got), counter| {
            (ideal + counter.ideal, got + counter.wavefronts)
        });
        let found = [
            (Self::Sectors, sectors.0, sectors.1),
            (Self::Updates, atomics.0, atomics.1),
            (Self::Wavefronts, wavefronts.0, wavefronts.1),
            (Self::SharedUpdates, counts.shared_atomics.ideal, counts.shared_atomics.wavefronts),
            (Self::Constants, counts.constant_loads.ideal, counts.constant_loads.wavefronts),
            (Self::Divergence, 0, counts.divergent_branches),
        ];
        found.into_iter().filter(|(_, expected, got)| got > expected)
    }
}

impl Excess {
    /// Formats `global memory: expected 8192 sectors, got 65536: 8.00x`.
    pub(crate) fn to_text(&self, branches: u64) -> String {
        let Self { kind, expected, got, .. } = self;
        let (what, unit) = kind.memory_and_unit();
        if *kind == ExcessKind::Divergence {
            #[expect(clippy::cast_precision_loss, reason = "for people to read")]
            let percent = 100.0 * *got as f64 / branches as f64;
            return format!("{what}: {got} of {branches} divergent ({percent:.1} %)");
        }
        format!("{what}: expected {expected} {unit}, got {got}: {}", times(*got, *expected))
    }
}

impl KernelProfile {
    /// Explains the counters of `launches` with the sources of `project`.
    pub(crate) fn new(
        mut launches: LaunchGroup,
        registers: Option<Registers>,
        project: &Project,
        texts: &SourceTexts,
    ) -> Self {
        let branches = BranchVerdicts::new(project, &launches.kernel);
        let lines = launches.lines.iter().map(|((file, number), (counts, active))| {
            let shown = texts.display_path(file);
            let excess = |(kind, expected, got)| {
                let at = (&*shown, *number);
                let explanation =
                    lints::explain_excess(project, &branches, &launches.kernel, at, kind)?;
                Some(Excess { kind, expected, got, explanation })
            };
            let excesses = ExcessKind::excesses_in(counts).filter_map(excess).collect();
            let source = texts.line(file, *number).trim().to_owned();
            let (counts, active_threads) = (*counts, *active);
            LineProfile { file: shown, number: *number, source, counts, active_threads, excesses }
        });
        let mut lines: Vec<LineProfile> = lines.collect();
        lines.sort_by_key(|line| gain(&line.counts));
        for counts in &mut launches.loops {
            counts.file = texts.display_path(&counts.file);
        }
        for access in &mut launches.accesses {
            access.file = texts.display_path(&access.file);
        }
        let (launch_lints, code, measured, ncu) = Default::default();
        Self { launches, registers, lines, launch_lints, code, measured, ncu }
    }

    /// Adds the findings of the lints on launches, as on a GPU.
    fn with_launch_lints(mut self, ir: Option<&str>, gpu: Option<&Gpu>) -> Self {
        self.launch_lints = gpu.map_or_else(Vec::new, |gpu| lints::judge_launch(&self, ir, gpu));
        self
    }

    /// Formats the kernel's name, such as `scaled::<f32, 16>`.
    pub(crate) fn name(&self) -> String {
        let LaunchGroup { kernel, generics, .. } = &self.launches;
        if generics.is_empty() { kernel.clone() } else { format!("{kernel}::<{generics}>") }
    }

    /// Formats `2 launches of 16 x 16 x 1 blocks of 256 x 1 x 1 threads`.
    pub(crate) fn shape(&self) -> String {
        let LaunchGroup { count, grid: [x, y, z], block: [i, j, k], .. } = &self.launches;
        let launches = if *count == 1 { "launch" } else { "launches" };
        format!("{count} {launches} of {x} x {y} x {z} blocks of {i} x {j} x {k} threads")
    }

    /// Returns the number of blocks of a launch.
    pub(crate) fn blocks(&self) -> u64 {
        self.launches.grid.iter().fold(1, |blocks, dim| blocks.saturating_mul(u64::from(*dim)))
    }

    /// Returns the resources of a block.
    pub(crate) fn block_resources(&self) -> Block {
        let LaunchGroup { block: [x, y, z], shared_memory, barriers, .. } = self.launches;
        let registers = self.registers.map(|registers| registers.number);
        Block { threads: x * y * z, registers, shared: shared_memory, barriers }
    }

    /// Computes the occupancy on `on`.
    pub(crate) fn occupancy(&self, on: &Multiprocessor) -> Result<Occupancy, Unlaunchable> {
        on.occupancy(&self.block_resources())
    }

    /// Returns true if the kernel also ran on a GPU that measured its time.
    pub(crate) fn is_measured(&self) -> bool {
        self.measured_seconds().is_some()
    }

    /// Returns the average seconds of a launch on a GPU: by Nsight Compute, or else by the GPU's
    /// events.
    pub(crate) fn measured_seconds(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a number of launches")]
        let average = self.measured.iter().sum::<f64>() / self.measured.len().max(1) as f64;
        let by_events = (!self.measured.is_empty()).then_some(average);
        self.ncu_value(ncu::TIME).or(by_events)
    }

    /// Returns the accesses, the largest possible gains first.
    pub(crate) fn accesses(&self) -> Vec<&Access> {
        let mut accesses: Vec<&Access> = self.launches.accesses.iter().collect();
        accesses.sort_by_key(|access| {
            Reverse((access.taken.saturating_sub(access.ideal), access.taken))
        });
        accesses
    }
}

impl Report {
    /// Explains the recorded counters with the findings in `project`.
    pub(crate) fn new(
        ran: ProgramRun,
        project: &Project,
        root: &Path,
        ReportTarget { multiprocessor, gpu }: ReportTarget,
        registers: impl Fn(&str, Option<&str>) -> Option<Registers>,
    ) -> Self {
        let mut recorded = ran.recorded;
        let on_gpu = recorded.uncounted_launches();
        let kernels = std::mem::take(&mut recorded.kernels);
        let ir = &recorded.ir;
        let texts = SourceTexts::new(root, &project.sources);
        let profiled = kernels.into_iter().map(|launches| {
            let key = (launches.kernel.clone(), launches.generics.clone());
            let registers = registers(&launches.kernel, ir.get(&key).map(String::as_str));
            let kernel = ir.get(&key).map(String::as_str);
            KernelProfile::new(launches, registers, project, &texts).with_launch_lints(kernel, gpu)
        });
        let mut kernels: Vec<(usize, KernelProfile)> = profiled.enumerate().collect();
        kernels.sort_by_key(|(_, kernel)| gain(&kernel.launches.total));
        let timeline = timeline::order_launches(&recorded, &kernels, gpu);
        let mut kernels: Vec<KernelProfile> =
            kernels.into_iter().map(|(_, kernel)| kernel).collect();
        for launch in timeline.iter().filter(|launch| launch.is_measured) {
            kernels[launch.kernel].measured.extend(launch.seconds);
        }
        let failed = ran.failed.map(|status| status.to_string());
        for kernel in &mut kernels {
            kernel.add_ncu(&ran.ncu);
        }
        let Recording { stopped, program, .. } = recorded;
        let comparison = None;
        Self {
            kernels,
            multiprocessor,
            gpu,
            texts,
            stopped,
            on_gpu,
            failed,
            timeline,
            program,
            comparison,
        }
    }

    /// Compiles the kernels for a GPU, to show their instructions beside the source.
    pub(crate) fn compile_code(&mut self, project: &Project) {
        let target = self.multiprocessor.target;
        if !self.multiprocessor.is_supported() {
            return;
        }
        let _progress = Progress::start(|| "compiling kernels for the page".to_owned());
        let mut compiled: HashMap<(String, String), Option<Rc<KernelCode>>> = HashMap::new();
        for kernel in &mut self.kernels {
            let launches = &kernel.launches;
            let key = (launches.kernel.clone(), launches.generics.clone());
            let compile =
                || KernelCode::compile(project, launches, &kernel.lines, target).map(Rc::new);
            kernel.code = compiled.entry(key).or_insert_with(compile).clone();
        }
    }

    /// Returns the predicted seconds of a launch of a kernel.
    pub(crate) fn predicted_seconds(&self, kernel: &KernelProfile) -> Option<f64> {
        Some(verdict::predict_launch(kernel, self.gpu?)?.seconds)
    }
}

/// Texts of source files, each read once.
///
/// Records name their files, and may come from anywhere. A report must never show a file that has
/// nothing to do with the build. Therefore a text is read only if the build found kernels in its
/// file, or if it is a `.rs` file inside the workspace, after symbolic links are resolved.
pub(crate) struct SourceTexts {
    root: PathBuf,
    /// Files in which the build found kernels.
    built: BTreeSet<PathBuf>,
    known: RefCell<HashMap<PathBuf, Vec<String>>>,
}

impl SourceTexts {
    /// Creates the texts of files below `root` and of the files in `sources`.
    pub(crate) fn new(root: &Path, sources: &Sources) -> Self {
        let built = sources.paths().filter_map(|path| path.canonicalize().ok()).collect();
        Self { root: root.to_owned(), built, known: RefCell::default() }
    }

    /// Reads the lines of a file; there are none if it cannot or must not be read.
    fn read_lines(&self, path: &Path) -> Vec<String> {
        let (Ok(path), Ok(root)) = (path.canonicalize(), self.root.canonicalize()) else {
            return Vec::new();
        };
        // Compare canonical paths: a link must not lead out of the workspace.
        let is_inside = path.starts_with(root) && path.extension().is_some_and(|end| end == "rs");
        if !is_inside && !self.built.contains(&path) {
            return Vec::new();
        }
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Returns the displayed form of a path: relative to the root, if it is inside.
    fn display_path(&self, file: &str) -> String {
        let path = self.root.join(file);
        let shown = path.strip_prefix(&self.root).unwrap_or(&path);
        shown.display().to_string().replace('\\', "/")
    }

    /// Returns a line, counted from 1; empty if it cannot be read.
    pub(crate) fn line(&self, file: &str, number: usize) -> String {
        let path = self.root.join(file);
        let mut known = self.known.borrow_mut();
        let lines = known.entry(path).or_insert_with_key(|path| self.read_lines(path));
        let index = number.checked_sub(1);
        index.and_then(|index| lines.get(index)).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ScratchFolder;

    #[test]
    fn texts_are_of_sources_alone() {
        let folder = std::env::temp_dir().join(format!("warpwise-texts-{}", std::process::id()));
        let scratch = ScratchFolder::new(folder).unwrap();
        let root = scratch.0.join("workspace");
        fs::create_dir_all(root.join("src")).unwrap();
        for (name, text) in [("src/main.rs", "fn main() {}"), (".env", "key"), ("../other.rs", "x")]
        {
            fs::write(root.join(name), text).unwrap();
        }
        let mut sources = Sources::new(&root);
        let texts = SourceTexts::new(&root, &sources);
        assert_eq!(texts.line("src/main.rs", 1), "fn main() {}");
        let other = scratch.0.join("other.rs");
        for hidden in [".env", "../other.rs", other.to_str().unwrap(), "/etc/passwd", "src"] {
            assert_eq!(texts.line(hidden, 1), "", "{hidden}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", root.join("src/link.rs")).unwrap();
            assert_eq!(texts.line("src/link.rs", 1), "");
        }
        sources.add_place(other, (1, 1), (1, 1));
        assert_eq!(SourceTexts::new(&root, &sources).line("../other.rs", 1), "x");
    }
}
