//! Arithmetic on words in memory that others may access at the same time, without registers of the
//! interpreter.
//!
//! As [`copy`](mod@super::copy) describes, such memory is accessed by `asm!` with the semantics of
//! one relaxed atomic load of each word of an operand, and one relaxed atomic store of each word of
//! the result, and every such word is aligned to its size. The operations are those that typical
//! kernels bound by memory consist of. Their results have the bits of the loops in Rust, except for
//! the sign and payload of a computed NaN.
use super::{InMemory, fused::Pair, select_float};
use std::arch::asm;
use warpwise_compiler::ir::{BinaryOp, Scalar};

/// The instructions for a vector or a lane, on registers that hold the operands.
macro_rules! compute {
    ([$op:literal] $a:literal $b:literal $c:literal) => {
        concat!($op, " ", $a, ", ", $a, ", ", $b, "\n")
    };
    ([fma $op:literal] $a:literal $b:literal $c:literal) => {
        concat!($op, " ", $a, ", ", $b, ", ", $c, "\n")
    };
    ([$op:literal, $then:literal] $a:literal $b:literal $c:literal) => {
        concat!($op, " ", $a, ", ", $a, ", ", $b, "\n", $then, " ", $a, ", ", $a, ", ", $c, "\n")
    };
    ([$op:literal, from $then:literal] $a:literal $b:literal $c:literal) => {
        concat!($op, " ", $a, ", ", $a, ", ", $b, "\n", $then, " ", $a, ", ", $c, ", ", $a, "\n")
    };
}

/// Loads two or three operands, `$at` bytes further on.
macro_rules! load {
    ([$op:literal] $mov:literal $at:literal $a:literal $b:literal $c:literal) => {
        concat!($mov, " ", $a, ", [{a} + {i} + ", $at, "]\n", $mov, " ", $b, ", [{b} + {i} + ", $at, "]\n")
    };
    ([$($op:tt)*] $mov:literal $at:literal $a:literal $b:literal $c:literal) => {
        concat!(
            load!([""] $mov $at $a $b $c),
            $mov, " ", $c, ", [{c} + {i} + ", $at, "]\n",
        )
    };
}

/// Functions over words, from the bytes in a word, the words in one and in two vectors, and the
/// instruction that moves a word.
macro_rules! functions {
    ($size:literal $lanes:literal $two:literal $mov:literal; $($name:ident $op:tt)*) => {$(
        /// Computes lanes in memory or in registers.
        ///
        /// # Safety
        /// As for `LaneFn`, on a machine with AVX2 and FMA; operands and results may be in memory
        /// that others access by words of this size.
        unsafe fn $name(d: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize) {
            // SAFETY: only lanes below `n` are loaded and stored, which exist as the caller
            // guarantees; see the module documentation for races.
            unsafe {
                asm!(
                    // Operations of two operands must mention the third, too.
                    "2: /* {c} */",
                    concat!("cmp {n}, ", $two),
                    "jb 3f",
                    load!($op "vmovups" "0" "ymm0" "ymm1" "ymm2"),
                    load!($op "vmovups" "32" "ymm3" "ymm4" "ymm5"),
                    compute!($op "ymm0" "ymm1" "ymm2"),
                    compute!($op "ymm3" "ymm4" "ymm5"),
                    "vmovups [{d} + {i}], ymm0",
                    "vmovups [{d} + {i} + 32], ymm3",
                    "add {i}, 64",
                    concat!("sub {n}, ", $two),
                    "jmp 2b",
                    "3:",
                    concat!("cmp {n}, ", $lanes),
                    "jb 4f",
                    load!($op "vmovups" "0" "ymm0" "ymm1" "ymm2"),
                    compute!($op "ymm0" "ymm1" "ymm2"),
                    "vmovups [{d} + {i}], ymm0",
                    "add {i}, 32",
                    concat!("sub {n}, ", $lanes),
                    "4:",
                    "test {n}, {n}",
                    "jz 5f",
                    load!($op $mov "0" "xmm0" "xmm1" "xmm2"),
                    compute!($op "xmm0" "xmm1" "xmm2"),
                    concat!($mov, " [{d} + {i}], xmm0"),
                    concat!("add {i}, ", $size),
                    "dec {n}",
                    "jmp 4b",
                    "5:",
                    "vzeroupper",
                    d = in(reg) d,
                    a = in(reg) a,
                    b = in(reg) b,
                    c = in(reg) c,
                    n = inout(reg) n => _,
                    i = inout(reg) 0_usize => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _,
                    out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    options(nostack),
                );
            }
        }
    )*};
}

