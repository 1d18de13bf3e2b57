//! Programs of many random kernels: written, compiled and run.
use super::{Kernel, kernel, shrink::shrink};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Write as _},
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// The files that all programs share: engines and comparison, inputs, and device functions that
/// kernels call.
const FILES: [(&str, &str); 3] = [
    ("driver.rs", include_str!("driver.rs")),
    ("values.rs", include_str!("values.rs")),
    ("support.rs", include_str!("support.rs")),
];

/// A compiler of programs, against a `warpwise` that is already built.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The folder of the library, `target/debug` or `target/release`.
    profile: PathBuf,
}

impl Toolchain {
    /// Builds `warpwise` as `cargo` does in this workspace, where it is mostly built already.
    ///
    /// # Errors
    /// Returns cargo's output.
    pub fn new(release: bool) -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above");
        let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        cargo.args(["build", "--quiet", "-p", "warpwise"]).current_dir(root);
        cargo.args(release.then_some("--release"));
        let output = cargo.output().map_err(|error| format!("cannot run cargo: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Ok(Self { profile: root.join(target).join(if release { "release" } else { "debug" }) })
    }

    /// Returns the folder for a program's files.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.profile.with_file_name("fuzz").join(name)
    }

    /// Returns rustc's errors in a library of one file, one error a line, if rustc rejects it.
    ///
    /// # Errors
    /// Fails if rustc cannot be run.
    pub fn judge(&self, source: &Path) -> io::Result<Option<String>> {
        let mut rustc = self.command();
        rustc.args(["--crate-type=lib", "--crate-name=judged", "--emit=metadata"]);
        rustc.arg("-o").arg(source.with_extension("rmeta")).arg(source);
        let output = rustc.output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((!output.status.success()).then_some(said))
    }

    /// Compiles a program, and returns true if that succeeds, with rustc's output. Integers wrap in
    /// rustc's copy of kernels, as in the kernels themselves, unless overflow is `checked`.
    fn rustc(&self, source: &Path, program: &Path, checked: bool) -> io::Result<(bool, String)> {
        let mut rustc = self.command();
        rustc.arg(if checked { "-Coverflow-checks=on" } else { "-Coverflow-checks=off" });
        rustc.args(["-Copt-level=0", "-Cdebuginfo=0", "-Cstrip=symbols"]);
        rustc.arg("-o").arg(program).arg(source);
        let output = rustc.output()?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// Returns a command for rustc that finds `warpwise`.
    fn command(&self) -> Command {
        let mut rustc = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
        rustc.args(["--edition=2024", "--error-format=short"]);
        rustc.arg("-L").arg(format!("dependency={}", self.profile.join("deps").display()));
        rustc
            .arg("--extern")
            .arg(format!("warpwise={}", self.profile.join("libwarpwise.rlib").display()));
        rustc
    }
}

/// A kernel that rustc or the macro rejects, with the errors.
pub type Rejected = (Kernel, String);

/// Writes the program of `kernels` into `folder`, and compiles it without the rejected ones. Either
/// all kernels check for overflow, or none does.
///
/// # Errors
/// Fails for reasons outside of kernels: a file that cannot be written, a missing rustc.
pub fn compile(
    toolchain: &Toolchain,
    folder: &Path,
    kernels: &[Kernel],
) -> Result<(PathBuf, Vec<Rejected>), String> {
    let program = folder.join("program");
    let mut kept: BTreeSet<usize> = (0..kernels.len()).collect();
    let mut rejected = Vec::new();
    let fail = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(fail)?;
    for (name, text) in FILES {
        fs::write(folder.join(name), text).map_err(fail)?;
    }
    for (number, kernel) in kernels.iter().enumerate() {
        fs::write(folder.join(format!("k{number}.rs")), &kernel.source).map_err(fail)?;
    }
    loop {
        let source = folder.join("main.rs");
        fs::write(&source, main_file(kernels, &kept)).map_err(fail)?;
        let checked = kernels.iter().any(|kernel| kernel.checked);
        let (compiled, said) = toolchain.rustc(&source, &program, checked).map_err(fail)?;
        if compiled {
            return Ok((program, rejected));
        }
        let errors = by_kernel(&said);
        if errors.is_empty() {
            return Err(said);
        }
        for (number, said) in errors {
            if kept.remove(&number) {
                rejected.push((kernels[number].clone(), said));
            }
        }
    }
}

/// Returns the root file of the program: its modules, and the table of their kernels.
fn main_file(kernels: &[Kernel], kept: &BTreeSet<usize>) -> String {
    let mut text =
        "#![allow(warnings, arithmetic_overflow, overflowing_literals, unconditional_panic)]\n\
                    mod driver;\nmod support;\nmod values;\n"
            .to_owned();
    for number in kept {
        writeln!(text, "mod k{number};").expect("strings take anything");
    }
    text.push_str("fn main() -> std::process::ExitCode {\n    driver::main(&[\n");
    for number in kept {
        let seed = kernels[*number].seed;
        writeln!(
            text,
            "        driver::Case {{ number: {number}, seed: {seed}, kernel: k{number}::KERNEL }},"
        )
        .expect("strings take anything");
    }
    text.push_str("    ])\n}\n");
    text
}

/// Returns the errors in each kernel's file, by the kernel's number.
fn by_kernel(said: &str) -> BTreeMap<usize, String> {
    let mut errors = BTreeMap::<usize, String>::new();
    for line in said.lines().filter(|line| line.contains(": error")) {
        let Some((path, _)) = line.split_once(".rs:") else { continue };
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some(number) = name.strip_prefix('k').and_then(|number| number.parse().ok()) else {
            continue;
        };
        let said = errors.entry(number).or_default();
        said.push_str(line);
        said.push('\n');
    }
    errors
}

/// The output of a program, and its verdict.
#[derive(Clone, Debug)]
pub struct Ran {
    /// True if all engines agree.
    pub agreed: bool,
    /// The output.
    pub text: String,
}

impl Ran {
    /// Returns the numbers of the kernels on which engines disagree.
    pub fn wrong(&self) -> BTreeSet<usize> {
        let number = |line: &str| line.strip_prefix("case ")?.split_once(' ')?.0.parse().ok();
        self.text.lines().filter_map(number).collect()
    }

