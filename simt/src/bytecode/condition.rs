//! Conditions that may be known for all lanes without a look at them.
use crate::vector::{
    lanes::LaneFn,
    registers::{Affine, Reg, Uniform},
};
use warpwise_compiler::ir::CompareOp;

/// The most instructions that a condition is made of.
pub(crate) const MAX_CONDITION_TERMS: usize = 16;

/// `to = value < with`, or another comparison, in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    pub(crate) op: CompareOp,
    pub(crate) signed: bool,
    pub(crate) to: Reg,
    pub(crate) value: Affine,
    pub(crate) with: Uniform,
    /// The comparison of lanes, and registers for its operands.
    pub(crate) f: LaneFn,
    pub(crate) lanes: [Reg; 2],
}

/// A part of a condition. Those that others are made of come before them, and are named by their place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term {
    /// The comparison of that number in [`Code::compares`](super::Code::compares).
    Compare(u32),
    Both(u8, u8),
    Either(u8, u8),
    Not(u8),
}
