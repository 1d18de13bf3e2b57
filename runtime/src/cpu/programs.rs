//! Programs of the interpreter, with and without observers. They depend on the kernel only, so all
//! CPU devices share them.
use super::NAME;
use crate::{
    Error, Result,
    error::LaunchMistake,
    launch::{
        bound_kernel::{Bound, PerKernel},
        checks::CheckedLaunch,
        source::Source,
    },
    observe::spans,
};
use std::borrow::Cow;
use warpwise_compiler::{
    compile::{CompileError, modeled, optimized},
    id::Id as _,
    ir::{Kernel, Op},
};
use warpwise_simt::{CheckedProgram, CountingProgram, Program, Requests, TracedProgram};

/// Programs of one kind, for optimized and for unoptimized kernels.
pub(super) struct Programs<T> {
    optimized: PerKernel<T>,
    written: PerKernel<T>,
    optimize: fn(Kernel) -> std::result::Result<Kernel, CompileError>,
    /// Makes the program of a kernel; true if the kernel is optimized.
    make: fn(&Kernel, bool) -> T,
}

/// Programs without observers.
pub(super) static PLAIN: Programs<Program> = Programs::new(|kernel, _| Program::new(kernel));
/// Programs with counters, which count neighbouring accesses as one request where a GPU does.
pub(super) static COUNTING: Programs<CountingProgram> = Programs::new(make_counting);
/// Programs with counters of the code for a GPU, including its versions of loops.
pub(super) static MODELED: Programs<CountingProgram> =
    Programs::with_optimizer(modeled, make_counting);
/// Programs with the sanitizer.
pub(super) static CHECKED: Programs<CheckedProgram> =
    Programs::new(|kernel, _| CheckedProgram::new(kernel));
/// Programs with the debugger.
pub(super) static TRACED: Programs<TracedProgram> =
    Programs::new(|kernel, _| TracedProgram::new(kernel));

impl<T> Programs<T> {
    const fn new(make: fn(&Kernel, bool) -> T) -> Self {
        Self::with_optimizer(optimized, make)
    }

    const fn with_optimizer(
        optimize: fn(Kernel) -> std::result::Result<Kernel, CompileError>,
        make: fn(&Kernel, bool) -> T,
    ) -> Self {
        Self { optimized: PerKernel::new(), written: PerKernel::new(), optimize, make }
    }

    /// Returns the program of a launch's kernel.
    pub(super) fn get(&self, launch: &CheckedLaunch<'_>, is_optimized: bool) -> Result<&T> {
        let programs = if is_optimized { &self.optimized } else { &self.written };
        programs.get(launch.bound, || {
            let _scope = spans::compile(launch.bound.source.name, "translate", &NAME);
            let kernel = if is_optimized {
                Cow::Owned(self.optimize(launch.bound)?)
            } else {
                Cow::Borrowed(&launch.bound.kernel)
            };
            require_fallbacks(launch.bound.source, &kernel)?;
            Ok((self.make)(&kernel, is_optimized))
        })
    }

    /// Optimizes a kernel.
    fn optimize(&self, bound: &Bound) -> Result<Kernel> {
        (self.optimize)(bound.kernel.clone()).map_err(|error| Error::Compile {
            kernel: bound.source.name,
            device: NAME.into(),
            message: error.to_string(),
        })
    }
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
