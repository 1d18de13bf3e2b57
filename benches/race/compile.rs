//! From a benchmark's source to its kernel and PTX.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
};
use warpwise_compiler::{
    back::ptx,
    compile::{self, CompileError, GpuCode},
    ir::{CoarseGrid, Kernel},
    small_sizes::Sizes,
    target::Target,
};
use warpwise_llvm::Llvm;

/// The GPU that tables are about and that PTX may need: the H100 and the H200.
pub(crate) const TARGET: Target = Target::new(90);

/// Returns the optimized kernels, which every back end gets.
///
/// # Errors
/// Fails if the kernel did not compile.
pub(crate) fn kernels(benchmark: &Benchmark) -> Result<GpuCode<Kernel>> {
    let kernel: Kernel =
        benchmark.source.ir.parse().map_err(|error| format!("IR does not parse: {error}"))?;
    let bound = compile::bind(&kernel, &[])?.into_owned();
    Ok(compile::compile(bound, Sizes::Small, Ok::<_, CompileError>)?)
}

/// Returns the division of the grid of large launches, if they have code of their own.
///
/// # Errors
/// Fails as [`kernels`] does.
pub(crate) fn coarse_grid(benchmark: &Benchmark) -> Result<Option<CoarseGrid>> {
    Ok(kernels(benchmark)?.coarsened.map(|(grid, _)| grid))
}

/// Returns the PTX that `compiler` makes of an optimized kernel.
///
/// # Errors
/// Fails if it refuses the kernel, or there is no LLVM.
pub(crate) fn ptx(compiler: Compiler, kernel: &Kernel) -> Result<String> {
    match compiler {
        Compiler::Nvcc => Err("`nvcc` compiles CUDA C++, not IR".into()),
        Compiler::BuiltIn => Ok(ptx::emit(kernel, TARGET)?),
        Compiler::Llvm => Ok(warpwise_llvm::emit(Llvm::find()?, kernel, TARGET)?),
    }
}
