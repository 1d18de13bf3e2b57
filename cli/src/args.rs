//! The command line.
use crate::listing::LaunchedCode;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::{ffi::OsString, path::PathBuf};
use warpwise_compiler::{back::Backend, target::Target};

/// The architecture that commands compile for, unless `--target` names another.
const DEFAULT_TARGET: &str = "sm_90";

/// Lints, explains and shows GPU kernels that are written with Warpwise.
#[derive(Debug, Parser)]
#[command(name = "cargo-warpwise", bin_name = "cargo warpwise", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to color the output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
}

/// When to use color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a package with a kernel, a test of it on the interpreter, and settings for editors.
    #[command(
        after_help = "Examples:\n  cargo warpwise new blur\n  cargo warpwise new blur --path ../warpwise/runtime"
    )]
    New(New),
    /// Write the settings that show lints in editors, on GitHub and before each commit.
    ///
    /// Existing files are kept; what to add to them is printed.
    #[command(
        after_help = "Examples:\n  cargo warpwise init\n  cargo warpwise init --github --pre-commit"
    )]
    Init(Init),
    /// Create a package of exercises: kernels to write, with tests, hints and solutions.
    #[command(
        after_help = "Examples:\n  cargo warpwise learn exercises\n  cargo warpwise learn exercises --path ../warpwise/runtime"
    )]
    Learn(Learn),
    /// Check the project as `cargo check` does, with the lints as warnings of their own.
    ///
    /// With `--message-format json`, editors show them: see `cargo warpwise init`.
    #[command(
        after_help = "Examples:\n  cargo warpwise check\n  cargo warpwise check --workspace --all-targets --message-format json"
    )]
    Check(Check),
    /// Lint all kernels.
    ///
    /// Exits with 0 if there is no finding at level `deny` (or, with `--deny warnings`, at level
    /// `warn`), with 1 if there is one, and with 2 if the project does not build.
    #[command(
        after_help = "Examples:\n  cargo warpwise lint\n  cargo warpwise lint --workspace --all-targets --deny warnings\n  cargo warpwise lint --fix\n  cargo warpwise lint --sarif > warpwise.sarif"
    )]
    Lint(Lint),
    /// Explain a lint, a profiler's metric, or every branch and every memory access of a kernel.
    ///
    /// Each branch and access has one of three verdicts: proved good, proved bad, cannot tell.
    #[command(
        after_help = "Examples:\n  cargo warpwise explain gpu_bank_conflicts\n  cargo warpwise explain transpose --bad\n  cargo warpwise explain src/filters.rs:12"
    )]
    Explain(Explain),
    /// Show a kernel's IR.
    #[command(
        after_help = "Examples:\n  cargo warpwise ir saxpy\n  cargo warpwise ir blur --optimized --bind T=f32"
    )]
    Ir(Ir),
    /// Show the PTX of a kernel.
    #[command(
        after_help = "Examples:\n  cargo warpwise ptx saxpy\n  cargo warpwise ptx saxpy --target sm_80 --backend builtin"
    )]
    Ptx(Ptx),
    /// Show the LLVM IR of a kernel, before LLVM optimizes it.
    #[command(after_help = "Example:\n  cargo warpwise llvm-ir saxpy --target sm_80")]
    LlvmIr(LlvmIr),
    /// Show the machine code of a kernel, and its registers and memory.
    ///
    /// Needs NVIDIA's `ptxas` and `nvdisasm` (or `cuobjdump`), but no GPU.
    #[command(after_help = "Example:\n  cargo warpwise sass saxpy --target sm_80")]
    Sass(Sass),
    /// Run a program's kernels on the SIMT interpreter, and report possible gains.
    ///
    /// Runs `cargo run`, or with `--test` and the like `cargo test`, with every CPU device
    /// counting. Exits with 0 if the program succeeds, with 1 if it fails, and with 2 if there is
    /// nothing to report.
    #[command(
        after_help = "Examples:\n  cargo warpwise profile --example saxpy\n  cargo warpwise profile --test kernels --json\n  cargo warpwise profile --save before\n  cargo warpwise profile --compare before"
    )]
    Profile(Profile),
    /// Check this machine for everything that kernels need, with advice on missing parts.
    ///
    /// Exits with 0 if nothing is missing and with 1 if there is a warning.
    #[command(after_help = "Example:\n  cargo warpwise doctor")]
    Doctor,
}

