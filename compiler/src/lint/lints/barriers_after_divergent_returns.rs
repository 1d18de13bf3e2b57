//! `gpu_barriers_after_divergent_returns`: a barrier after a `return` that only some threads take.
//!
//! ```text
//! if global_idx_x() >= n { return; }
//! sync_threads();                      // the others do not wait for those that returned
//! ```
//! It works, but the work that the barrier protects is then done by fewer threads than the block
//! has. Silent where control varies anyway: other lints report that.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_barriers_after_divergent_returns",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let block = &analyses.uniformity.block;
    let mut found = Vec::new();
    for (id, call) in wording::written_barriers(kernel) {
        if block.ended[id].varies()
            && !block.control[id].varies()
            && !wording::all_threads_reach(analyses, id)
        {
            found.push(Finding {
                message: format!(
                    "some threads of the block have returned before {}",
                    wording::barrier_words(kernel, id, format!("this `{call}`"))
                ),
                span: kernel.insts[id].span,
                labels: wording::cause_labels(kernel, block, block.ended[id]),
                notes: Vec::new(),
                help: "replace the `return` by `let active = ..;` and put `if active { .. }` \
                       around the work"
                    .to_owned(),
            });
        }
    }
    found
}
