//! Operations on integers of four and eight bytes in assembly, and comparisons of bytes.
use super::{comparisons, copy, many, one, same_size, singles, vectors};
use crate::vector::lanes::{LaneFn, RawLaneFn};
use warpwise_compiler::ir::{BinaryOp, CompareOp, UnaryOp};

same_size! { 4, 8;
    neg_32(a) ["vpxor xmm7, xmm7, xmm7"] "vpsubd ymm0, ymm7, ymm0";
    not_32(a) ["vpcmpeqd ymm7, ymm7, ymm7"] "vpxor ymm0, ymm0, ymm7";
    abs_i32(a) [] "vpabsd ymm0, ymm0";
    add_32(a b) [] "vpaddd ymm0, ymm0, ymm1";
    sub_32(a b) [] "vpsubd ymm0, ymm0, ymm1";
    mul_32(a b) [] "vpmulld ymm0, ymm0, ymm1";
    and_32(a b) [] "vpand ymm0, ymm0, ymm1";
    or_32(a b) [] "vpor ymm0, ymm0, ymm1";
    xor_32(a b) [] "vpxor ymm0, ymm0, ymm1";
    min_i32(a b) [] "vpminsd ymm0, ymm0, ymm1";
    max_i32(a b) [] "vpmaxsd ymm0, ymm0, ymm1";
    min_u32(a b) [] "vpminud ymm0, ymm0, ymm1";
    max_u32(a b) [] "vpmaxud ymm0, ymm0, ymm1";
    // Shifts use the five low bits.
    shl_32(a b) ["vpcmpeqd ymm7, ymm7, ymm7", "vpsrld ymm7, ymm7, 27"]
        "vpand ymm1, ymm1, ymm7", "vpsllvd ymm0, ymm0, ymm1";
    shr_u32(a b) ["vpcmpeqd ymm7, ymm7, ymm7", "vpsrld ymm7, ymm7, 27"]
        "vpand ymm1, ymm1, ymm7", "vpsrlvd ymm0, ymm0, ymm1";
    shr_i32(a b) ["vpcmpeqd ymm7, ymm7, ymm7", "vpsrld ymm7, ymm7, 27"]
        "vpand ymm1, ymm1, ymm7", "vpsravd ymm0, ymm0, ymm1";
}
same_size! { 8, 4;
    neg_64(a) ["vpxor xmm7, xmm7, xmm7"] "vpsubq ymm0, ymm7, ymm0";
    not_64(a) ["vpcmpeqd ymm7, ymm7, ymm7"] "vpxor ymm0, ymm0, ymm7";
    abs_i64(a) ["vpxor xmm7, xmm7, xmm7"]
        "vpcmpgtq ymm1, ymm7, ymm0", "vpxor ymm0, ymm0, ymm1", "vpsubq ymm0, ymm0, ymm1";
    add_64(a b) [] "vpaddq ymm0, ymm0, ymm1";
    sub_64(a b) [] "vpsubq ymm0, ymm0, ymm1";
    and_64(a b) [] "vpand ymm0, ymm0, ymm1";
    or_64(a b) [] "vpor ymm0, ymm0, ymm1";
    xor_64(a b) [] "vpxor ymm0, ymm0, ymm1";
    min_i64(a b) [] "vpcmpgtq ymm2, ymm0, ymm1", "vblendvpd ymm0, ymm0, ymm1, ymm2";
    max_i64(a b) [] "vpcmpgtq ymm2, ymm1, ymm0", "vblendvpd ymm0, ymm0, ymm1, ymm2";
    // Compared as signed numbers, after the top bit is flipped.
    min_u64(a b) ["vpcmpeqd ymm7, ymm7, ymm7", "vpsllq ymm7, ymm7, 63"]
        "vpxor ymm2, ymm0, ymm7", "vpxor ymm3, ymm1, ymm7",
        "vpcmpgtq ymm2, ymm2, ymm3", "vblendvpd ymm0, ymm0, ymm1, ymm2";
    max_u64(a b) ["vpcmpeqd ymm7, ymm7, ymm7", "vpsllq ymm7, ymm7, 63"]
        "vpxor ymm2, ymm0, ymm7", "vpxor ymm3, ymm1, ymm7",
        "vpcmpgtq ymm2, ymm3, ymm2", "vblendvpd ymm0, ymm0, ymm1, ymm2";
}

