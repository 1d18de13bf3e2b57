//! What checks report: findings as data, and in words.
//!
//! `P` is how places in the source are given: as [`Span`] here, as file, line and column where there is
//! a source.
use super::{
    order_dependence::OrderDependence,
    sync_finding::{BarrierDivergence, MaskMisuse},
    unused::Unused,
};
use crate::bytecode::AccessKind;
use std::fmt;
use warpwise_compiler::ir::Span;

/// Something that the checks of a launch have found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding<P = Span> {
    /// What it is.
    pub problem: Problem<P>,
    /// How bad it is.
    pub severity: Severity,
    /// How often it was found in the launch. What is told in detail is the first time: in the lowest
    /// block, at the lowest address, by the lowest threads.
    pub count: u64,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It may be on purpose.
    Info,
    /// It works on some hardware only.
    Warning,
    /// The kernel is wrong. The launch fails.
    Error,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem<P = Span> {
    /// Two accesses that nothing orders.
    Race(Race<P>),
    /// Threads of a block that wait at different barriers.
    Barrier(BarrierDivergence<P>),
    /// A mask that is not what it has to be.
    Mask(MaskMisuse<P>),
    /// What is left behind depends on the order of threads.
    Order(OrderDependence),
    /// Memory that no thread uses.
    Unused(Unused),
    /// A read of shared memory that nobody has written, and that matters.
    Uninitialized(Uninitialized<P>),
    /// An index that is not below the length: of each place, that of the lowest thread.
    OutOfBounds(OutOfBounds<P>),
}

/// An index that is not below the length.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfBounds<P = Span> {
    /// What is indexed, where one buffer or array is known to be.
    pub buffer: Option<String>,
    /// The index.
    pub index: u64,
    /// How many elements there are.
    pub len: u64,
    /// Where in the source.
    pub place: P,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
}

/// A read of shared memory that nobody has written, and what is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Uninitialized<P = Span> {
    /// What is read.
    pub location: Location,
    /// Who reads it.
    pub read: Access<P>,
    /// What is done with the value, or with something that was computed from it.
    pub how: Use,
    /// Where that is done.
    pub used: P,
}

/// Where it matters what a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Use {
    /// It decides which way threads go.
    Branch,
    /// It is an index, or part of one.
    Address,
    /// It is stored in global memory.
    Output,
    /// It is updated atomically, or what it is updated with.
    Atomic,
    /// It says which lanes of a warp do something together.
    Mask,
}

impl Use {
    /// Returns what is said of the value, as "it is an index".
    pub(super) const fn predicate(self) -> &'static str {
        match self {
            Self::Branch => "it decides a branch",
            Self::Address => "it is an index",
            Self::Output => "it is stored in global memory",
            Self::Atomic => "it is updated atomically",
            Self::Mask => "it is the mask of lanes",
        }
    }
}

/// Two accesses of different threads to the same bytes, one of which writes, that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Race<P = Span> {
    /// What they do to each other.
    pub kind: RaceKind,
    /// Where.
    pub location: Location,
    /// Both; of a read and a write, the write first.
    pub accesses: [Access<P>; 2],
    /// What could have ordered them, and is not there.
    pub missing: Missing,
    /// Whether both write the same value.
    pub same_value: bool,
}

/// What two accesses do to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RaceKind {
    /// One reads what the other writes.
    ReadWrite,
    /// Both write.
    WriteWrite,
    /// One is atomic and the other is not.
    AtomicPlain,
    /// Both are atomic, and at least one only for its own block.
    Scope,
}

/// What could have ordered two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Missing {
    /// A barrier of the block.
    Barrier,
    /// `sync_warp`: both are lanes of one warp, at different instructions.
    WarpSync,
    /// Nothing: both are lanes of one warp, at the same instruction.
    Instruction,
    /// A release by one block and an acquire by the other.
    Release,
}

/// Where in memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Location {
    /// Name of the buffer or array.
    pub buffer: String,
    /// Index of the element.
    pub index: u64,
    /// Bytes behind the beginning of the element.
    pub offset: u64,
}

/// An access of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access<P = Span> {
    /// What it does.
    pub kind: AccessKind,
    /// Where in the source.
    pub place: P,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
    /// Bits of the value that is written, where they are known.
    pub value: Option<u64>,
}

