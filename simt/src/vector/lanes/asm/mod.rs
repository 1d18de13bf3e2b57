//! The hottest lane operations in assembly, for builds without optimization.
//!
//! `cargo test` compiles dependencies at `opt-level = 0`, where a loop over lanes in Rust is a
//! hundred times slower than the vector code that it becomes at 3. Assembly is the same in both. So
//! a build without optimization (`cfg(unoptimized)`, from the build script) uses these operations
//! where the machine has AVX2, and the loops in Rust for all others. Both give the same bits: the
//! tests compare every operation with its loop.
//!
//! A function here is a loop in one `asm!` block, made by one of two macros from the instructions
//! for a lane: [`vectors`] processes 32 bytes of the widest operand at a time and the remaining
//! lanes one by one, [`singles`] processes all lanes one by one. Both use these registers:
//!
//! | | |
//! |---|---|
//! | `rdi` | the destination |
//! | `rsi`, `r11`, `rcx` | the operands, which [`many`] and [`one`] load as `ymm0` to `ymm2` |
//! | `r8`, `r9` | the number of lanes, and the index of the next lane |
//! | `rax`, `rdx`, `rcx`, `r10` | scratch for single lanes; `rcx` only without a third operand |
//! | `ymm0` | the result of a vector |
//! | `ymm1` to `ymm7` | scratch; values set before the loop stay |
mod bits;
mod cast;
mod float;
mod int;
pub(super) mod lane_offsets;
pub(super) mod scan;
#[cfg(test)]
mod tests;

use super::{LaneFn, select_float};
pub(super) use bits::{copy, select};
pub(super) use cast::cast;
pub(super) use int::address;
use warpwise_compiler::ir::{BinaryOp, CompareOp, Scalar, UnaryOp};

/// Loads 32 bytes of an operand with lanes of a size, as `ymm0` for `a`, `ymm1` for `b`, `ymm2` for
/// `c`; stores `ymm0` to `d`.
macro_rules! many {
    (a $size:literal) => {
        concat!("vmovdqu ymm0, [rsi + r9*", $size, "]")
    };
    (b $size:literal) => {
        concat!("vmovdqu ymm1, [r11 + r9*", $size, "]")
    };
    (c $size:literal) => {
        concat!("vmovdqu ymm2, [rcx + r9*", $size, "]")
    };
    (d $size:literal) => {
        concat!("vmovdqu [rdi + r9*", $size, "], ymm0")
    };
}
use many;

/// Loads or stores one lane.
macro_rules! one {
    (a 1) => {
        "vpinsrb xmm0, xmm0, byte ptr [rsi + r9], 0"
    };
    (b 1) => {
        "vpinsrb xmm1, xmm1, byte ptr [r11 + r9], 0"
    };
    (d 1) => {
        "vpextrb byte ptr [rdi + r9], xmm0, 0"
    };
    (c 1) => {
        "vpinsrb xmm2, xmm2, byte ptr [rcx + r9], 0"
    };
    (a 2) => {
        "vpinsrw xmm0, xmm0, word ptr [rsi + r9*2], 0"
    };
    (b 2) => {
        "vpinsrw xmm1, xmm1, word ptr [r11 + r9*2], 0"
    };
    (c 2) => {
        "vpinsrw xmm2, xmm2, word ptr [rcx + r9*2], 0"
    };
    (d 2) => {
        "vpextrw word ptr [rdi + r9*2], xmm0, 0"
    };
    (a 4) => {
        "vmovd xmm0, dword ptr [rsi + r9*4]"
    };
    (b 4) => {
        "vmovd xmm1, dword ptr [r11 + r9*4]"
    };
    (c 4) => {
        "vmovd xmm2, dword ptr [rcx + r9*4]"
    };
    (d 4) => {
        "vmovd dword ptr [rdi + r9*4], xmm0"
    };
    (a 8) => {
        "vmovq xmm0, qword ptr [rsi + r9*8]"
    };
    (b 8) => {
        "vmovq xmm1, qword ptr [r11 + r9*8]"
    };
    (c 8) => {
        "vmovq xmm2, qword ptr [rcx + r9*8]"
    };
    (d 8) => {
        "vmovq qword ptr [rdi + r9*8], xmm0"
    };
}
use one;

