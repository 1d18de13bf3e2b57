//! Rust's `as` in assembly, between numbers of four and eight bytes, and from bytes.
use super::{copy, many, one, singles, vectors};
use crate::vector::lanes::{LaneFn, RawLaneFn};
use warpwise_compiler::ir::Scalar;

/// Casts from a type of half the width, from the instructions that load a vector and one lane, and
/// those that follow.
macro_rules! widening {
    ($($name:ident [$($many:literal),*] [$($one:literal),*] $($body:literal),*;)*) => {$(
        vectors! { $name, 4, [] [$($many,)*] [$($one,)*] [$($body,)*] [many!(d 8),] [one!(d 8),] }
    )*};
}
widening! {
    u32_to_u64 ["vpmovzxdq ymm0, xmmword ptr [rsi + r9*4]"] ["vmovd xmm0, dword ptr [rsi + r9*4]"];
    i32_to_i64 ["vpmovsxdq ymm0, xmmword ptr [rsi + r9*4]"]
        ["movsxd rax, dword ptr [rsi + r9*4]", "vmovq xmm0, rax"];
    i32_to_f64 ["vmovdqu xmm0, [rsi + r9*4]"] ["vmovd xmm0, dword ptr [rsi + r9*4]"]
        "vcvtdq2pd ymm0, xmm0";
    f32_to_f64 ["vmovdqu xmm0, [rsi + r9*4]"] ["vmovd xmm0, dword ptr [rsi + r9*4]"]
        "vcvtps2pd ymm0, xmm0";
}
vectors! { u8_to_u32, 8, [] ["vpmovzxbd ymm0, qword ptr [rsi + r9]",]
[ "movzx eax, byte ptr [rsi + r9]", "vmovd xmm0, eax",] [] [many!(d 4),] [one!(d 4),] }
vectors! { u64_to_u32, 4, [] [many!(a 8),] [one!(a 8),]
[ "vextracti128 xmm1, ymm0, 1", "vshufps xmm0, xmm0, xmm1, 0x88",]
[ "vmovdqu [rdi + r9*4], xmm0",] [one!(d 4),] }
vectors! { f64_to_f32, 4, [] [many!(a 8),] [one!(a 8),] ["vcvtpd2ps xmm0, ymm0",]
[ "vmovdqu [rdi + r9*4], xmm0",] [one!(d 4),] }
vectors! { i32_to_f32, 8, [] [many!(a 4),] [one!(a 4),] ["vcvtdq2ps ymm0, ymm0",]
[ many!(d 4),] [one!(d 4),] }
// The instruction makes `i32::MIN` of all values that do not fit: values of 2^31 or more become
// `i32::MAX`, and NaN 0.
vectors! { f32_to_i32, 8,
[ "mov eax, 0x4f000000", "vmovd xmm7, eax", "vpbroadcastd ymm7, xmm7",]
[ many!(a 4),] [one!(a 4),]
[ "vcmpps ymm1, ymm0, ymm7, 29", "vcmpps ymm2, ymm0, ymm0, 7", "vcvttps2dq ymm0, ymm0",
  "vpxor ymm0, ymm0, ymm1", "vpand ymm0, ymm0, ymm2",]
[ many!(d 4),] [one!(d 4),] }

