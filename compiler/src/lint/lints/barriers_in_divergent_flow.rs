//! `gpu_barriers_in_divergent_flow`: a barrier that not every thread of the block reaches.
//!
//! ```text
//! if thread_idx_x() < 16 { sync_threads(); }   // the others never arrive: the block hangs
//! ```
//! Fires where control varies in the block, even if each warp agrees. Silent where this is unknown:
//! all threads reading one location of memory mostly agree.
use super::mismatched_barriers;
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_barriers_in_divergent_flow",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let block = &analyses.uniformity.block;
    let mut found = Vec::new();
    for (id, call) in wording::written_barriers(kernel) {
        let control = block.control[id];
        let stays = || {
            wording::all_threads_reach(analyses, id)
                || mismatched_barriers::counterpart(kernel, analyses, id).is_some()
        };
        if control.varies() && !wording::is_loop_divergence(kernel, control) && !stays() {
            let (barrier, moved) = if wording::is_library_barrier(kernel, id) {
                ("this call, which waits for the whole block,".to_owned(), "call")
            } else {
                (format!("`{call}`"), "barrier")
            };
            found.push(Finding {
                message: format!("{barrier} is not reached by every thread of the block"),
                span: kernel.insts[id].span,
                labels: wording::cause_labels(kernel, block, control),
                notes: Vec::new(),
                help: format!(
                    "move the {moved} out of the branch and keep only the work inside, or let \
                     the condition depend on values that are the same in the whole block"
                ),
            });
        }
    }
    found
}
