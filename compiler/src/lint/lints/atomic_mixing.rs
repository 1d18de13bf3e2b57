//! `gpu_atomic_mixing`: one location is accessed atomically and plainly at once, or atomically in
//! the scope of a block although several blocks use it.
//!
//! ```text
//! sum.block().fetch_add(1, Ordering::Relaxed);    // of a buffer: other blocks add to it as well
//! ```
//! The second case fires also if data decide the threads or the address, as long as nothing else
//! keeps blocks apart. An atomic operation is atomic towards others of its kind and scope; towards
//! a plain access it is a race like any other.
use crate::{
    analysis::{
        Analyses,
        races::{Doubt, DoubtReason, RaceKind, ThreadGroup},
    },
    diag::Level,
    ir::{Kernel, Root},
    lint::{Finding, Lint, LintGroup, race, wording},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_atomic_mixing", group: LintGroup::Correctness, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for of in race::all_races(analyses) {
        let name = race::quoted_name(kernel, of.root);
        let [first, second] = of.race.sides.map(|side| race::thread_text(side.thread));
        let (message, help) = match of.race.kind {
            RaceKind::AtomicAndPlain => (
                format!(
                    "{name} is accessed both atomically and plainly, with nothing between: by \
                     {first} and {second}"
                ),
                match of.race.among {
                    ThreadGroup::Warp | ThreadGroup::Block => {
                        "make both atomic, or put `sync_threads()` between the two".to_owned()
                    }
                    ThreadGroup::Grid => "make both atomic".to_owned(),
                },
            ),
            RaceKind::BlockScope => (
                format!(
                    "{name} is updated atomically among the threads of a block only, and other \
                     blocks update the same elements"
                ),
                WIDER_SCOPE_HELP.to_owned(),
            ),
            RaceKind::ReadWrite | RaceKind::WriteWrite | RaceKind::SameValue => continue,
        };
        found.push(race::race_finding(kernel, analyses, &of, message, help));
    }
    let doubts = race::all_doubts(analyses).filter(|(_, doubt)| doubt.reason == DoubtReason::Scope);
    found.extend(doubts.map(|(root, doubt)| data_dependent_finding(kernel, analyses, root, doubt)));
    found
}

/// The remedy for an atomic operation of too narrow a scope.
const WIDER_SCOPE_HELP: &str =
    "leave `.block()` out: then the update is atomic in the whole device";

/// Returns a finding at an update that other blocks make as well, depending on data.
fn data_dependent_finding(
    kernel: &Kernel,
    analyses: &Analyses,
    root: Root,
    doubt: &Doubt,
) -> Finding {
    let name = race::quoted_name(kernel, root);
    let message = format!(
        "{name} is updated atomically among the threads of a block only, and other blocks update \
         the same elements where data say so"
    );
    let span = kernel.insts[doubt.insts[0]].span;
    let notes = wording::assumption_notes(&analyses.trace.shape);
    Finding { message, span, labels: Vec::new(), notes, help: WIDER_SCOPE_HELP.to_owned() }
}
