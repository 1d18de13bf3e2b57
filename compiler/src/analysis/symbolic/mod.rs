//! Symbolic execution of one block of a kernel, as far as the kernel alone determines it.
//!
//! All threads run at once. Each integer is a [`SymbolicSum`], a sum of block-uniform *symbols*
//! (parameters, block indices, iteration numbers, loaded data) with a known integer factor for each
//! thread. This suffices to know the memory requests of a warp: the differences between lanes are
//! numbers, even where the base is not.
//!
//! ```text
//! tid / 32            known: 0 in 32 threads, 1 in the next 32, ...
//! row * n + col       n * (tid / 16) + tid % 16: with a factor of `n` for each thread, and a number
//! block * 256 + tid   256 * (symbol block_idx.x) + (0, 1, .., 255)
//! x[i]                data: not known, not even whether two threads have the same
//! ```
//!
//! The result is a [`Trace`] of [`Event`]s: memory accesses, branches, barriers and warp
//! collectives in program order, each with the active threads and with its interval between
//! barriers. A loop with a known condition runs as often as the kernel would run it, within
//! [`MAX_STEPS`]. Any other loop runs for two consecutive iterations with symbolic iteration
//! numbers, so that conflicts between the end of one iteration and the beginning of the next are
//! visible. The contents of everything that such a loop may have changed are unknown.
//!
//! One instruction can therefore have several events, and a verdict on it must cover all of them.
//!
//! **Queries.**
//!
//! - [`Trace::events`], [`Trace::events_of`]: all events, or those of one instruction.
//! - [`Trace::is_uniform`]: true if an instruction yields the same value in each warp or block;
//!   [`Trace::worst_split`]: the worst split at the condition of an `if` or loop.
//! - [`SymbolicSum::difference`]: the distance of the addresses of two threads;
//!   [`SymbolicSum::number_in`]: the number in a thread; [`SymbolicSum::is_same`]: true if threads
//!   agree for all values of the symbols.
//! - [`Event::interval`] and [`Event::unordered_since`]: the barriers between two events;
//!   [`Event::arms`]: mutual exclusion.
//! - [`Trace::event_text`]: an event as text, as in `tests/filetests/trace`.
//!
//! **Assumptions.** A thread that fails a check, or panics, counts as present: the launch is an
//! error by then. Shuffles read lanes that take part. An offset that is [`Access::assumed`] rests
//! on more: that sums and products which fit their type in small launches always do. A verdict that
//! must be right may not rest on such an offset.
mod abstract_bool;
mod abstract_value;
mod arith;
mod bits;
mod bounds;
mod checkpoint;
mod compare;
mod concrete_loops;
mod contracts;
mod control;
mod eval;
mod executor;
mod inputs;
mod join;
mod locals;
mod loop_locals;
mod memory;
mod per_thread;
mod print;
mod rows;
mod shape;
mod strides;
mod symbolic_loops;
mod symbolic_sum;
mod tables;
mod threads;
mod votes;

use crate::{
    analysis::{
        range::{self, Range, Ranges},
        uniformity::{self, Group, Uniformity},
    },
    id::{Facts, Lists},
    ir::{InstId, Kernel, Root},
};
use abstract_bool::Spread;
use executor::Executor;
pub use per_thread::{Affine, PerThread};
pub use rows::Rows;
pub use shape::Shape;
pub use symbolic_sum::{Monomial, SymbolicSum, Term};
pub use threads::ThreadSet;

crate::id!(/** A number that is the same in a whole block or warp, and not known. */ SymbolId, "s");

/// Maximum number of executed instructions, over all iterations. The trace lacks everything after
/// them.
pub const MAX_STEPS: usize = 20_000;

/// The largest block that a launch may have; larger ones are not executed.
const MAX_BLOCK_THREADS: usize = 1024;

