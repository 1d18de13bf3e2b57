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
    back::{Backend, ptx},
    compile::{self, CompileError, GpuCode},
    ir::Kernel,
    small_sizes::Sizes,
    target::Target,
};
#[cfg(not(target_family = "wasm"))]
use warpwise_llvm::Llvm;

/// The back end of kernels without a setting.
const DEFAULT: Backend = Backend::Llvm;

const BUILTIN_INSTEAD: &str = "the built-in back end compiles it instead";

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
    pub(crate) code: GpuCode<PtxTexts>,
    /// The reason for a fallback to the built-in back end.
    pub(crate) warning: Option<String>,
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
    let kernel = kernel.clone();
    if !is_generating_code() {
        // Nobody launches the kernel, so one code will do.
        let plain = compile::compile_plain(kernel, Sizes::Small, |kernel| emit_builtin(&kernel))?;
        return Ok(CompiledPtx { code: GpuCode::plain(plain), warning: None });
    }
    match choice.backend {
        Backend::Builtin => compile_builtin(kernel, None),
        Backend::Llvm => compile_by_llvm(kernel, choice.is_explicit),
    }
}

/// Compiles a kernel by the built-in back end, with a warning if another one was to do so.
fn compile_builtin(kernel: Kernel, warning: Option<String>) -> Result<CompiledPtx, CompileError> {
    let emit = |kernel: Kernel| emit_builtin(&kernel);
    Ok(CompiledPtx { code: compile::compile(kernel, Sizes::Small, emit)?, warning })
}

/// Returns the PTX for the oldest GPU. The runtime compiles for later ones when it meets one.
fn emit_builtin(kernel: &Kernel) -> Result<PtxTexts, CompileError> {
    let target = ptx::oldest(kernel);
    Ok(vec![(target, ptx::emit(kernel, target)?)])
}

/// Compiles a kernel by the built-in back end, the only one there is.
#[cfg(target_family = "wasm")]
fn compile_by_llvm(kernel: Kernel, is_explicit: bool) -> Result<CompiledPtx, CompileError> {
    let warning = || format!("WebAssembly has no LLVM; {BUILTIN_INSTEAD}");
    compile_builtin(kernel, is_explicit.then(warning))
}

/// Compiles a kernel by LLVM, or by the built-in back end if there is no LLVM or it fails.
#[cfg(not(target_family = "wasm"))]
fn compile_by_llvm(kernel: Kernel, is_explicit: bool) -> Result<CompiledPtx, CompileError> {
    let llvm = match Llvm::find() {
        Ok(llvm) => llvm,
        Err(error) => {
            let warning =
                || format!("there is no LLVM for this kernel: {error}; {BUILTIN_INSTEAD}");
            return compile_builtin(kernel, is_explicit.then(warning));
        }
    };
    let targets = ptx::levels(&kernel);
    let mut warning = None;
    let emit = |kernel: Kernel| {
        let emit = |&target| Ok((target, warpwise_llvm::emit(llvm, &kernel, target)?));
        let texts: Result<PtxTexts, warpwise_llvm::Error> = targets.iter().map(emit).collect();
        texts.or_else(|error| match error {
            warpwise_llvm::Error::Unsupported(error) => Err(error.into()),
            warpwise_llvm::Error::Failed(error) => {
                warning = Some(format!("{error}; {BUILTIN_INSTEAD}; please report this"));
                emit_builtin(&kernel)
            }
        })
    };
    let code = compile::compile(kernel, Sizes::Small, emit)?;
    Ok(CompiledPtx { code, warning })
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
