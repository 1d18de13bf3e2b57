//! `WARPWISE_PROFILE=DIR`: every CPU device of the program counts its launches, and the counters
//! are written to a file of the process in that folder, launch by launch, so that they are complete
//! however the program ends.
//!
//! `cargo warpwise profile` sets the variable and reads the files. Each line is a JSON object: the
//! program, then kernels and launches in the order of the launches. A launch with the counters of
//! an earlier one only names that one.
use crate::{
    counters::{LaunchCounters, Object},
    launch::{bound_kernel::Bound, checks::CheckedLaunch, config::Geometry},
    model::Gpu,
};
use std::{
    collections::{HashMap, HashSet},
    env,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    process,
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};
use warpwise_compiler::{ir::Kernel, specialize::list_bindings};

/// The variable.
const VARIABLE: &str = "WARPWISE_PROFILE";

/// The variable that names the GPU whose caches are simulated.
const CACHES_VARIABLE: &str = "WARPWISE_PROFILE_CACHES";

/// Returns the GPU whose caches are simulated in profiled launches, if any.
pub(crate) fn simulated_gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<&'static Gpu>> = OnceLock::new();
    *GPU.get_or_init(|| {
        open_profile()?;
        let name = env::var(CACHES_VARIABLE).ok()?;
        let gpu = Gpu::named(&name);
        if gpu.is_none() {
            print_warning(&format!("{CACHES_VARIABLE} names `{name}`, and no such GPU is known"));
        }
        gpu
    })
}

/// The variable that asks for kernels as they are written, if it is `1`.
const UNOPTIMIZED_VARIABLE: &str = "WARPWISE_PROFILE_UNOPTIMIZED";

/// Returns true if the kernels that are counted are not optimized.
pub(crate) fn is_unoptimized() -> bool {
    static IS_SET: OnceLock<bool> = OnceLock::new();
    is_on()
        && *IS_SET
            .get_or_init(|| env::var_os(UNOPTIMIZED_VARIABLE).is_some_and(|value| value == "1"))
}

/// Returns true if launches are to be counted and written.
pub(crate) fn is_on() -> bool {
    open_profile().is_some()
}

/// Writes the counters of a launch of `kernel`.
pub(crate) fn record_launch(counters: &LaunchCounters, kernel: &Kernel) {
    with_profile(|profile| profile.record_launch(counters, kernel));
}

/// Writes that a launch was stopped, and so is not counted.
pub(crate) fn record_stopped(kernel: &str, reason: &str) {
    with_profile(|profile| {
        let line = Object::new("stopped").text("kernel", kernel).text("reason", reason);
        profile.write_line(line)
    });
}

/// Writes that a launch begins, for the progress that `cargo warpwise profile` shows.
pub(crate) fn record_start(kernel: &str) {
    with_profile(|profile| profile.write_line(Object::new("started").text("kernel", kernel)));
}

/// Writes that a launch ran on a GPU, and so is not counted, with the time that it took there.
pub(crate) fn record_gpu_launch(launch: &CheckedLaunch<'_>, took: Option<Duration>) {
    let &Bound { source, ref bindings, .. } = launch.bound;
    let Geometry { grid, block } = launch.geometry;
    let mut line = Object::new("gpu")
        .text("kernel", source.name)
        .text("generics", &list_bindings(bindings))
        .value("grid", format_args!("{grid:?}"))
        .value("block", format_args!("{block:?}"));
    if let Some(took) = took {
        line = line.value("nanoseconds", took.as_nanos());
    }
    with_profile(|profile| profile.write_line(line));
}

/// Name of a kernel, blocks of its grid and threads of its blocks.
type Shape = (&'static str, [u32; 3], [u32; 3]);

/// The file of this process.
struct Profile {
    file: File,
    /// The number of launches.
    launches: u64,
    /// Kernels that are in the file, with the bindings of their generic parameters.
    kernels: HashSet<(&'static str, String)>,
    /// The last launch of each kernel and shape, with its number.
    last: HashMap<Shape, (u64, LaunchCounters)>,
}

/// Returns the profile, if the variable asks for one and its file can be created.
fn open_profile() -> Option<&'static Mutex<Profile>> {
    static PROFILE: OnceLock<Option<Mutex<Profile>>> = OnceLock::new();
    let open = || {
        let folder = env::var_os(VARIABLE).filter(|folder| !folder.is_empty())?;
        match Profile::open(Path::new(&folder)) {
            Ok(profile) => Some(Mutex::new(profile)),
            Err(error) => {
                let folder = folder.display();
                print_warning(&format!(
                    "cannot write to {folder}, which {VARIABLE} names: {error}"
                ));
                None
            }
        }
    };
    PROFILE.get_or_init(open).as_ref()
}

/// Does `work` with the profile, if there is one. An error, such as a full disk, does not stop the
/// program, and is reported once.
fn with_profile(work: impl FnOnce(&mut Profile) -> io::Result<()>) {
    static FAILED: OnceLock<()> = OnceLock::new();
    let Some(profile) = open_profile() else { return };
    let done = work(&mut profile.lock().unwrap_or_else(PoisonError::into_inner));
    if let Err(error) = done {
        FAILED.get_or_init(|| print_warning(&format!("cannot write the profile: {error}")));
    }
}

#[expect(clippy::print_stderr, reason = "nobody else would tell why there is no profile")]
fn print_warning(text: &str) {
    eprintln!("warpwise: {text}");
}

impl Profile {
    fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let file = (0..).find_map(|number: u32| {
            let path = folder.join(format!("{}-{number}.jsonl", process::id()));
            match File::create_new(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                opened => Some(opened),
            }
        });
        let file = file.expect("there are enough numbers")?;
        let (kernels, last) = (HashSet::new(), HashMap::new());
        let mut profile = Self { file, launches: 0, kernels, last };
        let program = env::args_os().next().unwrap_or_default();
        let header = Object::new("program").text("warpwise", env!("CARGO_PKG_VERSION"));
        profile.write_line(header.text("program", &program.to_string_lossy()))?;
        Ok(profile)
    }

    /// Writes a line with a single call, so that every line in the file is complete.
    fn write_line(&mut self, object: Object) -> io::Result<()> {
        self.file.write_all((object.end() + "\n").as_bytes())
    }

    fn record_launch(&mut self, counters: &LaunchCounters, kernel: &Kernel) -> io::Result<()> {
        let LaunchCounters { kernel: name, generics, grid, block, .. } = counters;
        if self.kernels.insert((name, generics.clone())) {
            let line = Object::new("kernel").text("kernel", name).text("generics", generics);
            self.write_line(line.text("ir", &kernel.to_string()))?;
        }
        let number = self.launches;
        self.launches += 1;
        let key = (*name, *grid, *block);
        if let Some((earlier, known)) = self.last.get(&key)
            && known == counters
        {
            let line = Object::new("again").value("launch", *earlier);
            return self.write_line(line);
        }
        self.file.write_all((counters.to_json() + "\n").as_bytes())?;
        self.last.insert(key, (number, counters.clone()));
        Ok(())
    }
}
