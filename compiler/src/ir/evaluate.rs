//! Evaluation of operations on constants, as zero-extended bits: the meaning of
//! [`ir::Op`](crate::ir::Op) in numbers.
//!
//! The result is `None` where the IR leaves it open (a division by zero, the bits of a computed
//! NaN) or where the operation does not exist on the type. Callers then leave the instruction to
//! the engine that runs it.
use crate::{
    half::Format,
    ir::{BinaryOp, CompareOp, Scalar, TernaryOp, UnaryOp},
    library::{directed, root::rsqrt, words},
};

/// A number in the type in which it is computed.
#[derive(Clone, Copy)]
enum Number {
    /// An integer or `bool`, exact.
    Int(i128),
    /// A value of `f32`, `f16` or `bf16`.
    F32(f32),
    F64(f64),
}

/// Returns `op value`.
pub fn unary(op: UnaryOp, scalar: Scalar, value: u64) -> Option<u64> {
    match number(scalar, value)? {
        Number::Int(number) => bit_unary(op, scalar, value)
            .or_else(|| int_unary(op, scalar, number).map(|result| wrap(scalar, result))),
        Number::F32(value) if op == UnaryOp::Rsqrt => round(scalar, rsqrt(value)),
        Number::F32(value) => float_unary_f32(op, value).and_then(|value| round(scalar, value)),
        Number::F64(value) => float_unary_f64(op, value).and_then(f64_bits),
    }
}

/// Returns `op` of three values.
pub fn ternary(op: TernaryOp, scalar: Scalar, operands: [u64; 3]) -> Option<u64> {
    let [a, b, c] = operands.map(|bits| bits as u32);
    let signed = scalar == Scalar::I32;
    let result = match op {
        TernaryOp::DotBytes if signed => words::dot_bytes_signed(a, b, c),
        TernaryOp::DotBytes => words::dot_bytes(a, b, c),
        TernaryOp::DotHalvesLow if signed => words::dot_halves_low_signed(a, b, c),
        TernaryOp::DotHalvesLow => words::dot_halves_low(a, b, c),
        TernaryOp::DotHalvesHigh if signed => words::dot_halves_high_signed(a, b, c),
        TernaryOp::DotHalvesHigh => words::dot_halves_high(a, b, c),
        TernaryOp::PermuteBytes => words::permute_bytes(a, b, c),
        TernaryOp::FunnelShl => words::funnel_shl(a, b, c),
        TernaryOp::FunnelShr => words::funnel_shr(a, b, c),
        TernaryOp::AddCarry => words::add_carry(a, b, c),
        TernaryOp::CarryOut => words::carry_out(a, b, c),
        TernaryOp::FmaTo(direction) => {
            let [a, b, c] = [a, b, c].map(f32::from_bits);
            return round(scalar, directed::fma(direction, a, b, c));
        }
    };
    Some(result.into())
}

/// Returns `lhs op rhs`; the right side of a shift or rotation is `u32`.
pub fn binary(op: BinaryOp, scalar: Scalar, lhs: u64, rhs: u64) -> Option<u64> {
    if op.is_shift() {
        return shift(op, scalar, lhs, rhs);
    }
    match (number(scalar, lhs)?, number(scalar, rhs)?) {
        (Number::Int(lhs), Number::Int(rhs)) => int_binary(op, scalar, lhs, rhs),
        (Number::F32(lhs), Number::F32(rhs)) => {
            float_binary_f32(op, lhs, rhs).and_then(|value| round(scalar, value))
        }
        (Number::F64(lhs), Number::F64(rhs)) => float_binary_f64(op, lhs, rhs).and_then(f64_bits),
        (Number::Int(_) | Number::F32(_) | Number::F64(_), _) => None,
    }
}

/// Returns `lhs op rhs` for two values of type `scalar`.
pub fn compare(op: CompareOp, scalar: Scalar, lhs: u64, rhs: u64) -> Option<bool> {
    let order = match (number(scalar, lhs)?, number(scalar, rhs)?) {
        (Number::Int(lhs), Number::Int(rhs)) => Some(lhs.cmp(&rhs)),
        (Number::F32(lhs), Number::F32(rhs)) => lhs.partial_cmp(&rhs),
        (Number::F64(lhs), Number::F64(rhs)) => lhs.partial_cmp(&rhs),
        (Number::Int(_) | Number::F32(_) | Number::F64(_), _) => return None,
    };
    Some(match op {
        CompareOp::Eq => order.is_some_and(|order| order.is_eq()),
        CompareOp::Ne => order.is_none_or(|order| order.is_ne()),
        CompareOp::Lt => order.is_some_and(|order| order.is_lt()),
        CompareOp::Le => order.is_some_and(|order| order.is_le()),
        CompareOp::Gt => order.is_some_and(|order| order.is_gt()),
        CompareOp::Ge => order.is_some_and(|order| order.is_ge()),
    })
}

