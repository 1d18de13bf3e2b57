//! The results of a launch.
use std::fmt;
use warpwise_compiler::{
    fault::Reason,
    ir::{Root, Span},
    message::MAX_VALUES,
    output::Printed,
};

/// The result of a launch; the default is that every thread ended without a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The lowest of the faults.
    pub fault: Option<FaultReport>,
    /// The reason why the launch ended before its threads did.
    pub stopped: Option<Stopped>,
    /// The printed records, ordered by their (block, thread) numbers, x fastest, and by time within
    /// a thread.
    pub printed: Vec<Printed>,
    /// The number of further records, for which there was no
    /// [room](warpwise_compiler::output::CAPACITY_BYTES).
    pub lost: u64,
}

/// A failed check or a panic. Of several, the one of the thread with the lowest (block, thread)
/// number, x fastest, for any number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// The failed check or the message.
    pub reason: Reason,
    /// The source position.
    pub span: Span,
    /// The index and the length, for an index out of bounds, or the values of a message; the others
    /// are 0.
    pub values: [u64; MAX_VALUES],
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
    /// Number of threads that faulted in the whole launch.
    pub count: u64,
}

/// The reason why a launch was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every thread of a block that has not ended waits for another.
    Deadlock {
        /// Index of the block; the lowest of those in a deadlock.
        block: [u32; 3],
        /// The waiting lanes.
        waiting: Vec<Waiting>,
    },
    /// Threads spin in loops, and everything that they depend on has returned to an earlier state:
    /// nothing will ever change.
    Livelock {
        /// Index of the block; the lowest of those with spinning threads.
        block: [u32; 3],
        /// The loops in which threads of this block spin.
        spinning: Vec<Spinning>,
        /// The lanes of this block that wait for others meanwhile.
        waiting: Vec<Waiting>,
        /// Number of blocks with spinning threads.
        blocks: u64,
    },
    /// Threads were still running after [`Launch::steps`](crate::Launch::steps) steps.
    StepBudget {
        /// The budget.
        steps: u64,
    },
    /// A watcher ended the launch.
    Halted {
        /// Index of the block.
        block: [u32; 3],
        /// The instruction.
        span: Span,
    },
    /// The launch does not fit the kernel, or the kernel breaks a rule that the
    /// verifier checks: a bug of the caller.
    Malformed {
        /// The broken rule.
        message: String,
        /// The instruction, if one breaks the rule.
        span: Option<Span>,
    },
}

/// Threads of a block that spin in a loop forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spinning {
    /// The source position of the loop.
    pub span: Span,
    /// The buffers that the loop reads and other threads may write, as far as they are known.
    pub reads: Vec<Root>,
    /// Number of threads.
    pub threads: u32,
    /// Index in the block of the lowest thread.
    pub thread: [u32; 3],
}

/// Lanes of one warp that wait at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The kind of the instruction.
    pub at: Meeting,
    /// Its source position.
    pub span: Span,
    /// Index of the warp in the block.
    pub warp: u32,
    /// The waiting lanes: bit l for lane l.
    pub lanes: u32,
    /// The lanes of the warp that have not arrived.
    pub missing: u32,
}

/// An instruction at which threads wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// `sync_threads` and its reductions.
    Barrier,
    /// `named_barrier::sync` and `named_barrier::arrive`.
    NamedBarrier,
    /// A product of a warpgroup.
    Warpgroup,
    /// `MBarrier::wait` and `MBarrier::wait_parity`.
    MBarrier,
    /// `grid::sync`
    Grid,
    /// `cluster::sync`
    Cluster,
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
    /// A product of matrices.
    Mma,
    /// A distribution of rows of matrices.
    DistributeRows,
}

impl Meeting {
    /// Returns its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "block barrier",
            Self::NamedBarrier => "named barrier",
            Self::Warpgroup => "warpgroup product",
            Self::MBarrier => "mbarrier",
            Self::Grid => "grid barrier",
            Self::Cluster => "cluster barrier",
            Self::SyncWarp => "warp barrier",
            Self::Shuffle => "shuffle",
            Self::Vote => "vote",
            Self::Match => "match",
            Self::Reduce => "reduction",
            Self::Mma => "matrix product",
            Self::DistributeRows => "matrix load",
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
