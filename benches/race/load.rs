//! `race load`: the time that the driver's compiler takes for the PTX of each compiler, as large
//! launches run it.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    driver::Driver,
    times::print_mean,
};
use std::{
    fs,
    path::Path,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// The number of turns of each compiler; the shortest time counts, since other processes only add
/// to it.
const ROUNDS: usize = 5;

/// Loads the PTX in `folder` and prints a Markdown table of milliseconds.
///
/// # Errors
/// Fails if there is no GPU, a file is missing, or the driver refuses one.
pub(crate) fn print(folder: &Path, benchmarks: &[&Benchmark]) -> Result<()> {
    let driver = Driver::open()?;
    println!("{}; milliseconds to load, and ours / nvcc's\n", driver.name);
    println!(
        "| {:18} | {:>7} | {:>8} | {:>5} | {:>7} | {:>5} |",
        "kernel", "nvcc", "built-in", "ratio", "llvm", "ratio"
    );
    println!("|{0:-<20}|{0:->8}:|{0:->9}:|{0:->6}:|{0:->8}:|{0:->6}:|", "");
    let mut ratios = [const { Vec::new() }; Compiler::OURS.len()];
    for benchmark in benchmarks {
        let times = load_in_turns(&driver, folder, benchmark)
            .map_err(|error| format!("`{}`: {error}", benchmark.name))?;
        let [nvcc, built_in, llvm] = times;
        println!(
            "| {:18} | {nvcc:7.1} | {built_in:8.1} | {:5.2} | {llvm:7.1} | {:5.2} |",
            benchmark.name,
            built_in / nvcc,
            llvm / nvcc
        );
        ratios[0].push(built_in / nvcc);
        ratios[1].push(llvm / nvcc);
    }
    println!();
    for (compiler, ratios) in Compiler::OURS.into_iter().zip(ratios) {
        print_mean(compiler.name(), &ratios);
    }
    Ok(())
}

/// Returns the shortest time of each compiler's PTX.
fn load_in_turns(
    driver: &Driver,
    folder: &Path,
    benchmark: &Benchmark,
) -> Result<[f64; Compiler::ALL.len()]> {
    let mut texts = Vec::new();
    for compiler in Compiler::ALL {
        let file = compiler.ptx_file(folder, benchmark);
        texts.push(fs::read(compiler.or_own_file(file, folder, benchmark))?);
    }
    let mut shortest = [f64::INFINITY; Compiler::ALL.len()];
    for _ in 0..ROUNDS {
        for (text, time) in texts.iter().zip(&mut shortest) {
            // The driver keeps the machine code of a text that it has seen.
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
            let text = [text, format!("\n// {now}\n").as_bytes()].concat();
            let start = Instant::now();
            driver.load(&text, benchmark.name)?;
            *time = time.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    Ok(shortest)
}