/// Returns `value as to`.
pub fn cast(from: Scalar, to: Scalar, value: u64) -> Option<u64> {
    let value = number(from, value)?;
    match to {
        Scalar::F16 | Scalar::BF16 => {
            let format = to.half()?;
            let bits = match value {
                Number::Int(value) => format.round_int(value),
                Number::F32(value) => format.round_f32(value),
                Number::F64(value) => format.round_f64(value),
            };
            half_bits(format, bits)
        }
        Scalar::F32 => f32_bits(match value {
            #[expect(clippy::cast_precision_loss, reason = "rounds as the cast does")]
            Number::Int(value) => value as f32,
            Number::F32(value) => value,
            #[expect(clippy::cast_possible_truncation, reason = "rounds as the cast does")]
            Number::F64(value) => value as f32,
        }),
        Scalar::F64 => f64_bits(match value {
            #[expect(clippy::cast_precision_loss, reason = "rounds as the cast does")]
            Number::Int(value) => value as f64,
            Number::F32(value) => f64::from(value),
            Number::F64(value) => value,
        }),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => Some(match value {
            Number::Int(value) => wrap(to, value),
            Number::F32(value) => saturate(to, f64::from(value))?,
            Number::F64(value) => saturate(to, value)?,
        }),
        Scalar::Bool | Scalar::Generic(_) => None,
    }
}

/// Returns `a * b + c`, rounded once.
pub fn fma(scalar: Scalar, a: u64, b: u64, c: u64) -> Option<u64> {
    if let Some(format) = scalar.half() {
        #[expect(clippy::cast_possible_truncation, reason = "narrow types are zero-extended")]
        let [a, b, c] = [a, b, c].map(|bits| bits as u16);
        return half_bits(format, format.fma(a, b, c));
    }
    match (number(scalar, a)?, number(scalar, b)?, number(scalar, c)?) {
        (Number::F32(a), Number::F32(b), Number::F32(c)) => f32_bits(a.mul_add(b, c)),
        (Number::F64(a), Number::F64(b), Number::F64(c)) => f64_bits(a.mul_add(b, c)),
        (Number::Int(_) | Number::F32(_) | Number::F64(_), ..) => None,
    }
}

/// Returns the smallest and the largest value of an integer type or `bool`.
pub const fn limits(scalar: Scalar) -> Option<(i128, i128)> {
    match scalar {
        Scalar::Bool => Some((0, 1)),
        Scalar::U8 => Some((0, u8::MAX as i128)),
        Scalar::U16 => Some((0, u16::MAX as i128)),
        Scalar::U32 => Some((0, u32::MAX as i128)),
        Scalar::U64 => Some((0, u64::MAX as i128)),
        Scalar::I8 => Some((i8::MIN as i128, i8::MAX as i128)),
        Scalar::I16 => Some((i16::MIN as i128, i16::MAX as i128)),
        Scalar::I32 => Some((i32::MIN as i128, i32::MAX as i128)),
        Scalar::I64 => Some((i64::MIN as i128, i64::MAX as i128)),
        Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 | Scalar::Generic(_) => None,
    }
}

/// Returns the value of an integer's bits; `None` for floats.
pub fn integer(scalar: Scalar, bits: u64) -> Option<i128> {
    let (min, _) = limits(scalar)?;
    let value = i128::from(bits);
    let width = scalar.bits()?;
    Some(if min < 0 && value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value })
}

/// Returns the bits of `value`, modulo the width of `scalar`.
pub fn wrap(scalar: Scalar, value: i128) -> u64 {
    let width = scalar.bits().unwrap_or(64);
    #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "keeps the bits")]
    let bits = value as u64;
    if width == 64 { bits } else { bits & ((1 << width) - 1) }
}

