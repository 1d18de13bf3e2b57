//! `gpu_global_races`: two threads of a block access one element of a buffer, one writes, and
//! nothing orders them.
//!
//! ```text
//! y[i] = y[i + 1];         // thread i + 1 may have written its own by then, or not
//! y[0] += x[i];            // all but one of 256 sums are lost
//! ```
//! Races that the same barrier would order are one finding. Silent where data, guards, fences or
//! atomic operations may keep the two apart, and where only lanes of one warp or only blocks
//! collide: `gpu_missing_warp_syncs` and `gpu_block_races` report that.
use super::shared_write_races;
use crate::{
    analysis::{
        Analyses,
        races::{RaceKind, ThreadGroup},
    },
    diag::Level,
    ir::{Kernel, Root},
    lint::{Finding, Lint, LintGroup, race},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_global_races", group: LintGroup::Correctness, level: Level::Deny, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let of_buffers = || {
        race::all_races(analyses).filter(|found| {
            matches!(found.root, Root::Param(_)) && found.race.among != ThreadGroup::Grid
        })
    };
    let stores =
        of_buffers().filter(|of| of.is_of_one_store() && of.race.kind == RaceKind::WriteWrite);
    let mut found: Vec<Finding> = stores
        .map(|found| {
            let message = shared_write_races::describe_stores(kernel, analyses, &found);
            let help = race::surface_help(kernel, found.root).unwrap_or_else(|| {
                "give each thread an element of its own, or use a slice of atomics: \
                 `&[AtomicU32]`, `&[AtomicF32]`"
                    .to_owned()
            });
            race::race_finding(kernel, analyses, &found, message, help)
        })
        .collect();
    let races = of_buffers()
        .filter(|found| race::needs_order(found) && !race::is_within_update(analyses, found));
    let gaps = race::find_gaps(kernel, &analyses.trace, races.collect());
    let far = gaps.iter().filter(|gap| gap.shown.race.among == ThreadGroup::Block);
    found.extend(far.map(|gap| {
        let second = match kernel.surface_of_root(gap.shown.root) {
            Some(_) => "surface",
            None => "buffer",
        };
        let help = format!(
            "write to a second {second}; or, if only threads of one block exchange, add \
             `sync_threads()` between the two"
        );
        race::race_finding(
            kernel,
            analyses,
            &gap.shown,
            race::describe_clash(kernel, &gap.shown),
            help,
        )
    }));
    found
}
