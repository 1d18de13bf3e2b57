//! `cargo warpwise`: linting, explanation and profiling of a project's kernels.
mod args;
mod code_lines;
mod color;
mod doctor;
mod error;
mod explain;
mod find;
mod learn;
mod lint;
mod listing;
mod pages;
mod profile;
mod progress;
mod project;
mod records;
mod sass;
mod scratch;
mod setup;
mod sources;
mod tools;
mod workspace;
mod wrapper;

use args::{Arguments, Command};
use clap::Parser as _;
use error::CommandError;
use std::{env, ffi::OsString, process::ExitCode};

fn main() -> ExitCode {
    if let Some(run) = wrapper::compilation_from_env() {
        return wrapper::run_compilation(&run);
    }
    match run_command(&parse_arguments()) {
        Ok(code) => code,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}

/// Parses the command line, without the `warpwise` that cargo puts first.
fn parse_arguments() -> Arguments {
    let mut words: Vec<OsString> = env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "warpwise") {
        words.remove(1);
    }
    Arguments::parse_from(words)
}

fn run_command(arguments: &Arguments) -> Result<ExitCode, CommandError> {
    let color = arguments.color;
    match &arguments.command {
        Command::New(command) => setup::create_package(command),
        Command::Init(command) => setup::write_settings(command),
        Command::Learn(command) => learn::create_exercises(command),
        Command::Check(command) => lint::check(command, color),
        Command::Lint(command) => lint::run(command, color),
        Command::Explain(command) => explain::run(command, color),
        Command::Ir(command) => listing::print_ir(command),
        Command::Ptx(command) => listing::print_ptx(command, color),
        Command::LlvmIr(command) => listing::print_llvm_ir(command),
        Command::Sass(command) => sass::run(command, color),
        Command::Profile(command) => profile::run(command, color),
        Command::Doctor => Ok(doctor::run(color)),
    }
}
