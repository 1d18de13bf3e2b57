//! The compilation pipeline, front to back. Read this file first.
use crate::{
    analysis::Analyses,
    back::ptx::{self, Unsupported},
    checks,
    diag::Diagnostics,
    ir::Kernel,
    lint::{self, Levels},
    optimize::{GpuKernels, keep_fallbacks, optimize, optimize_and_coarsen, optimize_for_gpu},
    small_sizes::assume_small_sizes,
    specialize::{Binding, SpecializeError, specialize},
    target::Target,
    verify::{VerifyErrors, verify},
};
use std::{borrow::Cow, fmt};

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The kernel in the form that the back end got: specialized, verified and optimized for a GPU.
    pub kernel: Kernel,
    /// The same as PTX.
    pub ptx: String,
    /// Warnings.
    pub diagnostics: Diagnostics,
}

/// Compiles `kernel`, with its generic parameters bound to `bindings`, for `target` and for launches whose
/// [sizes are small](crate::small_sizes).
///
/// # Errors
/// See [`CompileError`].
pub fn compile(
    kernel: &Kernel,
    bindings: &[Binding],
    target: Target,
    levels: &Levels,
) -> Result<Compiled, CompileError> {
    let (kernel, diagnostics) = check_closed(kernel, bindings, levels)?;
    let kernel = optimized_for_gpu(assume_small_sizes(kernel.into_owned()))?;
    let ptx = ptx::emit(&kernel, target).map_err(CompileError::Unsupported)?;
    Ok(Compiled { kernel, ptx, diagnostics })
}

/// Runs all of [`compile`] but the back end: returns the optimized kernel, and warnings.
///
/// # Errors
/// All but [`CompileError::Unsupported`].
pub fn check_closed<'k>(
    kernel: &'k Kernel,
    bindings: &[Binding],
    levels: &Levels,
) -> Result<(Cow<'k, Kernel>, Diagnostics), CompileError> {
    let (kernel, mut diagnostics) = check(kernel, bindings, levels)?;
    diagnostics.0.extend(checks::find_denied(&kernel).0);
    if diagnostics.has_errors() {
        return Err(CompileError::Rejected(diagnostics));
    }
    Ok((kernel, diagnostics))
}

/// Binds, verifies and lints: the first half of [`compile`].
///
/// # Errors
/// All but [`CompileError::Unsupported`].
pub fn check<'k>(
    kernel: &'k Kernel,
    bindings: &[Binding],
    levels: &Levels,
) -> Result<(Cow<'k, Kernel>, Diagnostics), CompileError> {
    let kernel = specialize(kernel, bindings).map_err(CompileError::Specialize)?;
    let diagnostics = check_open(&kernel, levels)?;
    Ok((kernel, diagnostics))
}

/// Binds and verifies a kernel that was linted when it was still open: the first step of a launch.
///
/// # Errors
/// All but [`CompileError::Unsupported`]; [`CompileError::Rejected`] for denied checks, which can
/// be judged for an open kernel only from here on.
pub fn bind<'k>(kernel: &'k Kernel, bindings: &[Binding]) -> Result<Cow<'k, Kernel>, CompileError> {
    let bound = specialize(kernel, bindings).map_err(CompileError::Specialize)?;
    verify(&bound).map_err(CompileError::Malformed)?;
    if !kernel.is_closed() {
        let denied = checks::find_denied(&bound);
        if denied.has_errors() {
            return Err(CompileError::Rejected(denied));
        }
    }
    Ok(bound)
}

/// Optimizes `kernel`, which is specialized and verified, for the interpreter.
///
/// # Errors
/// [`CompileError::Malformed`].
pub fn optimized(mut kernel: Kernel) -> Result<Kernel, CompileError> {
    keep_fallbacks(&mut kernel);
    let kernel = optimize(kernel);
    verify(&kernel).map_err(CompileError::Malformed)?;
    Ok(kernel)
}

/// Optimizes `kernel`, which is specialized and verified, for GPU back ends.
///
/// # Errors
/// [`CompileError::Malformed`].
pub fn optimized_for_gpu(kernel: Kernel) -> Result<Kernel, CompileError> {
    let kernel = optimize_for_gpu(kernel);
    verify(&kernel).map_err(CompileError::Malformed)?;
    Ok(kernel)
}

/// Does the same as [`optimized_for_gpu`] for the interpreter, which runs the fallbacks of inline
/// PTX.
///
/// # Errors
/// [`CompileError::Malformed`].
pub fn modeled(mut kernel: Kernel) -> Result<Kernel, CompileError> {
    keep_fallbacks(&mut kernel);
    optimized_for_gpu(kernel)
}

/// Does the same as [`optimized_for_gpu`], with a second kernel for large launches where coarsening
/// its threads pays and PTX has room for it.
///
/// # Errors
/// [`CompileError::Malformed`].
pub fn optimized_and_coarsened(kernel: Kernel) -> Result<GpuKernels, CompileError> {
    let mut kernels = optimize_and_coarsen(kernel);
    kernels.iter().try_for_each(verify).map_err(CompileError::Malformed)?;
    // It has one more parameter than the kernel as written, which may be one too many.
    kernels.coarsened.take_if(|kernel| ptx::check_limits(kernel, ptx::oldest(kernel)).is_err());
    Ok(kernels)
}

/// Verifies and lints `kernel` as it is, with generic parameters unbound.
///
/// # Errors
/// [`CompileError::Malformed`] and [`CompileError::Rejected`].
pub fn check_open(kernel: &Kernel, levels: &Levels) -> Result<Diagnostics, CompileError> {
    verify(kernel).map_err(CompileError::Malformed)?;
    let analyses = Analyses::for_kernel(kernel);
    let diagnostics = lint::run(kernel, &analyses, levels);
    if diagnostics.has_errors() {
        return Err(CompileError::Rejected(diagnostics));
    }
    Ok(diagnostics)
}

/// The reason that a kernel did not compile.
#[derive(Clone, Debug)]
pub enum CompileError {
    /// The kernel is wrong; show these to the user.
    Rejected(Diagnostics),
    /// The bindings do not fit.
    Specialize(SpecializeError),
    /// The target lacks something.
    Unsupported(Unsupported),
    /// A bug of ours.
    Malformed(VerifyErrors),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(diagnostics) => {
                let mut first = true;
                for diagnostic in &diagnostics.0 {
                    if !std::mem::take(&mut first) {
                        f.write_str("; ")?;
                    }
                    f.write_str(&diagnostic.message)?;
                }
                Ok(())
            }
            Self::Specialize(error) => error.fmt(f),
            Self::Unsupported(error) => error.fmt(f),
            Self::Malformed(errors) => write!(f, "malformed kernel (a bug of Warpwise): {errors}"),
        }
    }
}

impl std::error::Error for CompileError {}
