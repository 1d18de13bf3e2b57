//! Findings about barriers and masks, as data and as text.
//!
//! `P` is the type of places in the source, as in [`finding`](super::finding).
use super::finding::{Triple, Use};
use crate::outcome::Meeting;
use std::fmt;
use warpwise_compiler::ir::Span;

/// Threads of a block that wait at different barriers and release each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BarrierDivergence<P = Span> {
    /// Index of the block.
    pub block: [u32; 3],
    /// The barriers at which threads wait, the one of the lowest thread first.
    pub barriers: Vec<Arrived<P>>,
    /// True if one of the barriers computes a value over the waiting threads. A GPU cannot do this
    /// for threads at different barriers: it ends the launch.
    pub reduces: bool,
}

/// Threads that wait at a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrived<P = Span> {
    /// The place in the source.
    pub place: P,
    /// The number of threads.
    pub threads: u32,
    /// Index in the block of the lowest thread.
    pub thread: [u32; 3],
}

/// A mask of a warp operation that breaks a rule, or a lane that is asked for a value and takes no
/// part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaskMisuse<P = Span> {
    /// The broken rule.
    pub kind: MaskKind,
    /// The operation.
    pub at: Meeting,
    /// The place in the source.
    pub place: P,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index in the block of the thread that passes the mask.
    pub thread: [u32; 3],
    /// The mask: bit l for lane l; all bits, where the operation has no mask.
    pub mask: u32,
    /// The lanes that break the rule.
    pub lanes: u32,
    /// The use of the value of an [absent lane](MaskKind::SourceAbsent), and its place.
    pub used: Option<(Use, P)>,
}

/// The rule that a mask breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MaskKind {
    /// The mask lacks the thread itself.
    CallerNotNamed,
    /// The mask names lanes that have ended or that the block does not have.
    NamedAbsent,
    /// The thread asks for the value of a lane that takes no part.
    SourceAbsent,
    /// The mask names lanes that have reached the operation with other masks.
    Differs,
    /// The mask names lanes that take another branch and end without reaching the operation.
    NotReached,
}

impl<P> BarrierDivergence<P> {
    pub(super) fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> BarrierDivergence<Q> {
        let Self { block, barriers, reduces } = self;
        let barriers = barriers.into_iter().map(|Arrived { place: at, threads, thread }| Arrived {
            place: place(at),
            threads,
            thread,
        });
        BarrierDivergence { block, barriers: barriers.collect(), reduces }
    }
}

impl<P> MaskMisuse<P> {
    pub(super) fn map_places<Q>(self, mut place: impl FnMut(P) -> Q) -> MaskMisuse<Q> {
        let Self { kind, at, place: here, block, thread, mask, lanes, used } = self;
        let here = place(here);
        let used = used.map(|(how, used)| (how, place(used)));
        MaskMisuse { kind, at, place: here, block, thread, mask, lanes, used }
    }
}

impl<P: fmt::Display> fmt::Display for BarrierDivergence<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block, barriers, reduces } = self;
        let all: u32 = barriers.iter().map(|arrived| arrived.threads).sum();
        write!(f, "barrier divergence in block {}", Triple(*block))?;
        let mut separator = ": ";
        for Arrived { place, threads, thread } in barriers {
            let first = Triple(*thread);
            write!(f, "{separator}{threads} of {all} threads, {first} the first, wait at {place}")?;
            separator = "; ";
        }
        f.write_str(if *reduces {
            "; on a GPU, a barrier that computes something ends the launch here"
        } else {
            "; every thread of a block has to come to the same barrier"
        })
    }
}

impl<P: fmt::Display> fmt::Display for MaskMisuse<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, at, place, block, thread, mask, lanes, used } = self;
        let (at, thread, block) = (at.name(), Triple(*thread), Triple(*block));
        match kind {
            MaskKind::CallerNotNamed => write!(
                f,
                "thread {thread} of block {block} is not in its own mask {mask:#010x}, at the {at} at {place}"
            ),
            MaskKind::NamedAbsent => write!(
                f,
                "mask {mask:#010x} of thread {thread} of block {block} names lanes {lanes:#010x} that have ended or \
                 are not in the block, at the {at} at {place}"
            ),
            MaskKind::Differs => write!(
                f,
                "mask {mask:#010x} of thread {thread} of block {block} names lanes {lanes:#010x}, which have come \
                 with other masks: all lanes that do something together have to name the same ones, at the {at} at {place}"
            ),
            MaskKind::NotReached => write!(
                f,
                "mask {mask:#010x} of thread {thread} of block {block} names lanes {lanes:#010x}, which take another \
                 way and end without reaching the {at} at {place}: all lanes that are named have to reach it"
            ),
            MaskKind::SourceAbsent => {
                let lane = lanes.trailing_zeros();
                write!(
                    f,
                    "thread {thread} of block {block} reads lane {lane}, which takes no part: what it gets is open, \
                     at the {at} at {place}"
                )?;
                match used {
                    Some((how, used)) => write!(f, "; {} at {used}", how.predicate()),
                    None => Ok(()),
                }
            }
        }
    }
}
