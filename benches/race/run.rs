//! `race run`: every compiler on a GPU, in one process, in turns, on the same stream, inputs and
//! events.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compare,
    compile::OwnLaunches,
    device_problem::{DeviceProblem, LoadedKernel, ROUNDS},
    driver::Driver,
    problem::Problem,
    times::{self, Times},
};
use std::path::Path;
use warpwise_benches::Scale;

/// Runs the benchmarks with the code in `folder`, measured at one scale, and prints a Markdown
/// table.
///
/// # Errors
/// Fails if there is no GPU or a compiler failed: its code does not load, a check fails, or its
/// result is wrong. Such a compiler has no time. If the driver refuses anything else, as after an
/// illegal access, the race ends there.
pub(crate) fn run(folder: &Path, benchmarks: &[&Benchmark], measured: Scale) -> Result<()> {
    let driver = Driver::open()?;
    println!(
        "{}, driver for CUDA {}.{}; median of {ROUNDS} turns in microseconds, ratio nvcc / ours\n",
        driver.name,
        driver.version / 1000,
        driver.version % 1000 / 10
    );
    times::print_header();
    let mut medians = Vec::new();
    let mut failures = Vec::new();
    for benchmark in benchmarks {
        match (Run { driver: &driver, folder, benchmark, measured }).times(&mut failures) {
            Ok(times) => {
                times::print_row(benchmark, &times);
                medians.push(times);
            }
            Err(error) => {
                failures.push(format!("`{}`: {error}; the rest was not run", benchmark.name));
                break;
            }
        }
    }
    times::print_means(&medians);
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    if failures.is_empty() { Ok(()) } else { Err("not every compiler finished".into()) }
}

/// One benchmark on one GPU.
struct Run<'r> {
    driver: &'r Driver,
    folder: &'r Path,
    benchmark: &'r Benchmark,
    measured: Scale,
}

impl<'d> Run<'d> {
    /// Times the kernels whose results are right.
    fn times(&self, failures: &mut Vec<String>) -> Result<Times> {
        let mut kernels = self.load_all(failures)?;
        let small = (self.benchmark.problem)(Scale::Small);
        self.retain_correct(&mut kernels, &small, failures)?;
        let measured = (self.benchmark.problem)(self.measured);
        self.retain_correct(&mut kernels, &measured, failures)?;
        let mut medians = [None; Compiler::ALL.len()];
        let times = DeviceProblem::new(self.driver, &measured)?.times(&kernels)?;
        for (kernel, time) in kernels.iter().zip(times) {
            medians[kernel.compiler as usize] = Some(time);
        }
        Ok(Times { medians, work: measured.work })
    }

    fn load_all(&self, failures: &mut Vec<String>) -> Result<Vec<LoadedKernel<'d>>> {
        let own = OwnLaunches::of(self.benchmark)?;
        let mut kernels = Vec::new();
        for compiler in Compiler::ALL {
            let Self { driver, folder, benchmark, .. } = *self;
            match LoadedKernel::load(driver, folder, benchmark, compiler, &own) {
                Ok(kernel) => kernels.push(kernel),
                Err(error) => failures.push(self.failure(compiler, &error.to_string())),
            }
        }
        Ok(kernels)
    }

    fn failure(&self, compiler: Compiler, reason: &str) -> String {
        format!("`{}` by {}: {reason}", self.benchmark.name, compiler.name())
    }

    /// Drops the kernels with wrong results: compared with plain Rust at the small scale, and with
    /// the first kernel at the large one.
    fn retain_correct(
        &self,
        kernels: &mut Vec<LoadedKernel<'d>>,
        problem: &Problem,
        failures: &mut Vec<String>,
    ) -> Result<()> {
        let on_device = DeviceProblem::new(self.driver, problem)?;
        let mut first = None;
        let mut correct = Vec::new();
        for kernel in kernels.drain(..) {
            let outputs = on_device.outputs(&kernel)?;
            let agreed = match &outputs {
                None => Err("a check failed".to_owned()),
                Some(outputs) if problem.buffers.have_expected() => {
                    compare::outputs(problem, outputs, None)
                }
                Some(outputs) => {
                    compare::outputs(problem, outputs, first.as_ref().or(Some(outputs)))
                }
            };
            match agreed {
                Ok(()) => {
                    first = first.or(outputs);
                    correct.push(kernel);
                }
                Err(reason) => failures.push(self.failure(kernel.compiler, &reason)),
            }
        }
        *kernels = correct;
        Ok(())
    }
}
