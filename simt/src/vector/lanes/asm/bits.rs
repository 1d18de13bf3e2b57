//! Operations that depend on the size of a type only, in assembly: copies, selection, `bool`,
//! bytes.
use super::{many, one, same_size, vectors};
use crate::vector::lanes::LaneFn;
use warpwise_compiler::ir::{BinaryOp, UnaryOp};

same_size! { 1, 32;
    copy_1(a) [];
    not_bool(a) ["vpcmpeqd ymm7, ymm7, ymm7", "vpabsb ymm7, ymm7"] "vpxor ymm0, ymm0, ymm7";
    and_1(a b) [] "vpand ymm0, ymm0, ymm1";
    or_1(a b) [] "vpor ymm0, ymm0, ymm1";
    xor_1(a b) [] "vpxor ymm0, ymm0, ymm1";
    add_1(a b) [] "vpaddb ymm0, ymm0, ymm1";
    sub_1(a b) [] "vpsubb ymm0, ymm0, ymm1";
}
same_size! { 2, 16; copy_2(a) []; }
same_size! { 4, 8; copy_4(a) []; }
same_size! { 8, 4; copy_8(a) []; }

/// `if a { b } else { c }`, from the instructions that load bools of the operands' width, and that
/// compare this width.
macro_rules! selections {
    ($($name:ident, $size:tt, $lanes:literal, $widen:literal, $equal:literal;)*) => {$(
        vectors! { $name, $lanes, ["vpxor xmm7, xmm7, xmm7",]
            [$widen, many!(b $size), many!(c $size),]
            ["movzx eax, byte ptr [rsi + r9]", "vmovd xmm0, eax", one!(b $size), one!(c $size),]
            [$equal, "vpblendvb ymm0, ymm1, ymm2, ymm0",]
            [many!(d $size),] [one!(d $size),]
        }
    )*};
}
selections! {
    select_1, 1, 32, "vmovdqu ymm0, [rsi + r9]", "vpcmpeqb ymm0, ymm0, ymm7";
    select_2, 2, 16, "vpmovzxbw ymm0, xmmword ptr [rsi + r9]", "vpcmpeqw ymm0, ymm0, ymm7";
    select_4, 4, 8, "vpmovzxbd ymm0, qword ptr [rsi + r9]", "vpcmpeqd ymm0, ymm0, ymm7";
    select_8, 8, 4, "vpmovzxbq ymm0, dword ptr [rsi + r9]", "vpcmpeqq ymm0, ymm0, ymm7";
}

/// Returns `d = a`, for values of `size` bytes.
pub(in crate::vector::lanes) fn copy(size: usize) -> LaneFn {
    LaneFn::from_raw(match size {
        1 => copy_1,
        2 => copy_2,
        4 => copy_4,
        _ => copy_8,
    })
}

/// Returns `d = if a { b } else { c }`, for values of `size` bytes.
pub(in crate::vector::lanes) fn select(size: usize) -> LaneFn {
    LaneFn::from_raw(match size {
        1 => select_1,
        2 => select_2,
        4 => select_4,
        _ => select_8,
    })
}

pub(super) fn unary_bool(op: UnaryOp) -> Option<LaneFn> {
    match op {
        UnaryOp::Not => Some(LaneFn::from_raw(not_bool)),
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

pub(super) fn binary_bool(op: BinaryOp) -> Option<LaneFn> {
    match op {
        BinaryOp::And | BinaryOp::Min => Some(LaneFn::from_raw(and_1)),
        BinaryOp::Or | BinaryOp::Max => Some(LaneFn::from_raw(or_1)),
        BinaryOp::Xor => Some(LaneFn::from_raw(xor_1)),
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

pub(super) fn binary_byte(op: BinaryOp) -> Option<LaneFn> {
    match op {
        BinaryOp::And => Some(LaneFn::from_raw(and_1)),
        BinaryOp::Or => Some(LaneFn::from_raw(or_1)),
        BinaryOp::Xor => Some(LaneFn::from_raw(xor_1)),
        BinaryOp::Add => Some(LaneFn::from_raw(add_1)),
        BinaryOp::Sub => Some(LaneFn::from_raw(sub_1)),
        BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}
