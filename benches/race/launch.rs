//! `race launch`: one launch of each kernel, for a profiler.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compile::OwnLaunches,
    device_problem::{DeviceProblem, LoadedKernel},
    driver::Driver,
};
use std::path::Path;
use warpwise_benches::Scale;

/// Launches LLVM's code of each benchmark once.
///
/// # Errors
/// Fails if there is no GPU, or it refuses a launch, or a check fails.
pub(crate) fn run(folder: &Path, benchmarks: &[&Benchmark], scale: Scale) -> Result<()> {
    let driver = Driver::open()?;
    for benchmark in benchmarks {
        let own = OwnLaunches::of(benchmark)?;
        let kernel = LoadedKernel::load(&driver, folder, benchmark, Compiler::Llvm, &own)?;
        let problem = (benchmark.problem)(scale);
        if DeviceProblem::new(&driver, &problem)?.outputs(&kernel)?.is_none() {
            return Err(format!("`{}`: a check failed", benchmark.name).into());
        }
    }
    Ok(())
}
