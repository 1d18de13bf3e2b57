//! Kernels, lowered for the interpreter, with and without steps that look on. They depend on the
//! kernel only, so all CPU devices share them.
use super::NAME;
use crate::{
    Error, Result,
    kernel::{Bound, PerKernel},
    launch_checks::CheckedLaunch,
    observe,
};
use warpwise_compiler::{
    compile::{CompileError, optimized, optimized_for_gpu},
    ir::Kernel,
};
use warpwise_simt::{CheckedProgram, CountingProgram, Program, Requests, TracedProgram};

/// Programs of one kind: of kernels as a GPU would get them, and as the front end made them.
pub(super) struct Programs<T> {
    optimized: PerKernel<T>,
    written: PerKernel<T>,
    optimize: fn(Kernel) -> std::result::Result<Kernel, CompileError>,
    /// Of a kernel, and whether it is optimized.
    make: fn(&Kernel, bool) -> T,
}

/// With the kernel's own steps only.
pub(super) static PLAIN: Programs<Program> = Programs::new(|kernel, _| Program::new(kernel));
/// With steps that count: neighbouring accesses together where a GPU makes one request of them.
pub(super) static COUNTING: Programs<CountingProgram> = Programs::new(make_counting);
/// The same of the code of a GPU, with its versions of loops.
pub(super) static MODELED: Programs<CountingProgram> =
    Programs::with_optimizer(optimized_for_gpu, make_counting);
/// With steps that check.
pub(super) static CHECKED: Programs<CheckedProgram> =
    Programs::new(|kernel, _| CheckedProgram::new(kernel));
/// With steps that tell what threads do.
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
            let _scope = observe::compile(launch.bound.source.name, "translate", &NAME);
            Ok(match is_optimized {
                true => (self.make)(&self.optimize(launch.bound)?, true),
                false => (self.make)(&launch.bound.kernel, false),
            })
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

/// Makes a program that counts.
fn make_counting(kernel: &Kernel, is_optimized: bool) -> CountingProgram {
    let requests = if is_optimized { Requests::Vectors } else { Requests::Scalars };
    CountingProgram::new(kernel, requests)
}
