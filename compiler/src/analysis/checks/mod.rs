//! Proofs of checks: those of a kernel that cannot fail, with the reason, and of the others the missing fact.
//!
//! [`analyze`] goes through a kernel as it is. [`checks::of`](crate::checks::of) is for those who
//! want to know what becomes of the checks that the front end made: each with its place in the
//! source, and whether the optimizer drops it.
//!
//! A check is an [`Op::Bounds`], an [`Op::Check`], or an [`Op::If`] that does nothing but [panic](Op::Panic) on one
//! side: of a part of a slice, of an assertion. What proves it are *numbers* (types,
//! declared blocks, what the launcher allows: see [`range`](super::range)) and *relations*: conditions around it,
//! loops, checks before it, and what the kernel [requires](crate::ir::Requirement) of its launches.
//! Relations are between sums of products of what is known, in exact numbers, so a value that may wrap
//! takes part as itself and never as what it is made of. [`prove`] adds such relations up, [`cases`] looks at values that
//! depend on the way on which control came, case by case. A [`Verdict::Proved`] names the relations that were needed,
//! each with its place ([`Cause::span`]) and a text; one without any is proved by numbers alone.
//! A [`Verdict::Stays`] says what is not known and what would prove it.
//!
//! ```
//! use warpwise_compiler::{analysis::checks, ir::Kernel};
//!
//! let kernel: Kernel = "kernel first {
//!     param arg0 = x: read [f32]
//!     requires \"x.len() >= 2\" ge(len arg0, const 2 : u64)
//!     %0 = const 1 : u64
//!     %1 = len arg0 : u64
//!     %2 = bounds %0, %1 : u64
//!     %3 = const 2 : u64
//!     %4 = bounds %3, %1 : u64
//! }"
//! .parse()?;
//! let found = checks::analyze(&kernel);
//! assert!(matches!(found[0].verdict, checks::Verdict::Proved(_)));
//! let checks::Verdict::Stays(why) = &found[1].verdict else { panic!() };
//! assert_eq!(why.message, "nothing keeps `2` below `x.len()`");
//! assert_eq!(why.help, "add `if 2 < x.len()` or `#[kernel(requires(x.len() >= 3))]`");
//! # Ok::<(), warpwise_compiler::ir::ParseError>(())
//! ```
mod atom;
mod cases;
mod contract;
mod example;
mod facts;
mod form;
mod locals;
mod number;
mod prove;
mod relevant;
mod require;
mod simplex;
mod spell;
#[cfg(test)]
mod tests;
mod walk;

use crate::{
    id::Facts,
    ir::{Fault, InstId, Kernel, Op, Span},
};

/// A check, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The `bounds`, `check` or `if`.
    pub inst: InstId,
    /// The fault that ends the thread where it fails.
    pub what: What,
    /// Its place in the source.
    pub span: Span,
    /// The verdict on whether it can fail.
    pub verdict: Verdict,
}

/// The end of a thread where a check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// With a fault; never [`Fault::Panic`].
    Fault(Fault),
    /// With what Rust says of a part of a slice that is not there.
    Slice,
    /// With another message, as of an assertion.
    Panic,
}

/// The verdict on a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It cannot: the relations that say so, none if numbers alone do.
    Proved(Vec<Cause>),
    /// As far as is known it can.
    Stays(Unproved),
}

/// The missing fact about a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// The fact.
    pub message: String,
    /// The help: what would prove it.
    pub help: String,
}

/// A relation that a proof needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// This `bool` is true here, or false, for a branch.
    Guard(InstId, bool),
    /// The value of this `for` lies between its start and its end.
    Loop(InstId),
    /// This check stands before.
    Check(InstId),
    /// The result of this operation: a quotient, a remainder, the smaller of two.
    Operation(InstId),
    /// The requirement with this number.
    Requirement(usize),
}

impl Cause {
    /// Its place in the source.
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
    walk::Walk::new(kernel, true).run()
}

/// The checks that cannot fail.
pub(crate) fn proved(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut proved = kernel.insts.facts(false);
    let has_checks = |(_, inst): (_, &crate::ir::Inst)| {
        matches!(inst.op, Op::Bounds { .. } | Op::Check { .. } | Op::Panic { .. })
    };
    if kernel.insts.iter().any(has_checks) {
        for check in walk::Walk::new(kernel, false).run() {
            proved[check.inst] = matches!(check.verdict, Verdict::Proved(_));
        }
    }
    proved
}
