//! Uses what the ranges decide: a value that can be one number only is a constant, a check that
//! no index fails goes, and `min`, `max` and `%` that change nothing go.
//!
//! Why: in a block of a declared shape this proves the indices of tiles, and a comparison that
//! becomes constant takes its branch along.
use super::{drop_insts, replace::Replacements};
use crate::{
    analysis::range::{self, Range, Ranges},
    id::Facts,
    ir::{BinaryOp, Effect, InstId, Kernel, Op, Ty, evaluate},
};

/// Rewrites `kernel`, whose instructions are numbered in order.
pub(super) fn fold_ranges(kernel: &mut Kernel) {
    let ranges = range::analyze(kernel);
    let mut values = Replacements::new(kernel);
    let mut dropped: Facts<InstId, bool> = kernel.insts.facts(false);
    for id in kernel.insts.ids() {
        values.apply(&mut kernel.insts[id].op);
        if let Some(bits) = only_value(kernel, &ranges, id) {
            kernel.insts[id].op = Op::Const(bits);
        } else if let Some(same) = same_as(kernel, &ranges, id) {
            values.replace(id, same);
            dropped[id] = true;
        }
    }
    drop_insts(kernel, &dropped);
}

/// The bits of a pure operation that can yield nothing else.
fn only_value(kernel: &Kernel, ranges: &Ranges, id: InstId) -> Option<u64> {
    let inst = &kernel.insts[id];
    let Ty::Scalar(scalar) = inst.ty else { return None };
    let Range { min, max } = ranges.get(kernel, id)?;
    let is_pure = inst.op.effect() == Effect::None;
    (is_pure && min == max).then(|| evaluate::wrap(scalar, min))
}

/// The operand that `id` always yields.
fn same_as(kernel: &Kernel, ranges: &Ranges, id: InstId) -> Option<InstId> {
    if let Op::Bounds { index, .. } = kernel.insts[id].op {
        return ranges.is_in_bounds(id).then_some(index);
    }
    let Op::Binary { op, lhs, rhs } = kernel.insts[id].op else { return None };
    let (left, right) = (ranges.get(kernel, lhs)?, ranges.get(kernel, rhs)?);
    if left.is_empty() || right.is_empty() {
        return None;
    }
    match op {
        BinaryOp::Min if left.max <= right.min => Some(lhs),
        BinaryOp::Min if right.max <= left.min => Some(rhs),
        BinaryOp::Max if left.min >= right.max => Some(lhs),
        BinaryOp::Max if right.min >= left.max => Some(rhs),
        BinaryOp::Rem if 0 <= left.min && left.max < right.min => Some(lhs),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}
