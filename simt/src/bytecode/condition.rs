//! Branch conditions that are affine in the lane index, and so may be decided for all lanes at
//! once.
use crate::vector::{
    lanes::LaneFn,
    registers::{Affine, Reg, Uniform},
};
use warpwise_compiler::ir::CompareOp;

/// The most terms of a condition.
pub(crate) const MAX_CONDITION_TERMS: usize = 16;

/// `to = value < with`, or another comparison, in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    pub(crate) op: CompareOp,
    pub(crate) signed: bool,
    pub(crate) to: Reg,
    pub(crate) value: Affine,
    pub(crate) with: Uniform,
    /// The comparison lane by lane, and registers for its operands.
    pub(crate) f: LaneFn,
    pub(crate) lanes: [Reg; 2],
}

/// A term of a condition. Terms refer to earlier terms by their index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term {
    /// The comparison of this index in [`Code::compares`](super::Code::compares).
    Compare(u32),
    Both(u8, u8),
    Either(u8, u8),
    Not(u8),
}
