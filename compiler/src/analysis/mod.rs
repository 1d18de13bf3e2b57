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
use range::Ranges;
use std::cell::OnceCell;
use trace::{Shape, Trace};
use uniformity::Uniformity;
use vectors::Vectors;

/// Everything that lints may know about a kernel.
#[derive(Clone, Debug)]
pub struct Analyses {
    /// What differs between the threads of a warp or block.
    pub uniformity: Uniformity,
    /// Between which limits integers lie.
    pub ranges: Ranges,
    /// Which loads and stores are one request.
    pub vectors: Vectors,
    /// What one block does, step after step.
    pub trace: Trace,
    /// Which accesses of threads race.
    pub races: Races,
    /// What its accesses to memory cost.
    pub accesses: Accesses,
    /// The same in another shape of a block, when it has been asked for.
    other: OnceCell<Option<Box<Analyses>>>,
}

impl Analyses {
    /// Runs every analysis.
    pub fn of(kernel: &Kernel) -> Self {
        let ranges = range::analyze(kernel);
        let vectors = vectors::analyze_in(kernel, &ranges);
        Self::among(kernel, uniformity::analyze(kernel), ranges, vectors, Shape::of(kernel))
    }

    /// The same where a block of `kernel` has [another shape](Shape::other) than the one that is assumed;
    /// `None` if it declares one. It is computed once.
    pub fn other(&self, kernel: &Kernel) -> Option<&Self> {
        let other = self.other.get_or_init(|| {
            let (uniformity, ranges) = (self.uniformity.clone(), self.ranges.clone());
            let shape = self.trace.shape.other()?;
            let vectors = self.vectors.clone();
            Some(Box::new(Self::among(kernel, uniformity, ranges, vectors, shape)))
        });
        other.as_deref()
    }

    fn among(
        kernel: &Kernel,
        uniformity: Uniformity,
        ranges: Ranges,
        vectors: Vectors,
        shape: Shape,
    ) -> Self {
        let trace = trace::analyze_in(kernel, &uniformity, &ranges, shape);
        let races = races::analyze(kernel, &trace, &uniformity);
        let accesses = accesses::analyze(kernel, &vectors, &trace);
        Self { uniformity, ranges, vectors, trace, races, accesses, other: OnceCell::new() }
    }
}