/// `cargo warpwise new`
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder of the new package, whose last part is its name.
    pub(crate) folder: PathBuf,
    /// Depend on the `warpwise` in this folder, and not on the published one or, if this command
    /// was built from a checkout, on the one there.
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
}

/// `cargo warpwise learn`
#[derive(Debug, Args)]
pub(crate) struct Learn {
    /// The folder of the package, which must not exist.
    #[arg(default_value = "gpu-exercises")]
    pub(crate) folder: PathBuf,
    /// Depend on the `warpwise` in this folder, and not on the published one or, if this command
    /// was built from a checkout, on the one there.
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,
}

/// `cargo warpwise init`
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Write a workflow for GitHub, which shows findings at the lines of a pull request.
    #[arg(long)]
    pub(crate) github: bool,
    /// Write a hook for <https://pre-commit.com>.
    #[arg(long)]
    pub(crate) pre_commit: bool,
    /// The folder to write to.
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

/// `cargo warpwise check`
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The form of the messages.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) message_format: MessageFormat,
    /// Count warnings as errors: all (`warnings`), or those of a lint.
    #[arg(long, short = 'D', value_name = "LINT")]
    pub(crate) deny: Vec<String>,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// Format of the messages of `cargo warpwise check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// Rustc's format.
    Human,
    /// Cargo's messages, an object a line.
    #[value(alias = "json-diagnostic-rendered-ansi")]
    Json,
}

/// `cargo warpwise lint`
#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// Apply the remedies that can be computed, if the code then compiles without the finding.
    #[arg(long)]
    pub(crate) fix: bool,
    /// The format of findings.
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// The same as `--format json`: an object a line.
    #[arg(long, conflicts_with_all = ["format", "sarif"])]
    pub(crate) json: bool,
    /// The same as `--format sarif`: one SARIF 2.1.0 log.
    #[arg(long, conflicts_with = "format")]
    pub(crate) sarif: bool,
    /// Count warnings as errors: all (`warnings`), or those of a lint.
    #[arg(long, short = 'D', value_name = "LINT")]
    pub(crate) deny: Vec<String>,
    /// Show findings at level `allow`, too.
    #[arg(long)]
    pub(crate) all: bool,
    /// Lint the kernels of dependencies, too. Their findings are warnings at most.
    #[arg(long)]
    pub(crate) deps: bool,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Rustc's format.
    Human,
    /// An object a line.
    Json,
    /// One SARIF 2.1.0 log.
    Sarif,
}

impl Lint {
    /// Returns the output format that `--format` or its short forms choose.
    pub(crate) const fn chosen_format(&self) -> Format {
        match self {
            Self { json: true, .. } => Format::Json,
            Self { sarif: true, .. } => Format::Sarif,
            Self { format, .. } => *format,
        }
    }
}

/// `cargo warpwise explain`
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A lint (`gpu_bank_conflicts`), a metric of `nvprof` or Nsight Compute
    /// (`branch_efficiency`), or a kernel: its name, its path, or `FILE:LINE`.
    #[arg(value_name = "LINT|METRIC|KERNEL")]
    pub(crate) subject: String,
    /// Of a kernel: print an object a line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Of a kernel: show only verdicts of proved bad.
    #[arg(long)]
    pub(crate) bad: bool,
    #[command(flatten)]
    pub(crate) bind: Bind,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// `cargo warpwise ir`
#[derive(Debug, Args)]
pub(crate) struct Ir {
    /// The kernel: its name, its path, or `FILE:LINE`.
    pub(crate) kernel: String,
    /// Show the optimized IR.
    #[arg(long)]
    pub(crate) optimized: bool,
    #[command(flatten)]
    pub(crate) bind: Bind,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// The launches whose code is shown.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Launches {
    /// The code of large launches, in which each thread does the work of several.
    #[arg(long)]
    coarsened: bool,
    /// The code of all launches, with every check, instead of that of launches which fulfil the
    /// contract that `explain` shows.
    #[arg(long, conflicts_with = "coarsened")]
    as_written: bool,
}

