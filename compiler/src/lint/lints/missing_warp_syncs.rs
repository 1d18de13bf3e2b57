//! `gpu_missing_warp_syncs`: lanes of one warp exchange data through memory without a wait.
//!
//! ```text
//! cells[lane] = v;
//! let w = cells[31 - lane];    // relies on lanes that run in lock step, which hardware does not promise
//! ```
//! Fires where only lanes of one warp collide; if threads of other warps do as well, a barrier is
//! missing, and `gpu_missing_barriers` or `gpu_global_races` reports it. Silent if anything between
//! the two accesses synchronizes the lanes of the warp.
use super::missing_barriers;
use crate::{
    analysis::{Analyses, races::ThreadGroup},
    diag::Level,
    ir::{Kernel, Root},
    lint::{Finding, Lint, LintGroup, race},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_missing_warp_syncs",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut gaps = missing_barriers::find_gaps(kernel, analyses);
    let buffers = race::all_races(analyses).filter(|found| {
        matches!(found.root, Root::Param(_))
            && race::needs_order(found)
            && !race::is_within_update(analyses, found)
    });
    gaps.extend(race::find_gaps(kernel, &analyses.trace, buffers.collect()));
    let near = gaps.iter().filter(|gap| gap.shown.race.among == ThreadGroup::Warp);
    near.map(|gap| {
        let shown = &gap.shown;
        let help = "add `sync_warp()` between the two, or exchange the values by \
                    a shuffle such as `warp::shfl`"
            .to_owned();
        race::race_finding(kernel, analyses, shown, race::describe_clash(kernel, shown), help)
    })
    .collect()
}
