//! What a launch came to.
use std::fmt;
use warpwise_compiler::{
    fault::Reason,
    ir::{Root, Span},
    message::MAX_VALUES,
    output::Printed,
};

/// What a launch came to; the default is that every thread ended well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of the threads that faulted, the lowest.
    pub fault: Option<FaultReport>,
    /// Why the launch ended before its threads did.
    pub stopped: Option<Stopped>,
    /// What threads printed: in the order of their (block, thread) numbers, x fastest, and each
    /// thread's in its own.
    pub printed: Vec<Printed>,
    /// How much more they printed than there is [room](warpwise_compiler::output::ROOM) for.
    pub lost: u64,
}

/// A failed check or a panic. Of several, that of the thread with the lowest (block,
/// thread) number, x fastest, however many workers ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// What is wrong.
    pub reason: Reason,
    /// Where in the source.
    pub span: Span,
    /// Index and length, for an index out of bounds, or a message's values; the others are 0.
    pub values: [u64; MAX_VALUES],
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
    /// How many threads faulted in the whole launch.
    pub count: u64,
}

/// Why a launch was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every thread of a block that has not ended waits for another.
    Deadlock {
        /// Index of the block; the lowest of those that deadlocked.
        block: [u32; 3],
        /// Who waits where.
        waiting: Vec<Waiting>,
    },
    /// Threads go round loops, and all that they depend on is as it was before: nothing will ever change.
    Livelock {
        /// Index of the block; the lowest of those whose threads do.
        block: [u32; 3],
        /// Which loops those of this block go round.
        spinning: Vec<Spinning>,
        /// Who of this block waits for others meanwhile.
        waiting: Vec<Waiting>,
        /// How many blocks do.
        blocks: u64,
    },
    /// [`Launch::steps`](crate::Launch::steps) were done and threads were still running.
    StepBudget {
        /// The budget.
        steps: u64,
    },
    /// Somebody who looked on wanted it to end.
    Halted {
        /// Index of the block.
        block: [u32; 3],
        /// At which instruction.
        span: Span,
    },
    /// The launch does not fit the kernel, or the kernel breaks a rule that the
    /// verifier checks: a bug of the caller.
    Malformed {
        /// What is wrong.
        message: String,
        /// At which instruction, if it is one.
        span: Option<Span>,
    },
}

/// Threads of a block that go round a loop forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spinning {
    /// Where the loop is in the source.
    pub span: Span,
    /// What it reads that other threads may write, as far as that is known.
    pub reads: Vec<Root>,
    /// How many threads.
    pub threads: u32,
    /// Index in the block of the lowest.
    pub thread: [u32; 3],
}

/// Lanes of one warp that wait at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What they wait at.
    pub at: Meeting,
    /// Where in the source.
    pub span: Span,
    /// Index of the warp in the block.
    pub warp: u32,
    /// Who waits: bit l for lane l.
    pub lanes: u32,
    /// Who of this warp has not come yet.
    pub missing: u32,
}

/// Where threads wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// `sync_threads` and its reductions.
    Barrier,
    /// `grid::sync`
    Grid,
    /// `sync_warp`
    SyncWarp,
    /// A shuffle.
    Shuffle,
    /// A vote.
    Vote,
    /// A search for equal values.
    Match,
    /// A reduction.
    Reduce,
}

impl Meeting {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "block barrier",
            Self::Grid => "grid barrier",
            Self::SyncWarp => "warp barrier",
            Self::Shuffle => "shuffle",
            Self::Vote => "vote",
            Self::Match => "match",
            Self::Reduce => "reduction",
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadlock { block: [x, y, z], waiting } => {
                write!(f, "deadlock in block ({x}, {y}, {z})")?;
                let mut separator = ':';
                for waiting in waiting {
                    write!(f, "{separator} {waiting}")?;
                    separator = ';';
                }
                Ok(())
            }
            Self::Livelock { block: [x, y, z], spinning, waiting, blocks } => {
                write!(f, "livelock in block ({x}, {y}, {z})")?;
                if *blocks > 1 {
                    write!(f, " and {} more", blocks - 1)?;
                }
                let mut separator = ':';
                for Spinning { span, threads, thread: [x, y, z], .. } in spinning {
                    write!(
                        f,
                        "{separator} {threads} threads, ({x}, {y}, {z}) the first, go round {span}"
                    )?;
                    separator = ';';
                }
                waiting.iter().try_for_each(|waiting| write!(f, "; {waiting}"))
            }
            Self::StepBudget { steps } => {
                write!(f, "threads were still running after {steps} steps")
            }
            Self::Halted { block: [x, y, z], span } => {
                write!(f, "ended by who looked on, in block ({x}, {y}, {z}) ({span})")
            }
            Self::Malformed { message, .. } => write!(f, "malformed launch: {message}"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, span, warp, lanes, missing } = self;
        write!(f, "lanes {lanes:#010x} of warp {warp} wait at a {} ({span})", at.name())?;
        if *missing != 0 {
            write!(f, " without lanes {missing:#010x}")?;
        }
        Ok(())
    }
}