/// The events of one block of a kernel.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The block's shape.
    pub shape: Shape,
    /// The symbols in values.
    pub symbols: crate::id::Table<SymbolId, Symbol>,
    /// The events, in order.
    pub events: Vec<Event>,
    /// False if [`MAX_STEPS`] was reached, or if the block is larger than any launchable one:
    /// events may be missing.
    pub complete: bool,
    /// The spread of each instruction's result over all executed iterations; `None` if it never
    /// ran.
    spread: Facts<InstId, Option<Spread>>,
    /// The indices of each instruction's events.
    event_indices: Lists<InstId, usize>,
    /// The known trip counts of loops that are not run concretely.
    trip_counts: Vec<(SymbolId, i64)>,
    /// Per `for` and per condition of a `while`: see [`Trace::is_strided`]. `None` if no thread
    /// reaches it.
    strided: Facts<InstId, Option<bool>>,
    /// See [`Trace::long_visits`]; `None` for a visit with unknown numbers.
    long_visits: Lists<InstId, Option<(ActiveThreads, Vec<u32>)>>,
}

/// An unknown number that is the same in a whole block, or at least in each warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The instruction that yields it.
    pub inst: InstId,
    /// Its origin.
    pub kind: SymbolKind,
    /// The threads known to share the number: those of a block, or those of each warp.
    pub group: Group,
    /// Its limits.
    pub range: Range,
}

/// The origin of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Given by the launch: a scalar parameter, a length, a dimension of the grid, a generic
    /// constant.
    Launch,
    /// A block's index: differs between blocks.
    BlockIdx,
    /// The number of an iteration of the loop `inst`, from 0. Threads of different warps may be in
    /// different iterations at the same time, unless a barrier in the loop keeps them together.
    Iteration,
    /// Any other result of a computation or load.
    Computed,
}

/// One execution of an instruction that matters outside of a thread.
#[derive(Clone, Debug)]
pub struct Event {
    /// The instruction.
    pub inst: InstId,
    /// The threads that take part.
    pub active: ActiveThreads,
    /// The number of preceding barriers of the block, at most. No barrier is between two events
    /// with the same number.
    pub interval: u32,
    /// The earliest interval from which on no barrier certainly precedes the event: less than
    /// `interval` after barriers in an `if` or in a loop that may not run. A barrier is between
    /// this event and all earlier events of an interval below.
    pub unordered_since: u32,
    /// The enclosing loops, outermost first, each with the symbol of its iteration number; `None`
    /// for a loop that is run concretely.
    pub loops: Vec<(InstId, Option<SymbolId>)>,
    /// Per enclosing loop, the iterations in the trace since the loop was entered.
    pub iterations: Vec<u32>,
    /// The enclosing `if`s with unknown conditions, outermost first, and the arm: `true` for
    /// `then`.
    pub arms: Vec<(InstId, bool)>,
    /// The kind of event, with its operands.
    pub kind: EventKind,
}

/// The threads that run an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveThreads {
    /// A superset of the active threads.
    pub threads: ThreadSet,
    /// The share of `threads` that is active.
    pub coverage: Coverage,
    /// The innermost `if` or loop whose condition decides the active threads, unless all threads of
    /// the block are active.
    pub cause: Option<InstId>,
    /// True if threads are missing only in blocks at an edge, whatever `coverage` says besides.
    full_except_at_edges: bool,
    /// True if a guard that is the same in every block, such as `thread_idx_x() < n`, may exclude
    /// some of them in each block. Then the launch decides which threads exist, and no particular
    /// thread is certain.
    pub launch_dependent: bool,
}

/// The share of a set of threads that is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of them, whenever the block gets here at all.
    All,
    /// All of them except in blocks at an edge: they passed a guard such as `i < n`. Unless they
    /// are [launch-dependent](ActiveThreads::launch_dependent).
    Guarded,
    /// Whole warps: of each warp, all threads in the set or none.
    Warps,
    /// Some of them.
    Some,
    /// At most one of them.
    One,
}