impl Launches {
    pub(crate) const fn code(self) -> LaunchedCode {
        match self {
            Self { coarsened: true, .. } => LaunchedCode::Large,
            Self { as_written: true, .. } => LaunchedCode::AsWritten,
            Self { .. } => LaunchedCode::Usual,
        }
    }
}

/// `cargo warpwise ptx`
#[derive(Debug, Args)]
pub(crate) struct Ptx {
    /// The kernel: its name, its path, or `FILE:LINE`.
    pub(crate) kernel: String,
    /// The architecture to compile for.
    #[arg(long, value_name = "sm_NN", default_value = DEFAULT_TARGET, value_parser = parse_target)]
    pub(crate) target: Target,
    /// The back end: `builtin` or `llvm`. The default is that of the project's settings.
    #[arg(long, value_parser = parse_backend)]
    pub(crate) backend: Option<Backend>,
    #[command(flatten)]
    pub(crate) launches: Launches,
    /// Leave out the lines of Rust above the instructions that come from them.
    #[arg(long)]
    pub(crate) no_lines: bool,
    #[command(flatten)]
    pub(crate) bind: Bind,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// `cargo warpwise llvm-ir`
#[derive(Debug, Args)]
pub(crate) struct LlvmIr {
    /// The kernel: its name, its path, or `FILE:LINE`.
    pub(crate) kernel: String,
    /// The architecture to compile for.
    #[arg(long, value_name = "sm_NN", default_value = DEFAULT_TARGET, value_parser = parse_target)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) launches: Launches,
    #[command(flatten)]
    pub(crate) bind: Bind,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// `cargo warpwise sass`
#[derive(Debug, Args)]
pub(crate) struct Sass {
    /// The kernel: its name, its path, or `FILE:LINE`.
    pub(crate) kernel: String,
    /// The architecture to compile for.
    #[arg(long, value_name = "sm_NN", default_value = DEFAULT_TARGET, value_parser = parse_target)]
    pub(crate) target: Target,
    /// The back end: `builtin` or `llvm`. The default is that of the project's settings.
    #[arg(long, value_parser = parse_backend)]
    pub(crate) backend: Option<Backend>,
    #[command(flatten)]
    pub(crate) launches: Launches,
    /// Leave out the lines of Rust above the instructions that come from them.
    #[arg(long)]
    pub(crate) no_lines: bool,
    /// Count the instructions by name instead: the instruction mix.
    #[arg(long)]
    pub(crate) mix: bool,
    #[command(flatten)]
    pub(crate) bind: Bind,
    #[command(flatten)]
    pub(crate) build: Build,
}

/// `cargo warpwise profile`
#[derive(Debug, Args)]
pub(crate) struct Profile {
    /// Print an object a line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Show all lines.
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,
    /// Path of the page; by default `profile.html` in `target/warpwise`, and no page with `--json`.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print these metrics of each kernel instead, by their names in `nvprof` or Nsight Compute.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// Count kernels as they are written, with a branch for every `if`, as `nvcc -G` compiles them.
    #[arg(long, conflicts_with = "read")]
    pub(crate) unoptimized: bool,
    /// The architecture that occupancy is computed for, also one that is too old for kernels.
    #[arg(long, value_name = "sm_NN", default_value = DEFAULT_TARGET, value_parser = parse_any_target)]
    pub(crate) target: Target,
    /// The GPU that times are predicted for, such as `H100` or `RTX 4090`; it also selects the
    /// architecture. Without it, a well-known one of the architecture.
    #[arg(long, value_name = "NAME", conflicts_with = "target")]
    pub(crate) gpu: Option<String>,
    /// Simulate the caches of the GPU, for hit rates and better predictions. Launches take longer.
    #[arg(long)]
    pub(crate) caches: bool,
    /// Registers of a thread, of all kernels or of one. The default is the count of `ptxas`, if it
    /// is installed.
    #[arg(long, value_name = "N|KERNEL=N")]
    pub(crate) registers: Vec<String>,
    /// Report what programs wrote to this folder with `WARPWISE_PROFILE` set to it. No program is
    /// run; the workspace is checked, for the lints that explain the counts.
    #[arg(long, value_name = "DIR", conflicts_with = "arguments")]
    pub(crate) read: Option<PathBuf>,
    /// Keep what the program writes in this folder, for `--read` and `--compare`. A saved run there
    /// is replaced.
    #[arg(long, value_name = "DIR", conflicts_with = "read")]
    pub(crate) save: Option<PathBuf>,
    /// Compare with the run that `--save` kept in this folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) compare: Option<PathBuf>,
    /// Run the program on the GPU, too, and report the times of launches there.
    #[arg(long, conflicts_with = "read")]
    pub(crate) measure: bool,
    /// Run the program under Nsight Compute, too, and report its numbers beside the counts.
    #[arg(long, conflicts_with = "read")]
    pub(crate) ncu: bool,
    #[command(flatten)]
    pub(crate) build: Build,
    /// Arguments of the program.
    #[arg(last = true)]
    pub(crate) arguments: Vec<OsString>,
}

/// The instance of a kernel, and the bindings of its generic parameters.
#[derive(Debug, Args)]
pub(crate) struct Bind {
    /// The instance of a kernel with `instances(..)`, as it is written there. The default is the
    /// first one.
    #[arg(long, value_name = "TYPES")]
    pub(crate) instance: Option<String>,
    /// The type or value of a generic parameter, or of a constant of `open(..)`:
    /// `--bind T=f32 --bind N=16`.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) bind: Vec<String>,
}

/// The selection of the build: cargo's own options.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What to look at (as for `cargo check`)")]
pub(crate) struct Build {
    /// Packages to build.
    #[arg(long, short, value_name = "SPEC")]
    pub(crate) package: Vec<String>,
    /// All packages of the workspace.
    #[arg(long)]
    pub(crate) workspace: bool,
    /// Packages to leave out.
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub(crate) exclude: Vec<String>,
    /// The library only.
    #[arg(long)]
    pub(crate) lib: bool,
    /// All binaries.
    #[arg(long)]
    pub(crate) bins: bool,
    /// The binary of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) bin: Vec<String>,
    /// All examples.
    #[arg(long)]
    pub(crate) examples: bool,
    /// The example of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) example: Vec<String>,
    /// All tests.
    #[arg(long)]
    pub(crate) tests: bool,
    /// The test of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) test: Vec<String>,
    /// All benchmarks.
    #[arg(long)]
    pub(crate) benches: bool,
    /// The benchmark of this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) bench: Vec<String>,
    /// The library, binaries, examples, tests and benchmarks.
    #[arg(long)]
    pub(crate) all_targets: bool,
    /// Features to turn on.
    #[arg(long, short = 'F', value_name = "FEATURES")]
    pub(crate) features: Vec<String>,
    /// Turn on all features.
    #[arg(long)]
    pub(crate) all_features: bool,
    /// Leave the default features off.
    #[arg(long)]
    pub(crate) no_default_features: bool,
    /// With the profile `release`: without debug assertions.
    #[arg(long, short, conflicts_with = "profile")]
    pub(crate) release: bool,
    /// With this profile.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// The manifest of the project.
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Builds to run at once.
    #[arg(long, short, value_name = "N")]
    pub(crate) jobs: Option<String>,
    /// Do not change Cargo.lock.
    #[arg(long)]
    pub(crate) locked: bool,
    /// Do not use the network.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Both.
    #[arg(long)]
    pub(crate) frozen: bool,
    /// Do not show what cargo does.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl Build {
    /// Returns the options of `cargo check`.
    pub(crate) fn check_options(&self) -> Vec<String> {
        let mut words = self.metadata_options();
        let flags = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            ("--bins", self.bins),
            ("--examples", self.examples),
            ("--tests", self.tests),
            ("--benches", self.benches),
            ("--all-targets", self.all_targets),
            ("--release", self.release),
            ("--quiet", self.quiet),
        ];
        words.extend(flags.iter().filter(|(_, on)| *on).map(|(word, _)| (*word).to_owned()));
        let lists = [
            ("--package", &self.package),
            ("--exclude", &self.exclude),
            ("--bin", &self.bin),
            ("--example", &self.example),
            ("--test", &self.test),
            ("--bench", &self.bench),
        ];
        for (word, values) in lists {
            words.extend(values.iter().map(|value| format!("{word}={value}")));
        }
        words.extend(self.profile.iter().map(|value| format!("--profile={value}")));
        words.extend(self.jobs.iter().map(|value| format!("--jobs={value}")));
        words
    }

