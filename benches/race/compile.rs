//! From a benchmark's source to its kernel and PTX.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    problem::{Arg, Buffers, Problem},
};
use std::path::{Path, PathBuf};
use warpwise_compiler::{
    back::ptx,
    compile::{self, CompileError, GpuCode},
    contract::Contract,
    ir::{CoarseGrid, Kernel, ParamKind, Passed, Scalar},
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

/// The code that a launch runs.
pub(crate) struct LaunchedCode<'c> {
    /// The kernel.
    pub(crate) kernel: &'c Kernel,
    /// The blocks of the hardware.
    pub(crate) grid: [u32; 3],
    /// The file with its PTX.
    pub(crate) file: fn(Compiler, &Path, &Benchmark) -> PathBuf,
}

/// Returns the code that the launch of a problem runs on a GPU with so many multiprocessors.
pub(crate) fn select_code<'c>(
    codes: &'c GpuCode<Kernel>,
    problem: &Problem,
    multiprocessors: u64,
) -> LaunchedCode<'c> {
    let GpuCode { plain, assumed, coarsened } = codes;
    let (grid, block) = (problem.grid, problem.block);
    let fulfils = assumed
        .as_ref()
        .is_none_or(|(contract, _)| LaunchContract::new(contract.clone(), plain).holds(problem));
    match (assumed, coarsened) {
        (_, Some((coarse_grid, kernel)))
            if fulfils && coarse_grid.suits(grid, block, multiprocessors) =>
        {
            let (grid, _) = coarse_grid.divide(grid);
            LaunchedCode { kernel, grid, file: Compiler::coarsened_file }
        }
        (Some((_, kernel)), _) if fulfils => {
            LaunchedCode { kernel, grid, file: Compiler::assumed_file }
        }
        _ => LaunchedCode { kernel: plain, grid, file: Compiler::file },
    }
}

/// The launches that run other code than that of the kernel as written.
pub(crate) struct OwnLaunches {
    /// Those that fulfil a contract.
    pub(crate) contract: Option<LaunchContract>,
    /// Large ones of these, by the division of their grid.
    pub(crate) coarse_grid: Option<CoarseGrid>,
}

impl OwnLaunches {
    /// Returns those of a kernel.
    ///
    /// # Errors
    /// Fails as [`kernels`] does.
    pub(crate) fn of(benchmark: &Benchmark) -> Result<Self> {
        let GpuCode { plain, assumed, coarsened } = kernels(benchmark)?;
        let contract = assumed.map(|(contract, _)| LaunchContract::new(contract, &plain));
        Ok(Self { contract, coarse_grid: coarsened.map(|(grid, _)| grid) })
    }
}

/// A contract of a kernel.
#[derive(Clone)]
pub(crate) struct LaunchContract {
    contract: Contract,
    /// The types of the parameters; that of its length for a slice.
    types: Vec<Scalar>,
}

impl LaunchContract {
    /// Returns a contract of a kernel.
    pub(crate) fn new(contract: Contract, kernel: &Kernel) -> Self {
        let ty = |kind: &ParamKind| match kind {
            ParamKind::Scalar(scalar) => *scalar,
            ParamKind::Slice { .. } => Scalar::U64,
        };
        Self { contract, types: kernel.params.iter().map(|(_, param)| ty(&param.kind)).collect() }
    }

    /// Returns true if the launch of a problem fulfils it.
    pub(crate) fn holds(&self, problem: &Problem) -> bool {
        let numbers = problem.rust.iter().map(|arg| match *arg {
            Arg::Bits(bits) => bits,
            Arg::Buffer(id) => problem
                .buffers
                .iter()
                .nth(Buffers::place(id))
                .map_or(0, |buffer| buffer.len() as u64),
        });
        let params: Vec<_> = self.types.iter().copied().zip(numbers).collect();
        let Problem { grid, block, .. } = *problem;
        self.contract.holds(&Passed { params: &params, block, grid })
    }
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
