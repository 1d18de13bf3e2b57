//! Operations on `f32` and `f64` in assembly.
use super::{comparisons, same_size};
use crate::vector::lanes::LaneFn;
use warpwise_compiler::ir::{BinaryOp, CompareOp, UnaryOp};

/// The operations of a float type, from its bytes, the values in 32 bytes, the suffixes of its
/// instructions and of those on integers of its size, and the bit of its sign.
macro_rules! floats {
    ($module:ident, $size:tt, $lanes:literal, $p:literal, $int:literal, $sign:literal) => {
        pub(super) mod $module {
            use super::*;

            same_size! { $size, $lanes;
                neg(a) ["vpcmpeqd ymm7, ymm7, ymm7", concat!("vpsll", $int, " ymm7, ymm7, ", $sign)] "vpxor ymm0, ymm0, ymm7";
                abs(a) ["vpcmpeqd ymm7, ymm7, ymm7", concat!("vpsrl", $int, " ymm7, ymm7, 1")] "vpand ymm0, ymm0, ymm7";
                sqrt(a) [] concat!("vsqrt", $p, " ymm0, ymm0");
                floor(a) [] concat!("vround", $p, " ymm0, ymm0, 9");
                ceil(a) [] concat!("vround", $p, " ymm0, ymm0, 10");
                trunc(a) [] concat!("vround", $p, " ymm0, ymm0, 11");
                round_ties_even(a) [] concat!("vround", $p, " ymm0, ymm0, 8");
                add(a b) [] concat!("vadd", $p, " ymm0, ymm0, ymm1");
                sub(a b) [] concat!("vsub", $p, " ymm0, ymm0, ymm1");
                mul(a b) [] concat!("vmul", $p, " ymm0, ymm0, ymm1");
                div(a b) [] concat!("vdiv", $p, " ymm0, ymm0, ymm1");
                fma(a b c) [] concat!("vfmadd213", $p, " ymm0, ymm1, ymm2");
                // The lesser; a where that is not a number; the bits of both where they are equal;
                // b where a is NaN.
                min(a b) []
                    concat!("vcmp", $p, " ymm2, ymm0, ymm1, 0"), "vandps ymm2, ymm2, ymm1",
                    concat!("vmin", $p, " ymm3, ymm1, ymm0"), "vorps ymm3, ymm3, ymm2",
                    concat!("vcmp", $p, " ymm2, ymm0, ymm0, 3"),
                    concat!("vblendv", $p, " ymm0, ymm3, ymm1, ymm2");
                max(a b) []
                    concat!("vcmp", $p, " ymm2, ymm0, ymm1, 4"), "vorps ymm2, ymm2, ymm1",
                    concat!("vmax", $p, " ymm3, ymm1, ymm0"), "vandps ymm3, ymm3, ymm2",
                    concat!("vcmp", $p, " ymm2, ymm0, ymm0, 3"),
                    concat!("vblendv", $p, " ymm0, ymm3, ymm1, ymm2");
            }
            comparisons! { $size, $lanes, [];
                eq concat!("vcmp", $p, " ymm0, ymm0, ymm1, 0");
                ne concat!("vcmp", $p, " ymm0, ymm0, ymm1, 4");
                lt concat!("vcmp", $p, " ymm0, ymm0, ymm1, 17");
                le concat!("vcmp", $p, " ymm0, ymm0, ymm1, 18");
                gt concat!("vcmp", $p, " ymm0, ymm0, ymm1, 30");
                ge concat!("vcmp", $p, " ymm0, ymm0, ymm1, 29");
            }

            pub(in crate::vector::lanes::asm) fn fused() -> LaneFn {
                LaneFn::from_raw(fma)
            }

            pub(in crate::vector::lanes::asm) fn unary(op: UnaryOp) -> Option<LaneFn> {
                match op {
                    UnaryOp::Neg => Some(LaneFn::from_raw(neg)),
                    UnaryOp::Abs => Some(LaneFn::from_raw(abs)),
                    UnaryOp::Sqrt => Some(LaneFn::from_raw(sqrt)),
                    UnaryOp::Floor => Some(LaneFn::from_raw(floor)),
                    UnaryOp::Ceil => Some(LaneFn::from_raw(ceil)),
                    UnaryOp::Trunc => Some(LaneFn::from_raw(trunc)),
                    UnaryOp::RoundTiesEven => Some(LaneFn::from_raw(round_ties_even)),
                    UnaryOp::Not
                    | UnaryOp::Rsqrt
                    | UnaryOp::Approx(_)
                    | UnaryOp::CountOnes
                    | UnaryOp::LeadingZeros
                    | UnaryOp::ReverseBits
                    | UnaryOp::SwapBytes => None,
                }
            }

            pub(in crate::vector::lanes::asm) fn binary(op: BinaryOp) -> Option<LaneFn> {
                match op {
                    BinaryOp::Add => Some(LaneFn::from_raw(add)),
                    BinaryOp::Sub => Some(LaneFn::from_raw(sub)),
                    BinaryOp::Mul => Some(LaneFn::from_raw(mul)),
                    BinaryOp::Div => Some(LaneFn::from_raw(div)),
                    BinaryOp::Min => Some(LaneFn::from_raw(min)),
                    BinaryOp::Max => Some(LaneFn::from_raw(max)),
                    BinaryOp::Rem
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::MulHigh
                    | BinaryOp::RotateLeft => None,
                }
            }

            pub(in crate::vector::lanes::asm) fn compare(op: CompareOp) -> LaneFn {
                LaneFn::from_raw(match op {
                    CompareOp::Eq => eq,
                    CompareOp::Ne => ne,
                    CompareOp::Lt => lt,
                    CompareOp::Le => le,
                    CompareOp::Gt => gt,
                    CompareOp::Ge => ge,
                })
            }
        }
    };
}
floats! { f32s, 4, 8, "ps", "d", 31 }
floats! { f64s, 8, 4, "pd", "q", 63 }
