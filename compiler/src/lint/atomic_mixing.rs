//! `gpu_atomic_mixing`: one location is accessed atomically and plainly at once, or atomically among the
//! threads of a block only although several blocks use it.
//!
//! ```text
//! sum.block().fetch_add(1, Ordering::Relaxed);    // of a buffer: other blocks add to it as well
//! ```
//! An atomic operation is atomic towards others of its kind and scope; towards a plain access it is a race like any other.
use super::{Finding, Group, Lint, race};
use crate::{
    analysis::{
        Analyses,
        races::{Among, Kind},
    },
    diag::Level,
    ir::Kernel,
};

pub(super) const LINT: Lint =
    Lint { name: "gpu_atomic_mixing", group: Group::Correctness, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for of in race::all(analyses) {
        let name = race::name(kernel, of.root);
        let [first, second] = of.race.sides.map(|side| race::thread(side.thread));
        let (message, help) = match of.race.kind {
            Kind::AtomicAndPlain => (
                format!(
                    "{name} is accessed both atomically and plainly, with nothing between: by \
                     {first} and {second}"
                ),
                match of.race.among {
                    Among::Warp | Among::Block => {
                        "make both atomic, or put `sync_threads()` between the two".to_owned()
                    }
                    Among::Grid => "make both atomic".to_owned(),
                },
            ),
            Kind::BlockScope => (
                format!(
                    "{name} is updated atomically among the threads of a block only, and other \
                     blocks update the same elements"
                ),
                "leave `.block()` out: then the update is atomic in the whole device".to_owned(),
            ),
            Kind::ReadWrite | Kind::WriteWrite | Kind::SameValue | Kind::Unfenced(_) => continue,
        };
        found.push(race::finding(kernel, analyses, &of, message, help));
    }
    found
}
