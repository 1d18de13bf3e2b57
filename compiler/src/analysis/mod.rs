//! Analyses: read the IR, return facts, decide nothing.
//!
//! A fact says why, not only whether: it carries the next link of the chain from
//! the effect to its source, and messages are built from such chains.
pub mod accesses;
mod block_shape;
pub mod checks;
pub mod launch;
pub mod local_arrays;
pub(crate) mod powers;
pub mod races;
pub mod range;
pub mod running;
pub mod symbolic;
pub mod tables;
pub mod trips;
pub mod uniformity;
pub mod vectors;
use crate::ir::Kernel;
use accesses::{Accesses, Request, Verdict};
use races::Races;
use range::Ranges;
use running::Running;
use std::cell::OnceCell;
use symbolic::Trace;
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
    /// The code that runs, when it has been asked for.
    running: OnceCell<Option<Box<Running>>>,
}

impl Analyses {
    /// Runs every analysis, in the block that every launch has or, without one, in the most plausible
    /// [candidate](symbolic::Shape::candidates).
    pub fn of(kernel: &Kernel) -> Self {
        let (uniformity, ranges) = (uniformity::analyze(kernel), range::analyze(kernel));
        let vectors = vectors::analyze_in(kernel, &ranges);
        let trace = block_shape::trace(kernel, &uniformity, &ranges);
        Self::among(kernel, uniformity, ranges, vectors, trace)
    }

    /// The same in another block than the one that is assumed, which is as plausible; `None` if `kernel` declares
    /// one, or no other is. It is computed once.
    pub fn other(&self, kernel: &Kernel) -> Option<&Self> {
        let other = self.other.get_or_init(|| {
            let (uniformity, ranges) = (self.uniformity.clone(), self.ranges.clone());
            let trace = block_shape::other(kernel, &uniformity, &ranges, &self.trace)?;
            let vectors = self.vectors.clone();
            Some(Box::new(Self::among(kernel, uniformity, ranges, vectors, trace)))
        });
        other.as_deref()
    }

    /// The code that runs, in the same block; `None` if `kernel` is generic. It is computed once.
    pub fn running(&self, kernel: &Kernel) -> Option<&Running> {
        let running = self.running.get_or_init(|| {
            kernel.is_closed().then(|| Box::new(Running::of(kernel, self.trace.shape)))
        });
        running.as_deref()
    }

    /// Returns the request that `request` is when it runs, merged with its neighbours or alone: of several the one with
    /// the worst cost. Where the kernel is generic, where the optimizer has dropped the access, and where less is known
    /// of the code that runs, that is `request`.
    pub fn when_run<'a>(&'a self, kernel: &Kernel, request: &'a Request) -> &'a Request {
        let Some(running) = self.running(kernel) else { return request };
        let known = |request: &&'a Request| matches!(request.verdict, Verdict::Known(_));
        let all = running.requests(kernel, request);
        if !all.iter().all(known) {
            return request;
        }
        let is_worse = |a: &Request, b: &Request| match (&a.verdict, &b.verdict) {
            (Verdict::Known(a), Verdict::Known(b)) => a.worst.1.is_worse_than(&b.worst.1),
            (Verdict::Known(_) | Verdict::Unknown(_), _) => false,
        };
        let worst = all.into_iter().reduce(|a, b| if is_worse(b, a) { b } else { a });
        worst.unwrap_or(request)
    }

    fn among(
        kernel: &Kernel,
        uniformity: Uniformity,
        ranges: Ranges,
        vectors: Vectors,
        trace: Trace,
    ) -> Self {
        let races = races::analyze(kernel, &trace, &uniformity);
        let accesses = accesses::analyze(kernel, &vectors, &trace);
        let (other, running) = (OnceCell::new(), OnceCell::new());
        Self { uniformity, ranges, vectors, trace, races, accesses, other, running }
    }
}