impl Severity {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl<P> Finding<P> {
    /// The same with other places.
    pub fn map_places<Q>(self, place: impl FnMut(P) -> Q) -> Finding<Q> {
        let Self { problem, severity, count } = self;
        Finding { problem: problem.map_places(place), severity, count }
    }
}

impl<P> Problem<P> {
    fn map_places<Q>(self, place: impl FnMut(P) -> Q) -> Problem<Q> {
        match self {
            Self::Race(race) => Problem::Race(race.map_places(place)),
            Self::Uninitialized(read) => Problem::Uninitialized(read.map_places(place)),
            Self::OutOfBounds(outside) => Problem::OutOfBounds(outside.map_place(place)),
            Self::Barrier(barrier) => Problem::Barrier(barrier.map_places(place)),
            Self::Mask(mask) => Problem::Mask(mask.map_places(place)),
            Self::Order(order) => Problem::Order(order),
            Self::Unused(unused) => Problem::Unused(unused),
        }
    }
}

impl<P> Access<P> {
    fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> Access<Q> {
        let Self { kind, place: at, block, thread, value } = self;
        Access { kind, place: place(at), block, thread, value }
    }
}

impl<P> OutOfBounds<P> {
    fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> OutOfBounds<Q> {
        let Self { buffer, index, len, place: at, block, thread } = self;
        OutOfBounds { buffer, index, len, place: place(at), block, thread }
    }
}

impl<P> Uninitialized<P> {
    fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> Uninitialized<Q> {
        let Self { location, read, how, used } = self;
        Uninitialized { location, read: read.map_place(&mut place), how, used: place(used) }
    }
}

impl<P> Race<P> {
    fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> Race<Q> {
        let Self { kind, location, accesses, missing, same_value } = self;
        let accesses = accesses.map(|access| access.map_place(&mut place));
        Race { kind, location, accesses, missing, same_value }
    }
}

/// A line, with how often if that is more than once.
impl<P: fmt::Display> fmt::Display for Finding<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)?;
        if self.count > 1 { write!(f, " [{} times]", self.count) } else { Ok(()) }
    }
}

impl<P: fmt::Display> fmt::Display for Problem<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Race(race) => race.fmt(f),
            Self::Uninitialized(read) => read.fmt(f),
            Self::OutOfBounds(outside) => outside.fmt(f),
            Self::Barrier(barrier) => barrier.fmt(f),
            Self::Mask(mask) => mask.fmt(f),
            Self::Order(order) => order.fmt(f),
            Self::Unused(unused) => unused.fmt(f),
        }
    }
}

impl<P: fmt::Display> fmt::Display for Race<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, location, accesses: [one, other], missing, same_value } = self;
        write!(f, "{} on {location}: ", kind.name())?;
        if one.block == other.block {
            one.tell(f, false)?;
            f.write_str(", ")?;
            other.tell(f, false)?;
            write!(f, ", block {}, {}", Triple(one.block), missing.name())?;
        } else {
            one.tell(f, true)?;
            f.write_str(", ")?;
            other.tell(f, true)?;
            write!(f, ", {}", missing.name())?;
        }
        if *same_value { f.write_str("; both write the same value") } else { Ok(()) }
    }
}

impl<P: fmt::Display> fmt::Display for Uninitialized<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, read, how, used } = self;
        write!(f, "uninitialised read of {location}: ")?;
        read.tell(f, false)?;
        write!(f, ", block {}, before anybody wrote it; ", Triple(read.block))?;
        write!(f, "{} at {used}", how.predicate())
    }
}

impl<P: fmt::Display> fmt::Display for OutOfBounds<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, index, len, place, block, thread } = self;
        write!(f, "index {} out of bounds", Index(*index))?;
        match buffer {
            Some(buffer) => write!(f, " of {buffer} of length {len}")?,
            None => write!(f, " (of length {len})")?,
        }
        write!(f, ": by thread {} at {place}, block {}", Triple(*thread), Triple(*block))
    }
}

/// An index in messages: with the negative number that it was before it wrapped, if that is likely.
struct Index(u64);

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Below this, a number of 32 bits that is near their end is taken for a negative one.
        const MAX_DISTANCE: u64 = 1 << 24;
        let Self(index) = *self;
        if index.cast_signed() < 0 {
            return write!(f, "{} ({index} as usize)", index.cast_signed());
        }
        match (1u64 << 32).checked_sub(index) {
            Some(distance @ 1..=MAX_DISTANCE) => write!(f, "{index} (-{distance} as u32)"),
            Some(_) | None => write!(f, "{index}"),
        }
    }
}

impl<P: fmt::Display> Access<P> {
    fn tell(&self, f: &mut fmt::Formatter<'_>, with_block: bool) -> fmt::Result {
        let Self { kind, place, block, thread, .. } = self;
        write!(f, "{} by thread {}", kind.participle(), Triple(*thread))?;
        if with_block {
            write!(f, " of block {}", Triple(*block))?;
        }
        write!(f, " at {place}")
    }
}

impl RaceKind {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "read-write race",
            Self::WriteWrite => "write-write race",
            Self::AtomicPlain => "race of an atomic and a plain access",
            Self::Scope => "race of atomics of one block's scope",
        }
    }
}

impl Missing {
    const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "no barrier between",
            Self::WarpSync => "no `sync_warp` between these lanes of one warp",
            Self::Instruction => "by one instruction of one warp",
            Self::Release => "and nothing orders the two blocks",
        }
    }
}

/// `tile[5]`; of a field, with how far it is behind the beginning of the element.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, index, offset } = self;
        write!(f, "{buffer}[{index}]")?;
        if *offset == 0 { Ok(()) } else { write!(f, " (byte {offset} of it)") }
    }
}

/// An index along three axes, as in messages: `(4,0,0)`.
pub(crate) struct Triple(pub(crate) [u32; 3]);

impl fmt::Display for Triple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x},{y},{z})")
    }
}
