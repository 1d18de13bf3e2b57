//! The fate of a kernel's checks, by place in the source.
//!
//! [`check_sites`] is for `explain`: each index and each other check that the front end made, with
//! the reasons that it cannot fail, and so costs nothing, or with the missing fact and a remedy.
//! [`find_denied`] is `#[kernel(deny_checks)]`. Both judge the kernel that
//! [`optimize`](mod@crate::optimize) judges, with variables followed and equal values joined, so
//! that they call proved exactly the checks that it drops.
use crate::{
    analysis::checks::{self, Check, CheckFailure, Unproved, Verdict},
    diag::{Diagnostic, Diagnostics, Level},
    ir::{Kernel, Span},
    optimize::before_checks,
};

/// The checks of one kind at one place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSite {
    /// The place.
    pub span: Span,
    /// The end of a thread for which such a check fails.
    pub failure: CheckFailure,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome for the checks at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They are dropped. Each relation that proves them, with its place and label; none if numbers
    /// alone do (types, declared blocks, constants), if the same check came before, or if control
    /// never gets there.
    Proved(Vec<(Span, String)>),
    /// At least one stays.
    Stays(Unproved),
}

/// Returns the checks of a verified kernel, in the order of its body. For a generic kernel, the
/// outcome before it is specialized.
pub fn check_sites(kernel: &Kernel) -> Vec<CheckSite> {
    let mut judged = kernel.clone();
    if judged.is_closed() {
        before_checks(&mut judged);
    }
    let found = checks::analyze(&judged);
    let mut places: Vec<CheckSite> = Vec::new();
    for Check { failure: what, span, .. } in checks::analyze(kernel) {
        if !places.iter().any(|place| place.span == span && place.failure == what) {
            let here = found.iter().filter(|check| check.span == span && check.failure == what);
            places.push(CheckSite { span, failure: what, outcome: site_outcome(&judged, here) });
        }
    }
    places
}

fn site_outcome<'a>(kernel: &Kernel, checks: impl Iterator<Item = &'a Check>) -> Outcome {
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

/// Returns the errors of `#[kernel(deny_checks)]` for `kernel`, which is specialized: one for each
/// place with a remaining check. None if the kernel does not ask for it.
pub fn find_denied(kernel: &Kernel) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    if !kernel.deny_checks {
        return diagnostics;
    }
    for CheckSite { span, failure: what, outcome } in check_sites(kernel) {
        // The author of an assertion asks for its check.
        if let Outcome::Stays(Unproved { message, help }) = outcome
            && what != CheckFailure::Panic
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

/// The code of the errors of [`find_denied`], which is no lint.
pub const DENY_CHECKS: &str = "deny_checks";
