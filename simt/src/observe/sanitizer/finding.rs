//! Findings, as data and as text.
//!
//! `P` is the type of places in the source: [`Span`] in this crate; file, line and column where the
//! source is known.
use super::{
    order_dependence::OrderDependence,
    sync_finding::{BarrierDivergence, MaskMisuse},
    unused::Unused,
};
use crate::bytecode::AccessKind;
use std::fmt;
use warpwise_compiler::{fault::IndexText, ir::Span};

/// A finding of the checks of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding<P = Span> {
    /// The problem.
    pub problem: Problem<P>,
    /// The severity.
    pub severity: Severity,
    /// The number of occurrences in the launch. The details are those of the first one: in the
    /// lowest block, at the lowest address, by the lowest threads.
    pub count: u64,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Possibly intended.
    Info,
    /// Correct on some hardware only.
    Warning,
    /// An error of the kernel. The launch fails.
    Error,
}

/// The problem of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem<P = Span> {
    /// Two accesses that nothing orders.
    Race(Race<P>),
    /// Threads of a block that wait at different barriers.
    Barrier(BarrierDivergence<P>),
    /// A mask that breaks a rule of its operation.
    Mask(MaskMisuse<P>),
    /// A result of the launch that depends on the order of threads.
    Order(OrderDependence),
    /// Memory that no thread uses.
    Unused(Unused),
    /// A read of unwritten shared memory whose value matters.
    Uninitialized(Uninitialized<P>),
    /// An access that comes before an asynchronous copy is waited for.
    EarlyAccess(EarlyAccess<P>),
    /// An asynchronous copy that nothing waits for.
    UnwaitedCopy(UnwaitedCopy<P>),
    /// An access to the shared memory of a block of the cluster that may have ended.
    LateAccess(LateAccess<P>),
    /// An index that is not below the length. Each place has one finding, that of the lowest
    /// thread.
    OutOfBounds(OutOfBounds<P>),
}

/// An index that is not below the length.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfBounds<P = Span> {
    /// The name of the indexed buffer or array, if it is known to be a single one.
    pub buffer: Option<String>,
    /// The index.
    pub index: u64,
    /// The number of elements.
    pub len: u64,
    /// The place in the source.
    pub place: P,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
}

/// A read of unwritten shared memory, and the use of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Uninitialized<P = Span> {
    /// The place in memory.
    pub location: Location,
    /// The read.
    pub read: Access<P>,
    /// The use of the value, or of a value computed from it.
    pub how: Use,
    /// The place of the use.
    pub used: P,
}

/// An access to the destination of a pending asynchronous copy, or a write to its source: it is
/// unspecified when the copy takes place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EarlyAccess<P = Span> {
    /// The place in memory.
    pub location: Location,
    /// The access.
    pub access: Access<P>,
    /// The copy, as a write of its destination or a read of its source.
    pub copy: Access<P>,
}

/// An asynchronous copy that its thread has not waited for at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnwaitedCopy<P = Span> {
    /// The destination.
    pub location: Location,
    /// The copy, as a write of its destination.
    pub copy: Access<P>,
}

/// An access to the shared memory of another block of the cluster, which may have ended by then:
/// nothing makes that block wait.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LateAccess<P = Span> {
    /// The place in memory.
    pub location: Location,
    /// The access.
    pub access: Access<P>,
}

/// A use of a value that makes it matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Use {
    /// A branch condition.
    Branch,
    /// An index, or part of one.
    Address,
    /// A store to global memory.
    Output,
    /// An atomic update, as the old value or the operand.
    Atomic,
    /// A mask of the lanes that perform an operation together.
    Mask,
}

impl Use {
    /// Returns the clause of messages that states the use, such as "it is an index".
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

/// Two unordered accesses to the same bytes by different threads, at least one of which writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Race<P = Span> {
    /// The kind of race.
    pub kind: RaceKind,
    /// The place in memory.
    pub location: Location,
    /// The two accesses; of a read and a write, the write comes first.
    pub accesses: [Access<P>; 2],
    /// The missing synchronization.
    pub missing: Missing,
    /// True if both write the same value.
    pub same_value: bool,
}

/// The kind of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RaceKind {
    /// One reads what the other writes.
    ReadWrite,
    /// Both write.
    WriteWrite,
    /// One access is atomic, the other is not.
    AtomicPlain,
    /// Both are atomic, and at least one has the scope of its block.
    Scope,
}

/// The synchronization that could have ordered two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Missing {
    /// A barrier of the block.
    Barrier,
    /// `sync_warp`: both are lanes of one warp, at different instructions.
    WarpSync,
    /// None: both are lanes of one warp, at the same instruction.
    Instruction,
    /// A release by one block and an acquire by the other.
    Release,
    /// A barrier of the cluster of the two blocks, or a release and an acquire.
    ClusterBarrier,
}

/// A place in memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Location {
    /// The name of the buffer or array.
    pub buffer: String,
    /// Of shared memory that the blocks of a cluster access: the rank of the block that it is of.
    pub rank: Option<u32>,
    /// The index of the element.
    pub index: u64,
    /// The offset in the element, in bytes.
    pub offset: u64,
}

