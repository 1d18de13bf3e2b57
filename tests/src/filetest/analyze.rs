//! `analyze`: the differences between threads, behind each instruction that has any.
//!
//! `varies (%0)` means that the value varies because `%0` does, `(parting %3)` that it varies
//! because threads diverge at `%3`. Facts that differ between a warp and a block are marked with
//! their group.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{
    analysis::{
        Analyses,
        uniformity::{Cause, Fact, Varying},
    },
    id::Facts,
    ir::InstId,
};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel = case.kernel()?;
    let uniformity = Analyses::for_kernel(&kernel).uniformity;
    let mut behind = Vec::new();
    for id in kernel.insts.ids() {
        for (what, facts) in KINDS {
            let [warp, block] = [&uniformity.warp, &uniformity.block].map(|group| facts(group)[id]);
            if warp == block {
                behind.extend(text(what, warp).map(|text| (id, text)));
            } else {
                behind.extend(text(what, warp).map(|text| (id, format!("in a warp {text}"))));
                behind.extend(text(what, block).map(|text| (id, format!("in a block {text}"))));
            }
        }
    }
    Ok(Outcome { behind: Some(behind), below: String::new() })
}

type Kind = fn(&Varying) -> &Facts<InstId, Fact>;

const KINDS: [(&str, Kind); 4] = [
    ("", |group| &group.value),
    ("control ", |group| &group.control),
    ("parting ", |group| &group.divergence),
    ("ending ", |group| &group.ended),
];

/// Returns the text of a fact; `None` if it is uniform.
fn text(what: &str, fact: Fact) -> Option<String> {
    let word = if fact.varies() { "varies" } else { "unknown" };
    let cause = match fact.cause()? {
        Cause::Source => String::new(),
        Cause::Value(id) => format!(" ({id})"),
        Cause::Divergence(id) => format!(" (parting {id})"),
    };
    Some(format!("{what}{word}{cause}"))
}