    /// Returns the options that `cargo metadata` takes, too.
    pub(crate) fn metadata_options(&self) -> Vec<String> {
        let flags = [
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--locked", self.locked),
            ("--offline", self.offline),
            ("--frozen", self.frozen),
        ];
        let flags = flags.iter().filter(|(_, on)| *on).map(|(word, _)| (*word).to_owned());
        let features = self.features.iter().map(|value| format!("--features={value}"));
        let manifest = self.manifest_path.iter();
        let manifest = manifest.map(|path| format!("--manifest-path={}", path.display()));
        flags.chain(features).chain(manifest).collect()
    }

    /// Returns true if the options select targets of a package.
    pub(crate) const fn names_targets(&self) -> bool {
        self.lib
            || self.bins
            || self.examples
            || self.tests
            || self.benches
            || self.all_targets
            || !self.bin.is_empty()
            || !self.example.is_empty()
            || !self.test.is_empty()
            || !self.bench.is_empty()
    }
}

fn parse_backend(name: &str) -> Result<Backend, String> {
    Backend::named(name).ok_or_else(|| "write `builtin` or `llvm`".to_owned())
}

/// Parses `sm_90`, `90` or `9.0`. The letter of an architecture-specific target is ignored.
fn parse_any_target(text: &str) -> Result<Target, String> {
    let number = text.strip_prefix("sm_").unwrap_or(text).replace('.', "");
    let number = number.strip_suffix('a').unwrap_or(&number);
    number.parse().map(Target::new).map_err(|_| "write it as `sm_90`".to_owned())
}

/// Parses an architecture that kernels run on.
fn parse_target(text: &str) -> Result<Target, String> {
    let target = parse_any_target(text)?;
    if target < Target::OLDEST {
        return Err(format!("the oldest architecture that kernels run on is {}", Target::OLDEST));
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_that_parses() {
        for command in Arguments::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let (_, examples) = help.split_once(":\n").unwrap_or_default();
            let name = command.get_name();
            assert!(examples.contains(&format!("cargo warpwise {name}")), "{name}: {help}");
            for example in examples.lines() {
                let words = example.split(" > ").next().unwrap_or_default().trim();
                let words = words.strip_prefix("cargo ").unwrap_or(words).split(' ');
                assert!(Arguments::try_parse_from(words).is_ok(), "{example}");
            }
        }
    }

    #[test]
    fn architectures_are_written_in_several_ways() {
        for text in ["sm_90", "90", "9.0", "sm_90a"] {
            assert_eq!(parse_target(text), Ok(Target::new(90)), "{text}");
        }
        assert!(parse_target("hopper").is_err());
        assert!(parse_target("sm_52").unwrap_err().contains("sm_75"));
    }

    #[test]
    fn options_of_cargo_are_handed_on() {
        let line = "cargo-warpwise lint -p a --example x -F f,g --release --offline -q";
        let arguments = Arguments::try_parse_from(line.split(' ')).unwrap();
        let Command::Lint(lint) = arguments.command else { panic!("{arguments:?}") };
        let words = lint.build.check_options();
        let expected =
            ["--offline", "--features=f,g", "--release", "--quiet", "--package=a", "--example=x"];
        assert_eq!(words, expected);
        assert!(lint.build.names_targets());
        assert_eq!(lint.build.metadata_options(), ["--offline", "--features=f,g"]);
    }
}
