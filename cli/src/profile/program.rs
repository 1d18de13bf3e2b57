//! Execution of the profiled program, with counters in every CPU device.
use super::{
    ncu::{self, NcuLaunch},
    read::{self, Recording},
    watch::RunWatcher,
};
use crate::{
    args::{Build, Profile},
    error::CommandError,
    progress::{self, Progress},
    scratch::ScratchFolder,
    workspace::{Workspace, cargo},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{self, Command, ExitStatus, Stdio},
};
use warpwise::model::Gpu;

/// Result of a program's run.
pub(crate) struct ProgramRun {
    pub(crate) recorded: Recording,
    /// Exit status, if it failed.
    pub(crate) failed: Option<ExitStatus>,
    /// Launches that Nsight Compute measured.
    pub(crate) ncu: Vec<NcuLaunch>,
}

impl ProgramRun {
    /// Reads the records of a program that ran earlier.
    pub(crate) fn recorded_in(folder: &Path) -> Result<Self, CommandError> {
        Ok(Self { recorded: read::read_folder(folder)?, failed: None, ncu: Vec::new() })
    }
}

/// Engine that runs the program, and observer of its launches.
enum Engine<'a> {
    /// The interpreter, with counters, and with the caches of a GPU if one is given.
    Interpreter { caches: Option<&'a Gpu>, records: &'a Path },
    /// A GPU, whose events measure times.
    Gpu { records: &'a Path },
    /// A GPU under Nsight Compute.
    Ncu { program: &'a Path, log: &'a Path },
}

/// Builds and runs the program that `command` selects.
pub(crate) fn run(
    command: &Profile,
    workspace: &Workspace,
    gpu: Option<&Gpu>,
) -> Result<ProgramRun, CommandError> {
    let subcommand = CargoCommand::for_build(&command.build)?;
    let words = command.build.check_options();
    let ncu = command.ncu.then(ncu::find).transpose()?;
    if !subcommand.build(&words)?.success() {
        return Err(CommandError::new("the program does not build"));
    }
    let scratch = ScratchFolder::new(
        workspace.target_directory.join("warpwise").join(format!("profile-{}", process::id())),
    )?;
    let records = match &command.save {
        Some(folder) => prepare_saved_run(folder)?,
        None => scratch.0.clone(),
    };
    let caches = gpu.filter(|_| command.caches);
    let engine = Engine::Interpreter { caches, records: &records };
    let status = subcommand.run(&words, command, &engine)?;
    if command.measure {
        let engine = Engine::Gpu { records: &records };
        let status = subcommand.run(&words, command, &engine)?;
        check_gpu_run(status, "with `WARPWISE_DEVICE=cuda`")?;
    }
    let mut ncu_launches = Vec::new();
    if let Some(program) = &ncu {
        let log = scratch.0.join("ncu.csv");
        let status = subcommand.run(&words, command, &Engine::Ncu { program, log: &log })?;
        check_gpu_run(status, "under `ncu`")?;
        ncu_launches = ncu::read_log(&log)?;
    }
    let recorded = read::read_folder(&records)?;
    let failed = Some(status).filter(|status| !status.success());
    Ok(ProgramRun { recorded, failed, ncu: ncu_launches })
}

/// Creates the folder of `--save`, without the records of an earlier run.
fn prepare_saved_run(folder: &Path) -> Result<PathBuf, CommandError> {
    let prepare = || -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                fs::remove_file(path)?;
            }
        }
        // Tests run in the folder of their package.
        folder.canonicalize()
    };
    prepare().map_err(|error| {
        CommandError::new(format!("cannot save the run in {}: {error}", folder.display()))
    })
}

fn check_gpu_run(status: ExitStatus, how: &str) -> Result<(), CommandError> {
    if status.success() {
        return Ok(());
    }
    Err(CommandError::new(format!("the program failed {how} ({status})"))
        .with_help("`cargo warpwise doctor` shows whether the GPU is usable"))
}

/// Subcommand of cargo that runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CargoCommand {
    Run,
    Test,
    Bench,
}

