//! `gpu_shared_write_races`: several threads store to one element of shared memory at once.
//!
//! ```text
//! last[0] = x[t];          // 128 threads; any of the values may remain
//! ```
//! Fires at a store whose index is the same in two threads that run it in one interval between
//! barriers. Silent where all certainly store the same value (`gpu_same_value_races` reports that),
//! and where data decide the storing threads or the index.
use crate::{
    analysis::{
        Analyses,
        races::{RaceKind, ThreadGroup},
    },
    diag::Level,
    ir::{Kernel, Root},
    lint::{Finding, Lint, LintGroup, race},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_shared_write_races",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for of in race::all_races(analyses) {
        let is_shared = matches!(of.root, Root::Shared(_));
        if is_shared && of.is_of_one_store() && of.race.kind == RaceKind::WriteWrite {
            let help = "let one thread store, give each thread an element of its own, or use an \
                        array of atomics"
                .to_owned();
            found.push(race::race_finding(
                kernel,
                analyses,
                &of,
                describe_stores(kernel, analyses, &of),
                help,
            ));
        }
    }
    found
}

/// Describes the threads that store to one element.
pub(super) fn describe_stores(
    kernel: &Kernel,
    analyses: &Analyses,
    found: &race::RaceAt<'_>,
) -> String {
    let [a, b] = found.race.sides.map(|side| race::thread_text(side.thread));
    let (place, name) = (
        race::element_text(kernel, found.root, found.race.offset),
        race::quoted_name(kernel, found.root),
    );
    if found.race.among == ThreadGroup::Grid {
        return format!(
            "blocks store to the same elements of {name}: {a} of one and {b} of the next"
        );
    }
    if found.race.iteration_of.is_some() {
        return format!(
            "threads store to {place} of {name} in different iterations: {a} in one and {b} in the \
             next, which it may run at the same time"
        );
    }
    let count = race::storing_threads(analyses, found.race).max(2);
    format!("{count} threads store to {place} of {name} at once, {a} and {b} among them")
}
