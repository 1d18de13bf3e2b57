//! What is reported: of every kernel and shape, each line with its source, what it did beyond what is needed, and the
//! lint that explains it.
use super::{
    lints::{self, Branches, Explanation},
    program::Ran,
    read::{Access, Launches, Recorded},
};
use crate::{check::Project, sources::Sources};
use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};
use warpwise::{
    counters::{
        ActiveThreads, Counts,
        text::{gain, times},
    },
    occupancy::{Block, Multiprocessor, Occupancy, Unlaunchable},
};

/// All kernels, those with the most to gain first.
pub(crate) struct Report {
    pub(crate) kernels: Vec<Profiled>,
    pub(crate) multiprocessor: &'static Multiprocessor,
    /// What lines say.
    pub(crate) texts: Texts,
    /// Launches that were given up, and why.
    pub(crate) stopped: Vec<(String, String)>,
    /// Launches that ran on a GPU.
    pub(crate) on_gpu: u64,
    /// How the program ended, if it failed.
    pub(crate) failed: Option<String>,
}

/// The launches of a kernel with one shape.
pub(crate) struct Profiled {
    pub(crate) launches: Launches,
    pub(crate) registers: Option<Registers>,
    /// Those with the most to gain first.
    pub(crate) lines: Vec<Line>,
}

/// Registers of a thread, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) number: u32,
    /// From `ptxas`; otherwise from the command line.
    pub(crate) assembled: bool,
}

/// What a line did.
pub(crate) struct Line {
    /// As it is shown.
    pub(crate) file: String,
    pub(crate) number: usize,
    /// Its text, without what it is indented by; empty if the file cannot be read.
    pub(crate) source: String,
    pub(crate) counts: Counts,
    pub(crate) active_threads: ActiveThreads,
    pub(crate) excesses: Vec<Excess>,
}

/// Something that a line did more often than it needs.
pub(crate) struct Excess {
    pub(crate) of: Of,
    pub(crate) expected: u64,
    pub(crate) got: u64,
    pub(crate) why: Explanation,
}

/// What there is too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Sectors of loads and stores.
    Sectors,
    /// Sectors of atomic updates.
    Updates,
    /// Wavefronts of loads and stores.
    Wavefronts,
    /// Wavefronts of atomic updates.
    SharedUpdates,
    /// Divergent branches.
    Divergence,
}

impl Of {
    /// What memory or instruction it is about, and in what it is counted.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Sectors => ("global memory", "sectors"),
            Self::Updates => ("atomics of global memory", "sectors"),
            Self::Wavefronts => ("shared memory", "wavefronts"),
            Self::SharedUpdates => ("atomics of shared memory", "wavefronts"),
            Self::Divergence => ("branches", "divergent"),
        }
    }

    /// Its name in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sectors => "global_memory",
            Self::Updates => "global_atomics",
            Self::Wavefronts => "shared_memory",
            Self::SharedUpdates => "shared_atomics",
            Self::Divergence => "branches",
        }
    }

    /// How many were needed and how many there were, wherever there were too many.
    fn in_line(counts: &Counts) -> impl Iterator<Item = (Self, u64, u64)> {
        let updates = [counts.global_reductions, counts.global_atomics];
        let atomics =
            updates.iter().fold((0, 0), |(ideal, got), of| (ideal + of.ideal, got + of.sectors));
        let accesses = [counts.global_loads, counts.global_stores];
        let sectors =
            accesses.iter().fold((0, 0), |(ideal, got), of| (ideal + of.ideal, got + of.sectors));
        let accesses = [counts.shared_loads, counts.shared_stores];
        let wavefronts = accesses
            .iter()
            .fold((0, 0), |(ideal, got), of| (ideal + of.ideal, got + of.wavefronts));
        let found = [
            (Self::Sectors, sectors.0, sectors.1),
            (Self::Updates, atomics.0, atomics.1),
            (Self::Wavefronts, wavefronts.0, wavefronts.1),
            (Self::SharedUpdates, counts.shared_atomics.ideal, counts.shared_atomics.wavefronts),
            (Self::Divergence, 0, counts.divergent_branches),
        ];
        found.into_iter().filter(|(_, expected, got)| got > expected)
    }
}

impl Excess {
    /// `global memory: expected 8192 sectors, got 65536: 8.00x`
    pub(crate) fn text(&self, branches: u64) -> String {
        let Self { of, expected, got, .. } = self;
        let (what, unit) = of.words();
        if *of == Of::Divergence {
            #[expect(clippy::cast_precision_loss, reason = "for people to read")]
            let percent = 100.0 * *got as f64 / branches as f64;
            return format!("{what}: {got} of {branches} divergent ({percent:.1} %)");
        }
        format!("{what}: expected {expected} {unit}, got {got}: {}", times(*got, *expected))
    }
}

impl Profiled {
    /// What `launches` did, in sources of `project`.
    pub(crate) fn of(
        mut launches: Launches,
        registers: Option<Registers>,
        project: &Project,
        texts: &Texts,
    ) -> Self {
        let branches = Branches::of(project, &launches.kernel);
        let lines = launches.lines.iter().map(|((file, number), (counts, active))| {
            let shown = texts.shown(file);
            let excess = |(of, expected, got)| {
                let at = (&*shown, *number);
                let why = lints::explain(project, &branches, &launches.kernel, at, of)?;
                Some(Excess { of, expected, got, why })
            };
            let excesses = Of::in_line(counts).filter_map(excess).collect();
            let source = texts.line(file, *number).trim().to_owned();
            let (counts, active_threads) = (*counts, *active);
            Line { file: shown, number: *number, source, counts, active_threads, excesses }
        });
        let mut lines: Vec<Line> = lines.collect();
        lines.sort_by_key(|line| gain(&line.counts));
        for of in &mut launches.loops {
            of.file = texts.shown(&of.file);
        }
        for access in &mut launches.accesses {
            access.file = texts.shown(&access.file);
        }
        Self { launches, registers, lines }
    }

