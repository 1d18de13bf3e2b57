//! What the threads of one block do, step after step, as far as the kernel alone tells.
//!
//! The analysis runs one block of the kernel symbolically: all threads at once, each value as a
//! [`Value`], a sum of block-uniform *symbols* (parameters, block indices, iteration numbers, loaded data)
//! with a known integer factor for each thread. Nothing else is needed to know what a warp asks of memory:
//! the differences between lanes are numbers, even where the base is not.
//!
//! ```text
//! tid / 32            known: 0 in 32 threads, 1 in the next 32, ...
//! row * n + col       n * (tid / 16) + tid % 16: with a factor of `n` for each thread, and a number
//! block * 256 + tid   256 * (symbol block_idx.x) + (0, 1, .., 255)
//! x[i]                data: not known, not even whether two threads have the same
//! ```
//!
//! The run yields [`Event`]s: accesses to memory, branches, barriers, meetings of warps, in the order in which
//! they happen, each with the threads that are active and with the interval between barriers it falls into. A
//! loop whose condition is known runs as often as the kernel would run it, within [`MOST_STEPS`]; of any other,
//! two iterations are run, one after the other, for symbolic iteration numbers, so that what the end of one and the
//! beginning of the next do to each other can be seen. What a loop may have changed by then is not known.
//!
//! One instruction can therefore have several events; a verdict about it is one about all of them.
//!
//! **What may be asked.**
//!
//! - [`Trace::events`], [`Trace::of`]: what happens, and what one instruction does each time.
//! - [`Trace::is_uniform`]: whether an instruction yields the same in each warp or block; [`Trace::branch`]: what
//!   the condition of an `if` or loop does, at its worst.
//! - [`Value::difference`]: how far the addresses of two threads are apart; [`Value::at`]: the number in a thread;
//!   [`Value::is_same`]: whether threads agree, whatever the symbols are.
//! - [`Event::interval`] and [`Event::since`]: whether a barrier is between two events; [`Event::arms`]: whether
//!   they exclude each other.
//! - [`Trace::text`]: an event as text, as `tests/filetests/trace` has it.
//!
//! **What is taken for granted.** A thread that fails a check, or panics, is not missed: the launch is an error by
//! then. Shuffles read lanes that take part. An offset that is [`Access::assumed`] rests on
//! more: that sums and products which fit their type in small launches always do. No verdict that must be
//! right may rest on one.
mod arith;
mod bits;
mod bounds;
mod change;
mod checkpoint;
mod compare;
mod compute;
mod contracts;
mod control;
mod factors;
mod given;
mod known;
mod locals;
mod loops;
mod memory;
mod merge;
mod print;
mod rounds;
mod rows;
mod run;
mod shape;
mod strides;
mod tables;
mod threads;
mod truth;
mod value;
mod votes;

use crate::{
    analysis::{
        range::{self, Range, Ranges},
        uniformity::{self, Group, Uniformity},
    },
    id::{Facts, Lists},
    ir::{InstId, Kernel, Root},
};
pub use factors::{Affine, Factors};
pub use rows::Rows;
use run::Run;
pub use shape::Shape;
pub use threads::Threads;
use truth::Spread;
pub use value::{Monomial, Term, Value};

crate::id!(/** A number that is the same in a whole block or warp, and not known. */ SymbolId, "s");

/// How many instructions are run, over all iterations. What is behind is not in the trace.
pub const MOST_STEPS: usize = 20_000;

/// A block of more threads is not run: nobody can launch it.
const MOST_THREADS: usize = 1024;

/// What one block of a kernel does.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The block that was run.
    pub shape: Shape,
    /// What values are made of.
    pub symbols: crate::id::Table<SymbolId, Symbol>,
    /// What happens, in order.
    pub events: Vec<Event>,
    /// False if [`MOST_STEPS`] were not enough, or the block is larger than any: something may be missing.
    pub complete: bool,
    /// How far what an instruction yields is the same, in all iterations that were run; `None` if it never was.
    spread: Facts<InstId, Option<Spread>>,
    /// The events of each instruction, by number.
    numbers: Lists<InstId, usize>,
    /// The trip counts of loops that are not run as often as the kernel would, as far as they are known.
    trips: Vec<(SymbolId, i64)>,
    /// Of a `for` and of the condition of a `while`: see [`Trace::is_strided`]. `None` if no thread reaches it.
    strided: Facts<InstId, Option<bool>>,
    /// See [`Trace::long_visits`]; `None` of a visit that is not known.
    visits: Lists<InstId, Option<(Active, Vec<u32>)>>,
}

/// A number that is the same in a whole block, or at least in each warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The instruction whose value it is.
    pub of: InstId,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Which threads are known to have the same number: those of a block, or those of each warp.
    pub group: Group,
    /// Between which limits it lies.
    pub range: Range,
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Given by the launch: a scalar parameter, a length, a dimension of the grid, a generic constant.
    Launch,
    /// A block's index: differs between blocks.
    BlockIdx,
    /// The number of an iteration of the loop `of`, from 0. Threads of different warps may be in different
    /// iterations at one time, unless a barrier in the loop keeps them together.
    Iteration,
    /// Something else that is computed or read from memory.
    Computed,
}