/// Shifts of eight bytes, by the six low bits of four bytes.
macro_rules! shifts {
    ($($name:ident $($body:literal),*;)*) => {$(
        vectors! { $name, 4,
            ["vpcmpeqd ymm6, ymm6, ymm6", "vpsrlq ymm7, ymm6, 58", "vpsllq ymm6, ymm6, 63",]
            [many!(a 8), "vpmovzxdq ymm1, xmmword ptr [r11 + r9*4]",] [one!(a 8), one!(b 4),]
            ["vpand ymm1, ymm1, ymm7", $($body,)*]
            [many!(d 8),] [one!(d 8),]
        }
    )*};
}
shifts! {
    shl_64 "vpsllvq ymm0, ymm0, ymm1";
    shr_u64 "vpsrlvq ymm0, ymm0, ymm1";
    // The shifted sign bit is flipped and subtracted, which sets all bits above it.
    shr_i64 "vpsrlvq ymm0, ymm0, ymm1", "vpsrlvq ymm2, ymm6, ymm1",
        "vpxor ymm0, ymm0, ymm2", "vpsubq ymm0, ymm0, ymm2";
}

singles! {
    mul_64: "mov rax, [rsi + r9*8]", "imul rax, [r11 + r9*8]", "mov [rdi + r9*8], rax";
    mul_high_u32: "mov eax, [rsi + r9*4]", "mov edx, [r11 + r9*4]", "imul rax, rdx",
        "shr rax, 32", "mov [rdi + r9*4], eax";
    mul_high_i32: "movsxd rax, dword ptr [rsi + r9*4]", "movsxd rdx, dword ptr [r11 + r9*4]",
        "imul rax, rdx", "shr rax, 32", "mov [rdi + r9*4], eax";
    mul_high_u64: "mov rax, [rsi + r9*8]", "mul qword ptr [r11 + r9*8]", "mov [rdi + r9*8], rdx";
    mul_high_i64: "mov rax, [rsi + r9*8]", "imul qword ptr [r11 + r9*8]", "mov [rdi + r9*8], rdx";
    rotate_left_32: "mov ecx, [r11 + r9*4]", "mov eax, [rsi + r9*4]", "rol eax, cl",
        "mov [rdi + r9*4], eax";
    rotate_left_64: "mov ecx, [r11 + r9*4]", "mov rax, [rsi + r9*8]", "rol rax, cl",
        "mov [rdi + r9*8], rax";
    // A division by 0 gives 0.
    div_u32: "mov r10d, [r11 + r9*4]", "xor eax, eax", "test r10d, r10d", "jz 6f",
        "mov eax, [rsi + r9*4]", "xor edx, edx", "div r10d",
        "6:", "mov [rdi + r9*4], eax";
    rem_u32: "mov r10d, [r11 + r9*4]", "xor edx, edx", "test r10d, r10d", "jz 6f",
        "mov eax, [rsi + r9*4]", "div r10d",
        "6:", "mov [rdi + r9*4], edx";
    // In eight bytes, where `i32::MIN / -1` does not trap.
    div_i32: "movsxd r10, dword ptr [r11 + r9*4]", "xor eax, eax", "test r10, r10", "jz 6f",
        "movsxd rax, dword ptr [rsi + r9*4]", "cqo", "idiv r10",
        "6:", "mov [rdi + r9*4], eax";
    rem_i32: "movsxd r10, dword ptr [r11 + r9*4]", "xor edx, edx", "test r10, r10", "jz 6f",
        "movsxd rax, dword ptr [rsi + r9*4]", "cqo", "idiv r10",
        "6:", "mov [rdi + r9*4], edx";
    div_u64: "mov r10, [r11 + r9*8]", "xor eax, eax", "test r10, r10", "jz 6f",
        "mov rax, [rsi + r9*8]", "xor edx, edx", "div r10",
        "6:", "mov [rdi + r9*8], rax";
    rem_u64: "mov r10, [r11 + r9*8]", "xor edx, edx", "test r10, r10", "jz 6f",
        "mov rax, [rsi + r9*8]", "div r10",
        "6:", "mov [rdi + r9*8], rdx";
    // A division by -1 is a negation.
    div_i64: "mov r10, [r11 + r9*8]", "xor eax, eax", "test r10, r10", "jz 6f",
        "mov rax, [rsi + r9*8]", "cmp r10, -1", "je 7f", "cqo", "idiv r10", "jmp 6f",
        "7:", "neg rax",
        "6:", "mov [rdi + r9*8], rax";
    rem_i64: "mov r10, [r11 + r9*8]", "xor edx, edx", "lea rax, [r10 + 1]", "cmp rax, 1", "jbe 6f",
        "mov rax, [rsi + r9*8]", "cqo", "idiv r10",
        "6:", "mov [rdi + r9*8], rdx";
    // The offset bytes of a + b * c, and the upper bytes of a.
    offset: "mov rax, [r11 + r9*8]", "imul rax, [rcx + r9*8]", "mov rdx, [rsi + r9*8]",
        "add rax, rdx", "xor rax, rdx", "shl rax, 16", "shr rax, 16", "xor rax, rdx",
        "mov [rdi + r9*8], rax";
}

