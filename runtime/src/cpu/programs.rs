//! Programs of the interpreter, with and without observers. They depend on the kernel only, so all
//! CPU devices share them.
use super::NAME;
use crate::{
    Error, Result,
    error::LaunchMistake,
    launch::{
        bound_kernel::{Bound, PerKernel},
        checks::CheckedLaunch,
        config::Geometry,
        source::Source,
    },
    observe::spans,
};
use std::borrow::Cow;
use warpwise_compiler::{
    compile::{CompileError, GpuCode, optimized},
    hardware::gpu::Gpu,
    id::Id as _,
    ir::{CoarseGrid, Kernel, Op},
};
use warpwise_simt::{CheckedProgram, CountingProgram, Program, Requests, TracedProgram};

/// Programs of one kind, for optimized and for unoptimized kernels.
pub(super) struct Programs<T> {
    optimized: PerKernel<T>,
    written: PerKernel<T>,
    /// Makes the program of a kernel; true if the kernel is optimized.
    make: fn(&Kernel, bool) -> T,
}

/// Programs without observers.
pub(super) static PLAIN: Programs<Program> = Programs::new(|kernel, _| Program::new(kernel));
/// Programs with counters, which count neighbouring accesses as one request where a GPU does.
pub(super) static COUNTING: Programs<CountingProgram> = Programs::new(make_counting);
/// Programs with counters of the codes for a GPU.
static MODELED: PerKernel<GpuCode<CountingProgram>> = PerKernel::new();
/// Programs with the sanitizer.
pub(super) static CHECKED: Programs<CheckedProgram> =
    Programs::new(|kernel, _| CheckedProgram::new(kernel));
/// Programs with the debugger.
pub(super) static TRACED: Programs<TracedProgram> =
    Programs::new(|kernel, _| TracedProgram::new(kernel));

impl<T> Programs<T> {
    const fn new(make: fn(&Kernel, bool) -> T) -> Self {
        Self { optimized: PerKernel::new(), written: PerKernel::new(), make }
    }

    /// Returns the program of a launch's kernel.
    pub(super) fn get(&self, launch: &CheckedLaunch<'_>, is_optimized: bool) -> Result<&T> {
        let programs = if is_optimized { &self.optimized } else { &self.written };
        programs.get(launch.bound, || {
            let _scope = spans::compile(launch.bound.source.name, "translate", &NAME);
            let kernel = if is_optimized {
                let optimized = optimized(launch.bound.kernel.clone());
                Cow::Owned(optimized.map_err(|error| compile_error(launch.bound, &error))?)
            } else {
                Cow::Borrowed(&launch.bound.kernel)
            };
            require_fallbacks(launch.bound.source, &kernel)?;
            Ok((self.make)(&kernel, is_optimized))
        })
    }
}

fn compile_error(bound: &Bound, error: &CompileError) -> Error {
    Error::Compile { kernel: bound.source.name, device: NAME.into(), message: error.to_string() }
}

/// Returns the program with counters of the code that a GPU would run for a launch.
pub(super) fn modeled_program(
    launch: &CheckedLaunch<'_>,
    gpu: &Gpu,
) -> Result<&'static CountingProgram> {
    let GpuCode { plain, assumed, coarsened } = MODELED.get(launch.bound, || {
        let _scope = spans::compile(launch.bound.source.name, "translate", &NAME);
        let codes = launch.bound.model().map_err(|error| compile_error(launch.bound, &error))?;
        codes.iter().try_for_each(|kernel| require_fallbacks(launch.bound.source, kernel))?;
        Ok(codes.map(|kernel| make_counting(&kernel, true)))
    })?;
    let Geometry { grid, block } = launch.geometry;
    if assumed.as_ref().is_some_and(|(contract, _)| !launch.fulfils(contract)) {
        return Ok(plain);
    }
    let suits =
        |coarse_grid: &CoarseGrid| coarse_grid.suits(grid, block, gpu.multiprocessors.into());
    Ok(match (coarsened, assumed) {
        (Some((coarse_grid, program)), _) if suits(coarse_grid) => program,
        (_, Some((_, program))) => program,
        (_, None) => plain,
    })
}

/// Refuses a kernel that may run inline PTX.
fn require_fallbacks(source: &Source, kernel: &Kernel) -> Result<()> {
    let mut found = None;
    kernel.walk(&mut |id| match &kernel.insts[id].op {
        Op::Ptx { ptx, .. } if !ptx.has_fallback => found = found.or(Some(kernel.insts[id].span)),
        _ => {}
    });
    let Some(span) = found else { return Ok(()) };
    let place = source.place(span.index()).to_string();
    Err(Error::Launch {
        kernel: source.name,
        mistake: LaunchMistake::InlinePtx { place, device: NAME.into() },
    })
}

/// Makes a program with counters.
fn make_counting(kernel: &Kernel, is_optimized: bool) -> CountingProgram {
    let requests = if is_optimized { Requests::Vectors } else { Requests::Scalars };
    CountingProgram::new(kernel, requests)
}
