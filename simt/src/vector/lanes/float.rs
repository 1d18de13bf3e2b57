//! Float operations: IEEE 754, round to nearest even, with subnormals.
#[cfg(assembly)]
use super::asm;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use super::in_memory;
use super::{
    Formula, Isa, LaneFn, LaneOp,
    half::{BF16, F16},
    lane_ops, or_assembly, pick, with_memory,
};
use std::marker::PhantomData;
use warpwise_compiler::{
    ir::{AtomicOp, BinaryOp, CompareOp, Scalar, UnaryOp},
    library::root::rsqrt,
};

/// The requirements of the operations on a float type.
pub(super) trait Float: Copy + Default + PartialOrd {
    fn is_nan(self) -> bool;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round_ties_even(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    /// Returns the lower of equal values, which differ in the sign of a zero at most.
    fn lower_zero(self, other: Self) -> Self;
    /// Returns the upper of equal values.
    fn upper_zero(self, other: Self) -> Self;
    /// Returns `self * b + c`, rounded once, by an instruction of the host.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Returns `self * b + c`, rounded once, where the host may lack the instruction.
    fn fma_without_instruction(self, b: Self, c: Self) -> Self;
    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Self;
}

macro_rules! floats {
    ($($float:ident, $bits:ty, $without:path;)*) => {$(
        impl Float for $float {
            #[inline(always)]
            fn is_nan(self) -> bool { $float::is_nan(self) }
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { $float::abs(self) }
            #[inline(always)]
            fn sqrt(self) -> Self { $float::sqrt(self) }
            #[inline(always)]
            fn floor(self) -> Self { $float::floor(self) }
            #[inline(always)]
            fn ceil(self) -> Self { $float::ceil(self) }
            #[inline(always)]
            fn trunc(self) -> Self { $float::trunc(self) }
            #[inline(always)]
            fn round_ties_even(self) -> Self { $float::round_ties_even(self) }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn rem(self, other: Self) -> Self { self % other }
            #[inline(always)]
            fn lower_zero(self, other: Self) -> Self {
                Self::from_bits(self.to_bits() | other.to_bits())
            }
            #[inline(always)]
            fn upper_zero(self, other: Self) -> Self {
                Self::from_bits(self.to_bits() & other.to_bits())
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self { self.mul_add(b, c) }
            #[inline(always)]
            fn fma_without_instruction(self, b: Self, c: Self) -> Self { $without(self, b, c) }
            #[inline(always)]
            fn bits(self) -> u64 { self.to_bits().into() }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self { Self::from_bits(bits as $bits) }
        }
    )*};
}
floats! {
    f32, u32, fma_through_f64;
    f64, u64, f64::mul_add;
}

/// Returns `a * b + c` of `f32`, rounded once: the product is exact in `f64`, the sum is rounded
/// there to odd, and 53 bits rounded to odd round to 24 as the exact sum does (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
#[inline(always)]
fn fma_through_f64(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return a.mul_add(b, c);
    }
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    // The rounding error of `sum` (Knuth's two-sum); NaN where `sum` is not finite.
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    let bits = sum.to_bits();
    let to_odd = sum.is_finite() && error != 0.0 && bits & 1 == 0;
    let outward = (error > 0.0) == (sum > 0.0);
    let odd = if outward { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if to_odd { odd } else { bits }) as f32
}

#[inline(always)]
fn min<T: Float>(a: T, b: T) -> T {
    if a.is_nan() || b < a {
        b
    } else if a == b {
        a.lower_zero(b)
    } else {
        a
    }
}

#[inline(always)]
fn max<T: Float>(a: T, b: T) -> T {
    if a.is_nan() || b > a {
        b
    } else if a == b {
        a.upper_zero(b)
    } else {
        a
    }
}

lane_ops! {
    Neg<T: Float>(a: T, _b: (), _c: ()) -> T { a.neg() }
    Abs<T: Float>(a: T, _b: (), _c: ()) -> T { a.abs() }
    Sqrt<T: Float>(a: T, _b: (), _c: ()) -> T { a.sqrt() }
    Rsqrt(a: f32, _b: (), _c: ()) -> f32 { rsqrt(a) }
    Floor<T: Float>(a: T, _b: (), _c: ()) -> T { a.floor() }
    Ceil<T: Float>(a: T, _b: (), _c: ()) -> T { a.ceil() }
    Trunc<T: Float>(a: T, _b: (), _c: ()) -> T { a.trunc() }
    RoundTiesEven<T: Float>(a: T, _b: (), _c: ()) -> T { a.round_ties_even() }
    Add<T: Float>(a: T, b: T, _c: ()) -> T { a.add(b) }
    Sub<T: Float>(a: T, b: T, _c: ()) -> T { a.sub(b) }
    Mul<T: Float>(a: T, b: T, _c: ()) -> T { a.mul(b) }
    Div<T: Float>(a: T, b: T, _c: ()) -> T { a.div(b) }
    Rem<T: Float>(a: T, b: T, _c: ()) -> T { a.rem(b) }
    Min<T: Float>(a: T, b: T, _c: ()) -> T { min(a, b) }
    Max<T: Float>(a: T, b: T, _c: ()) -> T { max(a, b) }
    Eq<T: Float>(a: T, b: T, _c: ()) -> u8 { u8::from(a == b) }
    Ne<T: Float>(a: T, b: T, _c: ()) -> u8 { u8::from(a != b) }
    Lt<T: Float>(a: T, b: T, _c: ()) -> u8 { u8::from(a < b) }
    Le<T: Float>(a: T, b: T, _c: ()) -> u8 { u8::from(a <= b) }
    Gt<T: Float>(a: T, b: T, _c: ()) -> u8 { u8::from(a > b) }
    Ge<T: Float>(a: T, b: T, _c: ()) -> u8 { u8::from(a >= b) }
}

pub(super) struct Fma<T>(PhantomData<T>);
impl<T: Float> LaneOp for Fma<T> {
    type A = T;
    type B = T;
    type C = T;
    type D = T;
    #[inline(always)]
    fn eval(a: T, b: T, c: T) -> T {
        a.fma_without_instruction(b, c)
    }
    #[inline(always)]
    fn eval_with_fma(a: T, b: T, c: T) -> T {
        a.fma(b, c)
    }
}

/// Returns `a * b + c`, rounded once; `None` for other types than floats.
pub(crate) fn fma(scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    let found = with_memory!(isa, fma_loop(scalar, isa), in_memory::fma(scalar));
    found.map(|f| f.with_formula(Formula::Fma(scalar), isa))
}

fn fma_loop(scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    or_assembly!(isa, asm::fma(scalar).map(Some));
    match scalar {
        Scalar::F16 => Some(pick::<Fma<F16>>(isa)),
        Scalar::BF16 => Some(pick::<Fma<BF16>>(isa)),
        Scalar::F32 => Some(pick::<Fma<f32>>(isa)),
        Scalar::F64 => Some(pick::<Fma<f64>>(isa)),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Generic(_) => None,
    }
}

pub(super) fn unary<T: Float>(op: UnaryOp, isa: Isa) -> Option<LaneFn> {
    match op {
        UnaryOp::Neg => Some(pick::<Neg<T>>(isa)),
        UnaryOp::Abs => Some(pick::<Abs<T>>(isa)),
        UnaryOp::Sqrt => Some(pick::<Sqrt<T>>(isa)),
        UnaryOp::Floor => Some(pick::<Floor<T>>(isa)),
        UnaryOp::Ceil => Some(pick::<Ceil<T>>(isa)),
        UnaryOp::Trunc => Some(pick::<Trunc<T>>(isa)),
        UnaryOp::RoundTiesEven => Some(pick::<RoundTiesEven<T>>(isa)),
        UnaryOp::Not
        | UnaryOp::Rsqrt
        | UnaryOp::Approx(_)
        | UnaryOp::CountOnes
        | UnaryOp::LeadingZeros
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes => None,
    }
}

pub(super) fn binary<T: Float>(op: BinaryOp, isa: Isa) -> Option<LaneFn> {
    match op {
        BinaryOp::Add => Some(pick::<Add<T>>(isa)),
        BinaryOp::Sub => Some(pick::<Sub<T>>(isa)),
        BinaryOp::Mul => Some(pick::<Mul<T>>(isa)),
        BinaryOp::Div => Some(pick::<Div<T>>(isa)),
        BinaryOp::Rem => Some(pick::<Rem<T>>(isa)),
        BinaryOp::Min => Some(pick::<Min<T>>(isa)),
        BinaryOp::Max => Some(pick::<Max<T>>(isa)),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

pub(super) fn compare<T: Float>(op: CompareOp, isa: Isa) -> LaneFn {
    match op {
        CompareOp::Eq => pick::<Eq<T>>(isa),
        CompareOp::Ne => pick::<Ne<T>>(isa),
        CompareOp::Lt => pick::<Lt<T>>(isa),
        CompareOp::Le => pick::<Le<T>>(isa),
        CompareOp::Gt => pick::<Gt<T>>(isa),
        CompareOp::Ge => pick::<Ge<T>>(isa),
    }
}

/// Returns the sum of two `f32`, with subnormal operands and sums flushed to the zero of their
/// sign.
pub(super) fn add_flushed(old: u64, by: u64) -> u64 {
    let flushed = |value: f32| if value.is_subnormal() { 0.0_f32.copysign(value) } else { value };
    let [old, by] = [old, by].map(|bits| flushed(f32::of_bits(bits)));
    flushed(old + by).bits()
}

pub(super) fn atomic<T: Float>(op: AtomicOp) -> Option<fn(u64, u64) -> u64> {
    match op {
        AtomicOp::Swap => Some(|_, new| new),
        AtomicOp::Add => Some(|old, by| T::of_bits(old).add(T::of_bits(by)).bits()),
        AtomicOp::Min => Some(|old, with| min(T::of_bits(old), T::of_bits(with)).bits()),
        AtomicOp::Max => Some(|old, with| max(T::of_bits(old), T::of_bits(with)).bits()),
        AtomicOp::Sub | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulated_fma_rounds_once() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1.5,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::MIN,
            f32::EPSILON,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            1e-45,
            -1e-45,
            3.0e-39,
            1.0 + f32::EPSILON,
            1.0 - f32::EPSILON / 2.0,
            16_777_217.0,
            0.1,
            8_388_609.0,
            5.960_464_5e-8,
            1e30,
            1e-30,
        ];
        for a in edges {
            for b in edges {
                for c in edges {
                    check(a, b, c);
                }
            }
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f32::from_bits((state >> 32) as u32)
        };
        for _ in 0..200_000 {
            let (a, b, c) = (random(), random(), random());
            check(a, b, c);
            // An addend that nearly cancels the product, and one that only decides the rounding.
            check(a, b, -(a * b));
            check(a, b, a * b * 5.960_464_5e-8);
            check(a, b, a * b * f32::from_bits((c.to_bits() & 0x7f_ffff) | 0x3300_0000));
        }
    }

    fn check(a: f32, b: f32, c: f32) {
        let (got, want) = (fma_through_f64(a, b, c), a.mul_add(b, c));
        assert!(
            got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
            "{a} * {b} + {c}: {got} for {want}"
        );
    }
}