/// Returns the computation of the address `b * c` bytes after the address `a`.
pub(in crate::vector::lanes) fn address() -> LaneFn {
    LaneFn::from_raw(offset)
}

/// Comparisons of one size, from the suffix of its instructions and the instructions that make
/// operands signed, and the function that selects one.
macro_rules! orders {
    ($pick:ident, $module:ident, $size:tt, $lanes:literal, $p:literal, [$($set:expr),*] [$($sign:literal),*]) => {
        mod $module {
            use super::comparisons;
            comparisons! { $size, $lanes, ["vpcmpeqd ymm6, ymm6, ymm6", $($set,)*];
                eq concat!("vpcmpeq", $p, " ymm0, ymm0, ymm1");
                ne concat!("vpcmpeq", $p, " ymm0, ymm0, ymm1"), "vpxor ymm0, ymm0, ymm6";
                lt $($sign,)* concat!("vpcmpgt", $p, " ymm0, ymm1, ymm0");
                le $($sign,)* concat!("vpcmpgt", $p, " ymm0, ymm0, ymm1"), "vpxor ymm0, ymm0, ymm6";
                gt $($sign,)* concat!("vpcmpgt", $p, " ymm0, ymm0, ymm1");
                ge $($sign,)* concat!("vpcmpgt", $p, " ymm0, ymm1, ymm0"), "vpxor ymm0, ymm0, ymm6";
            }
            pub(super) const ALL: [super::RawLaneFn; 6] = [eq, ne, lt, le, gt, ge];
        }
        pub(super) fn $pick(op: CompareOp) -> LaneFn {
            ordered(op, $module::ALL)
        }
    };
}
orders! { compare_i8, i8s, 1, 32, "b", [] [] }
orders! { compare_u8, u8s, 1, 32, "b", ["vpabsb ymm7, ymm6", "vpsllw ymm7, ymm7, 7"]
["vpxor ymm0, ymm0, ymm7", "vpxor ymm1, ymm1, ymm7"] }
orders! { compare_i32, i32s, 4, 8, "d", [] [] }
orders! { compare_u32, u32s, 4, 8, "d", ["vpslld ymm7, ymm6, 31"]
["vpxor ymm0, ymm0, ymm7", "vpxor ymm1, ymm1, ymm7"] }
orders! { compare_i64, i64s, 8, 4, "q", [] [] }
orders! { compare_u64, u64s, 8, 4, "q", ["vpsllq ymm7, ymm6, 63"]
["vpxor ymm0, ymm0, ymm7", "vpxor ymm1, ymm1, ymm7"] }

