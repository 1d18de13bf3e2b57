//! What is known of every branch, barrier, access and check of a kernel: proved good, proved bad, or that it
//! cannot be told, and why.
//!
//! Lints speak only of what is proved bad. This speaks of everything, from the same facts.
mod access;
mod array;
mod check;
mod control;
mod race;

use crate::{
    analysis::{Analyses, trace::Shape},
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

/// Everything that is known of `kernel`, which is verified and may be generic.
pub fn verdicts(kernel: &Kernel) -> Vec<Verdict> {
    let analyses = Analyses::of(kernel);
    let mut verdicts = Vec::new();
    kernel.walk(&mut |id| verdicts.extend(control::verdict(kernel, &analyses, id)));
    verdicts.extend(access::verdicts(kernel, &analyses));
    verdicts.extend(array::verdicts(kernel));
    verdicts.extend(race::verdicts(kernel, &analyses));
    verdicts.extend(check::verdicts(kernel));
    verdicts
}

/// What the verdicts about `kernel` take for granted of its blocks, if it does not say itself how many threads they
/// have.
pub fn assumption(kernel: &Kernel) -> Option<String> {
    why::assumed(&Shape::of(kernel)).pop()
}
