//! Mistakes in calls of collectives: [`CollectiveMistake`].
use std::fmt;

/// The mistake in a call of a [`Communicator`](super::Communicator). `Debug` prints the message
/// that `Display` prints.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveMistake {
    /// A slice of another length than the call takes.
    #[error("the slice of the result has {found} elements, and {expected} are needed")]
    Length {
        /// Elements of the slice.
        found: usize,
        /// The number that the call takes.
        expected: usize,
    },
    /// A slice of a length that the ranks cannot share equally.
    #[error("{found} elements are no whole number of parts for {size} ranks")]
    Indivisible {
        /// Elements of the slice.
        found: usize,
        /// The number of ranks.
        size: usize,
    },
    /// A slice in memory that the communicator's device cannot reach.
    #[error("a slice is on {slice}, and the communicator is on another device, {communicator}")]
    WrongDevice {
        /// The device of the slice.
        slice: String,
        /// The device of the communicator.
        communicator: String,
    },
    /// A rank that does not exist.
    #[error("there is no rank {rank} among {size} (numbered from 0)")]
    NoRank {
        /// The number.
        rank: usize,
        /// The number of ranks.
        size: usize,
    },
    /// A rank that sends to itself, or receives from itself.
    #[error("rank {rank} cannot exchange elements with itself")]
    OwnRank {
        /// The rank.
        rank: usize,
    },
    /// Calls that do not belong together. Every rank that takes part gets this error, and the
    /// communicator can be used again.
    #[error("rank {rank} calls {call}, and rank {other} calls {other_call}")]
    Mismatch {
        /// A rank.
        rank: usize,
        /// Its call.
        call: String,
        /// Another rank.
        other: usize,
        /// The other rank's call.
        other_call: String,
    },
    /// A rank whose communicator was dropped, by a thread that ended or panicked.
    #[error("rank {rank} has dropped its communicator")]
    PeerGone {
        /// The rank.
        rank: usize,
    },
    /// Devices that cannot be the ranks of one communicator.
    #[error(
        "a communicator needs one device or more: all of them GPUs, or all of them CPU devices"
    )]
    Devices,
}

impl fmt::Debug for CollectiveMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