impl CargoCommand {
    fn for_build(build: &Build) -> Result<Self, CommandError> {
        if build.benches || !build.bench.is_empty() {
            return Ok(Self::Bench);
        }
        if build.lib || build.tests || build.all_targets || !build.test.is_empty() {
            return Ok(Self::Test);
        }
        if build.bins || build.examples || build.bin.len() + build.example.len() > 1 {
            let text = "these are several programs, and one is run";
            return Err(
                CommandError::new(text).with_help("name it: `--bin NAME` or `--example NAME`")
            );
        }
        if build.workspace || build.package.len() > 1 {
            let text = "these are several packages, and the program of one is run";
            return Err(CommandError::new(text).with_help("name it: `-p NAME`"));
        }
        Ok(Self::Run)
    }

    fn build(self, words: &[String]) -> Result<ExitStatus, CommandError> {
        let mut command = cargo();
        match self {
            Self::Run => command.arg("build"),
            Self::Test => command.args(["test", "--no-run"]),
            Self::Bench => command.args(["bench", "--no-run"]),
        };
        command.args(words).stdout(Stdio::from(io::stderr())).status().map_err(cannot_run_cargo)
    }

    /// Runs the program. Its output goes to stderr, so that stdout has only the report.
    fn run(
        self,
        words: &[String],
        profile: &Profile,
        engine: &Engine<'_>,
    ) -> Result<ExitStatus, CommandError> {
        let mut command = match engine {
            Engine::Ncu { program, log } => {
                let mut command = Command::new(program);
                command.args(ncu::options(log)).arg(cargo().get_program());
                command
            }
            Engine::Interpreter { .. } | Engine::Gpu { .. } => cargo(),
        };
        command.arg(match self {
            Self::Run => "run",
            Self::Test => "test",
            Self::Bench => "bench",
        });
        if self == Self::Run && !profile.build.quiet {
            command.arg("--quiet");
        }
        command.args(words).arg("--").args(&profile.arguments);
        let device = match engine {
            Engine::Interpreter { caches, records } => {
                command.env("WARPWISE_PROFILE", records);
                if let Some(gpu) = caches {
                    command.env("WARPWISE_PROFILE_CACHES", gpu.name);
                }
                if profile.unoptimized {
                    command.env("WARPWISE_PROFILE_UNOPTIMIZED", "1");
                }
                "cpu"
            }
            Engine::Gpu { records } => {
                command.env("WARPWISE_PROFILE", records);
                "cuda"
            }
            Engine::Ncu { .. } => {
                command.env_remove("WARPWISE_PROFILE");
                "cuda"
            }
        };
        command.env("WARPWISE_DEVICE", device);
        run_with_progress(command, engine).map_err(cannot_run_cargo)
    }
}

/// Runs `command`, and shows the launches so far.
fn run_with_progress(mut command: Command, engine: &Engine<'_>) -> io::Result<ExitStatus> {
    if !Progress::is_shown() {
        return command.stdout(Stdio::from(io::stderr())).status();
    }
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let progress = match engine {
        Engine::Interpreter { records, .. } => {
            let mut watcher = RunWatcher::new(records);
            Progress::start(move || format!("counting: {}", watcher.describe()))
        }
        Engine::Gpu { records } => {
            let mut watcher = RunWatcher::new(records);
            Progress::start(move || format!("counted and measured: {}", watcher.describe()))
        }
        Engine::Ncu { .. } => Progress::start(|| "measuring with Nsight Compute".to_owned()),
    };
    let relayed = child.stdout.take().map_or(Ok(()), progress::relay_output);
    let status = child.wait();
    drop(progress);
    relayed.and(status)
}

fn cannot_run_cargo(error: io::Error) -> CommandError {
    CommandError::new(format!("cannot run cargo: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_target_decides_the_command() {
        let name = || vec!["x".to_owned()];
        assert_eq!(CargoCommand::for_build(&Build::default()), Ok(CargoCommand::Run));
        assert_eq!(
            CargoCommand::for_build(&Build { example: name(), ..Build::default() }),
            Ok(CargoCommand::Run)
        );
        assert_eq!(
            CargoCommand::for_build(&Build { test: name(), ..Build::default() }),
            Ok(CargoCommand::Test)
        );
        assert_eq!(
            CargoCommand::for_build(&Build { lib: true, ..Build::default() }),
            Ok(CargoCommand::Test)
        );
        assert_eq!(
            CargoCommand::for_build(&Build { bench: name(), ..Build::default() }),
            Ok(CargoCommand::Bench)
        );
        let several = Build { example: name(), bin: name(), ..Build::default() };
        for refused in [several, Build { workspace: true, ..Build::default() }] {
            assert!(CargoCommand::for_build(&refused).is_err());
        }
    }
}
