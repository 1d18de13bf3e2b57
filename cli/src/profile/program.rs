//! Execution of the profiled program, with counters in every CPU device.
use super::read::{self, Recording};
use crate::{
    args::{Build, Profile},
    fault::Fault,
    scratch::ScratchFolder,
    workspace::{Workspace, cargo},
};
use std::{
    ffi::OsStr,
    io,
    path::Path,
    process::{self, ExitStatus, Stdio},
};
use warpwise::model::Gpu;

/// Result of a program's run.
pub(crate) struct ProgramRun {
    pub(crate) recorded: Recording,
    /// Exit status, if it failed.
    pub(crate) failed: Option<ExitStatus>,
}

/// Builds and runs the program that `command` selects.
pub(crate) fn run(
    command: &Profile,
    workspace: &Workspace,
    gpu: Option<&Gpu>,
) -> Result<ProgramRun, Fault> {
    let subcommand = CargoCommand::for_build(&command.build)?;
    let words = command.build.check_options();
    if !subcommand.build(&words)?.success() {
        return Err(Fault::new("the program does not build"));
    }
    let folder = ScratchFolder::new(
        workspace.target_directory.join("warpwise").join(format!("profile-{}", process::id())),
    )?;
    let status = subcommand.run(&words, command, gpu.filter(|_| command.caches), &folder.0)?;
    let recorded = read::read_folder(&folder.0)?;
    Ok(ProgramRun { recorded, failed: Some(status).filter(|status| !status.success()) })
}

/// Subcommand of cargo that runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CargoCommand {
    Run,
    Test,
    Bench,
}

impl CargoCommand {
    fn for_build(build: &Build) -> Result<Self, Fault> {
        if build.benches || !build.bench.is_empty() {
            return Ok(Self::Bench);
        }
        if build.lib || build.tests || build.all_targets || !build.test.is_empty() {
            return Ok(Self::Test);
        }
        if build.bins || build.examples || build.bin.len() + build.example.len() > 1 {
            let text = "these are several programs, and one is run";
            return Err(Fault::new(text).with_help("name it: `--bin NAME` or `--example NAME`"));
        }
        if build.workspace || build.package.len() > 1 {
            let text = "these are several packages, and the program of one is run";
            return Err(Fault::new(text).with_help("name it: `-p NAME`"));
        }
        Ok(Self::Run)
    }

    fn build(self, words: &[String]) -> Result<ExitStatus, Fault> {
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
        gpu: Option<&Gpu>,
        to: &Path,
    ) -> Result<ExitStatus, Fault> {
        let mut command = cargo();
        command.arg(match self {
            Self::Run => "run",
            Self::Test => "test",
            Self::Bench => "bench",
        });
        if self == Self::Run && !profile.build.quiet {
            command.arg("--quiet");
        }
        command.args(words).arg("--").args(&profile.arguments);
        command.env("WARPWISE_PROFILE", to).env("WARPWISE_DEVICE", OsStr::new("cpu"));
        if let Some(gpu) = gpu {
            command.env("WARPWISE_PROFILE_CACHES", gpu.name);
        }
        if profile.unoptimized {
            command.env("WARPWISE_PROFILE_UNOPTIMIZED", "1");
        }
        command.stdout(Stdio::from(io::stderr())).status().map_err(cannot_run_cargo)
    }
}

fn cannot_run_cargo(error: io::Error) -> Fault {
    Fault::new(format!("cannot run cargo: {error}"))
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
