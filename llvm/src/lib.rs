//! The LLVM back end: verified, specialized and optimized kernel IR to PTX, by LLVM's `-O3`.
//!
//! [`lower`] writes a kernel as textual LLVM IR, [`Llvm::compile`] makes PTX of such text, and
//! [`emit()`] is both. The kernel's interface, that is parameters, fault record, print buffer and
//! shared memory, is the one that [`back::ptx`](warpwise_compiler::back::ptx) describes, so that
//! the same launcher runs either.
//!
//! LLVM is the library that the toolchain's rustc has, or else an installed one, found and loaded
//! at run time: nothing is linked and nothing has to be installed. `docs/llvm.md` says what LLVM is
//! trusted with and what is not.
//!
//! ```no_run
//! use warpwise_compiler::{ir::Kernel, target::Target};
//! use warpwise_llvm::Llvm;
//!
//! let kernel: Kernel = "kernel nothing { %0 = return !0 }".parse()?;
//! let ptx = warpwise_llvm::emit(Llvm::find()?, &kernel, Target::new(90))?;
//! assert!(ptx.contains(".visible .entry nothing"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
mod emit;
mod library;
mod workarounds;

pub use emit::lower;
pub use library::{CompileFailure, LLVM_VARIABLE, Llvm, LoadError, OLDEST_LLVM};

use thiserror::Error;
use warpwise_compiler::{
    back::ptx::{self, Lines, Unsupported},
    ir::Kernel,
    target::Target,
};

/// The reason for which a kernel has no PTX.
#[derive(Debug, Error)]
pub enum Error {
    /// The target lacks something, or the kernel outgrows a limit of PTX.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// LLVM refuses the text, which is a bug of Warpwise.
    #[error(transparent)]
    Failed(#[from] CompileFailure),
}

/// Compiles `kernel`, which is specialized and verified, to PTX.
///
/// # Errors
/// If `target` lacks something that the kernel uses, the kernel outgrows a limit of PTX, or LLVM
/// refuses what [`lower`] wrote.
pub fn emit(llvm: &Llvm, kernel: &Kernel, target: Target) -> Result<String, Error> {
    emit_with_lines(llvm, kernel, target, None)
}

/// Compiles `kernel` as [`emit()`] does, with the source lines of its instructions.
///
/// # Errors
/// As of [`emit()`].
pub fn emit_with_lines(
    llvm: &Llvm,
    kernel: &Kernel,
    target: Target,
    lines: Option<Lines<'_>>,
) -> Result<String, Error> {
    let text = emit::lower_with_lines(kernel, target, lines)?;
    let (version, target) = ptx::level(kernel, target);
    let name = &kernel.name;
    let ptx =
        llvm.compile(name, &text, &ptx::target_name(kernel, target), &version.replace('.', ""))?;
    Ok(workarounds::apply(&ptx))
}
