//! The compilation pipeline, front to back. Read this file first.
//!
//! The macro [checks](check) a kernel, and [compiles](compile) it if it is closed. The runtime
//! [binds](bind) the parameters of an open kernel at a launch and compiles the result for a GPU, or
//! optimizes it for the interpreter: [`optimized`], or [`modeled`] for counts of what a GPU runs.
//! Tools that show code call the same functions.
use crate::{
    analysis::Analyses,
    back::ptx::{self, Unsupported},
    checks,
    contract::Contract,
    diag::Diagnostics,
    ir::{CoarseGrid, Kernel},
    lint::{self, Levels},
    optimize::{
        GpuKernels, keep_fallbacks, optimize, optimize_and_coarsen, optimize_for_gpu,
        optimize_for_launches, unroll_as_back_ends_do,
    },
    small_sizes::Sizes,
    specialize::{Binding, SpecializeError, specialize},
    verify::{VerifyErrors, verify},
};
use std::{borrow::Cow, fmt, iter};

/// Verifies and lints `kernel`, closed or with its generic parameters unbound. Returns the
/// warnings.
///
/// # Errors
/// [`CompileError::Malformed`] and [`CompileError::Rejected`].
pub fn check(kernel: &Kernel, levels: &Levels) -> Result<Diagnostics, CompileError> {
    verify(kernel).map_err(CompileError::Malformed)?;
    let mut diagnostics = lint::run(kernel, &Analyses::for_kernel(kernel), levels);
    // Denied checks of an open kernel can be judged only once it is bound. Those of a kernel with
    // errors would repeat them.
    if kernel.is_closed() && !diagnostics.has_errors() {
        diagnostics.0.extend(checks::find_denied(kernel).0);
    }
    if diagnostics.has_errors() {
        return Err(CompileError::Rejected(diagnostics));
    }
    Ok(diagnostics)
}

/// Binds the generic parameters of a kernel that was [checked](check) before, and verifies the
/// result.
///
/// # Errors
/// [`CompileError::Specialize`] and [`CompileError::Malformed`]; [`CompileError::Rejected`] for
/// denied checks, which can be judged for an open kernel only from here on.
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

/// Compiles `kernel`, which is [bound](bind), for launches on a GPU with such sizes: optimizes it,
/// and has `emit`, a back end, make code of the result.
///
/// # Errors
/// [`CompileError::Malformed`], and those of `emit`.
pub fn compile<C, E: From<CompileError>>(
    kernel: Kernel,
    sizes: Sizes,
    mut emit: impl FnMut(Kernel) -> Result<C, E>,
) -> Result<GpuCode<C>, E> {
    let kernel = sizes.assume(kernel);
    let GpuKernels { plain, assumed, coarsened } = match sizes {
        Sizes::Small => optimize_for_launches(kernel),
        // Few launches are so large, and they compile this code when they run.
        Sizes::Any => optimize_and_coarsen(kernel),
    };
    let mut emit = |kernel| {
        verify(&kernel).map_err(CompileError::Malformed)?;
        emit(kernel)
    };
    let plain = emit(plain)?;
    // Code for some launches may break a limit that the kernel as written keeps: coarsened code has
    // one more parameter.
    let fits = |kernel: &Kernel| ptx::check_limits(kernel, ptx::oldest(kernel)).is_ok();
    let has_contract = assumed.is_some();
    let assumed = assumed
        .filter(|(_, kernel)| fits(kernel))
        .map(|(contract, kernel)| Ok::<_, E>((contract, emit(kernel)?)))
        .transpose()?;
    let coarsened = coarsened
        .filter(|kernel| fits(kernel) && assumed.is_some() == has_contract)
        .and_then(|kernel| Some((kernel.coarsening?.grid, kernel)))
        .map(|(grid, kernel)| Ok::<_, E>((grid, emit(kernel)?)))
        .transpose()?;
    Ok(GpuCode { plain, assumed, coarsened })
}

/// Compiles `kernel` as [`compile`] does, for all launches at once: without coarsened threads, and
/// without relying on a contract.
///
/// # Errors
/// As [`compile`].
pub fn compile_plain<C, E: From<CompileError>>(
    kernel: Kernel,
    sizes: Sizes,
    emit: impl FnOnce(Kernel) -> Result<C, E>,
) -> Result<C, E> {
    let kernel = optimize_for_gpu(sizes.assume(kernel));
    verify(&kernel).map_err(CompileError::Malformed)?;
    emit(kernel)
}

/// The code of a kernel for a GPU; `C` is what a back end makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuCode<C> {
    /// The code of the kernel as written.
    pub plain: C,
    /// The code without the checks that a contract makes superfluous, if there is one, for launches
    /// that fulfil it.
    pub assumed: Option<(Contract, C)>,
    /// The code with [coarsened](crate::ir::Coarsening) threads, if that pays, for launches that
    /// [suit the grid](CoarseGrid::suits) and fulfil the contract.
    pub coarsened: Option<(CoarseGrid, C)>,
}

impl<C> GpuCode<C> {
    /// One code for all launches.
    pub const fn plain(plain: C) -> Self {
        Self { plain, assumed: None, coarsened: None }
    }

    /// Converts all codes.
    pub fn map<D>(self, mut convert: impl FnMut(C) -> D) -> GpuCode<D> {
        GpuCode {
            plain: convert(self.plain),
            assumed: self.assumed.map(|(contract, code)| (contract, convert(code))),
            coarsened: self.coarsened.map(|(grid, code)| (grid, convert(code))),
        }
    }

    /// Iterates over all codes.
    pub fn iter(&self) -> impl Iterator<Item = &C> {
        let assumed = self.assumed.as_ref().map(|(_, code)| code);
        iter::once(&self.plain).chain(assumed).chain(self.coarsened.as_ref().map(|(_, code)| code))
    }
}

/// Optimizes `kernel`, which is [bound](bind), for the interpreter.
///
/// # Errors
/// [`CompileError::Malformed`].
pub fn optimized(mut kernel: Kernel) -> Result<Kernel, CompileError> {
    keep_fallbacks(&mut kernel);
    let kernel = optimize(kernel);
    verify(&kernel).map_err(CompileError::Malformed)?;
    Ok(kernel)
}

/// Optimizes `kernel` for counts of what a GPU runs: as [`compile`] does, and then as back ends do,
/// with the fallbacks of inline PTX, which the interpreter runs.
///
/// # Errors
/// [`CompileError::Malformed`].
pub fn modeled(mut kernel: Kernel, sizes: Sizes) -> Result<GpuCode<Kernel>, CompileError> {
    keep_fallbacks(&mut kernel);
    compile(kernel, sizes, |kernel| {
        let kernel = unroll_as_back_ends_do(kernel);
        verify(&kernel).map_err(CompileError::Malformed)?;
        Ok(kernel)
    })
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

impl From<Unsupported> for CompileError {
    fn from(error: Unsupported) -> Self {
        Self::Unsupported(error)
    }
}
