//! Proofs of checks: the checks of a kernel that cannot fail, with the reason, and the missing fact
//! for all others.
//!
//! [`analyze`] examines a kernel as it is. [`checks::check_sites`](crate::checks::check_sites)
//! reports the fate of the checks that the front end made: each with its place in the source, and
//! whether the optimizer drops it.
//!
//! A check is an [`Op::Bounds`], an [`Op::Check`], or an [`Op::If`] that does nothing but
//! [panic](Op::Panic) on one side: a subslice or an assertion. Proofs use *numbers* (types,
//! declared blocks, limits of the launcher: see [`range`](super::range)) and *relations*:
//! conditions and loops around the check, earlier checks, and the kernel's
//! [requirements](crate::ir::Requirement) on its launches. Relations are between exact sums of
//! products, so a value that may wrap takes part as a number of its own and never as the sum it was
//! computed from. [`prove`] adds up such relations; [`cases`] distinguishes values that depend on
//! the path of control. A [`Verdict::Proved`] names the relations that were needed, each with its
//! place ([`Cause::span`]) and a text; without any, numbers alone prove it. A [`Verdict::Stays`]
//! names the missing fact and a remedy.
//!
//! ```
//! use warpwise_compiler::{analysis::checks, ir::Kernel};
//!
//! let kernel: Kernel = "kernel first {
//! param arg0 = x: read [f32]
//! requires \"x.len() >= 2\" ge(len arg0, const 2 : u64)
//! %0 = const 1 : u64
//! %1 = len arg0 : u64
//! %2 = bounds %0, %1 : u64
//! %3 = const 2 : u64
//! %4 = bounds %3, %1 : u64
//! }"
//! .parse()?;
//! let found = checks::analyze(&kernel);
//! assert!(matches!(found[0].verdict, checks::Verdict::Proved(_)));
//! let checks::Verdict::Stays(why) = &found[1].verdict else { panic!() };
//! assert_eq!(why.message, "nothing keeps `2` below `x.len()`");
//! assert_eq!(why.help, "add `if 2 < x.len()` or `#[kernel(requires(x.len() >= 3))]`");
//! # Ok::<(), warpwise_compiler::ir::ParseError>(())
//! ```
mod analyzer;
mod assume;
mod atom;
mod cases;
mod contract;
mod counterexample;
mod facts;
mod form;
mod locals;
mod messages;
mod prove;
mod relevant;
mod require;
mod results;
mod simplex;
#[cfg(test)]
mod tests;

use crate::{
    contract::Condition,
    id::Facts,
    ir::{Fault, InstId, Kernel, Op, Span},
};
use analyzer::{CheckAnalyzer, UnprovedChecks};

/// A check, with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The `bounds`, `check` or `if`.
    pub inst: InstId,
    /// The end of a thread for which it fails.
    pub failure: CheckFailure,
    /// Its place in the source.
    pub span: Span,
    /// The verdict.
    pub verdict: Verdict,
}

/// The end of a thread for which a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckFailure {
    /// With a fault; never [`Fault::Panic`].
    Fault(Fault),
    /// With Rust's message about a subslice that is out of bounds.
    Slice,
    /// With another panic message, as of an assertion.
    Panic,
}

/// The verdict on a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The check cannot fail: the relations that prove it, none if numbers alone do.
    Proved(Vec<Cause>),
    /// The check may fail, as far as is known.
    Stays(Unproved),
}

/// The missing fact about a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// The fact.
    pub message: String,
    /// The help: a remedy.
    pub help: String,
}

/// A relation that a proof needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A branch condition: this `bool` is true here, or false.
    Guard(InstId, bool),
    /// The value of this `for` lies between its start and its end.
    Loop(InstId),
    /// An earlier check.
    Check(InstId),
    /// An operation with a bounded result: a quotient, a remainder, a minimum.
    Operation(InstId),
    /// The requirement with this number.
    Requirement(usize),
}

impl Cause {
    /// Returns its place in the source.
    pub fn span(self, kernel: &Kernel) -> Span {
        match self {
            Self::Guard(id, _) | Self::Loop(id) | Self::Check(id) | Self::Operation(id) => {
                kernel.insts[id].span
            }
            Self::Requirement(index) => kernel.requires[index].span,
        }
    }

    /// Returns the text for a label at its place.
    pub fn text(self, kernel: &Kernel) -> String {
        match self {
            Self::Guard(_, true) => "this condition holds".into(),
            Self::Guard(_, false) => "this condition is false".into(),
            Self::Loop(_) => "the loop ends there".into(),
            Self::Check(_) => "this was checked before".into(),
            Self::Operation(_) => "what this yields is bounded".into(),
            Self::Requirement(index) => {
                format!("every launch fulfils `{}`", kernel.requires[index].text)
            }
        }
    }
}

/// Returns the verdict on each check of `kernel`, which is verified, in the order of the body.
pub fn analyze(kernel: &Kernel) -> Vec<Check> {
    CheckAnalyzer::new(kernel, UnprovedChecks::Explain).analyze_kernel()
}

/// Returns the checks that cannot fail.
pub(crate) fn proved_checks(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut proved = kernel.insts.facts(false);
    if has_checks(kernel) {
        for check in CheckAnalyzer::new(kernel, UnprovedChecks::Keep).analyze_kernel() {
            proved[check.inst] = matches!(check.verdict, Verdict::Proved(_));
        }
    }
    proved
}

/// Returns conditions that launches can be expected to fulfil, under which fewer checks of `kernel`
/// can fail.
pub(crate) fn find_contract(kernel: &Kernel) -> Vec<Condition> {
    if !has_checks(kernel) {
        return Vec::new();
    }
    CheckAnalyzer::new(kernel, UnprovedChecks::Assume).find_contract()
}

/// Returns true if threads of `kernel` check something.
pub fn has_checks(kernel: &Kernel) -> bool {
    let is_check = |op: &Op| matches!(op, Op::Bounds { .. } | Op::Check { .. } | Op::Panic { .. });
    kernel.insts.iter().any(|(_, inst)| is_check(&inst.op))
}
