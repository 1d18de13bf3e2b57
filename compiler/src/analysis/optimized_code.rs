//! The optimized kernel: the code that runs, with its own facts about branches and accesses.
//!
//! Lints and `explain` examine a kernel as it is written, so that messages point at the user's
//! code. The cost of a branch or an access depends on the optimized code: small branches have
//! become selects or run under a predicate, neighbouring accesses one request. The two are matched
//! by the span in the source.
use super::{
    accesses::{self, Accesses, Request, memory_operands},
    predication, range,
    symbolic::{self, Shape, Trace},
    uniformity::{self, Uniformity},
    vectors,
};
use crate::{
    id::Facts,
    ir::{InstId, Kernel, Op, Span},
    optimize::{drop_fallbacks, optimize},
};
use std::collections::BTreeMap;

/// The optimized kernel, and the facts about it.
#[derive(Clone, Debug)]
pub struct OptimizedCode {
    /// The optimized kernel.
    pub kernel: Kernel,
    /// The values that differ between threads.
    pub uniformity: Uniformity,
    /// The trace of one block.
    pub trace: Trace,
    /// The costs of accesses to memory.
    pub accesses: Accesses,
    /// The `if`s that run under a predicate.
    predicated: Facts<InstId, bool>,
    /// The instructions by span, in the order of the text.
    insts_by_span: BTreeMap<Span, Vec<InstId>>,
}

impl OptimizedCode {
    /// Optimizes `kernel`, which is closed, and analyzes the result in blocks of this shape.
    pub(super) fn for_kernel(kernel: &Kernel, shape: Shape) -> Self {
        let mut kernel = kernel.clone();
        drop_fallbacks(&mut kernel);
        let kernel = optimize(kernel);
        let uniformity = uniformity::analyze(&kernel);
        let ranges = range::analyze(&kernel);
        let vectors = vectors::analyze_in(&kernel, &ranges);
        let trace = symbolic::analyze_in(&kernel, &uniformity, &ranges, shape);
        let accesses = accesses::analyze(&kernel, &vectors, &trace);
        let mut places: BTreeMap<Span, Vec<InstId>> = BTreeMap::new();
        kernel.walk(&mut |id| places.entry(kernel.insts[id].span).or_default().push(id));
        let predicated = predication::analyze(&kernel);
        Self { kernel, uniformity, trace, accesses, predicated, insts_by_span: places }
    }

    /// Returns the instructions with the span `span`.
    pub fn insts_at(&self, span: Span) -> &[InstId] {
        self.insts_by_span.get(&span).map_or(&[], Vec::as_slice)
    }

    /// Returns the branches with the span `span`: every `if` and `for`.
    pub fn branches_at(&self, span: Span) -> impl Iterator<Item = InstId> {
        let is_branch =
            |id: &InstId| matches!(self.kernel.insts[*id].op, Op::If { .. } | Op::For { .. });
        self.insts_at(span).iter().copied().filter(is_branch)
    }

    /// Returns the branches with the span `span` that machine code has: without the `if`s that run
    /// under a predicate.
    pub fn machine_branches_at(&self, span: Span) -> impl Iterator<Item = InstId> {
        self.branches_at(span).filter(|&id| !self.predicated[id])
    }

    /// Returns true if a `select` has the span `span`.
    pub fn has_select_at(&self, span: Span) -> bool {
        let is_select = |id: &InstId| matches!(self.kernel.insts[*id].op, Op::Select { .. });
        self.insts_at(span).iter().any(is_select)
    }

    /// Returns the requests that `request` of `kernel`, the kernel as it is written, has become.
    pub fn requests_for(&self, kernel: &Kernel, request: &Request) -> Vec<&Request> {
        let mut found: Vec<&Request> = Vec::new();
        for &member in &request.members {
            for &id in self.insts_at(kernel.insts[member].span) {
                let is_kind = memory_operands(&self.kernel, id)
                    .is_some_and(|(_, kind, _)| kind == request.kind);
                let Some(running) = self.accesses.get(id).filter(|_| is_kind) else { continue };
                if !found.iter().any(|known| known.members == running.members) {
                    found.push(running);
                }
            }
        }
        found
    }
}
