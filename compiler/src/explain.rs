//! What is known of every branch, barrier, access and check of a kernel: proved good, proved bad, or that it
//! cannot be told, and why.
//!
//! Lints decide what is bad: a verdict is *proved bad* where one of them reports it, and nowhere else ([`settle`]). What
//! they are silent about is *proved good* or not by the facts that they read.
mod access;
mod array;
mod check;
mod control;
mod race;
mod settle;

use crate::{
    analysis::Analyses,
    ir::{Kernel, Span},
    lint::why,
};

/// What is known of one thing in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Where it is.
    pub span: Span,
    /// What kind of thing it is.
    pub subject: Subject,
    /// What it is, as a noun: `branch`, `bounds check`.
    pub what: String,
    /// What is known.
    pub answer: Answer,
    /// The fact, or what is missing for one.
    pub why: String,
    /// Other places, from the effect to its cause.
    pub labels: Vec<(Span, String)>,
    /// What would make it good, or prove that it is.
    pub help: Option<String>,
    /// The lint that reports it, if one does.
    pub lint: Option<&'static str>,
    /// True of a branch over so little that it may run under a predicate.
    pub is_short: bool,
}

/// What a verdict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// An `if`, a `match`, or a loop: whether the threads of a warp stay together.
    Branch,
    /// A barrier of the block or the grid: whether every thread gets there.
    Barrier,
    /// Where the lanes of a warp meet: whether those that must come do.
    Meeting,
    /// An access to shared or global memory: what it costs, beside what it must. One to an array of a thread's own: whether
    /// that is in registers.
    Access,
    /// A buffer or shared array that is written: whether two threads access the same bytes at one time.
    Race,
    /// A check, such as that of an index: whether it can fail. One that cannot costs nothing.
    Check,
    /// An element of shared memory: whether it is written before it is read, and read at all.
    Contents,
    /// The block: whether it can be launched, and how much of a multiprocessor it uses.
    Launch,
}

/// What is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It is good.
    Good,
    /// It is bad.
    Bad,
    /// Neither is proved.
    Unknown,
}

impl Subject {
    /// Its name.
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
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Unknown => "unknown",
        }
    }
}

/// A verdict from facts alone, before lints have been asked.
struct Known {
    verdict: Verdict,
    /// The places at which lints report the same thing.
    places: Vec<Span>,
}

/// Everything that is known of `kernel`, which is verified and may be generic.
pub fn verdicts(kernel: &Kernel) -> Vec<Verdict> {
    let analyses = Analyses::for_kernel(kernel);
    let mut known = Vec::new();
    kernel.walk(&mut |id| known.extend(control::verdict(kernel, &analyses, id)));
    known.extend(access::verdicts(kernel, &analyses));
    known.extend(array::verdicts(kernel));
    known.extend(race::verdicts(kernel, &analyses));
    known.extend(check::verdicts(kernel));
    settle::settle(kernel, &analyses, known)
}

/// What the verdicts about `kernel` take for granted of its blocks, if it does not say itself how many threads they
/// have.
pub fn assumption(kernel: &Kernel) -> Option<String> {
    why::assumed(&Analyses::for_kernel(kernel).trace.shape).pop()
}
