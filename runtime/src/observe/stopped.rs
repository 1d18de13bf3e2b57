//! The reasons for which the interpreter stops a launch, as messages and as data.
//!
//! ```
//! use std::sync::atomic::Ordering;
//! use warpwise::{Error, prelude::*, stopped::Stopped};
//!
//! /// Waits for a flag that nobody sets.
//! #[kernel]
//! fn wait(flag: &[AtomicU32]) {
//!     while flag[0].load(Ordering::Acquire) == 0 {}
//! }
//!
//! let device = Device::cpu();
//! let flag = device.zeros::<u32>(1)?.into_atomic();
//! let error = wait::launch(&device, LaunchConfig::grid(1).block(32), &flag).unwrap_err();
//! let Error::Stopped { reason, .. } = error else { panic!("{error}") };
//! let Stopped::Livelock { spinning, .. } = *reason else { panic!("{reason}") };
//! assert_eq!((spinning[0].threads, &spinning[0].reads[..]), (32, &["flag".to_owned()][..]));
//! # Ok::<(), Error>(())
//! ```
pub use crate::{check::Meeting, launch::source::Place};

use crate::launch::source::Source;
use std::fmt;
use warpwise_compiler::{
    id::Id,
    ir::{Kernel, Root},
};

/// The reason for which the interpreter stopped a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stopped {
    /// Every thread of a block that has not ended waits for another.
    Deadlock {
        /// Index of the block; the lowest of those that deadlocked.
        block: [u32; 3],
        /// The lanes that wait, warp by warp.
        waiting: Vec<Waiting>,
    },
    /// A livelock: threads spin in loops, and the state is that of an earlier time, so that nothing
    /// will ever change.
    Livelock {
        /// Index of the block; the lowest of those whose threads spin.
        block: [u32; 3],
        /// The number of such blocks.
        blocks: u64,
        /// The loops of this block.
        spinning: Vec<Spinning>,
        /// The lanes of this block that wait for others at the same time.
        waiting: Vec<Waiting>,
    },
    /// The step budget was spent and threads were still running.
    StepBudget {
        /// The budget.
        steps: u64,
        /// True if no budget was set: launches that are checked or traced have a default one.
        is_default: bool,
    },
    /// A breakpoint ended it.
    Breakpoint {
        /// Index of the block.
        block: [u32; 3],
        /// The place in the source.
        place: Place,
    },
    /// The launch does not fit the kernel; generated code never passes such.
    Malformed {
        /// The message.
        message: String,
    },
}

/// Lanes of one warp that wait at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// The operation that they wait at.
    pub at: Meeting,
    /// The place in the source.
    pub place: Place,
    /// Index of the warp in the block.
    pub warp: u32,
    /// The lanes that wait: bit l for lane l.
    pub lanes: u32,
    /// The lanes of this warp that have not arrived.
    pub missing: u32,
}

/// Threads of a block that spin in a loop forever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spinning {
    /// The place of the loop in the source.
    pub place: Place,
    /// Names of the buffers and arrays that the loop reads and other threads may write, as far as
    /// that is known.
    pub reads: Vec<String>,
    /// The number of threads.
    pub threads: u32,
    /// Index in the block of the lowest.
    pub thread: [u32; 3],
}

impl Stopped {
    /// Translates the reason of the interpreter for a launch of `kernel`.
    pub(crate) fn new(
        source: &Source,
        kernel: &Kernel,
        stopped: warpwise_simt::Stopped,
        has_budget: bool,
    ) -> Self {
        use warpwise_simt::Stopped as From;
        let waiting = |all: Vec<warpwise_simt::Waiting>| {
            all.into_iter().map(|waiting| Waiting::new(source, waiting)).collect()
        };
        match stopped {
            From::Deadlock { block, waiting: all } => {
                Self::Deadlock { block, waiting: waiting(all) }
            }
            From::Livelock { block, spinning, waiting: all, blocks } => {
                let spinning = spinning.iter().map(|one| Spinning::new(source, kernel, one));
                Self::Livelock {
                    block,
                    blocks,
                    spinning: spinning.collect(),
                    waiting: waiting(all),
                }
            }
            From::StepBudget { steps } => Self::StepBudget { steps, is_default: !has_budget },
            From::Halted { block, span } => {
                Self::Breakpoint { block, place: source.place(span.index()) }
            }
            From::Malformed { message, .. } => Self::Malformed { message },
        }
    }
}

impl Waiting {
    fn new(source: &Source, waiting: warpwise_simt::Waiting) -> Self {
        let warpwise_simt::Waiting { at, span, warp, lanes, missing } = waiting;
        Self { at, place: source.place(span.index()), warp, lanes, missing }
    }
}

impl Spinning {
    fn new(source: &Source, kernel: &Kernel, spinning: &warpwise_simt::Spinning) -> Self {
        let warpwise_simt::Spinning { span, reads, threads, thread } = spinning;
        let name = |root: &Root| match root {
            Root::Param(param) => kernel.params[*param].name.clone(),
            Root::Shared(shared) => kernel.shared[*shared].name.clone(),
            Root::Array(array) => kernel.arrays[*array].name.clone(),
        };
        Self {
            place: source.place(span.index()),
            reads: reads.iter().map(name).collect(),
            threads: *threads,
            thread: *thread,
        }
    }
}

/// One line, as `deadlock in block (0, 0, 0): lanes ..`.
impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = ": ";
        let mut part = |f: &mut fmt::Formatter<'_>, part: &dyn fmt::Display| {
            write!(f, "{separator}{part}")?;
            separator = "; ";
            Ok(())
        };
        match self {
            Self::Deadlock { block: [x, y, z], waiting } => {
                write!(f, "deadlock in block ({x}, {y}, {z})")?;
                waiting.iter().try_for_each(|waiting| part(f, waiting))
            }
            Self::Livelock { block: [x, y, z], blocks, spinning, waiting } => {
                write!(f, "livelock in block ({x}, {y}, {z})")?;
                if *blocks > 1 {
                    write!(f, " and {} more", blocks - 1)?;
                }
                spinning.iter().try_for_each(|spinning| part(f, spinning))?;
                waiting.iter().try_for_each(|waiting| part(f, waiting))
            }
            Self::StepBudget { steps, is_default } => {
                write!(f, "threads were still running after {steps} steps")?;
                if *is_default {
                    f.write_str(
                        ", which launches that are checked or traced have; `Simulator::step_budget` gives them \
                         another",
                    )?;
                }
                Ok(())
            }
            Self::Breakpoint { block: [x, y, z], place } => {
                write!(f, "a breakpoint ended it at {place}, in block ({x}, {y}, {z})")
            }
            Self::Malformed { message } => write!(f, "malformed launch: {message}"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, place, warp, lanes, missing } = self;
        write!(f, "lanes {lanes:#010x} of warp {warp} wait at a {} ({place})", at.name())?;
        if *missing != 0 { write!(f, " without lanes {missing:#010x}") } else { Ok(()) }
    }
}

impl fmt::Display for Spinning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, reads, threads, thread: [x, y, z] } = self;
        match threads {
            1 => write!(f, "thread ({x}, {y}, {z}) goes")?,
            threads => write!(f, "{threads} threads, ({x}, {y}, {z}) the first, go")?,
        }
        write!(f, " round the loop at {place} forever, ")?;
        if reads.is_empty() {
            return f.write_str("nothing of which depends on other threads");
        }
        let reads: Vec<_> = reads.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "which reads {}, and nobody is left who could change that", reads.join(" and "))
    }
}
