//! Kernels, lowered for the interpreter, with and without steps that look on. They depend on the
//! kernel only, so all CPU devices share them.
use super::NAME;
use crate::{
    Error, Result,
    kernel::{Cache, Source},
    launch_checks::Launch,
};
use std::sync::Arc;
use warpwise_compiler::{compile::optimized, ir::Kernel};
use warpwise_simt::{CheckedProgram, CountingProgram, Program, Requests, TracedProgram};

/// Programs of one kind: of kernels as a GPU would get them, and as the front end made them.
pub(super) struct Programs<T> {
    optimized: Cache<T>,
    written: Cache<T>,
    /// Of a kernel, and whether it is optimized.
    make: fn(&Kernel, bool) -> T,
}

/// With the kernel's own steps only.
pub(super) static PLAIN: Programs<Program> = Programs::new(|kernel, _| Program::new(kernel));
/// With steps that count: neighbouring accesses together where a GPU makes one request of them.
pub(super) static COUNTING: Programs<CountingProgram> = Programs::new(|kernel, is_optimized| {
    let requests = if is_optimized { Requests::Vectors } else { Requests::Scalars };
    CountingProgram::new(kernel, requests)
});
/// With steps that check.
pub(super) static CHECKED: Programs<CheckedProgram> =
    Programs::new(|kernel, _| CheckedProgram::new(kernel));
/// With steps that tell what threads do.
pub(super) static TRACED: Programs<TracedProgram> =
    Programs::new(|kernel, _| TracedProgram::new(kernel));

impl<T> Programs<T> {
    const fn new(make: fn(&Kernel, bool) -> T) -> Self {
        Self { optimized: Cache::new(), written: Cache::new(), make }
    }

    /// Returns the program of a launch's kernel.
    pub(super) fn get(&self, launch: &Launch<'_>, is_optimized: bool) -> Result<Arc<T>> {
        let Launch { source, bindings, bound, .. } = *launch;
        let kernel = &bound.kernel;
        if is_optimized {
            let make = || Ok((self.make)(&optimize(source, kernel)?, true));
            self.optimized.get(source, bindings, make)
        } else {
            self.written.get(source, bindings, || Ok((self.make)(kernel, false)))
        }
    }
}

/// Optimizes `kernel` as for a GPU.
fn optimize(source: &Source, kernel: &Kernel) -> Result<Kernel> {
    optimized(kernel.clone()).map_err(|error| Error::Compile {
        kernel: source.name,
        device: NAME.into(),
        message: error.to_string(),
    })
}
