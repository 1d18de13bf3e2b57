//! `gpu_barriers_in_divergent_loops`: a barrier in a loop that threads of one block leave in
//! different iterations.
//!
//! ```text
//! for i in (thread_idx_x()..100).step_by(64) { sync_threads(); }   // 2 times or once
//! ```
//! Silent where this is unknown, like `gpu_barriers_in_divergent_flow`.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_barriers_in_divergent_loops",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let block = &analyses.uniformity.block;
    let mut found = Vec::new();
    for (id, call) in wording::written_barriers(kernel) {
        let control = block.control[id];
        let stays = wording::all_threads_reach(analyses, id);
        if control.varies() && wording::is_loop_divergence(kernel, control) && !stays {
            found.push(Finding {
                message: format!(
                    "the threads of a block leave this loop after different numbers of {}",
                    wording::barrier_words(kernel, id, format!("`{call}`"))
                ),
                span: kernel.insts[id].span,
                labels: wording::cause_labels(kernel, block, control),
                notes: Vec::new(),
                help: "let every thread run the same number of iterations (round the bound up to \
                       a multiple of the block) and put a condition around the work only"
                    .to_owned(),
            });
        }
    }
    found
}
