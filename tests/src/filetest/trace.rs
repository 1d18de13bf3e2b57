//! `trace`: the events of a block's threads, below the kernel, one line per event.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::analysis::symbolic;

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel = case.kernel()?;
    let trace = symbolic::analyze(&kernel);
    let mut below = String::new();
    for event in &trace.events {
        below += &trace.event_text(&kernel, event);
        below += "\n";
    }
    if !trace.complete {
        below += "and so on\n";
    }
    Ok(Outcome::below(below))
}
