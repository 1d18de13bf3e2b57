//! The race: the project's kernels against `nvcc -O3` on the same algorithms.
//!
//! ```text
//! race prepare DIR   verifies every kernel on the interpreter and writes what the other commands read
//! race table DIR     compares the machine code for `sm_90`, without a GPU
//! race run DIR       runs every compiler's code on the first GPU, in turns
//! race load DIR      compares how long the driver's compiler takes for each compiler's PTX
//! ```
//!
//! A kernel is a pair of files in `kernels/`: natural Rust, with the plain Rust that computes the expected
//! result, and CUDA C++ of the same algorithm. `docs/race.md` describes the rules and the output.
mod benchmark;
mod compare;
mod compile;
mod device_problem;
mod driver;
mod inputs;
mod interpret;
mod kernels;
mod load;
mod prepare;
mod problem;
mod reference;
mod run;
mod sass;
mod table;
mod times;
mod tools;

use std::{path::PathBuf, process::ExitCode};

/// What commands return: messages, not types, since a person reads them.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "usage: race prepare|table|run|load DIR [KERNEL]...";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(command), Some(folder)) = (arguments.next(), arguments.next()) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let folder = PathBuf::from(folder);
    let names: Vec<String> = arguments.collect();
    let done = kernels::select(&names).and_then(|benchmarks| match &*command {
        "prepare" => prepare::prepare(&folder, &benchmarks),
        "table" => table::print(&folder, &benchmarks),
        "run" => run::run(&folder, &benchmarks),
        "load" => load::print(&folder, &benchmarks),
        _ => Err(USAGE.into()),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