    /// Returns the output about a kernel.
    pub fn about(&self, number: usize) -> String {
        let start = format!("case {number} ");
        let lines = self.text.lines().filter(|line| line.starts_with(&start));
        lines.fold(String::new(), |said, line| said + line + "\n")
    }
}

/// Runs a program.
///
/// # Errors
/// Fails if it cannot be started.
pub fn run(program: &Path) -> Result<Ran, String> {
    let output = Command::new(program)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Ok(Ran { agreed: output.status.success(), text: said.into_owned() })
}

/// The kernels to try, and how to try them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seeds of the kernels.
    pub seeds: Vec<u64>,
    /// The number of kernels in a program.
    pub batch: u64,
    /// True if kernels run against the release build of `warpwise`.
    pub release: bool,
    /// The maximum number of failing kernels that are reduced.
    pub shrink: usize,
}

/// The outcome of a plan.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of kernels that ran.
    pub ran: usize,
    /// The kernels that were rejected.
    pub rejected: Vec<Rejected>,
    /// The kernels on which engines disagree, with the differences.
    pub wrong: Vec<(Kernel, String)>,
}

impl Report {
    /// Returns true if no kernel failed.
    pub fn is_clean(&self) -> bool {
        self.rejected.is_empty() && self.wrong.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kernel, said) in &self.rejected {
            writeln!(f, "seed {} is not accepted:\n{said}{}", kernel.seed, kernel.source)?;
        }
        for (kernel, said) in &self.wrong {
            writeln!(f, "{said}{}", kernel.source)?;
        }
        let Self { ran, rejected, wrong } = self;
        write!(f, "{ran} kernels ran: {} differ, {} not accepted", wrong.len(), rejected.len())
    }
}

/// Tries the kernels of a plan, two programs at a time.
///
/// # Errors
/// Fails for reasons outside of kernels, as [`compile`] does.
pub fn fuzz(plan: &Plan) -> Result<Report, String> {
    let toolchain = Toolchain::new(plan.release)?;
    let kernels = plan.seeds.iter().copied().map(kernel);
    let (checked, wrapping): (Vec<Kernel>, Vec<Kernel>) = kernels.partition(|k| k.checked);
    let size = plan.batch.max(1) as usize;
    let batches: Vec<&[Kernel]> = wrapping.chunks(size).chain(checked.chunks(size)).collect();
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        let worker = || -> Result<(), String> {
            while let Some(kernels) = batches.get(next.fetch_add(1, Relaxed)) {
                let found = try_batch(&toolchain, kernels)?;
                let mut report = report.lock().expect("nobody panics with it");
                report.ran += found.ran;
                report.rejected.extend(found.rejected);
                report.wrong.extend(found.wrong);
            }
            Ok(())
        };
        let workers = [scope.spawn(worker), scope.spawn(worker)];
        workers.into_iter().try_for_each(|worker| worker.join().expect("workers do not panic"))
    })?;
    let mut report = report.into_inner().expect("nobody panicked with it");
    let found = report.wrong.iter_mut().chain(&mut report.rejected);
    for (kernel, said) in found.take(plan.shrink) {
        *kernel = shrink(&toolchain, kernel, said)?;
    }
    Ok(report)
}

fn try_batch(toolchain: &Toolchain, kernels: &[Kernel]) -> Result<Report, String> {
    let folder = toolchain.folder(&kernels[0].seed.to_string());
    let (program, rejected) = compile(toolchain, &folder, kernels)?;
    let ran = run(&program)?;
    let wrong = ran.wrong();
    if !ran.agreed && wrong.is_empty() {
        return Err(format!("{} ended early:\n{}", program.display(), ran.text));
    }
    let wrong = wrong.into_iter();
    let wrong = wrong.map(|number| (kernels[number].clone(), ran.about(number))).collect();
    Ok(Report { ran: kernels.len() - rejected.len(), rejected, wrong })
}