/// The kind of an event, with its operands.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// A memory access.
    Access(Access),
    /// An index that is not below a known length: the check ends these threads, in a `for` at the
    /// latest in its last iteration.
    OutOfBounds {
        /// The largest index of each thread.
        index: PerThread,
        /// True if `index` is a lower bound: what a launch passes may make it larger.
        is_least: bool,
        /// The length.
        len: i64,
        /// The failing threads.
        threads: ThreadSet,
    },
    /// The split of the active threads at an `if` or at the condition of a loop.
    Branch(Split),
    /// The end of threads at a `return`.
    Return,
    /// A barrier of the block.
    Barrier,
    /// A barrier of the grid or of a cluster. The order that the latter lacks, between clusters, is
    /// assumed.
    SyncGrid,
    /// A warp-wide barrier or exchange.
    WarpCollective {
        /// The mask, if the operation has one.
        mask: Option<SymbolicSum>,
        /// The lane, distance or lane mask of a shuffle.
        lane: Option<SymbolicSum>,
    },
    /// A memory fence.
    Fence,
    /// The end of a group of asynchronous copies.
    AsyncCommit,
    /// A wait for all but the last groups of asynchronous copies, of which so many may be pending.
    /// `None` if a generic parameter decides their number.
    AsyncWait(Option<u64>),
}

/// The effect of a condition on the active threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// True in exactly these threads.
    Known(ThreadSet),
    /// Unknown, and the same in the whole block.
    Uniform,
    /// Unknown, and the same in each warp.
    UniformInWarps,
    /// A guard: a number that grows by one from thread to thread is compared with a uniform one.
    /// Only in one warp do threads disagree.
    Guard,
    /// True, or false, in at most one thread.
    AtMostOne,
    /// True, or false, in at most one thread of each warp.
    OnePerWarp,
    /// Dependent on data, or on something else that is unknown.
    Unknown,
}

/// An access to memory by the active threads.
#[derive(Clone, Debug)]
pub struct Access {
    /// The buffer or array, if known.
    pub root: Option<Root>,
    /// The direction.
    pub kind: AccessKind,
    /// Bytes per thread; 0 if the type is not known yet.
    pub bytes: u32,
    /// The offset in bytes from the beginning of the buffer or array; `None` if nothing is known of
    /// it.
    pub offset: Option<SymbolicSum>,
    /// True if the offset rests on an assumption: that no sum or product of integers wraps that
    /// does not wrap in small launches.
    pub assumed: bool,
    /// The position in rows of an unknown length, if a guard keeps it in its row.
    pub rows: Option<Box<Rows>>,
    /// The indices in an array of arrays, outermost first; empty for any other object, and if an
    /// index is unknown.
    pub indices: Vec<Dimension>,
}

/// An index into an array of arrays. Two accesses whose indices differ along a dimension do not
/// overlap, whatever their offsets are: a thread whose index is not below the dimension's length
/// does not reach the access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The index.
    pub index: SymbolicSum,
    /// Bytes from one index to the next.
    pub stride: u64,
}

/// The direction of an access, with the stored value.
#[derive(Clone, Debug)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store, with its value if known.
    Store(Option<SymbolicSum>),
    /// An atomic operation.
    Atomic,
}

/// Executes one block of `kernel`, which may be generic, in the shape that it declares or, without
/// a declaration, in the one that [`Shape::for_kernel`] assumes.
pub fn analyze(kernel: &Kernel) -> Trace {
    analyze_in(
        kernel,
        &uniformity::analyze(kernel),
        &range::analyze(kernel),
        Shape::for_kernel(kernel),
    )
}

/// Executes one block in any shape, with the kernel's `uniformity` and `ranges`.
pub fn analyze_in(
    kernel: &Kernel,
    uniformity: &Uniformity,
    ranges: &Ranges,
    shape: Shape,
) -> Trace {
    if !(1..=MAX_BLOCK_THREADS).contains(&shape.thread_count()) {
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
            event_indices: numbers,
            trip_counts: trips,
            strided,
            long_visits: visits,
        };
    }
    Executor::new(kernel, uniformity, ranges, shape).run()
}

