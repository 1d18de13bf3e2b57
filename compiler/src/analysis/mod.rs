//! Analyses: read the IR, return facts, decide nothing.
//!
//! A fact says why, not only whether: it carries the next link of the chain from
//! the effect to its source, and messages are built from such chains.
pub mod accesses;
pub mod checks;
pub mod evaluate;
pub mod launch;
pub mod races;
pub mod range;
pub mod trace;
pub mod uniformity;
pub mod vectors;
use crate::ir::Kernel;
use accesses::Accesses;
use races::Races;
use trace::{Shape, Trace};
use uniformity::Uniformity;

/// Everything that lints may know about a kernel.
#[derive(Clone, Debug)]
pub struct Analyses {
    /// What differs between the threads of a warp or block.
    pub uniformity: Uniformity,
    /// What one block does, step after step.
    pub trace: Trace,
    /// Which accesses of threads race.
    pub races: Races,
    /// What its accesses to memory cost.
    pub accesses: Accesses,
}

impl Analyses {
    /// Runs every analysis.
    pub fn of(kernel: &Kernel) -> Self {
        Self::among(kernel, uniformity::analyze(kernel), Shape::of(kernel))
    }

    /// The same where a block of `kernel` has another shape.
    pub fn in_shape(&self, kernel: &Kernel, shape: Shape) -> Self {
        Self::among(kernel, self.uniformity.clone(), shape)
    }

    fn among(kernel: &Kernel, uniformity: Uniformity, shape: Shape) -> Self {
        let trace = trace::analyze_in(kernel, &uniformity, shape);
        let races = races::analyze(kernel, &trace, &uniformity);
        let accesses = accesses::analyze(kernel, &trace);
        Self { uniformity, trace, races, accesses }
    }
}