/// Something that happens.
#[derive(Clone, Debug)]
pub struct Event {
    /// The instruction.
    pub inst: InstId,
    /// Which threads take part.
    pub active: Active,
    /// How many barriers of the block come before, at most. Of two events with the same number, no barrier is
    /// between them.
    pub interval: u32,
    /// The first interval from which no barrier must have come since: where barriers stand in an `if` or in a
    /// loop that may not run, less than `interval`. A barrier is between this event and all earlier ones of an
    /// interval below.
    pub since: u32,
    /// The loops around it, the outermost first, each with the symbol of its iteration number; `None` where the loop
    /// is run as often as the kernel would.
    pub loops: Vec<(InstId, Option<SymbolId>)>,
    /// Of each of these, how many iterations have been run before this one since it was entered, here in the trace.
    pub rounds: Vec<u32>,
    /// The `if`s around it whose conditions are not known, the outermost first, and which arm it is in: `true` for
    /// `then`.
    pub arms: Vec<(InstId, bool)>,
    /// What happens.
    pub what: What,
}

/// Which threads run an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// No others.
    pub threads: Threads,
    /// Which of them.
    pub which: Which,
    /// The innermost `if` or loop whose condition decides it, where not all threads of the block are active.
    pub because: Option<InstId>,
    /// Whether none is missing but in blocks at an edge, whatever `which` says besides.
    edge: bool,
    /// True if a guard that is the same in every block, such as `thread_idx_x() < n`, may keep some of them out of
    /// each: a launch then decides which threads there are, and nothing proves that a given one is.
    pub cut: bool,
}

/// Which of some threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All of them, whenever the block comes here at all.
    All,
    /// All of them but in blocks at an edge: they stand behind a guard such as `i < n`. Unless they are
    /// [cut](Active::cut).
    Guarded,
    /// Some of them, by warps: of each warp all that are in the set, or none.
    Warps,
    /// Some of them.
    Some,
    /// At most one of them.
    One,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum What {
    /// Memory is accessed.
    Access(Access),
    /// An index is not below a length, which is a number: a check that ends these of the threads, in a
    /// `for` at the latest in its last iteration.
    OutOfBounds {
        /// The largest that the index is.
        index: Factors,
        /// True if it is only known to be at least that large, by what a launch passes.
        is_least: bool,
        /// The length.
        len: i64,
        /// The threads.
        threads: Threads,
    },
    /// Threads part at an `if`, or at the condition of a loop.
    Branch(Split),
    /// Threads end: a `return`.
    Return,
    /// The block waits.
    Barrier,
    /// The grid waits.
    SyncGrid,
    /// A warp waits, or exchanges values.
    Meeting {
        /// The mask, where one is given.
        mask: Option<Value>,
        /// Of a shuffle: the lane, distance or lane mask.
        lane: Option<Value>,
    },
    /// A fence.
    Fence,
}

/// What a condition does to the active threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// True in exactly these threads.
    Known(Threads),
    /// The same in the whole block; which is not known.
    Uniform,
    /// The same in each warp; which is not known.
    UniformInWarps,
    /// A guard: a number that grows by one from thread to thread is compared with a uniform one. All threads
    /// agree, but in one warp.
    Guard,
    /// True, or false, in at most one thread.
    AtMostOne,
    /// True, or false, in at most one thread of each warp.
    OnePerWarp,
    /// It depends on data, or on something else that is not known.
    Unknown,
}

/// An access to memory by the active threads.
#[derive(Clone, Debug)]
pub struct Access {
    /// The buffer or array, if it is known which.
    pub root: Option<Root>,
    /// What is done.
    pub kind: AccessKind,
    /// Bytes that each thread accesses; 0 if they are of a type that is not known yet.
    pub bytes: u32,
    /// How many bytes behind the beginning of the buffer or array; `None` if nothing is known of it.
    pub offset: Option<Value>,
    /// Whether the offset rests on an assumption: that no sum or product of integers wraps that does
    /// not in small launches.
    pub assumed: bool,
    /// How it lies in rows of a length that is not known, if a guard keeps it in its row.
    pub rows: Option<Box<Rows>>,
    /// Of an array of arrays the indices, the outermost first; empty of any other, and where one is not known.
    pub indices: Vec<Dimension>,
}

/// An index of an array of arrays. Two accesses whose indices differ along a dimension are apart, whatever the sums
/// are that their offsets come to: a thread whose index is not below the dimension's length does not get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The index.
    pub index: Value,
    /// Bytes from one index to the next.
    pub stride: u64,
}

/// What an access does.
#[derive(Clone, Debug)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes; `None` if nothing is known of what.
    Store(Option<Value>),
    /// Reads or writes atomically.
    Atomic,
}