impl Trace {
    /// Returns true if `inst` yields the same value in all active threads of each block, or of each
    /// warp, whenever it runs; also if it never runs or yields nothing.
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

    /// Returns the worst split of the threads that reach the condition of `inst`, an `if` or a
    /// loop; `None` if no thread does.
    pub fn worst_split(&self, inst: InstId) -> Option<&Split> {
        let splits = self.events_of(inst).filter_map(|event| match &event.kind {
            EventKind::Branch(split) => Some((split.severity(&event.active.threads), split)),
            EventKind::Access(_)
            | EventKind::OutOfBounds { .. }
            | EventKind::Return
            | EventKind::Barrier
            | EventKind::SyncGrid
            | EventKind::WarpCollective { .. }
            | EventKind::Fence
            | EventKind::AsyncCommit
            | EventKind::AsyncWait(_) => None,
        });
        splits.max_by_key(|(badness, _)| *badness).map(|(_, split)| split)
    }

    /// Returns the minimum of the product of `symbols`; `None` if one of them may be negative.
    pub fn min_product(&self, symbols: &[SymbolId]) -> Option<i128> {
        symbols.iter().try_fold(1_i128, |product, &of| {
            let least = self.symbols[of].range.min;
            product.checked_mul(least).filter(|_| least >= 0)
        })
    }

    /// Returns the range of the product of `symbols`; `None` if its limits do not fit.
    fn product_range(&self, symbols: &[SymbolId]) -> Option<Range> {
        let one = Range::new(1, 1);
        symbols.iter().try_fold(one, |product, &of| product.checked_mul(self.symbols[of].range))
    }

    /// Returns the trip count of the loop whose iterations `iteration` numbers, if every thread
    /// that enters the loop runs exactly so many.
    pub fn trip_count(&self, iteration: SymbolId) -> Option<i64> {
        self.trip_counts.iter().find(|(symbol, _)| *symbol == iteration).map(|&(_, trips)| trips)
    }

    /// Returns true if the lanes of a warp leave `inst`, a `for` or the condition of a `while`,
    /// after the same number of iterations, or one fewer: they start at most one step apart, and
    /// share the step and the end. Other exits from the loop do not count.
    pub fn is_strided(&self, inst: InstId) -> bool {
        self.complete && self.strided[inst] == Some(true)
    }

    /// Returns the visits to `inst`, a `for` too long to run concretely: the threads that reach it,
    /// and the trip count of each thread of the block. Empty if any visit is unknown.
    pub fn long_visits(&self, inst: InstId) -> impl Iterator<Item = &(ActiveThreads, Vec<u32>)> {
        let visits = &self.long_visits[inst];
        let known = self.complete && visits.iter().all(Option::is_some);
        visits.iter().flatten().filter(move |_| known)
    }

    /// Returns the events of `inst`, in order.
    pub fn events_of(&self, inst: InstId) -> impl Iterator<Item = &Event> {
        self.event_indices[inst].iter().map(|&number| &self.events[number])
    }
}

impl Split {
    /// Ranks the split by the divergence that it causes: higher is worse. The second number counts
    /// diverging warps.
    fn severity(&self, active: &ThreadSet) -> (u32, usize) {
        match self {
            Self::Uniform => (0, 0),
            Self::UniformInWarps => (1, 0),
            Self::Known(yes) => {
                let parts = |&warp: &usize| {
                    let taken = yes.lanes_of_warp(warp) & active.lanes_of_warp(warp);
                    taken != 0 && taken != active.lanes_of_warp(warp)
                };
                match (0..active.warp_count()).filter(parts).count() {
                    0 if !yes.intersects(active) || active.is_subset(yes) => (0, 0),
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
