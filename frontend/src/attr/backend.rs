//! Selection of the back end that compiles a kernel to PTX, and its invocation.
//!
//! In order of precedence: the environment variable `WARPWISE_BACKEND`, `#[kernel(backend =
//! "..")]`, `backend = ".."` in `[package.metadata.warpwise]`, and LLVM, whose code is faster
//! ([`DEFAULT`]). LLVM is the library that the running rustc has loaded. If it is missing or too
//! old, the built-in back end takes over, with a warning only if a setting asks for LLVM: without
//! one, nobody relies on it.
//!
//! In WebAssembly, where no library can be loaded, the built-in back end is the only one.
//!
//! `cargo check` has no use for machine code, so it skips LLVM: the built-in back end takes a tenth
//! of the time and reports what GPUs lack.
use crate::{
    attr::{Options, build_settings::Build},
    syntax::suggest::unknown_word_message,
};
use std::env;
use warpwise_compiler::{
    back::{
        Backend,
        ptx::{self, Unsupported},
    },
    compile::{self, CompileError},
    ir::{CoarseGrid, Kernel},
    optimize::GpuKernels,
    small_sizes::assume_small_sizes,
    target::Target,
};
#[cfg(not(target_family = "wasm"))]
use warpwise_llvm::Llvm;

/// The back end of kernels without a setting.
const DEFAULT: Backend = Backend::Llvm;

/// The back end of a kernel, and the origin of the choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) backend: Backend,
    /// True if a setting names the back end.
    is_explicit: bool,
}

/// The text for the oldest GPU, and one for each later GPU that gains from it, in ascending
/// order.
pub(crate) type PtxTexts = Vec<(Target, String)>;

/// A kernel as PTX.
pub(crate) struct CompiledPtx {
    /// The kernel as written.
    pub(crate) plain: PtxTexts,
    /// The kernel with coarsened threads, for large launches.
    pub(crate) coarsened: Option<(CoarseGrid, PtxTexts)>,
    /// The reason for a fallback to the built-in back end.
    pub(crate) warning: Option<String>,
}

impl CompiledPtx {
    /// Compiles both kernels with `compile`.
    fn compile<E>(
        kernels: &GpuKernels,
        compile: impl Fn(&Kernel) -> Result<PtxTexts, E>,
    ) -> Result<Self, E> {
        let plain = compile(&kernels.plain)?;
        let coarsened = kernels
            .coarsened
            .as_ref()
            .and_then(|kernel| Some((kernel.coarsening?.grid, kernel)))
            .map(|(grid, kernel)| Ok((grid, compile(kernel)?)))
            .transpose()?;
        Ok(Self { plain, coarsened, warning: None })
    }
}

/// Returns the back end with this name; `what` names the setting.
///
/// # Errors
/// A message with the known names, if there is no such back end.
pub(crate) fn find_backend(what: &str, name: &str) -> Result<Backend, String> {
    Backend::named(name)
        .ok_or_else(|| unknown_word_message(what, name, &Backend::ALL.map(Backend::name)))
}

/// Returns the back end of a kernel with these options.
pub(crate) fn choose_backend(options: &Options) -> Choice {
    let asked_for = Build::current().backend_for(options.backend.map(|(backend, _)| backend));
    Choice { backend: asked_for.unwrap_or(DEFAULT), is_explicit: asked_for.is_some() }
}

/// Optimizes `kernel` and compiles it to PTX.
///
/// # Errors
/// If the kernel outgrows a limit of PTX, or a bug of the optimizer.
pub(crate) fn compile_to_ptx(choice: Choice, kernel: &Kernel) -> Result<CompiledPtx, CompileError> {
    if !is_generating_code() {
        // Nobody launches the kernel, so the code for large launches is of no use.
        let plain = compile::optimized_for_gpu(assume_small_sizes(kernel.clone()))?;
        let plain = compile_builtin(&plain).map_err(CompileError::Unsupported)?;
        return Ok(CompiledPtx { plain, coarsened: None, warning: None });
    }
    let kernels = compile::optimized_and_coarsened(assume_small_sizes(kernel.clone()))?;
    compile_kernels(choice, kernel, &kernels).map_err(CompileError::Unsupported)
}