fn ordered(op: CompareOp, [eq, ne, lt, le, gt, ge]: [RawLaneFn; 6]) -> LaneFn {
    LaneFn::from_raw(match op {
        CompareOp::Eq => eq,
        CompareOp::Ne => ne,
        CompareOp::Lt => lt,
        CompareOp::Le => le,
        CompareOp::Gt => gt,
        CompareOp::Ge => ge,
    })
}

/// Returns an operation on one value, from the functions that negate, invert bits and take the
/// magnitude.
fn unary(op: UnaryOp, neg: RawLaneFn, not: RawLaneFn, abs: LaneFn) -> Option<LaneFn> {
    match op {
        UnaryOp::Neg => Some(LaneFn::from_raw(neg)),
        UnaryOp::Not => Some(LaneFn::from_raw(not)),
        UnaryOp::Abs => Some(abs),
        UnaryOp::CountOnes
        | UnaryOp::LeadingZeros
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_) => None,
    }
}
pub(super) fn unary_i32(op: UnaryOp) -> Option<LaneFn> {
    unary(op, neg_32, not_32, LaneFn::from_raw(abs_i32))
}
pub(super) fn unary_u32(op: UnaryOp) -> Option<LaneFn> {
    unary(op, neg_32, not_32, copy(4))
}
pub(super) fn unary_i64(op: UnaryOp) -> Option<LaneFn> {
    unary(op, neg_64, not_64, LaneFn::from_raw(abs_i64))
}
pub(super) fn unary_u64(op: UnaryOp) -> Option<LaneFn> {
    unary(op, neg_64, not_64, copy(8))
}

/// The functions that select an operation on two values.
macro_rules! binary {
    ($($pick:ident: $add:ident $sub:ident $mul:ident $div:ident $rem:ident $and:ident $or:ident $xor:ident
        $shl:ident $shr:ident $min:ident $max:ident $mul_high:ident $rotate_left:ident;)*) => {$(
        pub(super) fn $pick(op: BinaryOp) -> LaneFn {
            LaneFn::from_raw(match op {
                BinaryOp::Add => $add,
                BinaryOp::Sub => $sub,
                BinaryOp::Mul => $mul,
                BinaryOp::Div => $div,
                BinaryOp::Rem => $rem,
                BinaryOp::And => $and,
                BinaryOp::Or => $or,
                BinaryOp::Xor => $xor,
                BinaryOp::Shl => $shl,
                BinaryOp::Shr => $shr,
                BinaryOp::Min => $min,
                BinaryOp::Max => $max,
                BinaryOp::MulHigh => $mul_high,
                BinaryOp::RotateLeft => $rotate_left,
            })
        }
    )*};
}
binary! {
    binary_i32: add_32 sub_32 mul_32 div_i32 rem_i32 and_32 or_32 xor_32
        shl_32 shr_i32 min_i32 max_i32 mul_high_i32 rotate_left_32;
    binary_u32: add_32 sub_32 mul_32 div_u32 rem_u32 and_32 or_32 xor_32
        shl_32 shr_u32 min_u32 max_u32 mul_high_u32 rotate_left_32;
    binary_i64: add_64 sub_64 mul_64 div_i64 rem_i64 and_64 or_64 xor_64
        shl_64 shr_i64 min_i64 max_i64 mul_high_i64 rotate_left_64;
    binary_u64: add_64 sub_64 mul_64 div_u64 rem_u64 and_64 or_64 xor_64
        shl_64 shr_u64 min_u64 max_u64 mul_high_u64 rotate_left_64;
}
