//! `gpu_missing_barriers`: threads of a block exchange data through shared memory, and no barrier
//! makes one wait for the other.
//!
//! ```text
//! tile[t] = x[i];
//! let v = tile[t + 1];     // thread t + 1 may not have written it yet
//! ```
//! Fires where two threads of different warps access one element in the same interval between
//! barriers and one of them writes, also where one is an iteration ahead of the other. One finding
//! per missing barrier. Silent where data, guards, fences or atomic operations may keep the two
//! apart.
use crate::{
    analysis::{Analyses, races::ThreadGroup},
    diag::Level,
    ir::{Kernel, Root},
    lint::{
        Finding, Lint, LintGroup,
        race::{self, MissingWait},
    },
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_missing_barriers", group: LintGroup::Correctness, level: Level::Deny, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let gaps = find_gaps(kernel, analyses);
    let far = gaps.iter().filter(|gap| gap.shown.race.among == ThreadGroup::Block);
    far.map(|gap| missing_barrier_finding(kernel, analyses, gap)).collect()
}

/// Returns the places where shared memory needs a barrier, or, if only lanes of a warp exchange
/// data, a warp-wide wait.
pub(super) fn find_gaps<'a>(kernel: &Kernel, analyses: &'a Analyses) -> Vec<MissingWait<'a>> {
    let races = race::all_races(analyses).filter(|found| {
        matches!(found.root, Root::Shared(_))
            && race::needs_order(found)
            && !race::is_within_update(analyses, found)
    });
    race::find_gaps(kernel, &analyses.trace, races.collect())
}

fn missing_barrier_finding(kernel: &Kernel, analyses: &Analyses, gap: &MissingWait<'_>) -> Finding {
    let shown = &gap.shown;
    let name = race::quoted_name(kernel, shown.root);
    let [first, second] = shown.race.sides;
    let what = |writes: bool| if writes { "write" } else { "read" };
    let help = if shown.race.iteration_of.is_some() {
        format!(
            "add `sync_threads()` to the loop, after the last {} of {name}, where every thread of \
             the block reaches it",
            what(first.writes)
        )
    } else {
        format!(
            "add `sync_threads()` between the {} and the {} of {name}, where every thread of the \
             block reaches it",
            what(first.writes),
            what(second.writes)
        )
    };
    let mut finding =
        race::race_finding(kernel, analyses, shown, race::describe_clash(kernel, shown), help);
    let mut others: Vec<String> =
        gap.others.iter().map(|other| race::quoted_name(kernel, other.root)).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|other| *other != name);
    if !others.is_empty() {
        finding.notes.insert(0, format!("{} needs the same barrier", others.join(" and ")));
    }
    finding
}