/// An access of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access<P = Span> {
    /// The kind of access.
    pub kind: AccessKind,
    /// The place in the source.
    pub place: P,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
    /// The bits of the written value, where they are known.
    pub value: Option<u64>,
}

impl Severity {
    /// Returns the name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl<P> Finding<P> {
    /// Converts the places of the finding.
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
            Self::EarlyAccess(early) => Problem::EarlyAccess(early.map_places(place)),
            Self::UnwaitedCopy(unwaited) => Problem::UnwaitedCopy(unwaited.map_place(place)),
            Self::LateAccess(late) => Problem::LateAccess(late.map_place(place)),
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

impl<P> EarlyAccess<P> {
    fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> EarlyAccess<Q> {
        let Self { location, access, copy } = self;
        EarlyAccess { location, access: access.map_place(&mut place), copy: copy.map_place(place) }
    }
}

impl<P> UnwaitedCopy<P> {
    fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> UnwaitedCopy<Q> {
        UnwaitedCopy { location: self.location, copy: self.copy.map_place(place) }
    }
}

impl<P> LateAccess<P> {
    fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> LateAccess<Q> {
        LateAccess { location: self.location, access: self.access.map_place(place) }
    }
}

impl<P> Race<P> {
    fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> Race<Q> {
        let Self { kind, location, accesses, missing, same_value } = self;
        let accesses = accesses.map(|access| access.map_place(&mut place));
        Race { kind, location, accesses, missing, same_value }
    }
}

/// The finding as one line, with the number of occurrences if there are several.
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
            Self::EarlyAccess(early) => early.fmt(f),
            Self::UnwaitedCopy(unwaited) => unwaited.fmt(f),
            Self::LateAccess(late) => late.fmt(f),
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
            one.write_clause(f, false)?;
            f.write_str(", ")?;
            other.write_clause(f, false)?;
            write!(f, ", block {}, {}", Triple(one.block), missing.name())?;
        } else {
            one.write_clause(f, true)?;
            f.write_str(", ")?;
            other.write_clause(f, true)?;
            write!(f, ", {}", missing.name())?;
        }
        if *same_value { f.write_str("; both write the same value") } else { Ok(()) }
    }
}

impl<P: fmt::Display> fmt::Display for Uninitialized<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, read, how, used } = self;
        write!(f, "uninitialized read of {location}: ")?;
        read.write_clause(f, false)?;
        write!(f, ", block {}, before anybody wrote it; ", Triple(read.block))?;
        write!(f, "{} at {used}", how.predicate())
    }
}

impl<P: fmt::Display> fmt::Display for EarlyAccess<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, access, copy } = self;
        let what = if access.kind.writes() { "write to" } else { "read of" };
        let role = if copy.kind.writes() { "writes" } else { "reads" };
        write!(f, "early {what} {location}: ")?;
        access.write_clause(f, false)?;
        let thread = Triple(copy.thread);
        write!(f, ", and the asynchronous copy that {role} it, by thread {thread} at ")?;
        write!(f, "{}, is not waited for yet, block {}", copy.place, Triple(copy.block))
    }
}

impl<P: fmt::Display> fmt::Display for UnwaitedCopy<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, copy: Access { place, block, thread, .. } } = self;
        write!(f, "asynchronous copy to {location} that nothing waits for: ")?;
        write!(f, "by thread {} at {place}, block {}", Triple(*thread), Triple(*block))
    }
}

impl<P: fmt::Display> fmt::Display for LateAccess<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, access } = self;
        write!(f, "access to {location}, which may have ended: ")?;
        access.write_clause(f, true)?;
        f.write_str(", no `cluster::sync` before that block ends")
    }
}

impl<P: fmt::Display> fmt::Display for OutOfBounds<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, index, len, place, block, thread } = self;
        write!(f, "index {} out of bounds", IndexText(*index))?;
        match buffer {
            Some(buffer) => write!(f, " of {buffer} of length {len}")?,
            None => write!(f, " (of length {len})")?,
        }
        write!(f, ": by thread {} at {place}, block {}", Triple(*thread), Triple(*block))
    }
}

impl<P: fmt::Display> Access<P> {
    fn write_clause(&self, f: &mut fmt::Formatter<'_>, with_block: bool) -> fmt::Result {
        let Self { kind, place, block, thread, .. } = self;
        write!(f, "{} by thread {}", kind.participle(), Triple(*thread))?;
        if with_block {
            write!(f, " of block {}", Triple(*block))?;
        }
        write!(f, " at {place}")
    }
}

impl RaceKind {
    /// Returns the name in messages.
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
            Self::ClusterBarrier => "no `cluster::sync` between",
        }
    }
}

/// `tile[5]`; for a field, with its offset in the element.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, rank, index, offset } = self;
        write!(f, "{buffer}[{index}]")?;
        if *offset != 0 {
            write!(f, " (byte {offset} of it)")?;
        }
        rank.map_or(Ok(()), |rank| write!(f, " of the block with rank {rank}"))
    }
}

/// An index along three axes, in the form of messages: `(4,0,0)`.
pub(crate) struct Triple(pub(crate) [u32; 3]);

impl fmt::Display for Triple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x},{y},{z})")
    }
}
