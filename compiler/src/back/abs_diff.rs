//! Absolute differences of integers, alone and added to a sum, which hardware computes by one
//! instruction.
use crate::ir::{BinaryOp, InstId, Kernel, Op, Scalar, Ty, UnaryOp};

/// `|lhs - rhs|`, plus the addend if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbsDiff {
    /// The first number.
    pub lhs: InstId,
    /// The second number.
    pub rhs: InstId,
    /// The addend, of 32 bits.
    pub addend: Option<InstId>,
    /// True if the numbers are signed; then they have 32 bits, otherwise at most 32.
    pub is_signed: bool,
}

/// Returns the operands of `id` if it is `max(a, b) - min(a, b)`, the magnitude of a difference that
/// does not overflow, or a sum of such a number and an addend.
pub fn find_abs_diff(kernel: &Kernel, id: InstId) -> Option<AbsDiff> {
    let Op::Binary { op: BinaryOp::Add, lhs, rhs } = kernel.insts[id].op else {
        return find_difference(kernel, id);
    };
    let sum = |difference: InstId, addend: InstId| {
        let found = find_difference(kernel, widened_from(kernel, difference))?;
        Some(AbsDiff { addend: Some(addend), ..found })
    };
    is_word(kernel, id).then(|| sum(rhs, lhs).or_else(|| sum(lhs, rhs))).flatten()
}

fn find_difference(kernel: &Kernel, id: InstId) -> Option<AbsDiff> {
    find_magnitude(kernel, id).or_else(|| find_distance(kernel, id))
}

/// `(a - b).abs()` for `i32`s of at most 16 bits.
fn find_magnitude(kernel: &Kernel, id: InstId) -> Option<AbsDiff> {
    let Op::Unary { op: UnaryOp::Abs, value } = kernel.insts[id].op else { return None };
    let Op::Binary { op: BinaryOp::Sub, lhs, rhs } = kernel.insts[value].op else { return None };
    let is_signed = kernel.insts[id].ty == Ty::Scalar(Scalar::I32);
    (is_signed && is_short(kernel, lhs) && is_short(kernel, rhs)).then_some(AbsDiff {
        lhs,
        rhs,
        addend: None,
        is_signed,
    })
}

/// True for a number that is cast from an integer of at most 16 bits.
fn is_short(kernel: &Kernel, mut id: InstId) -> bool {
    while let Op::Cast { value } = kernel.insts[id].op {
        match kernel.insts[value].ty {
            Ty::Scalar(Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16) => return true,
            _ if is_word(kernel, value) => id = value,
            _ => return false,
        }
    }
    false
}

/// `max(a, b) - min(a, b)`
fn find_distance(kernel: &Kernel, id: InstId) -> Option<AbsDiff> {
    let binary = |id: InstId| match kernel.insts[id].op {
        Op::Binary { op, lhs, rhs } => Some((op, [lhs, rhs])),
        _ => None,
    };
    let (BinaryOp::Sub, [high, low]) = binary(id)? else { return None };
    let (BinaryOp::Max, [lhs, rhs]) = binary(high)? else { return None };
    let (BinaryOp::Min, operands) = binary(low)? else { return None };
    let is_same = operands == [lhs, rhs] || operands == [rhs, lhs];
    let is_signed = kernel.insts[id].ty == Ty::Scalar(Scalar::I32);
    let is_narrow_enough = is_signed || is_unsigned_up_to_32_bits(kernel, id);
    (is_same && is_narrow_enough).then_some(AbsDiff { lhs, rhs, addend: None, is_signed })
}

/// Returns the number that `id` is, before casts that keep its value or its 32 bits.
fn widened_from(kernel: &Kernel, mut id: InstId) -> InstId {
    while let Op::Cast { value } = kernel.insts[id].op
        && is_word(kernel, id)
        && (is_unsigned_up_to_32_bits(kernel, value) || is_word(kernel, value))
    {
        id = value;
    }
    id
}

fn is_word(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].ty, Ty::Scalar(Scalar::U32 | Scalar::I32))
}

fn is_unsigned_up_to_32_bits(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].ty, Ty::Scalar(Scalar::U8 | Scalar::U16 | Scalar::U32))
}
