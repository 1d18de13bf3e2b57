//! Words of two 16-bit floats, which hardware makes at once.
use crate::ir::{BinaryOp, InstId, Kernel, Op, Scalar, Ty};

/// Returns the lower and the upper half of a word that `id` makes of two 16-bit floats:
/// `a.to_bits() as u32 | (b.to_bits() as u32) << 16`. `ptxas` rounds both floats by one instruction
/// if they become a word without a detour through integers.
pub fn find_packed_halves(kernel: &Kernel, id: InstId) -> Option<[InstId; 2]> {
    let Op::Binary { op: BinaryOp::Or, lhs, rhs } = kernel.insts[id].op else { return None };
    let pair = |low, high| Some([lower_half(kernel, low)?, upper_half(kernel, high)?]);
    pair(lhs, rhs).or_else(|| pair(rhs, lhs))
}

fn upper_half(kernel: &Kernel, id: InstId) -> Option<InstId> {
    let Op::Binary { op: BinaryOp::Shl, lhs, rhs } = kernel.insts[id].op else { return None };
    (kernel.literal(rhs) == Some(16)).then(|| lower_half(kernel, lhs)).flatten()
}

/// Returns the 16-bit float whose bits are the word `id`.
fn lower_half(kernel: &Kernel, id: InstId) -> Option<InstId> {
    let Op::Cast { value: bits } = kernel.insts[id].op else { return None };
    let Op::Bitcast { value: half } = kernel.insts[bits].op else { return None };
    let is = |id: InstId, scalar| kernel.insts[id].ty == Ty::Scalar(scalar);
    let is_half = is(half, Scalar::F16) || is(half, Scalar::BF16);
    (is(id, Scalar::U32) && is(bits, Scalar::U16) && is_half).then_some(half)
}
