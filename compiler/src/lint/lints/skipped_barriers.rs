//! `gpu_skipped_barriers`: threads of a block exchange data through shared memory, and the barrier
//! between is on one of two paths only.
//!
//! ```text
//! tile[t] = x[i];
//! if mode != 0 { sync_threads(); }
//! let v = tile[255 - t];       // where `mode` is 0, nothing has waited
//! ```
//! Fires if all barriers between two accesses are in one arm of an `if` that each block decides as
//! a whole, or in some arms of a `match`, both accesses happen on either path, and two threads of
//! different warps collide. Silent if an access is in an arm of its own, since both conditions may
//! be the same, unless that is a guard such as `i < y.len()` on something else, and if the accesses
//! are an iteration of a loop apart.
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
    Lint { name: "gpu_skipped_barriers", group: LintGroup::Correctness, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let shared =
        analyses.races.memory.iter().filter(|memory| matches!(memory.root, Root::Shared(_)));
    let skipped = shared.flat_map(|memory| memory.skipped.iter().map(|of| (memory.root, of)));
    let mut branches = Vec::new();
    let mut found = Vec::new();
    for (root, skipped) in skipped {
        let race = &skipped.race;
        let needs_order = matches!(race.kind, RaceKind::ReadWrite | RaceKind::WriteWrite)
            && race.among == ThreadGroup::Block
            && race.sides[0].inst != race.sides[1].inst;
        if !needs_order || branches.contains(&skipped.branch) {
            continue;
        }
        branches.push(skipped.branch);
        let shown = race::RaceAt { root, race };
        let help =
            "move `sync_threads()` out of the `if`, so that every block reaches it".to_owned();
        let mut finding = race::race_finding(
            kernel,
            analyses,
            &shown,
            race::describe_clash(kernel, &shown),
            help,
        );
        let text = match skipped.barriers.as_slice() {
            [_] => "the only barrier between the two: blocks that do not take this path skip it",
            _ => "a barrier between the two: blocks that take none of these paths skip it",
        };
        let labels = skipped.barriers.iter().map(|&id| (kernel.insts[id].span, text.to_owned()));
        finding.labels.extend(labels);
        found.push(finding);
    }
    found
}
