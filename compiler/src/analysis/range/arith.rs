//! What operations make of ranges.
use super::Range;
use crate::ir::{BinaryOp, CompareOp, Scalar, UnaryOp, evaluate};

/// The comparison of integers that is true where `op` is false.
pub(crate) const fn inverse(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
    }
}

pub(in crate::analysis) fn constant(scalar: Scalar, bits: u64) -> Option<Range> {
    evaluate::integer(scalar, bits).map(|value| Range::new(value, value))
}

pub(in crate::analysis) fn unary(op: UnaryOp, value: Range, limits: Range) -> Range {
    if value.is_empty() {
        return Range::EMPTY;
    }
    let range = match op {
        // The sum of `x` and `!x` is the largest value if unsigned, and -1 if not.
        UnaryOp::Not => {
            let sum = limits.min + limits.max;
            Range::new(sum - value.max, sum - value.min)
        }
        UnaryOp::Neg => Range::new(-value.max, -value.min),
        UnaryOp::Abs if value.min >= 0 => value,
        UnaryOp::Abs => Range::new(0, value.max.max(-value.min)),
        UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_)
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes => limits,
        UnaryOp::CountOnes | UnaryOp::LeadingZeros => Range::new(0, width(limits)),
    };
    range.or_wrapped(limits)
}

/// `l op r`, neither of which is empty.
pub(in crate::analysis) fn binary(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    unbounded(op, l, r, limits).or_wrapped(limits)
}

/// The same in numbers that have no limits; where the operation is on bits, or the result too
/// large even for these, the limits of the type.
pub(super) fn unbounded(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    let unsigned = l.min >= 0 && r.min >= 0;
    match op {
        BinaryOp::Add => Range::new(l.min + r.min, l.max + r.max),
        BinaryOp::Sub => Range::new(l.min - r.max, l.max - r.min),
        BinaryOp::Mul => product(l, r).unwrap_or(limits),
        BinaryOp::Min => Range::new(l.min.min(r.min), l.max.min(r.max)),
        BinaryOp::Max => Range::new(l.min.max(r.min), l.max.max(r.max)),
        BinaryOp::And if l.min >= 0 || r.min >= 0 => {
            let most = |range: Range| if range.min >= 0 { range.max } else { limits.max };
            Range::new(0, most(l).min(most(r)))
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Div | BinaryOp::Rem
            if !unsigned =>
        {
            limits
        }
        BinaryOp::And | BinaryOp::Xor => Range::new(0, ones(l.max | r.max)),
        BinaryOp::Or => Range::new(l.min.max(r.min), ones(l.max | r.max)),
        BinaryOp::Div => Range::new(l.min / r.max.max(1), l.max / r.min.max(1)),
        BinaryOp::Rem if l.max < r.min => l,
        BinaryOp::Rem => Range::new(0, l.max.min(r.max.max(1) - 1)),
        BinaryOp::Shl | BinaryOp::Shr => shift(op, l, r, limits),
        BinaryOp::RotateLeft => limits,
        BinaryOp::MulHigh => match product(l, r) {
            Some(whole) => Range::new(whole.min >> width(limits), whole.max >> width(limits)),
            None => limits,
        },
    }
}

/// `None` if it is too large even to compute.
pub(super) fn product(l: Range, r: Range) -> Option<Range> {
    if 0 <= l.min && l.min <= l.max && 0 <= r.min && r.min <= r.max {
        return Some(Range::new(l.min.checked_mul(r.min)?, l.max.checked_mul(r.max)?));
    }
    let corner = |a: i128, b: i128| a.checked_mul(b);
    let corners = [
        corner(l.min, r.min)?,
        corner(l.min, r.max)?,
        corner(l.max, r.min)?,
        corner(l.max, r.max)?,
    ];
    let [a, b, c, d] = corners;
    Some(Range::new(a.min(b).min(c).min(d), a.max(b).max(c).max(d)))
}

/// The width in bits of the integer type that has these limits.
pub(super) fn width(limits: Range) -> i128 {
    i128::from(128 - (limits.max - limits.min).leading_zeros())
}

/// The amount counts modulo the width, so that a larger one says nothing.
fn shift(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    let width = width(limits);
    if l.min < 0 || r.max >= width {
        return limits;
    }
    if op == BinaryOp::Shl {
        Range::new(l.min << r.min, l.max << r.max)
    } else {
        Range::new(l.min >> r.max, l.max >> r.min)
    }
}

/// The smallest number of the form `2^n - 1` that is not less than `value`, which is not negative.
fn ones(value: i128) -> i128 {
    (1_i128 << (128 - value.leading_zeros())) - 1
}
