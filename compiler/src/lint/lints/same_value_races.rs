//! `gpu_same_value_races`: several threads store the same value to one element at once.
//!
//! ```text
//! done[0] = 1;             // every thread of the block
//! ```
//! A race by the memory model, although harmless on hardware: a plain store that other threads
//! execute as well guarantees nothing. Fires where the values are certainly the same; if they may
//! differ, the other race lints fire.
use super::shared_write_races;
use crate::{
    analysis::{Analyses, races::RaceKind},
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, race},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_same_value_races", group: LintGroup::Correctness, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let same = race::all_races(analyses).filter(|found| found.race.kind == RaceKind::SameValue);
    same.map(|found| {
        let message = format!(
            "{}, and the value is the same",
            shared_write_races::describe_stores(kernel, analyses, &found)
        );
        let help = "let one thread store, or use an atomic store".to_owned();
        race::race_finding(kernel, analyses, &found, message, help)
    })
    .collect()
}