    /// `scaled::<f32, 16>`
    pub(crate) fn name(&self) -> String {
        let Launches { kernel, generics, .. } = &self.launches;
        if generics.is_empty() { kernel.clone() } else { format!("{kernel}::<{generics}>") }
    }

    /// `2 launches of 16 x 16 x 1 blocks of 256 x 1 x 1 threads`
    pub(crate) fn shape(&self) -> String {
        let Launches { count, grid: [x, y, z], block: [i, j, k], .. } = &self.launches;
        let launches = if *count == 1 { "launch" } else { "launches" };
        format!("{count} {launches} of {x} x {y} x {z} blocks of {i} x {j} x {k} threads")
    }

    /// What a block takes of a multiprocessor.
    pub(crate) fn block(&self) -> Block {
        let Launches { block: [x, y, z], shared_memory, barriers, .. } = self.launches;
        let registers = self.registers.map(|registers| registers.number);
        Block { threads: x * y * z, registers, shared: shared_memory, barriers }
    }

    /// How many of its blocks run at the same time.
    pub(crate) fn occupancy(&self, on: &Multiprocessor) -> Result<Occupancy, Unlaunchable> {
        on.occupancy(&self.block())
    }

    /// Its accesses, those with the most to gain first.
    pub(crate) fn accesses(&self) -> Vec<&Access> {
        let mut accesses: Vec<&Access> = self.launches.accesses.iter().collect();
        accesses.sort_by_key(|access| {
            Reverse((access.taken.saturating_sub(access.ideal), access.taken))
        });
        accesses
    }
}

impl Report {
    /// What was recorded, explained by what is known of `project`.
    pub(crate) fn of(
        ran: Ran,
        project: &Project,
        root: &Path,
        multiprocessor: &'static Multiprocessor,
        registers: impl Fn(&str, Option<&str>) -> Option<Registers>,
    ) -> Self {
        let Recorded { kernels, ir, stopped, on_gpu, .. } = ran.recorded;
        let texts = Texts::of(root, &project.sources);
        let profiled = kernels.into_iter().map(|launches| {
            let key = (launches.kernel.clone(), launches.generics.clone());
            let registers = registers(&launches.kernel, ir.get(&key).map(String::as_str));
            Profiled::of(launches, registers, project, &texts)
        });
        let mut kernels: Vec<Profiled> = profiled.collect();
        kernels.sort_by_key(|kernel| gain(&kernel.launches.total));
        let failed = ran.failed.map(|status| status.to_string());
        Self { kernels, multiprocessor, texts, stopped, on_gpu, failed }
    }
}

/// The texts of sources, each read once.
///
/// Records name their files, and may come from anywhere. So that a report never shows a file that
/// has nothing to do with the build, a text is read only of a file in which the build found kernels,
/// or of a `.rs` file inside the workspace, symbolic links resolved.
pub(crate) struct Texts {
    root: PathBuf,
    /// Files in which the build found kernels.
    built: BTreeSet<PathBuf>,
    known: RefCell<HashMap<PathBuf, Vec<String>>>,
}

impl Texts {
    /// Of files whose paths begin at `root`, and of those of `sources`.
    pub(crate) fn of(root: &Path, sources: &Sources) -> Self {
        let built = sources.paths().filter_map(|path| path.canonicalize().ok()).collect();
        Self { root: root.to_owned(), built, known: RefCell::default() }
    }

    /// The lines of a file, none if it cannot or must not be read.
    fn read(&self, path: &Path) -> Vec<String> {
        let (Ok(path), Ok(root)) = (path.canonicalize(), self.root.canonicalize()) else {
            return Vec::new();
        };
        let is_inside = path.starts_with(root) && path.extension().is_some_and(|end| end == "rs");
        if !is_inside && !self.built.contains(&path) {
            return Vec::new();
        }
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How a path is shown: from the root, if it is in there.
    fn shown(&self, file: &str) -> String {
        let path = self.root.join(file);
        let shown = path.strip_prefix(&self.root).unwrap_or(&path);
        shown.display().to_string().replace('\\', "/")
    }

    /// A line, from 1; empty if it cannot be read.
    pub(crate) fn line(&self, file: &str, number: usize) -> String {
        let path = self.root.join(file);
        let mut known = self.known.borrow_mut();
        let lines = known.entry(path).or_insert_with_key(|path| self.read(path));
        let index = number.checked_sub(1);
        index.and_then(|index| lines.get(index)).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn texts_are_of_sources_alone() {
        let folder = std::env::temp_dir().join(format!("warpwise-texts-{}", std::process::id()));
        let scratch = Scratch::new(folder).unwrap();
        let root = scratch.0.join("workspace");
        fs::create_dir_all(root.join("src")).unwrap();
        for (name, text) in [("src/main.rs", "fn main() {}"), (".env", "key"), ("../other.rs", "x")]
        {
            fs::write(root.join(name), text).unwrap();
        }
        let mut sources = Sources::new(&root);
        let texts = Texts::of(&root, &sources);
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
        sources.place(other, (1, 1), (1, 1));
        assert_eq!(Texts::of(&root, &sources).line("../other.rs", 1), "x");
    }
}
