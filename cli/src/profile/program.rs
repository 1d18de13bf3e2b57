//! Builds the program that is to be profiled, and runs it with every CPU device counting.
use super::read::{self, Recorded};
use crate::{
    args::{Build, Profile},
    fault::Fault,
    scratch::Scratch,
    workspace::{Workspace, cargo},
};
use std::{
    ffi::OsStr,
    io,
    path::Path,
    process::{self, ExitStatus, Stdio},
};

/// What a program did.
pub(crate) struct Ran {
    pub(crate) recorded: Recorded,
    /// How it ended, if it failed.
    pub(crate) failed: Option<ExitStatus>,
}

/// Builds and runs what `command` says.
pub(crate) fn run(command: &Profile, workspace: &Workspace) -> Result<Ran, Fault> {
    let how = How::of(&command.build)?;
    let words = command.build.check();
    if !how.build(&words)?.success() {
        return Err(Fault::new("the program does not build"));
    }
    let folder = Scratch::new(
        workspace.target_directory.join("warpwise").join(format!("profile-{}", process::id())),
    )?;
    let status = how.run(&words, command, &folder.0)?;
    let recorded = read::folder(&folder.0)?;
    Ok(Ran { recorded, failed: Some(status).filter(|status| !status.success()) })
}

/// Which command of cargo runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Run,
    Test,
    Bench,
}

impl How {
    fn of(build: &Build) -> Result<Self, Fault> {
        if build.benches || !build.bench.is_empty() {
            return Ok(Self::Bench);
        }
        if build.lib || build.tests || build.all_targets || !build.test.is_empty() {
            return Ok(Self::Test);
        }
        if build.bins || build.examples || build.bin.len() + build.example.len() > 1 {
            let text = "these are several programs, and one is run";
            return Err(Fault::new(text).help("name it: `--bin NAME` or `--example NAME`"));
        }
        if build.workspace || build.package.len() > 1 {
            let text = "these are several packages, and the program of one is run";
            return Err(Fault::new(text).help("name it: `-p NAME`"));
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
        command.args(words).stdout(Stdio::from(io::stderr())).status().map_err(cannot_run)
    }

    /// Runs it. What it prints goes where errors go, so that only the report is on stdout.
    fn run(self, words: &[String], profile: &Profile, to: &Path) -> Result<ExitStatus, Fault> {
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
        command.stdout(Stdio::from(io::stderr())).status().map_err(cannot_run)
    }
}

fn cannot_run(error: io::Error) -> Fault {
    Fault::new(format!("cannot run cargo: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_says_how_it_is_run() {
        let name = || vec!["x".to_owned()];
        assert_eq!(How::of(&Build::default()), Ok(How::Run));
        assert_eq!(How::of(&Build { example: name(), ..Build::default() }), Ok(How::Run));
        assert_eq!(How::of(&Build { test: name(), ..Build::default() }), Ok(How::Test));
        assert_eq!(How::of(&Build { lib: true, ..Build::default() }), Ok(How::Test));
        assert_eq!(How::of(&Build { bench: name(), ..Build::default() }), Ok(How::Bench));
        let several = Build { example: name(), bin: name(), ..Build::default() };
        for refused in [several, Build { workspace: true, ..Build::default() }] {
            assert!(How::of(&refused).is_err());
        }
    }
}
