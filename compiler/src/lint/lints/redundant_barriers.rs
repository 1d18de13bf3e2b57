//! `gpu_redundant_barriers`: a barrier that no two threads need.
//!
//! ```text
//! let v = tile[255 - t];
//! sync_threads();          // nobody writes `tile` after it
//! y[i] = v;
//! ```
//! Fires if no two accesses between the previous and the next barrier collide across it. Of two
//! barriers in a row the second is reported. Silent where an index, a fence or an ordered atomic
//! operation leaves it open, and in kernels with races: they need more barriers rather than fewer.
use super::uninit_shared_reads;
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::{InstId, Kernel},
    lint::{Finding, Lint, LintGroup, race, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_redundant_barriers",
    group: LintGroup::Performance,
    level: Level::Allow,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let is_wrong = race::all_races(analyses).next().is_some()
        || !uninit_shared_reads::check(kernel, analyses).is_empty();
    if is_wrong {
        return Vec::new();
    }
    // Instructions of a library call have the span of the call.
    let is_written = |barrier: &&InstId| {
        let span = kernel.insts[**barrier].span;
        kernel.insts.iter().filter(|(_, inst)| inst.span == span).count() == 1
    };
    let barriers = analyses.races.redundant_barriers.iter().filter(is_written);
    barriers
        .map(|&barrier| Finding {
            message: "no two threads need this `sync_threads()`: what one accesses before it, no \
                      other accesses after it"
                .to_owned(),
            span: kernel.insts[barrier].span,
            labels: Vec::new(),
            notes: wording::assumption_notes(&analyses.trace.shape),
            help: "leave it out".to_owned(),
        })
        .collect()
}