/// Runs one block of `kernel`, which may be generic, in the shape that it declares or, without a declaration, in
/// the one that [`Shape::of`] assumes.
pub fn analyze(kernel: &Kernel) -> Trace {
    analyze_in(kernel, &uniformity::analyze(kernel), &range::analyze(kernel), Shape::of(kernel))
}

/// The same for a kernel whose `uniformity` and `ranges` are known, in any shape.
pub fn analyze_in(
    kernel: &Kernel,
    uniformity: &Uniformity,
    ranges: &Ranges,
    shape: Shape,
) -> Trace {
    if !(1..=MOST_THREADS).contains(&shape.threads()) {
        let spread = kernel.insts.facts(Some(Spread::Thread));
        let (symbols, events) = (crate::id::Table::new(), Vec::new());
        let (numbers, visits) = (kernel.insts.lists(), kernel.insts.lists());
        let (strided, trips) = (kernel.insts.facts(None), Vec::new());
        return Trace {
            shape,
            symbols,
            events,
            complete: false,
            spread,
            numbers,
            trips,
            strided,
            visits,
        };
    }
    Run::new(kernel, uniformity, ranges, shape).run()
}

impl Trace {
    /// Whether `inst` yields the same in all active threads of each block, or of each warp, whenever it runs. True
    /// if it never does, and of what yields nothing.
    pub fn is_uniform(&self, inst: InstId, group: Group) -> bool {
        if !self.complete {
            return false;
        }
        let most = match group {
            Group::Warp => Spread::Warp,
            Group::Block => Spread::Block,
        };
        self.spread[inst].is_none_or(|spread| spread <= most)
    }

    /// What the condition of `inst`, an `if` or a loop, does to the threads that come to it, at its worst; `None` if
    /// none ever do.
    pub fn branch(&self, inst: InstId) -> Option<&Split> {
        let splits = self.of(inst).filter_map(|event| match &event.what {
            What::Branch(split) => Some((split.badness(&event.active.threads), split)),
            What::Access(_)
            | What::OutOfBounds { .. }
            | What::Return
            | What::Barrier
            | What::SyncGrid
            | What::Meeting { .. }
            | What::Fence => None,
        });
        splits.max_by_key(|(badness, _)| *badness).map(|(_, split)| split)
    }

    /// Returns the least that the product of `symbols` is; `None` if one of them may be negative.
    pub fn least_product(&self, symbols: &[SymbolId]) -> Option<i128> {
        symbols.iter().try_fold(1_i128, |product, &of| {
            let least = self.symbols[of].range.min;
            product.checked_mul(least).filter(|_| least >= 0)
        })
    }

    /// Returns the limits between which the product of `symbols` lies; `None` if they are too far apart to compute.
    fn product_range(&self, symbols: &[SymbolId]) -> Option<Range> {
        let one = Range::new(1, 1);
        symbols.iter().try_fold(one, |product, &of| product.times(self.symbols[of].range))
    }

    /// Returns the trip count of the loop whose iterations `iteration` numbers, if every thread that enters the loop
    /// runs exactly so many.
    pub fn trip_count(&self, iteration: SymbolId) -> Option<i64> {
        self.trips.iter().find(|(symbol, _)| *symbol == iteration).map(|&(_, trips)| trips)
    }

    /// True if the lanes of a warp leave `inst`, a `for` or the condition of a `while`, after the same number of
    /// iterations, or one fewer: they start at most one step apart, and have the same step and end. What else leaves
    /// the loop is not counted.
    pub fn is_strided(&self, inst: InstId) -> bool {
        self.complete && self.strided[inst] == Some(true)
    }

    /// The visits to `inst`, a `for` that is too long to be run: the threads that reach it, and the trip count of each
    /// thread of the block. Empty if any of them is not known.
    pub fn long_visits(&self, inst: InstId) -> impl Iterator<Item = &(Active, Vec<u32>)> {
        let visits = &self.visits[inst];
        let known = self.complete && visits.iter().all(Option::is_some);
        visits.iter().flatten().filter(move |_| known)
    }

    /// The events of `inst`, in order.
    pub fn of(&self, inst: InstId) -> impl Iterator<Item = &Event> {
        self.numbers[inst].iter().map(|&number| &self.events[number])
    }
}

impl Split {
    /// How many warps of `active` threads may part here, and how certainly; the more the higher.
    fn badness(&self, active: &Threads) -> (u32, usize) {
        match self {
            Self::Uniform => (0, 0),
            Self::UniformInWarps => (1, 0),
            Self::Known(yes) => {
                let parts = |&warp: &usize| {
                    let taken = yes.warp(warp) & active.warp(warp);
                    taken != 0 && taken != active.warp(warp)
                };
                match (0..active.warps()).filter(parts).count() {
                    0 if !yes.meets(active) || active.is_in(yes) => (0, 0),
                    0 => (1, 0),
                    warps => (4, warps),
                }
            }
            Self::AtMostOne => (2, 0),
            Self::Guard => (3, 0),
            Self::OnePerWarp => (4, 0),
            Self::Unknown => (5, 0),
        }
    }
}