/// Compiles `kernels` to PTX by the built-in back end.
#[cfg(target_family = "wasm")]
fn compile_kernels(
    choice: Choice,
    _: &Kernel,
    kernels: &GpuKernels,
) -> Result<CompiledPtx, Unsupported> {
    let is_refused = choice.backend == Backend::Llvm && choice.is_explicit;
    let warning = is_refused
        .then(|| "WebAssembly has no LLVM; the built-in back end compiles it instead".to_owned());
    Ok(CompiledPtx { warning, ..CompiledPtx::compile(kernels, compile_builtin)? })
}

/// Compiles `kernels`, the optimized forms of `kernel`, to PTX.
#[cfg(not(target_family = "wasm"))]
fn compile_kernels(
    choice: Choice,
    kernel: &Kernel,
    kernels: &GpuKernels,
) -> Result<CompiledPtx, Unsupported> {
    let builtin = |warning| {
        let compiled = CompiledPtx::compile(kernels, compile_builtin)?;
        Ok(CompiledPtx { warning, ..compiled })
    };
    if choice.backend == Backend::Builtin {
        return builtin(None);
    }
    let instead = "the built-in back end compiles it instead";
    let llvm = match Llvm::find() {
        Ok(llvm) => llvm,
        Err(error) => {
            let warning = format!("there is no LLVM for this kernel: {error}; {instead}");
            return builtin(choice.is_explicit.then_some(warning));
        }
    };
    match compile_by_llvm(llvm, &ptx::levels(kernel), kernels) {
        Ok(emitted) => Ok(emitted),
        Err(warpwise_llvm::Error::Unsupported(error)) => Err(error),
        Err(warpwise_llvm::Error::Failed(error)) => {
            builtin(Some(format!("{error}; {instead}; please report this")))
        }
    }
}

/// Compiles a kernel by the built-in back end. The runtime compiles for later GPUs when it meets
/// one.
fn compile_builtin(kernel: &Kernel) -> Result<PtxTexts, Unsupported> {
    let target = ptx::oldest(kernel);
    Ok(vec![(target, ptx::emit(kernel, target)?)])
}

#[cfg(not(target_family = "wasm"))]
fn compile_by_llvm(
    llvm: &Llvm,
    targets: &[Target],
    kernels: &GpuKernels,
) -> Result<CompiledPtx, warpwise_llvm::Error> {
    let emit = |kernel: &Kernel| -> Result<PtxTexts, warpwise_llvm::Error> {
        let emit = |&target| Ok((target, warpwise_llvm::emit(llvm, kernel, target)?));
        targets.iter().map(emit).collect()
    };
    CompiledPtx::compile(kernels, emit)
}

/// Returns true if rustc generates code, and not only metadata as under `cargo check`, clippy and
/// rustdoc.
fn is_generating_code() -> bool {
    let mut arguments = env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let program = arguments.next().unwrap_or_default();
    if program.ends_with("rustdoc") || program.ends_with("rustdoc.exe") {
        return false;
    }
    // rustc names its output kinds in `--emit`; without that argument it generates code.
    let mut kinds = None;
    while let Some(argument) = arguments.next() {
        if argument == "--emit" {
            kinds = arguments.next();
        } else if let Some(list) = argument.strip_prefix("--emit=") {
            kinds = Some(list.to_owned());
        }
    }
    kinds.is_none_or(|kinds| kinds.split(',').any(|kind| !is_metadata(kind)))
}

/// Returns true if an output kind, `kind` or `kind=FILE`, needs no code.
fn is_metadata(kind: &str) -> bool {
    matches!(kind.split('=').next(), Some("metadata" | "dep-info" | "mir"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_output_that_need_no_code() {
        assert!(is_metadata("metadata") && is_metadata("dep-info=a.d"));
        assert!(!is_metadata("link") && !is_metadata("asm=a.s"));
    }
}
