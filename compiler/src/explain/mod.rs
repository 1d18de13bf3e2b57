//! Verdicts on every branch, barrier, access and check of a kernel: proved good, proved bad, or
//! unknown, with the reason.
//!
//! Lints decide what is bad: a verdict is *proved bad* if one of them reports it, and only then
//! ([`reconcile`]). Everything else is *proved good* or unknown by the facts that the lints read.
mod access;
mod array;
mod check;
mod control;
mod race;
mod reconcile;

use crate::{
    analysis::Analyses,
    ir::{Kernel, Span},
    lint::wording,
};

/// A verdict on one thing in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The place in the source.
    pub span: Span,
    /// The subject.
    pub subject: Subject,
    /// The noun for the thing: `branch`, `bounds check`.
    pub what: String,
    /// The answer.
    pub answer: Answer,
    /// The fact, or the missing one.
    pub why: String,
    /// Places that explain the fact, from the effect to its cause.
    pub labels: Vec<(Span, String)>,
    /// A change that would make it good, or prove that it is.
    pub help: Option<String>,
    /// The lint that reports it, if one does.
    pub lint: Option<&'static str>,
}

/// The subject of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// An `if`, a `match`, or a loop: good if the threads of a warp do not diverge.
    Branch,
    /// A barrier of the block or the grid: good if every thread reaches it.
    Barrier,
    /// A synchronization of a warp's lanes: good if exactly the named lanes reach it.
    Meeting,
    /// An access to shared or global memory: good if it costs the ideal. An access to an array of a
    /// thread's own: good if the array is in registers.
    Access,
    /// A buffer or shared array that is written: good if no two threads access the same bytes at
    /// one time.
    Race,
    /// A check, such as that of an index: good if it cannot fail, and so costs nothing.
    Check,
    /// An element of shared memory: good if it is written before it is read, and read at all.
    Contents,
    /// The block: good if it can be launched, and uses much of a multiprocessor.
    Launch,
}

/// The answer of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// Proved good.
    Good,
    /// Proved bad.
    Bad,
    /// Neither is proved.
    Unknown,
}

impl Subject {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Barrier => "barrier",
            Self::Meeting => "meeting",
            Self::Access => "access",
            Self::Race => "race",
            Self::Check => "check",
            Self::Contents => "contents",
            Self::Launch => "launch",
        }
    }
}

impl Answer {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Unknown => "unknown",
        }
    }
}

/// A verdict from facts alone, before the lints are consulted.
struct FactVerdict {
    verdict: Verdict,
    /// The places at which lints report the same thing.
    places: Vec<Span>,
}

/// Returns the verdicts on `kernel`, which is verified and may be generic.
pub fn verdicts(kernel: &Kernel) -> Vec<Verdict> {
    let analyses = Analyses::for_kernel(kernel);
    let mut known = Vec::new();
    kernel.walk(&mut |id| known.extend(control::verdict(kernel, &analyses, id)));
    known.extend(access::verdicts(kernel, &analyses));
    known.extend(array::verdicts(kernel));
    known.extend(race::verdicts(kernel, &analyses));
    known.extend(check::verdicts(kernel));
    reconcile::merge_findings(kernel, &analyses, known)
}

/// Returns the assumption about blocks that the verdicts about `kernel` rest on, if it does not
/// declare its block.
pub fn assumption(kernel: &Kernel) -> Option<String> {
    wording::assumption_notes(&Analyses::for_kernel(kernel).trace.shape).pop()
}
