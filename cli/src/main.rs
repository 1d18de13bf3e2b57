//! `cargo warpwise`: what Warpwise knows about the kernels of a project.
//!
//! ```text
//! cargo warpwise lint       what is wrong with the kernels, for people and for tools
//! cargo warpwise explain    a lint; or every branch and access of one kernel
//! cargo warpwise ir|ptx|llvm-ir|sass    what becomes of a kernel
//! cargo warpwise profile    what a program's kernels did on the interpreter, counted as hardware does
//! cargo warpwise doctor     what this machine has of what kernels need
//! ```
//! The macro `#[kernel]` knows the kernels, and nobody else does. So `cargo check` runs, in a target
//! folder of its own, and the macro records every kernel that it sees ([`records`] says how, and
//! why a record is never stale). All commands work on these records.
//!
//! Exit codes: 0, fine; 1, findings, a program that failed, or a doctor's warning; 2, a wrong command line, or a build
//! that failed.
mod args;
mod check;
mod color;
mod doctor;
mod explain;
mod fault;
mod find;
mod lint;
mod listing;
mod pages;
mod profile;
mod records;
mod sass;
mod scratch;
mod sources;
mod tools;
mod workspace;
mod wrapper;

use args::{Arguments, Command};
use clap::Parser as _;
use fault::Fault;
use std::{env, ffi::OsString, process::ExitCode};

fn main() -> ExitCode {
    if let Some(run) = wrapper::asked_for() {
        return wrapper::run(&run);
    }
    match run(&arguments()) {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}

/// The command line, without the `warpwise` that cargo puts first.
fn arguments() -> Arguments {
    let mut words: Vec<OsString> = env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "warpwise") {
        words.remove(1);
    }
    Arguments::parse_from(words)
}

fn run(arguments: &Arguments) -> Result<ExitCode, Fault> {
    let color = arguments.color;
    match &arguments.command {
        Command::Lint(command) => lint::run(command, color),
        Command::Explain(command) => explain::run(command, color),
        Command::Ir(command) => listing::ir(command),
        Command::Ptx(command) => listing::ptx(command),
        Command::LlvmIr(command) => listing::llvm_ir(command),
        Command::Sass(command) => sass::run(command),
        Command::Profile(command) => profile::run(command, color),
        Command::Doctor => Ok(doctor::run(color)),
    }
}
