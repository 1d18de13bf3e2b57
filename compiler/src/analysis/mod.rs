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
use trace::Trace;
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
        let uniformity = uniformity::analyze(kernel);
        let trace = trace::analyze_in(kernel, &uniformity, trace::Shape::of(kernel));
        let races = races::analyze(kernel, &trace, &uniformity);
        let accesses = accesses::analyze(kernel, &trace);
        Self { uniformity, trace, races, accesses }
    }

    /// The same where a block of `kernel` has another shape.
    pub fn in_shape(&self, kernel: &Kernel, shape: trace::Shape) -> Self {
        let trace = trace::analyze_in(kernel, &self.uniformity, shape);
        Self { trace, ..self.clone() }
    }
}
