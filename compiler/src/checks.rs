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
    ir::{Body, InstId, Kernel, Op, Span},
    optimize::before_checks,
};
use std::collections::HashSet;

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
/// place with a remaining check.
///
/// Checks before named barriers and mbarriers have them in every kernel: a thread that fails one
/// never arrives, and a GPU has no means to end the wait of the others.
pub fn find_denied(kernel: &Kernel) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let before_barriers = spans_before_partial_barriers(kernel);
    if !kernel.deny_checks && before_barriers.is_empty() {
        return diagnostics;
    }
    for CheckSite { span, failure: what, outcome } in check_sites(kernel) {
        let code = match before_barriers.contains(&span) {
            true => PARTIAL_BARRIERS,
            // The author of an assertion asks for its check.
            false if kernel.deny_checks && what != CheckFailure::Panic => DENY_CHECKS,
            false => continue,
        };
        if let Outcome::Stays(Unproved { message, help }) = outcome {
            diagnostics.push(Diagnostic {
                code,
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

/// Returns the places of instructions after which their thread may come to a named barrier
/// or an mbarrier.
fn spans_before_partial_barriers(kernel: &Kernel) -> HashSet<Span> {
    let mut spans = HashSet::new();
    if kernel.has_partial_barriers() {
        add_spans_before_barriers(kernel, &kernel.body, false, &mut spans);
    }
    spans
}

/// Adds the places of `body`, which such barriers follow if `is_followed`.
fn add_spans_before_barriers(
    kernel: &Kernel,
    body: &Body,
    mut is_followed: bool,
    spans: &mut HashSet<Span>,
) {
    for &id in body.0.iter().rev() {
        let inst = &kernel.insts[id];
        if is_followed {
            spans.insert(inst.span);
        }
        let has_barrier = contains_partial_barrier(kernel, id);
        // A thread repeats a loop, and jumps in it and in a block.
        let is_repeated = has_barrier && !matches!(inst.op, Op::If { .. });
        for inner in inst.op.bodies() {
            add_spans_before_barriers(kernel, inner, is_followed || is_repeated, spans);
        }
        is_followed |= has_barrier;
    }
}

fn contains_partial_barrier(kernel: &Kernel, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    op.is_partial_barrier()
        || op.bodies().any(|body| body.0.iter().any(|&id| contains_partial_barrier(kernel, id)))
}

/// The code of the errors of [`find_denied`] for `#[kernel(deny_checks)]`, which is no lint.
pub const DENY_CHECKS: &str = "deny_checks";

/// The code of the errors of [`find_denied`] for kernels with named barriers or mbarriers, which is
/// no lint.
pub const PARTIAL_BARRIERS: &str = "partial_barriers";