/// The functions for a float type.
macro_rules! floats {
    ($module:ident $size:literal $lanes:literal $two:literal $mov:literal
        $add:literal $sub:literal $mul:literal $div:literal $fma:literal) => {
        mod $module {
            use super::*;

            functions! { $size $lanes $two $mov;
                add [$add] sub [$sub] mul [$mul] div [$div] fma [fma $fma]
                add_add [$add, $add] sub_add [$sub, $add] mul_add [$mul, $add]
                add_sub [$add, $sub] sub_sub [$sub, $sub] mul_sub [$mul, $sub]
                add_from [$add, from $sub] sub_from [$sub, from $sub] mul_from [$mul, from $sub]
                add_mul [$add, $mul] sub_mul [$sub, $mul] mul_mul [$mul, $mul]
            }

            pub(super) fn fused() -> InMemory {
                InMemory(fma)
            }

            pub(super) fn binary(op: BinaryOp) -> Option<InMemory> {
                match op {
                    BinaryOp::Add => Some(InMemory(add)),
                    BinaryOp::Sub => Some(InMemory(sub)),
                    BinaryOp::Mul => Some(InMemory(mul)),
                    BinaryOp::Div => Some(InMemory(div)),
                    BinaryOp::Rem
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::MulHigh
                    | BinaryOp::RotateLeft => None,
                }
            }

            pub(super) fn pair(Pair { inner, outer, is_left }: Pair) -> Option<InMemory> {
                let [of_add, of_sub, of_mul]: [super::super::RawLaneFn; 3] = match outer {
                    BinaryOp::Add => [add_add, sub_add, mul_add],
                    BinaryOp::Sub if is_left => [add_sub, sub_sub, mul_sub],
                    BinaryOp::Sub => [add_from, sub_from, mul_from],
                    BinaryOp::Mul => [add_mul, sub_mul, mul_mul],
                    BinaryOp::Div
                    | BinaryOp::Rem
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::MulHigh
                    | BinaryOp::RotateLeft => return None,
                };
                match inner {
                    BinaryOp::Add => Some(InMemory(of_add)),
                    BinaryOp::Sub => Some(InMemory(of_sub)),
                    BinaryOp::Mul => Some(InMemory(of_mul)),
                    BinaryOp::Div
                    | BinaryOp::Rem
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::MulHigh
                    | BinaryOp::RotateLeft => None,
                }
            }
        }
    };
}
floats! { f32s "4" "8" "16" "vmovss" "vaddps" "vsubps" "vmulps" "vdivps" "vfmadd213ps" }
floats! { f64s "8" "4" "8" "vmovsd" "vaddpd" "vsubpd" "vmulpd" "vdivpd" "vfmadd213pd" }

functions! { "4" "8" "16" "vmovd"; add_32 ["vpaddd"] sub_32 ["vpsubd"] and_32 ["vpand"] or_32 ["vpor"] xor_32 ["vpxor"] }
functions! { "8" "4" "8" "vmovq"; add_64 ["vpaddq"] sub_64 ["vpsubq"] and_64 ["vpand"] or_64 ["vpor"] xor_64 ["vpxor"] }

/// Returns an operation on two values, if it exists for memory.
pub(super) fn binary(op: BinaryOp, scalar: Scalar) -> Option<InMemory> {
    let of_words = match scalar {
        Scalar::F32 => return f32s::binary(op),
        Scalar::F64 => return f64s::binary(op),
        Scalar::I32 | Scalar::U32 => [add_32, sub_32, and_32, or_32, xor_32],
        Scalar::I64 | Scalar::U64 => [add_64, sub_64, and_64, or_64, xor_64],
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::U8
        | Scalar::U16
        | Scalar::F16
        | Scalar::BF16
        | Scalar::Generic(_) => return None,
    };
    let [add, sub, and, or, xor]: [super::RawLaneFn; 5] = of_words;
    match op {
        BinaryOp::Add => Some(InMemory(add)),
        BinaryOp::Sub => Some(InMemory(sub)),
        BinaryOp::And => Some(InMemory(and)),
        BinaryOp::Or => Some(InMemory(or)),
        BinaryOp::Xor => Some(InMemory(xor)),
        BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

/// Returns two operations, one on the result of the other.
pub(super) fn pair(pair: Pair, scalar: Scalar) -> Option<InMemory> {
    select_float(scalar, || f32s::pair(pair), || f64s::pair(pair))
}

/// Returns `a * b + c`, rounded once.
pub(super) fn fma(scalar: Scalar) -> Option<InMemory> {
    select_float(scalar, || Some(f32s::fused()), || Some(f64s::fused()))
}