/// A function over lanes, from the lanes in a vector and the instructions before the loop, to load
/// a vector and a lane, to compute, and to store a vector and a lane.
macro_rules! vectors {
    ($name:ident, $lanes:expr, [$($set:tt)*] [$($many:tt)*] [$($one:tt)*] [$($body:tt)*] [$($store:tt)*] [$($store_one:tt)*]) => {
        /// Computes the lanes.
        ///
        /// # Safety
        /// As for [`LaneFn`](crate::vector::lanes::LaneFn), on a machine with AVX2 and FMA.
        unsafe fn $name(d: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize) {
            // SAFETY: only lanes below `n` are loaded and stored, which exist as the caller
            // guarantees; lanes are stored after all operands of the same lanes are loaded. Every
            // register used is named.
            unsafe {
                std::arch::asm!(
                    $($set)*
                    "2:",
                    concat!("lea r10, [r9 + ", $lanes, "]"),
                    "cmp r10, r8",
                    "ja 3f",
                    $($many)* $($body)* $($store)*
                    "mov r9, r10",
                    "jmp 2b",
                    "3:",
                    "cmp r9, r8",
                    "jae 5f",
                    "4:",
                    $($one)* $($body)* $($store_one)*
                    "inc r9",
                    "cmp r9, r8",
                    "jb 4b",
                    "5:",
                    "vzeroupper",
                    in("rdi") d, in("rsi") a, in("r11") b, inout("rcx") c => _, in("r8") n,
                    inout("r9") 0_usize => _, out("r10") _, out("rax") _, out("rdx") _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                    out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                    options(nostack),
                );
            }
        }
    };
}
use vectors;

/// A function over lanes, one by one, from the instructions for a lane.
macro_rules! singles {
    ($($name:ident: $($body:literal),*;)*) => {$(
        /// Computes the lanes.
        ///
        /// # Safety
        /// As for [`LaneFn`](crate::vector::lanes::LaneFn), on a machine with AVX2 and FMA.
        unsafe fn $name(d: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize) {
            // SAFETY: only lanes below `n` are loaded and stored, which exist as the caller
            // guarantees. Every register used is named.
            unsafe {
                std::arch::asm!(
                    "cmp r9, r8",
                    "jae 3f",
                    "2:",
                    $($body,)*
                    "inc r9",
                    "cmp r9, r8",
                    "jb 2b",
                    "3:",
                    in("rdi") d, in("rsi") a, in("r11") b, inout("rcx") c => _, in("r8") n,
                    inout("r9") 0_usize => _, out("r10") _, out("rax") _, out("rdx") _,
                    out("xmm0") _, out("xmm1") _,
                    options(nostack),
                );
            }
        }
    )*};
}
use singles;

/// Functions of one, two or three operands of the result's size, in vectors.
macro_rules! same_size {
    ($size:tt, $lanes:literal; $($name:ident($($operand:ident)*) [$($set:expr),*] $($body:expr),*;)*) => {$(
        $crate::vector::lanes::asm::vectors! {
            $name, $lanes, [$($set,)*]
            [$($crate::vector::lanes::asm::many!($operand $size),)*] [$($crate::vector::lanes::asm::one!($operand $size),)*]
            [$($body,)*] [$crate::vector::lanes::asm::many!(d $size),] [$crate::vector::lanes::asm::one!(d $size),]
        }
    )*};
}
use same_size;

