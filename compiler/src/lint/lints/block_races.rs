//! `gpu_block_races`: threads of two blocks access one element of a buffer, one writes, and nothing
//! orders blocks.
//!
//! ```text
//! y[thread_idx_x()] = x[global_idx_x()];   // every block writes the same 256 elements
//! ```
//! Fires only in kernels that ask for the block's index or the number of blocks: others are meant
//! for one block. A grid of one block has no such race, so the lint is no error. Silent where the
//! same location races in one block already, where anything but the launch decides the execution of
//! a block's access, and in kernels with fences or ordered atomics.
use super::shared_write_races;
use crate::{
    analysis::{
        Analyses,
        races::{RaceKind, ThreadGroup},
    },
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, race},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_block_races", group: LintGroup::Correctness, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut reported = Vec::new();
    let mut of_blocks: Vec<race::RaceAt<'_>> = race::all_races(analyses)
        .filter(|found| {
            found.race.among == ThreadGroup::Grid
                && matches!(found.race.kind, RaceKind::ReadWrite | RaceKind::WriteWrite)
        })
        .collect();
    // Stores first: a read in between has the same fault.
    of_blocks.sort_by_key(|found| (!found.is_of_one_store(), found.race.sides[1].event));
    for found in of_blocks {
        let races_nearer = race::all_races(analyses)
            .any(|other| other.root == found.root && other.race.among != ThreadGroup::Grid);
        if races_nearer || reported.contains(&found.root) {
            continue;
        }
        reported.push(found.root);
        let message = if found.is_of_one_store() {
            shared_write_races::describe_stores(kernel, analyses, &found)
        } else {
            describe_block_clash(kernel, &found)
        };
        let help = race::surface_help(kernel, found.root).unwrap_or_else(|| {
            "let the index depend on the block (`global_idx_x()`, `block_idx_x()`), use a slice of \
             atomics, or combine the results of blocks in a launch of its own"
                .to_owned()
        });
        findings.push(race::race_finding(kernel, analyses, &found, message, help));
    }
    findings
}

fn describe_block_clash(kernel: &Kernel, found: &race::RaceAt<'_>) -> String {
    let [first, second] = found.race.sides;
    let does = |writes: bool| if writes { "writes" } else { "reads" };
    format!(
        "blocks access the same elements of {}: {} of one block {} what {} of the next {}",
        race::quoted_name(kernel, found.root),
        race::thread_text(second.thread),
        does(second.writes),
        race::thread_text(first.thread),
        does(first.writes),
    )
}