#[expect(clippy::cast_possible_truncation, reason = "narrow types are zero-extended")]
fn number(scalar: Scalar, bits: u64) -> Option<Number> {
    match scalar {
        Scalar::F16 | Scalar::BF16 => Some(Number::F32(scalar.half()?.to_f32(bits as u16))),
        Scalar::F32 => Some(Number::F32(f32::from_bits(bits as u32))),
        Scalar::F64 => Some(Number::F64(f64::from_bits(bits))),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => integer(scalar, bits).map(Number::Int),
        Scalar::Generic(_) => None,
    }
}

/// Returns the bits of a result that was rounded to `f32`, converted to its type.
fn round(scalar: Scalar, value: f32) -> Option<u64> {
    match scalar.half() {
        Some(format) => half_bits(format, format.round_f32(value)),
        None => f32_bits(value),
    }
}

fn half_bits(format: Format, bits: u16) -> Option<u64> {
    (!format.to_f32(bits).is_nan()).then(|| bits.into())
}

fn f32_bits(value: f32) -> Option<u64> {
    (!value.is_nan()).then(|| u64::from(value.to_bits()))
}

fn f64_bits(value: f64) -> Option<u64> {
    (!value.is_nan()).then(|| value.to_bits())
}

/// Converts to the nearest value of an integer type; NaN to 0.
#[expect(clippy::cast_possible_truncation, reason = "an `i128` holds every integer type")]
fn saturate(to: Scalar, value: f64) -> Option<u64> {
    let (min, max) = limits(to)?;
    Some(wrap(to, (value as i128).clamp(min, max)))
}

fn shift(op: BinaryOp, scalar: Scalar, lhs: u64, rhs: u64) -> Option<u64> {
    let width = u64::from(scalar.bits()?);
    let amount = rhs % width;
    let number = integer(scalar, lhs)?;
    let result = match op {
        BinaryOp::Shl => number << amount,
        BinaryOp::RotateLeft => (i128::from(lhs) << amount) | (i128::from(lhs) >> (width - amount)),
        BinaryOp::Shr => number >> amount,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulHigh
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Min
        | BinaryOp::Max => return None,
    };
    Some(wrap(scalar, result))
}

/// Evaluates an operation that depends on the bits of an integer alone.
fn bit_unary(op: UnaryOp, scalar: Scalar, bits: u64) -> Option<u64> {
    let width = scalar.bits().filter(|_| scalar.is_int())?;
    // Bits above the width are zero. Reversed, they are the lowest ones, and shifted out.
    let unused = 64 - width;
    match op {
        UnaryOp::CountOnes => Some(bits.count_ones().into()),
        UnaryOp::LeadingZeros => Some((bits.leading_zeros() - unused).into()),
        UnaryOp::ReverseBits => Some(bits.reverse_bits() >> unused),
        UnaryOp::SwapBytes => Some(bits.swap_bytes() >> unused),
        UnaryOp::Neg
        | UnaryOp::Not
        | UnaryOp::Abs
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_) => None,
    }
}

