//! Analyses: read the IR, return facts, decide nothing.
use crate::ir::Kernel;

/// Everything later stages may know about a kernel.
#[derive(Clone, Debug)]
pub struct Analyses {}

impl Analyses {
    /// Runs every analysis.
    pub fn of(_kernel: &Kernel) -> Self {
        Self {}
    }
}
