//! `gpu_mismatched_barriers`: threads of one block wait at different barriers.
//!
//! ```text
//! if thread_idx_x() < 64 { a(); sync_threads(); } else { b(); sync_threads(); }
//! ```
//! All threads reach a barrier, but not the same one. Fires where control varies in the block and
//! each arm has a barrier of its own.
use crate::{
    analysis::{Analyses, uniformity::Cause},
    diag::Level,
    ir::{Body, InstId, Kernel, Op, SyncOp},
    lint::{Finding, Lint, LintGroup, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_mismatched_barriers",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let block = &analyses.uniformity.block;
    let mut found = Vec::new();
    for (id, call) in wording::written_barriers(kernel) {
        let Some(other) = counterpart(kernel, analyses, id).filter(|&other| id < other) else {
            continue;
        };
        let mut labels =
            vec![(kernel.insts[other].span, "the other threads wait at this one".to_owned())];
        labels.extend(wording::cause_labels(kernel, block, block.control[id]));
        found.push(Finding {
            message: format!(
                "only some threads of the block wait at this `{call}`, and the others at another"
            ),
            span: kernel.insts[id].span,
            labels,
            notes: Vec::new(),
            help: help(kernel, [id, other]).to_owned(),
        });
    }
    found
}

/// Returns the remedy for the barriers of two arms. A barrier in a library function cannot be moved
/// without its call.
fn help(kernel: &Kernel, barriers: [InstId; 2]) -> &'static str {
    if barriers.into_iter().any(|id| wording::is_library_barrier(kernel, id)) {
        "let all threads of the block make the same calls: after the `if`, with values that its arms choose"
    } else {
        "put one barrier after the `if`, in place of the two in its arms"
    }
}

/// Returns the barrier of the threads that do not reach `barrier`, if it is in the other arm of the
/// `if` at which they diverge.
pub(super) fn counterpart(kernel: &Kernel, analyses: &Analyses, barrier: InstId) -> Option<InstId> {
    let control = analyses.uniformity.block.control[barrier];
    if !control.varies() || wording::all_threads_reach(analyses, barrier) {
        return None;
    }
    let Some(Cause::Divergence(parting)) = control.cause() else { return None };
    let Op::If { then, other, .. } = &kernel.insts[parting].op else { return None };
    let first = |body: &Body| body.0.iter().copied().find(|&id| is_barrier(kernel, id));
    let [then, other] = [then, other].map(first);
    match (then?, other?) {
        (then, other) if then == barrier => Some(other),
        (then, other) if other == barrier => Some(then),
        (_, _) => None,
    }
}

fn is_barrier(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].op, Op::Sync(SyncOp::Barrier { .. }))
}