fn int_unary(op: UnaryOp, scalar: Scalar, value: i128) -> Option<i128> {
    match op {
        UnaryOp::Not if scalar == Scalar::Bool => Some(1 - value),
        UnaryOp::Not => Some(!value),
        UnaryOp::Neg => Some(-value),
        UnaryOp::Abs => Some(value.abs()),
        UnaryOp::Sqrt
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

fn int_binary(op: BinaryOp, scalar: Scalar, lhs: i128, rhs: i128) -> Option<u64> {
    let (min, max) = limits(scalar)?;
    let divides = rhs != 0 && (min..=max).contains(&(lhs / rhs));
    let result = match op {
        BinaryOp::Add => lhs + rhs,
        BinaryOp::Sub => lhs - rhs,
        // Two factors of 64 bits: an `i128` wraps at a multiple of 2^64.
        BinaryOp::Mul => lhs.wrapping_mul(rhs),
        BinaryOp::Div if divides => lhs / rhs,
        BinaryOp::Rem if divides => lhs % rhs,
        BinaryOp::And => lhs & rhs,
        BinaryOp::Or => lhs | rhs,
        BinaryOp::Xor => lhs ^ rhs,
        BinaryOp::Min => lhs.min(rhs),
        BinaryOp::Max => lhs.max(rhs),
        BinaryOp::MulHigh => return high_half(scalar, lhs, rhs),
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft => {
            return None;
        }
    };
    Some(wrap(scalar, result))
}

/// Returns the upper half of a product. The product of two `u64` fits a `u128` and no `i128`.
fn high_half(scalar: Scalar, lhs: i128, rhs: i128) -> Option<u64> {
    let width = scalar.bits()?;
    Some(match lhs.checked_mul(rhs) {
        Some(product) => wrap(scalar, product >> width),
        #[expect(clippy::cast_sign_loss, reason = "only factors that are unsigned get here")]
        None => wrap(scalar, ((lhs as u128 * rhs as u128) >> width) as i128),
    })
}

/// Operations that are written alike for both float types.
macro_rules! float {
    ($float:ident, $unary:ident, $binary:ident) => {
        fn $unary(op: UnaryOp, value: $float) -> Option<$float> {
            match op {
                UnaryOp::Neg => Some(-value),
                UnaryOp::Abs => Some(value.abs()),
                UnaryOp::Sqrt => Some(value.sqrt()),
                UnaryOp::Floor => Some(value.floor()),
                UnaryOp::Ceil => Some(value.ceil()),
                UnaryOp::Trunc => Some(value.trunc()),
                UnaryOp::RoundTiesEven => Some(value.round_ties_even()),
                UnaryOp::Not
                | UnaryOp::Rsqrt
                | UnaryOp::CountOnes
                | UnaryOp::LeadingZeros
                | UnaryOp::ReverseBits
                | UnaryOp::SwapBytes
                // Each device defines its own result.
                | UnaryOp::Approx(_) => None,
            }
        }

        fn $binary(op: BinaryOp, lhs: $float, rhs: $float) -> Option<$float> {
            // Zeros are equal whatever their signs are, and -0.0 is the smaller one.
            let below = lhs < rhs || lhs == rhs && lhs.is_sign_negative();
            match op {
                BinaryOp::Add => Some(lhs + rhs),
                BinaryOp::Sub => Some(lhs - rhs),
                BinaryOp::Mul => Some(lhs * rhs),
                BinaryOp::Div => Some(lhs / rhs),
                BinaryOp::Rem => Some(lhs % rhs),
                BinaryOp::Min => Some(if below || rhs.is_nan() { lhs } else { rhs }),
                BinaryOp::Max => Some(if below || lhs.is_nan() { rhs } else { lhs }),
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::RotateLeft
                | BinaryOp::MulHigh => None,
            }
        }
    };
}
float!(f32, float_unary_f32, float_binary_f32);
float!(f64, float_unary_f64, float_binary_f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_shift_modulo_the_width() {
        assert_eq!(binary(BinaryOp::Add, Scalar::U8, 255, 1), Some(0));
        assert_eq!(binary(BinaryOp::Mul, Scalar::U64, u64::MAX, u64::MAX), Some(1));
        assert_eq!(binary(BinaryOp::Mul, Scalar::I64, 1 << 63, 3), Some(1 << 63));
        assert_eq!(binary(BinaryOp::Shl, Scalar::U32, 1, 33), Some(2));
        assert_eq!(binary(BinaryOp::Shr, Scalar::I8, 0x80, 7), Some(0xff));
        assert_eq!(unary(UnaryOp::Neg, Scalar::I8, 0x80), Some(0x80));
        assert_eq!(unary(UnaryOp::Not, Scalar::Bool, 1), Some(0));
        assert_eq!(unary(UnaryOp::Not, Scalar::U8, 1), Some(0xfe));
    }

    #[test]
    fn bits_are_counted_and_moved_within_the_width() {
        assert_eq!(unary(UnaryOp::CountOnes, Scalar::I8, 0xf1), Some(5));
        assert_eq!(unary(UnaryOp::LeadingZeros, Scalar::U16, 0), Some(16));
        assert_eq!(unary(UnaryOp::LeadingZeros, Scalar::I64, 1), Some(63));
        assert_eq!(unary(UnaryOp::ReverseBits, Scalar::U8, 0x12), Some(0x48));
        assert_eq!(unary(UnaryOp::SwapBytes, Scalar::U32, 0x0102_0304), Some(0x0403_0201));
        assert_eq!(unary(UnaryOp::SwapBytes, Scalar::F32, 1), None);
        assert_eq!(binary(BinaryOp::RotateLeft, Scalar::I8, 0x81, 9), Some(0x03));
        assert_eq!(binary(BinaryOp::RotateLeft, Scalar::U64, 1 << 63, 64), Some(1 << 63));
        assert_eq!(binary(BinaryOp::MulHigh, Scalar::U64, u64::MAX, u64::MAX), Some(u64::MAX - 1));
        assert_eq!(binary(BinaryOp::MulHigh, Scalar::I64, u64::MAX, 1), Some(u64::MAX));
        assert_eq!(binary(BinaryOp::MulHigh, Scalar::I8, 0x80, 0x80), Some(0x40));
    }

    #[test]
    fn division_has_no_value_where_rust_panics() {
        assert_eq!(binary(BinaryOp::Div, Scalar::U32, 1, 0), None);
        assert_eq!(binary(BinaryOp::Rem, Scalar::I32, 1, 0), None);
        assert_eq!(binary(BinaryOp::Div, Scalar::I8, 0x80, 0xff), None);
        assert_eq!(binary(BinaryOp::Rem, Scalar::I8, 0x80, 0xff), None);
        assert_eq!(binary(BinaryOp::Div, Scalar::I8, 0xf9, 2), Some(0xfd));
        assert_eq!(binary(BinaryOp::Rem, Scalar::I8, 0xf9, 2), Some(0xff));
    }

    #[test]
    fn floats_keep_zeros_and_have_no_bits_for_nan() {
        let bits = |value: f32| u64::from(value.to_bits());
        let (zero, minus, nan) = (bits(0.0), bits(-0.0), bits(f32::NAN));
        for (lhs, rhs) in [(zero, minus), (minus, zero)] {
            assert_eq!(binary(BinaryOp::Min, Scalar::F32, lhs, rhs), Some(minus));
            assert_eq!(binary(BinaryOp::Max, Scalar::F32, lhs, rhs), Some(zero));
        }
        for op in [BinaryOp::Min, BinaryOp::Max] {
            assert_eq!(binary(op, Scalar::F32, nan, zero), Some(zero));
            assert_eq!(binary(op, Scalar::F32, zero, nan), Some(zero));
            assert_eq!(binary(op, Scalar::F32, nan, nan), None);
        }
        assert_eq!(binary(BinaryOp::Div, Scalar::F32, zero, zero), None);
        assert_eq!(compare(CompareOp::Ne, Scalar::F32, nan, nan), Some(true));
        assert_eq!(compare(CompareOp::Le, Scalar::F32, nan, nan), Some(false));
    }

    #[test]
    fn halves_are_rounded_once() {
        let (one, near) = (0x3c00, 0x3c01);
        assert_eq!(binary(BinaryOp::Add, Scalar::F16, one, one), Some(0x4000));
        assert_eq!(binary(BinaryOp::Div, Scalar::F16, one, 0x4200), Some(0x3555));
        assert_eq!(binary(BinaryOp::Mul, Scalar::BF16, 0x3f81, 0x3f81), Some(0x3f82));
        assert_eq!(unary(UnaryOp::Sqrt, Scalar::F16, 0x4000), Some(0x3da8));
        assert_eq!(fma(Scalar::F16, near, near, 0x1000), Some(0x3c03));
        assert_eq!(cast(Scalar::F64, Scalar::F16, 1e9_f64.to_bits()), Some(0x7c00));
        assert_eq!(cast(Scalar::F16, Scalar::I8, 0xd800), Some(0x80));
        assert_eq!(compare(CompareOp::Lt, Scalar::BF16, 0x8000, 0), Some(false));
    }

    #[test]
    fn casts_truncate_extend_and_saturate() {
        assert_eq!(cast(Scalar::I8, Scalar::U32, 0xff), Some(0xffff_ffff));
        assert_eq!(cast(Scalar::U8, Scalar::I32, 0xff), Some(0xff));
        assert_eq!(cast(Scalar::U32, Scalar::I8, 0x1ff), Some(0xff));
        assert_eq!(cast(Scalar::F64, Scalar::U8, (-3.5_f64).to_bits()), Some(0));
        assert_eq!(cast(Scalar::F64, Scalar::U64, 1e30_f64.to_bits()), Some(u64::MAX));
        assert_eq!(cast(Scalar::F64, Scalar::I64, f64::NAN.to_bits()), Some(0));
        assert_eq!(
            cast(Scalar::U64, Scalar::F32, u64::MAX),
            Some(u64::from(2_f32.powi(64).to_bits()))
        );
        assert_eq!(cast(Scalar::Bool, Scalar::F64, 1), Some(1_f64.to_bits()));
    }
}
