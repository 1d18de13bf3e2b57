//! The race: the project's kernels against `nvcc -O3` on the same algorithms.
//!
//! ```text
//! race prepare DIR   verifies every kernel on the interpreter and writes what the other commands read
//! race table DIR     compares the machine code for `sm_90`, without a GPU
//! race run DIR       runs every compiler's code on the first GPU, in turns; with `--part N` before
//!                    DIR, in launches with one in N of the threads
//! race load DIR      compares how long the driver's compiler takes for each compiler's PTX
//! race counts DIR    counts the work of each launch on the interpreter
//! race predict DIR   predicts the time of each counted launch, measures it if there is a GPU, and prints
//!                    the accuracy of the time model
//! race launch DIR    launches each kernel once, for a profiler
//! race bottlenecks DIR
//!                    compares what bounds each counted launch with what Nsight Compute measured
//! ```
//!
//! A kernel is a pair of files in `kernels/`: natural Rust, with the plain Rust that computes the
//! expected result, and CUDA C++ of the same algorithm. `docs/race.md` describes the rules and the
//! output.
mod benchmark;
mod bottlenecks;
mod compare;
mod compile;
mod counts;
mod device_problem;
mod driver;
mod inputs;
mod interpret;
mod kernels;
mod launch;
mod load;
mod predict;
mod prepare;
mod problem;
mod reference;
mod run;
mod sass;
mod table;
mod times;
mod tools;
mod variants;

use kernels::Variants;
use std::{path::PathBuf, process::ExitCode};
use warpwise_benches::Scale;
use warpwise_compiler::hardware::gpu::Gpu;

/// The result of a command, with messages instead of error types, since a person reads them.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "usage: race prepare|table|run|load|counts|predict|launch|bottlenecks [--part N] DIR [KERNEL]...";

/// The arguments of the command line.
struct Arguments {
    command: String,
    folder: PathBuf,
    names: Vec<String>,
    /// The scale that `run` measures.
    scale: Scale,
}

/// Reads the command line; `None` if something is missing.
fn arguments() -> Option<Arguments> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next()?;
    let mut folder = arguments.next()?;
    let mut scale = Scale::Large;
    if folder == "--part" {
        scale = Scale::Part(arguments.next()?.parse().ok().filter(|&part| part > 0)?);
        folder = arguments.next()?;
    }
    Some(Arguments { command, folder: folder.into(), names: arguments.collect(), scale })
}

/// Returns the GPU of the time model.
fn modeled_gpu() -> Result<&'static Gpu> {
    Gpu::of(compile::TARGET).ok_or_else(|| "no GPU of the target is known".into())
}

fn main() -> ExitCode {
    let Some(Arguments { command, folder, names, scale }) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let variants = match &*command {
        "prepare" | "launch" | "counts" | "predict" => Variants::Included,
        _ => Variants::Excluded,
    };
    let done = kernels::select(&names, variants).and_then(|benchmarks| match &*command {
        "prepare" => prepare::prepare(&folder, &benchmarks),
        "table" => table::print(&folder, &benchmarks),
        "run" => run::run(&folder, &benchmarks, scale),
        "load" => load::print(&folder, &benchmarks),
        "launch" => launch::run(&folder, &benchmarks, scale),
        "counts" => counts::write(&folder, &benchmarks, scale, modeled_gpu()?),
        "bottlenecks" => bottlenecks::print(&folder, &benchmarks, modeled_gpu()?),
        "predict" => predict::run(&folder, &benchmarks, scale, modeled_gpu()?),
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
