//! Analyses: they read the IR and return facts; they decide nothing and change nothing.
//!
//! A fact carries its cause: the next link of the chain from the effect to its source. Messages are
//! built from such chains.
//!
//! **Integers.** Six analyses know something of them. From the cheapest to the most precise:
//!
//! | analysis | knowledge of an integer | ask it |
//! |---|---|---|
//! | [`range`] | one interval per instruction and per local, in every thread of every launch | for limits: a sum that cannot wrap, a sign, an index below a constant |
//! | [`uniformity`] | equal or not among the threads of a warp or block, with the cause; no numbers | if threads diverge or a value differs, and why |
//! | [`vectors`] | an address as terms plus a constant, modulo 2^64, and its alignment; within one body of one thread | if accesses of one thread are adjacent |
//! | [`checks`] | linear relations between values of one thread on the path to a check (`i < n`, `n <= len`); no threads, no block shape | if a check always holds, for every launch |
//! | [`symbolic`] | a sum of uniform symbols with a known factor per thread, in one block of a declared or assumed shape | how threads differ: distances of addresses, active threads, order of events |
//! | [`accesses`] | the distances between the lanes of one warp's request, from the offsets in [`symbolic`] | for the cost of an access |
//!
//! `range`, `vectors` and `checks` hold for every launch, so the optimizer may rely on them.
//! Results of `symbolic`, and of `accesses` and [`races`] which build on it, may rest on the
//! assumed block shape and are for lints and `explain` only.
pub mod accesses;
mod block_shape;
pub mod checks;
pub mod grid_dependencies;
pub mod launch;
pub mod local_arrays;
pub mod mma;
pub mod optimized_code;
pub(crate) mod powers;
pub mod predication;
pub mod races;
pub mod range;
pub mod read_only_arrays;
pub mod symbolic;
pub mod tables;
pub mod trips;
pub mod uniformity;
pub mod vectors;
pub mod wgmma;
use crate::ir::Kernel;
use accesses::{Accesses, Request, Verdict};
use optimized_code::OptimizedCode;
use races::Races;
use range::Ranges;
use std::cell::OnceCell;
use symbolic::Trace;
use uniformity::Uniformity;
use vectors::Vectors;

/// All facts about a kernel that lints may use.
#[derive(Clone, Debug)]
pub struct Analyses {
    /// The differences between the threads of a warp or block.
    pub uniformity: Uniformity,
    /// The ranges of integers.
    pub ranges: Ranges,
    /// The loads and stores that are one request.
    pub vectors: Vectors,
    /// The symbolic execution of one block.
    pub trace: Trace,
    /// The accesses that race.
    pub races: Races,
    /// The costs of accesses to memory.
    pub accesses: Accesses,
    /// The analyses in another block shape, computed on demand.
    other_shape: OnceCell<Option<Box<Analyses>>>,
    /// The optimized kernel with its facts, computed on demand.
    optimized_code: OnceCell<Option<Box<OptimizedCode>>>,
}

impl Analyses {
    /// Runs every analysis, in the block shape that every launch has or, without one, in the most
    /// plausible [candidate](symbolic::Shape::candidates).
    pub fn for_kernel(kernel: &Kernel) -> Self {
        let (uniformity, ranges) = (uniformity::analyze(kernel), range::analyze(kernel));
        let vectors = vectors::analyze_in(kernel, &ranges);
        let trace = block_shape::plausible_trace(kernel, &uniformity, &ranges);
        Self::with_trace(kernel, uniformity, ranges, vectors, trace)
    }

    /// Returns the analyses in another block shape, as plausible as the assumed one; `None` if
    /// `kernel` declares a shape, or no other is as plausible. They are computed once.
    pub fn in_other_shape(&self, kernel: &Kernel) -> Option<&Self> {
        let other = self.other_shape.get_or_init(|| {
            let (uniformity, ranges) = (self.uniformity.clone(), self.ranges.clone());
            let trace =
                block_shape::equally_plausible_trace(kernel, &uniformity, &ranges, &self.trace)?;
            let vectors = self.vectors.clone();
            Some(Box::new(Self::with_trace(kernel, uniformity, ranges, vectors, trace)))
        });
        other.as_deref()
    }

    /// Returns the optimized kernel with its facts, in the same block shape; `None` if `kernel` is
    /// generic. They are computed once.
    pub fn optimized_code(&self, kernel: &Kernel) -> Option<&OptimizedCode> {
        let optimized = self.optimized_code.get_or_init(|| {
            kernel
                .is_closed()
                .then(|| Box::new(OptimizedCode::for_kernel(kernel, self.trace.shape)))
        });
        optimized.as_deref()
    }

    /// Returns the request that `request` is at run time, merged with its neighbours or alone: of
    /// several, the one with the worst cost. Returns `request` itself if the kernel is generic, if
    /// the optimizer has dropped the access, or if less is known of the optimized code.
    pub fn at_run_time<'a>(&'a self, kernel: &Kernel, request: &'a Request) -> &'a Request {
        let Some(running) = self.optimized_code(kernel) else { return request };
        let known = |request: &&'a Request| matches!(request.verdict, Verdict::Known(_));
        let all = running.requests_for(kernel, request);
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

    fn with_trace(
        kernel: &Kernel,
        uniformity: Uniformity,
        ranges: Ranges,
        vectors: Vectors,
        trace: Trace,
    ) -> Self {
        let races = races::analyze(kernel, &trace, &uniformity);
        let accesses = accesses::analyze(kernel, &vectors, &trace);
        let (other_shape, optimized_code) = (OnceCell::new(), OnceCell::new());
        Self { uniformity, ranges, vectors, trace, races, accesses, other_shape, optimized_code }
    }
}
