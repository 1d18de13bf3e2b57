//! Exchanges between the lanes of a warp.
use super::{Extent, InstId, MatchOp, ReduceOp, ShuffleOp, VoteOp};

/// An exchange between the lanes of a warp that run it together.
#[derive(Clone, Debug, PartialEq)]
pub enum WarpOp {
    /// The value of another lane of the group. Lanes are counted in groups of `width`.
    Shuffle {
        /// The choice of the other lane.
        op: ShuffleOp,
        /// The value of this lane; any scalar.
        value: InstId,
        /// `Index`: the lane in the group, modulo `width`; `Up`, `Down`: distance, past the
        /// edge of the group the lane's own value; `Xor`: mask of lane bits, past the edge the
        /// lane's own value. `u32`.
        lane: InstId,
        /// 2, 4, 8, 16 or 32.
        width: Extent,
        /// As for [`SyncOp::SyncWarp`](super::SyncOp::SyncWarp).
        mask: Option<InstId>,
    },
    /// The result of a vote among the participating lanes.
    Vote {
        /// `All` and `Any` yield `bool`, `Ballot` a `u32` with bit l set if the value of lane l is
        /// true.
        op: VoteOp,
        /// A `bool`.
        value: InstId,
        /// As for [`SyncOp::SyncWarp`](super::SyncOp::SyncWarp).
        mask: Option<InstId>,
    },
    /// Finds the participating lanes with the same value, bit for bit. `Any` yields a `u32` with
    /// the lanes that have the value of this one, `All` true if all have the same.
    Match {
        /// The lanes to find.
        op: MatchOp,
        /// Any scalar.
        value: InstId,
        /// As for [`SyncOp::SyncWarp`](super::SyncOp::SyncWarp).
        mask: Option<InstId>,
    },
    /// The lanes of the warp that run the instruction together, as a `u32` with bit l for lane l;
    /// the caller is one of them, and ended lanes are not. The set of the others is unspecified.
    ActiveMask,
    /// Combines the values of all participating lanes; each gets the result. Lanes are combined in
    /// the order of a butterfly: those whose numbers differ by 16, then by 8, 4, 2 and 1, other
    /// lanes being left out.
    Reduce {
        /// The combination of two values.
        op: ReduceOp,
        /// A number.
        value: InstId,
        /// As for [`SyncOp::SyncWarp`](super::SyncOp::SyncWarp).
        mask: Option<InstId>,
    },
}
