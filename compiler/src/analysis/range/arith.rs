//! Interval arithmetic for the operations of the IR.
use super::Range;
use crate::ir::{BinaryOp, CompareOp, Scalar, UnaryOp, evaluate};

/// Returns the comparison of integers that is true where `op` is false.
pub(crate) const fn negated_comparison(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
    }
}

pub(in crate::analysis) fn const_range(scalar: Scalar, bits: u64) -> Option<Range> {
    evaluate::integer(scalar, bits).map(|value| Range::new(value, value))
}

pub(in crate::analysis) fn unary_range(op: UnaryOp, value: Range, limits: Range) -> Range {
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
        UnaryOp::CountOnes | UnaryOp::LeadingZeros => Range::new(0, bit_width(limits)),
    };
    range.or_limits(limits)
}

/// Returns the range of `l op r`, of operands that are not empty.
pub(in crate::analysis) fn binary_range(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    unwrapped_range(op, l, r, limits).or_limits(limits)
}

/// Returns the range of `l op r` without wrapping; the limits of the type for operations on bits,
/// and if the result does not fit an `i128`.
pub(super) fn unwrapped_range(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    let unsigned = l.min >= 0 && r.min >= 0;
    match op {
        BinaryOp::Add => Range::new(l.min + r.min, l.max + r.max),
        BinaryOp::Sub => Range::new(l.min - r.max, l.max - r.min),
        BinaryOp::Mul => checked_product(l, r).unwrap_or(limits),
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
        BinaryOp::And | BinaryOp::Xor => Range::new(0, round_up_to_ones(l.max | r.max)),
        BinaryOp::Or => Range::new(l.min.max(r.min), round_up_to_ones(l.max | r.max)),
        BinaryOp::Div => Range::new(l.min / r.max.max(1), l.max / r.min.max(1)),
        BinaryOp::Rem if l.max < r.min => l,
        BinaryOp::Rem => Range::new(0, l.max.min(r.max.max(1) - 1)),
        BinaryOp::Shl | BinaryOp::Shr => shift_range(op, l, r, limits),
        BinaryOp::RotateLeft => limits,
        BinaryOp::MulHigh => match checked_product(l, r) {
            Some(whole) => {
                Range::new(whole.min >> bit_width(limits), whole.max >> bit_width(limits))
            }
            None => limits,
        },
    }
}

/// Returns the range of products; `None` if it does not fit an `i128`.
pub(super) fn checked_product(l: Range, r: Range) -> Option<Range> {
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

/// Returns the width in bits of the integer type with these limits.
pub(super) fn bit_width(limits: Range) -> i128 {
    i128::from(128 - (limits.max - limits.min).leading_zeros())
}

/// Returns the range of a shift. The amount counts modulo the width, so that a larger amount bounds
/// nothing.
fn shift_range(op: BinaryOp, l: Range, r: Range, limits: Range) -> Range {
    let width = bit_width(limits);
    if l.min < 0 || r.max >= width {
        return limits;
    }
    if op == BinaryOp::Shl {
        Range::new(l.min << r.min, l.max << r.max)
    } else {
        Range::new(l.min >> r.max, l.max >> r.min)
    }
}

/// Returns the smallest number of the form `2^n - 1` that is not less than `value`, which is not
/// negative.
fn round_up_to_ones(value: i128) -> i128 {
    (1_i128 << (128 - value.leading_zeros())) - 1
}
