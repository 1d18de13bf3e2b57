//! The code that runs: what the optimizer leaves of a kernel, with what its branches and accesses do.
//!
//! Lints and `explain` look at a kernel as it is written, so that messages point at what the user wrote. What a branch
//! or an access costs is decided by the code that runs: small branches have become selects, neighbouring accesses one
//! request. An instruction of it is found by the place in the source that it comes from.
use super::{
    accesses::{self, Accesses, Request, memory},
    range,
    symbolic::{self, Shape, Trace},
    uniformity::{self, Uniformity},
    vectors,
};
use crate::{
    ir::{InstId, Kernel, Op, Span},
    optimize::optimize,
};
use std::collections::BTreeMap;

/// The optimized kernel, and the facts about it.
#[derive(Clone, Debug)]
pub struct Running {
    /// The optimized kernel.
    pub kernel: Kernel,
    /// The values of it that differ between threads.
    pub uniformity: Uniformity,
    /// The trace of one block of it.
    pub trace: Trace,
    /// The costs of its accesses to memory.
    pub accesses: Accesses,
    /// The instructions that come from each place in the source, in the order of the text.
    places: BTreeMap<Span, Vec<InstId>>,
}

impl Running {
    /// Optimizes `kernel`, which is closed, and analyzes the result in blocks of this shape.
    pub(super) fn of(kernel: &Kernel, shape: Shape) -> Self {
        let kernel = optimize(kernel.clone());
        let uniformity = uniformity::analyze(&kernel);
        let ranges = range::analyze(&kernel);
        let vectors = vectors::analyze_in(&kernel, &ranges);
        let trace = symbolic::analyze_in(&kernel, &uniformity, &ranges, shape);
        let accesses = accesses::analyze(&kernel, &vectors, &trace);
        let mut places: BTreeMap<Span, Vec<InstId>> = BTreeMap::new();
        kernel.walk(&mut |id| places.entry(kernel.insts[id].span).or_default().push(id));
        Self { kernel, uniformity, trace, accesses, places }
    }

    /// Returns the instructions that come from `span`.
    pub fn at(&self, span: Span) -> &[InstId] {
        self.places.get(&span).map_or(&[], Vec::as_slice)
    }

    /// Returns the branches that come from `span`: every `if` and `for`.
    pub fn branches(&self, span: Span) -> impl Iterator<Item = InstId> {
        let is_branch =
            |id: &InstId| matches!(self.kernel.insts[*id].op, Op::If { .. } | Op::For { .. });
        self.at(span).iter().copied().filter(is_branch)
    }

    /// True if a choice between values comes from `span`.
    pub fn selects(&self, span: Span) -> bool {
        let is_select = |id: &InstId| matches!(self.kernel.insts[*id].op, Op::Select { .. });
        self.at(span).iter().any(is_select)
    }

    /// Returns the requests that `request` of `kernel`, the kernel as it is written, has become.
    pub fn requests(&self, kernel: &Kernel, request: &Request) -> Vec<&Request> {
        let mut found: Vec<&Request> = Vec::new();
        for &member in &request.members {
            for &id in self.at(kernel.insts[member].span) {
                let is_kind =
                    memory(&self.kernel, id).is_some_and(|(_, kind, _)| kind == request.kind);
                let Some(running) = self.accesses.get(id).filter(|_| is_kind) else { continue };
                if !found.iter().any(|known| known.members == running.members) {
                    found.push(running);
                }
            }
        }
        found
    }
}
