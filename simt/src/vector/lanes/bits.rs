//! Operations that depend on the size of a type only: copies, selection, `bool`, addresses.
#[cfg(assembly)]
use super::asm;
use super::{Formula, Isa, LaneFn, lane_ops, or_assembly, pick};
use crate::vector::memory::Word;
use warpwise_compiler::ir::{BinaryOp, UnaryOp};

/// The bits of an address that hold the offset; the bits above name a buffer. See [`offset`].
const OFFSET: u64 = (1 << OFFSET_BITS) - 1;
/// The bits of an address that name its buffer.
pub(crate) const BUFFER: u64 = !OFFSET;
/// The number of bits of an offset.
const OFFSET_BITS: u32 = 48;

/// Returns the address `b * c` bytes after the address `a`, in the same buffer.
#[inline(always)]
const fn behind(a: u64, b: u64, c: u64) -> u64 {
    (a & BUFFER) | (a.wrapping_add(b.wrapping_mul(c)) & OFFSET)
}

lane_ops! {
    Copy1<W: Word>(a: W, _b: (), _c: ()) -> W { a }
    Select<W: Word>(a: u8, b: W, c: W) -> W { if a != 0 { b } else { c } }
    NotBool(a: u8, _b: (), _c: ()) -> u8 { a ^ 1 }
    And(a: u8, b: u8, _c: ()) -> u8 { a & b }
    Or(a: u8, b: u8, _c: ()) -> u8 { a | b }
    Xor(a: u8, b: u8, _c: ()) -> u8 { a ^ b }
    Min(a: u8, b: u8, _c: ()) -> u8 { a & b }
    Max(a: u8, b: u8, _c: ()) -> u8 { a | b }
    Offset(a: u64, b: u64, c: u64) -> u64 {
        behind(a, b, c)
    }
}

/// The operation for the word of `size` bytes.
macro_rules! by_size {
    ($size:expr, $isa:expr, $op:ident) => {
        match $size {
            1 => pick::<$op<u8>>($isa),
            2 => pick::<$op<u16>>($isa),
            4 => pick::<$op<u32>>($isa),
            _ => pick::<$op<u64>>($isa),
        }
    };
}

/// Returns `d = a`, for values of `size` bytes.
pub(crate) fn copy(size: usize, isa: Isa) -> LaneFn {
    copy_loop(size, isa).with_formula(Formula::Copy, isa)
}

fn copy_loop(size: usize, isa: Isa) -> LaneFn {
    or_assembly!(isa, Some(asm::copy(size)));
    by_size!(size, isa, Copy1)
}

/// Returns `d = if a { b } else { c }`, for values of `size` bytes.
pub(crate) fn select(size: usize, isa: Isa) -> LaneFn {
    or_assembly!(isa, Some(asm::select(size)));
    by_size!(size, isa, Select)
}

/// Returns the computation of the address `b * c` bytes after the address `a`, in the buffer that
/// `a` names.
pub(crate) fn offset(isa: Isa) -> LaneFn {
    or_assembly!(isa, Some(asm::address()));
    pick::<Offset>(isa)
}

/// Returns the address of the first byte of a buffer.
pub(crate) const fn address(buffer: u16) -> u64 {
    (buffer as u64) << OFFSET_BITS
}

/// Returns the buffer that an address names, and the offset in it.
pub(crate) const fn resolve(address: u64) -> (u16, u64) {
    ((address >> OFFSET_BITS) as u16, address & OFFSET)
}

pub(super) fn unary_bool(op: UnaryOp, isa: Isa) -> Option<LaneFn> {
    match op {
        UnaryOp::Not => Some(pick::<NotBool>(isa)),
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_)
        | UnaryOp::CountOnes
        | UnaryOp::LeadingZeros
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes => None,
    }
}

pub(super) fn binary_bool(op: BinaryOp, isa: Isa) -> Option<LaneFn> {
    match op {
        BinaryOp::And => Some(pick::<And>(isa)),
        BinaryOp::Or => Some(pick::<Or>(isa)),
        BinaryOp::Xor => Some(pick::<Xor>(isa)),
        BinaryOp::Min => Some(pick::<Min>(isa)),
        BinaryOp::Max => Some(pick::<Max>(isa)),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}
