//! What becomes of the checks of a kernel, place by place in the source.
//!
//! [`of`] is for `explain`: each index and each other check that the front end made, with the reasons why it
//! cannot fail, so that it costs nothing, or with what is not known and what would prove it.
//! [`denied`] is `#[kernel(deny_checks)]`. Both judge the kernel that [`optimize`](mod@crate::optimize) judges, with
//! variables followed and equal values joined, so that what they call proved is what it drops.
use crate::{
    analysis::checks::{self, Check, Unproved, Verdict, What},
    diag::{Diagnostic, Diagnostics, Level},
    ir::{Kernel, Span},
    optimize::before_checks,
};

/// The checks of one kind at one place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub span: Span,
    /// What a thread ends with where such a check fails.
    pub what: What,
    /// What becomes of them.
    pub outcome: Outcome,
}

/// What becomes of the checks at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They go. Each relation that proves them, with its place and what to say there; there are none
    /// where numbers alone do (types, declared blocks, constants), where the same was checked
    /// before, and where nothing gets.
    Proved(Vec<(Span, String)>),
    /// At least one stays.
    Stays(Unproved),
}

/// The checks of a kernel that is verified, in the order of its body. Of one that is generic,
/// what is known before it is specialized.
pub fn of(kernel: &Kernel) -> Vec<Place> {
    let mut judged = kernel.clone();
    if judged.is_closed() {
        before_checks(&mut judged);
    }
    let found = checks::analyze(&judged);
    let mut places: Vec<Place> = Vec::new();
    for Check { what, span, .. } in checks::analyze(kernel) {
        if !places.iter().any(|place| place.span == span && place.what == what) {
            let here = found.iter().filter(|check| check.span == span && check.what == what);
            places.push(Place { span, what, outcome: outcome(&judged, here) });
        }
    }
    places
}

fn outcome<'a>(kernel: &Kernel, checks: impl Iterator<Item = &'a Check>) -> Outcome {
    let mut relations = Vec::new();
    for check in checks {
        match &check.verdict {
            Verdict::Stays(unproved) => return Outcome::Stays(unproved.clone()),
            Verdict::Proved(causes) => {
                for cause in causes {
                    let relation = (cause.span(kernel), cause.text(kernel));
                    if !relations.contains(&relation) {
                        relations.push(relation);
                    }
                }
            }
        }
    }
    Outcome::Proved(relations)
}

/// What `#[kernel(deny_checks)]` says of `kernel`, which is specialized: one error for each place whose
/// checks stay. Nothing if the kernel does not ask for it.
pub fn denied(kernel: &Kernel) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    if !kernel.deny_checks {
        return diagnostics;
    }
    for Place { span, what, outcome } in of(kernel) {
        // Whoever asserts something asks for the check.
        if let Outcome::Stays(Unproved { message, help }) = outcome
            && what != What::Panic
        {
            diagnostics.push(Diagnostic {
                code: DENY_CHECKS,
                level: Level::Deny,
                message,
                span,
                labels: Vec::new(),
                notes: Vec::new(),
                help: Some(help),
            });
        }
    }
    diagnostics
}

/// The code of what [`denied`] says, which is no lint.
pub const DENY_CHECKS: &str = "deny_checks";