singles! {
    u32_to_f32: "mov eax, [rsi + r9*4]", "vxorps xmm0, xmm0, xmm0", "vcvtsi2ss xmm0, xmm0, rax",
        "vmovd dword ptr [rdi + r9*4], xmm0";
    u32_to_f64: "mov eax, [rsi + r9*4]", "vxorps xmm0, xmm0, xmm0", "vcvtsi2sd xmm0, xmm0, rax",
        "vmovq qword ptr [rdi + r9*8], xmm0";
    i64_to_f32: "mov rax, [rsi + r9*8]", "vxorps xmm0, xmm0, xmm0", "vcvtsi2ss xmm0, xmm0, rax",
        "vmovd dword ptr [rdi + r9*4], xmm0";
    i64_to_f64: "mov rax, [rsi + r9*8]", "vxorps xmm0, xmm0, xmm0", "vcvtsi2sd xmm0, xmm0, rax",
        "vmovq qword ptr [rdi + r9*8], xmm0";
    // For values of 2^63 or more, half the value is converted, with its last bit merged into the
    // one above so that it rounds equally, and doubled.
    u64_to_f32: "mov rax, [rsi + r9*8]", "vxorps xmm0, xmm0, xmm0", "test rax, rax", "js 6f",
        "vcvtsi2ss xmm0, xmm0, rax", "jmp 7f",
        "6:", "mov rdx, rax", "shr rdx", "and eax, 1", "or rdx, rax",
        "vcvtsi2ss xmm0, xmm0, rdx", "vaddss xmm0, xmm0, xmm0",
        "7:", "vmovd dword ptr [rdi + r9*4], xmm0";
    u64_to_f64: "mov rax, [rsi + r9*8]", "vxorps xmm0, xmm0, xmm0", "test rax, rax", "js 6f",
        "vcvtsi2sd xmm0, xmm0, rax", "jmp 7f",
        "6:", "mov rdx, rax", "shr rdx", "and eax, 1", "or rdx, rax",
        "vcvtsi2sd xmm0, xmm0, rdx", "vaddsd xmm0, xmm0, xmm0",
        "7:", "vmovq qword ptr [rdi + r9*8], xmm0";
    // Clamped to at least 0, which also replaces NaN, and at most 2^32, in 64 bits; then to at most
    // `u32::MAX`.
    f32_to_u32: "mov eax, 0x4f800000", "vmovd xmm1, eax", "vmovd xmm0, dword ptr [rsi + r9*4]",
        "vminss xmm1, xmm1, xmm0", "vxorps xmm0, xmm0, xmm0", "vmaxss xmm0, xmm1, xmm0",
        "vcvttss2si rax, xmm0", "mov edx, 0xffffffff", "cmp rax, rdx", "cmova rax, rdx",
        "mov [rdi + r9*4], eax";
    u32_to_u8: "mov eax, [rsi + r9*4]", "mov [rdi + r9], al";
}

/// Returns `as` from one scalar to another, if there is assembly for it.
pub(in crate::vector::lanes) fn cast(from: Scalar, to: Scalar) -> Option<LaneFn> {
    match from {
        Scalar::Bool | Scalar::U8 => {
            matches!(to, Scalar::I32 | Scalar::U32).then_some(LaneFn::from_raw(u8_to_u32))
        }
        Scalar::I32 => from_four(to, i32_to_i64, i32_to_f32, i32_to_f64),
        Scalar::U32 => from_four(to, u32_to_u64, u32_to_f32, u32_to_f64),
        Scalar::I64 => from_eight(to, i64_to_f32, i64_to_f64),
        Scalar::U64 => from_eight(to, u64_to_f32, u64_to_f64),
        Scalar::F32 => from_f32(to),
        Scalar::F64 => (to == Scalar::F32).then_some(LaneFn::from_raw(f64_to_f32)),
        Scalar::I8 | Scalar::I16 | Scalar::U16 => None,
        Scalar::F16 | Scalar::BF16 | Scalar::Generic(_) => None,
    }
}

/// Returns `as` from a type of four bytes. The sign of the target makes no difference.
fn from_four(to: Scalar, wide: RawLaneFn, f32: RawLaneFn, f64: RawLaneFn) -> Option<LaneFn> {
    match to {
        Scalar::I8 | Scalar::U8 => Some(LaneFn::from_raw(u32_to_u8)),
        Scalar::I32 | Scalar::U32 => Some(copy(4)),
        Scalar::I64 | Scalar::U64 => Some(LaneFn::from_raw(wide)),
        Scalar::F32 => Some(LaneFn::from_raw(f32)),
        Scalar::F64 => Some(LaneFn::from_raw(f64)),
        Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16 => None,
        Scalar::Bool | Scalar::Generic(_) => None,
    }
}

fn from_eight(to: Scalar, f32: RawLaneFn, f64: RawLaneFn) -> Option<LaneFn> {
    match to {
        Scalar::I32 | Scalar::U32 => Some(LaneFn::from_raw(u64_to_u32)),
        Scalar::I64 | Scalar::U64 => Some(copy(8)),
        Scalar::F32 => Some(LaneFn::from_raw(f32)),
        Scalar::F64 => Some(LaneFn::from_raw(f64)),
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => None,
        Scalar::F16 | Scalar::BF16 | Scalar::Bool | Scalar::Generic(_) => None,
    }
}

fn from_f32(to: Scalar) -> Option<LaneFn> {
    match to {
        Scalar::I32 => Some(LaneFn::from_raw(f32_to_i32)),
        Scalar::U32 => Some(LaneFn::from_raw(f32_to_u32)),
        Scalar::F32 => Some(copy(4)),
        Scalar::F64 => Some(LaneFn::from_raw(f32_to_f64)),
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I64 | Scalar::U64 => None,
        Scalar::F16 | Scalar::BF16 | Scalar::Bool | Scalar::Generic(_) => None,
    }
}
