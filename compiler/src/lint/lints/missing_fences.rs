//! `gpu_missing_fences`: one block announces data to another by an atomic operation, and nothing
//! orders the data before the announcement.
//!
//! ```text
//! partial[block_idx_x()] = sum;
//! let done = count[0].fetch_add(1, Ordering::Relaxed);     // may be seen before `partial` is
//! if done + 1 == grid_dim_x() as u32 { total += partial[j]; }
//! ```
//! Fires if a plain store with a block-dependent address precedes a relaxed atomic operation in
//! global memory, and a plain load of the same buffer with a block-independent address follows it,
//! depending on data (by a condition, or by a loop that waits), in a kernel without any fence of
//! the device's scope and without any atomic operation that is more than relaxed. With such an
//! operation, its right place is not checked.
use crate::{
    analysis::{Analyses, races::DoubtReason},
    diag::Level,
    ir::{Kernel, Op, SyncOp},
    lint::{Finding, Lint, LintGroup, race, wording},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_missing_fences", group: LintGroup::Correctness, level: Level::Deny, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for (root, doubt) in race::all_doubts(analyses) {
        let DoubtReason::Unfenced(announces) = doubt.reason else { continue };
        let name = race::quoted_name(kernel, root);
        let fences =
            kernel.insts.iter().any(|(_, inst)| matches!(inst.op, Op::Sync(SyncOp::Fence { .. })));
        let message = format!(
            "{name} is read here where other blocks may not see it written yet: nothing orders the \
             write before the atomic operation that announces it"
        );
        let help = if fences {
            "a fence of the block's scope says nothing to other blocks: use `thread_fence()` \
             between the write and the atomic operation, and before the read"
        } else {
            "add `thread_fence()` between the write and the atomic operation, and before the read; \
             or let the operation be `Ordering::AcqRel`"
        };
        let [first, second] = doubt.insts;
        found.push(Finding {
            message,
            span: kernel.insts[second].span,
            labels: vec![
                (kernel.insts[first].span, format!("a block writes {name} here")),
                (kernel.insts[announces].span, "and announces it here".to_owned()),
            ],
            notes: wording::assumption_notes(&analyses.trace.shape),
            help: help.to_owned(),
        });
    }
    found
}
