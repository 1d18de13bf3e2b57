//! Sums of a value and a constant, as indices of neighbours are.
use crate::ir::{BinaryOp, InstId, Kernel, Op, Ty, evaluate};

/// Returns the value and the constant whose sum `id` is, if it is a sum or a difference with a
/// literal. What is written as a difference may have become a sum that wraps, so half of the
/// constants are negative.
pub(super) fn constant_sum(kernel: &Kernel, id: InstId) -> Option<(InstId, i128)> {
    let inst = &kernel.insts[id];
    let (Op::Binary { op, lhs, rhs }, Ty::Scalar(scalar)) = (&inst.op, inst.ty) else {
        return None;
    };
    let number = |id: InstId| {
        let number = evaluate::integer(scalar, kernel.literal(id)?)?;
        let all = 1_i128 << scalar.bits()?;
        Some(if number >= all / 2 { number - all } else { number })
    };
    match (op, number(*lhs), number(*rhs)) {
        (BinaryOp::Add, _, Some(number)) => Some((*lhs, number)),
        (BinaryOp::Add, Some(number), None) => Some((*rhs, number)),
        (BinaryOp::Sub, _, Some(number)) => Some((*lhs, -number)),
        _ => None,
    }
}
