//! From a contest's source to its kernel and PTX.
use crate::{
    Result,
    contest::{Contest, Contestant},
};
use warpwise_compiler::{back::ptx, compile, ir::Kernel, target::Target};
use warpwise_llvm::Llvm;

/// The GPU that tables are about and that PTX may need: the H100 and the H200.
pub(crate) const TARGET: Target = Target::new(90);

/// Returns the optimized kernel, which every engine gets.
///
/// # Errors
/// If the kernel did not compile.
pub(crate) fn kernel(contest: &Contest) -> Result<Kernel> {
    let kernel: Kernel =
        contest.source.ir.parse().map_err(|error| format!("IR does not parse: {error}"))?;
    let bound = compile::bind(&kernel, &[])?.into_owned();
    Ok(compile::optimized(bound)?)
}

/// Returns the PTX that `contestant` makes of the kernel.
///
/// # Errors
/// If it refuses the kernel, or there is no LLVM.
pub(crate) fn ptx(contestant: Contestant, kernel: &Kernel) -> Result<String> {
    match contestant {
        Contestant::Nvcc => Err("`nvcc` compiles CUDA C++, not IR".into()),
        Contestant::BuiltIn => Ok(ptx::emit(kernel, TARGET)?),
        Contestant::Llvm => Ok(warpwise_llvm::emit(Llvm::of_toolchain()?, kernel, TARGET)?),
    }
}
