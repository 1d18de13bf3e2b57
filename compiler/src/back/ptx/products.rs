//! Products of 64-bit integers by constants that `ptxas` would lose.
//!
//! Of `(x * a) * b + c` with constants `a`, `b` and `c`, the releases 12.0 to 13.3 drop `b` if the
//! low 32 bits of `a * b` are those of `a`: of `a` = 65536 and `b` = 65537, say. A product may also
//! be a shift, or several; constants may be added in between; and all of these may be found through
//! variables and the folding of constants, which only `ptxas` does. `a * (b - 1)` is a multiple of
//! 2^32 then, so `b` is odd and the powers of two in `a` and `b - 1` are 2^32 together. Where a
//! kernel scales by enough, its odd factors are read from constant memory, where `ptxas` does not
//! look, as operands of the same instructions.
use super::{
    Emitter,
    emitter::ptx,
    facts::width,
    reg::{Class, Reg},
};
use crate::ir::{BinaryOp, Inst, InstId, Kernel, Op, Ty};

/// The power of two above which any odd factor may be lost: a product of few odd factors is 1 more
/// than a multiple of the rest of 2^32.
const MAX_HARMLESS_SHIFT: u32 = 15;

/// Returns the largest power of two that constants of the kernel scale 64-bit integers by, two at a
/// time.
pub(super) fn widest_scale(kernel: &Kernel) -> u32 {
    let mut largest = [0, 0];
    for shift in kernel.insts.iter().filter_map(|(_, inst)| scale(kernel, inst)) {
        if shift > largest[0] {
            largest = [shift, largest[0]];
        } else {
            largest[1] = largest[1].max(shift);
        }
    }
    largest[0] + largest[1]
}

/// The power of two in the constant that a 64-bit integer is multiplied by.
fn scale(kernel: &Kernel, inst: &Inst) -> Option<u32> {
    let (Op::Binary { op, lhs, rhs }, Ty::Scalar(scalar)) = (&inst.op, inst.ty) else {
        return None;
    };
    if scalar.is_float() || width(scalar) != u64::BITS {
        return None;
    }
    match op {
        BinaryOp::Mul => Some(split(kernel, *lhs, *rhs)?.1.trailing_zeros()),
        BinaryOp::Shl => Some(kernel.literal(*rhs)? as u32 % u64::BITS),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shr
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

/// Returns the operand of `id` if that shifts 64 bits left by 31. Where `ptxas` runs the first
/// iteration of a loop apart and adds such a value to a product there, it multiplies by 2^31, which
/// it extends with signs to 64 bits: it adds the negative. Two shifts, by 30 and 1, stay shifts.
pub fn find_shift_by_31(kernel: &Kernel, id: InstId) -> Option<InstId> {
    let Inst { op: Op::Binary { op: BinaryOp::Shl, lhs, rhs }, ty: Ty::Scalar(scalar), .. } =
        kernel.insts[id]
    else {
        return None;
    };
    let is_by_31 = kernel.literal(rhs).is_some_and(|amount| amount % u64::from(u64::BITS) == 31);
    (is_by_31 && width(scalar) == u64::BITS).then_some(lhs)
}

/// The operand that is no constant, and the one that is.
fn split(kernel: &Kernel, lhs: InstId, rhs: InstId) -> Option<(InstId, u64)> {
    match (kernel.literal(lhs), kernel.literal(rhs)) {
        (None, Some(bits)) => Some((lhs, bits)),
        (Some(bits), None) => Some((rhs, bits)),
        (None, None) | (Some(_), Some(_)) => None,
    }
}

/// True if `ptxas` may drop `factor` in a kernel whose largest powers of two that scale 64-bit
/// integers, two at a time, are 2^`scale`.
pub const fn may_lose_factor(factor: u64, scale: u32) -> bool {
    let tail = factor.wrapping_sub(1).trailing_zeros();
    factor % 2 == 1 && (scale > MAX_HARMLESS_SHIFT || scale + tail >= u32::BITS)
}

impl Emitter<'_> {
    /// Emits `lhs * rhs` of 64-bit integers with its constant factor in a register, if it must be
    /// hidden.
    pub(super) fn multiply_by_hidden_factor(&mut self, lhs: InstId, rhs: InstId) -> Option<Reg> {
        let (value, bits) = split(self.kernel, lhs, rhs)?;
        if !may_lose_factor(bits, self.widest_scale) {
            return None;
        }
        let factor = self.constant_from_memory(bits)?;
        let (value, product) = (self.operand(value), self.regs.fresh(Class::B64));
        ptx!(self, "mul.lo.u64 {product}, {value}, {factor}");
        Some(product)
    }
}