/// Comparisons of two operands, in vectors: the body sets all bits of the lanes of `ymm0` for which
/// the comparison holds.
macro_rules! comparisons {
    (@narrow 1) => { "vpabsb ymm0, ymm0\nvmovdqu [rdi + r9], ymm0" };
    (@narrow 4) => { concat!(
        "vextracti128 xmm1, ymm0, 1\nvpackssdw xmm0, xmm0, xmm1\n",
        "vpacksswb xmm0, xmm0, xmm0\nvpabsb xmm0, xmm0\nvmovq [rdi + r9], xmm0",
    ) };
    (@narrow 8) => { concat!(
        "vextracti128 xmm1, ymm0, 1\nvshufps xmm0, xmm0, xmm1, 0x88\nvpackssdw xmm0, xmm0, xmm0\n",
        "vpacksswb xmm0, xmm0, xmm0\nvpabsb xmm0, xmm0\nvmovd [rdi + r9], xmm0",
    ) };
    ($size:tt, $lanes:literal, $set:tt; $($name:ident $($body:expr),*;)*) => {$(
        $crate::vector::lanes::asm::vectors! {
            $name, $lanes, $set
            [$crate::vector::lanes::asm::many!(a $size), $crate::vector::lanes::asm::many!(b $size),]
            [$crate::vector::lanes::asm::one!(a $size), $crate::vector::lanes::asm::one!(b $size),]
            [$($body,)*]
            [$crate::vector::lanes::asm::comparisons!(@narrow $size),]
            ["vpabsb xmm0, xmm0", $crate::vector::lanes::asm::one!(d 1),]
        }
    )*};
}
use comparisons;

/// Returns an operation on one value, if there is assembly for it.
pub(super) fn unary(op: UnaryOp, scalar: Scalar) -> Option<LaneFn> {
    match scalar {
        Scalar::F32 => float::f32s::unary(op),
        Scalar::F64 => float::f64s::unary(op),
        Scalar::I32 => int::unary_i32(op),
        Scalar::U32 => int::unary_u32(op),
        Scalar::I64 => int::unary_i64(op),
        Scalar::U64 => int::unary_u64(op),
        Scalar::Bool => bits::unary_bool(op),
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => None,
        Scalar::F16 | Scalar::BF16 | Scalar::Generic(_) => None,
    }
}

/// Returns an operation on two values, if there is assembly for it.
pub(super) fn binary(op: BinaryOp, scalar: Scalar) -> Option<LaneFn> {
    match scalar {
        Scalar::F32 => float::f32s::binary(op),
        Scalar::F64 => float::f64s::binary(op),
        Scalar::I32 => Some(int::binary_i32(op)),
        Scalar::U32 => Some(int::binary_u32(op)),
        Scalar::I64 => Some(int::binary_i64(op)),
        Scalar::U64 => Some(int::binary_u64(op)),
        Scalar::Bool => bits::binary_bool(op),
        Scalar::I8 | Scalar::U8 => bits::binary_byte(op),
        Scalar::I16 | Scalar::U16 => None,
        Scalar::F16 | Scalar::BF16 | Scalar::Generic(_) => None,
    }
}

/// Returns a comparison of two values of type `scalar`, if there is assembly for it.
pub(super) fn compare(op: CompareOp, scalar: Scalar) -> Option<LaneFn> {
    match scalar {
        Scalar::F32 => Some(float::f32s::compare(op)),
        Scalar::F64 => Some(float::f64s::compare(op)),
        Scalar::I32 => Some(int::compare_i32(op)),
        Scalar::U32 => Some(int::compare_u32(op)),
        Scalar::I64 => Some(int::compare_i64(op)),
        Scalar::U64 => Some(int::compare_u64(op)),
        Scalar::I8 => Some(int::compare_i8(op)),
        Scalar::Bool | Scalar::U8 => Some(int::compare_u8(op)),
        Scalar::I16 | Scalar::U16 => None,
        Scalar::F16 | Scalar::BF16 | Scalar::Generic(_) => None,
    }
}

/// Returns `a * b + c`, rounded once, if there is assembly for it.
pub(super) fn fma(scalar: Scalar) -> Option<LaneFn> {
    select_float(scalar, || Some(float::f32s::fused()), || Some(float::f64s::fused()))
}
