//! The table of number methods by name.
use crate::types::{
    Prim,
    method::{
        BitMethod, Exact, FloatMethod, IntMethod, Method, MethodOwner, MethodPart, MethodSpec,
        Saturating,
    },
};
use warpwise_compiler::ir::{BinaryOp, TernaryOp, UnaryOp};

const BOOL: MethodPart = MethodPart::Is(Prim::Bool);
const I32: MethodPart = MethodPart::Is(Prim::I32);
const U32: MethodPart = MethodPart::Is(Prim::U32);

/// Returns methods of both integers and floats, and of generic code.
pub(crate) fn find_number_method(name: &str) -> Option<MethodSpec> {
    use Method::{Abs, Binary, Clamp, Convert, DivEuclid, MulAdd, RemEuclid, Signum, Unary};
    use MethodOwner::{Float, Number, WideNumber, WithSign};
    use MethodPart::This;
    Some(match name {
        "abs" => MethodSpec::generic(Abs, Number, &[], This),
        "min" => MethodSpec::generic(Binary(BinaryOp::Min), Number, &[This], This),
        "max" => MethodSpec::generic(Binary(BinaryOp::Max), Number, &[This], This),
        "as_f32" => MethodSpec::generic(Convert, Number, &[], MethodPart::Is(Prim::F32)),
        "as_f64" => MethodSpec::generic(Convert, Number, &[], MethodPart::Is(Prim::F64)),
        "as_usize" => MethodSpec::generic(Convert, Number, &[], MethodPart::Is(Prim::Usize)),
        "mul_add" => MethodSpec::generic(MulAdd, Float, &[This, This], This),
        "sqrt" => MethodSpec::generic(Unary(UnaryOp::Sqrt), Float, &[], This),
        "floor" => MethodSpec::generic(Unary(UnaryOp::Floor), Float, &[], This),
        "ceil" => MethodSpec::generic(Unary(UnaryOp::Ceil), Float, &[], This),
        "trunc" => MethodSpec::generic(Unary(UnaryOp::Trunc), Float, &[], This),
        "round_ties_even" => MethodSpec::generic(Unary(UnaryOp::RoundTiesEven), Float, &[], This),
        "clamp" => MethodSpec::new(Clamp, Number, &[This, This], This),
        "signum" => MethodSpec::new(Signum, WithSign, &[], This),
        "rem_euclid" => MethodSpec::new(RemEuclid, WideNumber, &[This], This),
        "div_euclid" => MethodSpec::new(DivEuclid, WideNumber, &[This], This),
        _ => return None,
    })
}

/// Returns methods of floats.
pub(crate) fn find_float_method(name: &str) -> Option<MethodSpec> {
    use FloatMethod as F;
    use MethodPart::This;
    let float = |which, params, ret| {
        Some(MethodSpec::new(Method::Float(which), MethodOwner::Float, params, ret))
    };
    let wide = |which, params| {
        Some(MethodSpec::new(Method::Float(which), MethodOwner::Wide, params, This))
    };
    let convert =
        |to| Some(MethodSpec::new(Method::Convert, MethodOwner::Half, &[], MethodPart::Is(to)));
    match name {
        "round" => wide(F::Round, &[]),
        "fract" => wide(F::Fract, &[]),
        "recip" => wide(F::Recip, &[]),
        "powi" => wide(F::Powi, &[I32]),
        "to_radians" => wide(F::ToRadians, &[]),
        "to_degrees" => wide(F::ToDegrees, &[]),
        "to_f32" | "to_f32_const" => convert(Prim::F32),
        "to_f64" | "to_f64_const" => convert(Prim::F64),
        "copysign" => float(F::Copysign, &[This], This),
        "is_nan" => float(F::IsNan, &[], BOOL),
        "is_finite" => float(F::IsFinite, &[], BOOL),
        "is_infinite" => float(F::IsInfinite, &[], BOOL),
        "is_normal" => float(F::IsNormal, &[], BOOL),
        "is_subnormal" => {
            Some(MethodSpec::new(Method::Float(F::IsSubnormal), MethodOwner::Wide, &[], BOOL))
        }
        "is_sign_negative" => float(F::IsSignNegative, &[], BOOL),
        "is_sign_positive" => float(F::IsSignPositive, &[], BOOL),
        "to_bits" => {
            Some(MethodSpec::new(Method::Bits, MethodOwner::Float, &[], MethodPart::Unsigned))
        }
        _ => None,
    }
}

/// Returns arithmetic methods of integers.
pub(crate) fn find_integer_method(name: &str) -> Option<MethodSpec> {
    use IntMethod as I;
    use MethodOwner::{Int, Signed, Unsigned};
    use MethodPart::This;
    let int = |which, on, params, ret| Some(MethodSpec::new(Method::Int(which), on, params, ret));
    let binary = |op| Some(MethodSpec::new(Method::Binary(op), Int, &[This], This));
    let saturating = |which, on, params| int(I::Saturating(which), on, params, This);
    let with = |op, on, params| int(I::WrappingWithOther(op), on, params, This);
    match name {
        "wrapping_add" => binary(BinaryOp::Add),
        "wrapping_sub" => binary(BinaryOp::Sub),
        "wrapping_mul" => binary(BinaryOp::Mul),
        // For library code.
        "__warpwise_mul_high" => binary(BinaryOp::MulHigh),
        "__warpwise_add_carry" => int(I::Carry(TernaryOp::AddCarry), Unsigned, &[This, This], This),
        "__warpwise_carry_out" => int(I::Carry(TernaryOp::CarryOut), Unsigned, &[This, This], This),
        "wrapping_neg" => Some(MethodSpec::new(Method::Unary(UnaryOp::Neg), Int, &[], This)),
        "wrapping_abs" => Some(MethodSpec::new(Method::Unary(UnaryOp::Abs), Signed, &[], This)),
        "wrapping_div" => int(I::WrappingDiv, Int, &[This], This),
        "wrapping_rem" => int(I::WrappingRem, Int, &[This], This),
        "wrapping_div_euclid" => int(I::WrappingDivEuclid, Int, &[This], This),
        "wrapping_rem_euclid" => int(I::WrappingRemEuclid, Int, &[This], This),
        "wrapping_pow" => int(I::WrappingPow, Int, &[U32], This),
        "wrapping_add_signed" => with(BinaryOp::Add, Unsigned, &[MethodPart::Signed]),
        "wrapping_sub_signed" => with(BinaryOp::Sub, Unsigned, &[MethodPart::Signed]),
        "wrapping_add_unsigned" => with(BinaryOp::Add, Signed, &[MethodPart::Unsigned]),
        "wrapping_sub_unsigned" => with(BinaryOp::Sub, Signed, &[MethodPart::Unsigned]),
        "saturating_add" => saturating(Saturating::Add, Int, &[This]),
        "saturating_sub" => saturating(Saturating::Sub, Int, &[This]),
        "saturating_mul" => saturating(Saturating::Mul, Int, &[This]),
        "saturating_div" => saturating(Saturating::Div, Int, &[This]),
        "saturating_pow" => int(I::SaturatingPow, Int, &[U32], This),
        "saturating_neg" => saturating(Saturating::Neg, Signed, &[]),
        "saturating_abs" => saturating(Saturating::Abs, Signed, &[]),
        "pow" => int(I::Pow, Int, &[U32], This),
        "isqrt" => int(I::Isqrt, Int, &[], This),
        "midpoint" => int(I::Midpoint, Int, &[This], This),
        "abs_diff" => int(I::AbsDiff, Int, &[This], MethodPart::Unsigned),
        "unsigned_abs" => int(I::UnsignedAbs, Signed, &[], MethodPart::Unsigned),
        "is_positive" => int(I::IsPositive, Signed, &[], BOOL),
        "is_negative" => int(I::IsNegative, Signed, &[], BOOL),
        "cast_unsigned" => {
            Some(MethodSpec::new(Method::Convert, Signed, &[], MethodPart::Unsigned))
        }
        "cast_signed" => Some(MethodSpec::new(Method::Convert, Unsigned, &[], MethodPart::Signed)),
        "div_ceil" => int(I::DivCeil, Unsigned, &[This], This),
        "next_multiple_of" => int(I::NextMultipleOf, Unsigned, &[This], This),
        "is_multiple_of" => int(I::IsMultipleOf, Unsigned, &[This], BOOL),
        _ => None,
    }
}

/// Returns methods that report whether they are exact.
pub(crate) fn find_exactness_method(name: &str) -> Option<MethodSpec> {
    use MethodOwner::{Int, Signed, Unsigned};
    use MethodPart::This;
    let (checked, name) = match name.strip_prefix("checked_") {
        Some(name) => (true, name),
        None => (false, name.strip_prefix("overflowing_")?),
    };
    let (exact, on, params): (Exact, MethodOwner, &[MethodPart]) = match name {
        "add" => (Exact::Add, Int, &[This]),
        "sub" => (Exact::Sub, Int, &[This]),
        "mul" => (Exact::Mul, Int, &[This]),
        "div" => (Exact::Div, Int, &[This]),
        "rem" => (Exact::Rem, Int, &[This]),
        "div_euclid" => (Exact::DivEuclid, Int, &[This]),
        "rem_euclid" => (Exact::RemEuclid, Int, &[This]),
        "neg" => (Exact::Neg, Int, &[]),
        "abs" => (Exact::Abs, Signed, &[]),
        "pow" => (Exact::Pow, Int, &[U32]),
        "shl" => (Exact::Shl, Int, &[U32]),
        "shr" => (Exact::Shr, Int, &[U32]),
        "add_signed" => (Exact::AddOther, Unsigned, &[MethodPart::Signed]),
        "add_unsigned" => (Exact::AddOther, Signed, &[MethodPart::Unsigned]),
        "sub_unsigned" => (Exact::SubOther, Signed, &[MethodPart::Unsigned]),
        _ => return None,
    };
    Some(if checked {
        MethodSpec::new(Method::Checked(exact), on, params, MethodPart::Option)
    } else {
        MethodSpec::new(Method::Overflowing(exact), on, params, MethodPart::WithBool)
    })
}

/// Returns methods that read or count the bits of an integer.
pub(crate) fn find_bit_method(name: &str) -> Option<MethodSpec> {
    use BitMethod as B;
    use MethodOwner::{Int, Unsigned};
    use MethodPart::This;
    let bits = |which, on, params, ret| Some(MethodSpec::new(Method::Bit(which), on, params, ret));
    let count = |which| bits(which, Int, &[], U32);
    let shift = |op| Some(MethodSpec::new(Method::Binary(op), Int, &[U32], This));
    let unary = |op| Some(MethodSpec::new(Method::Unary(op), Int, &[], This));
    match name {
        "count_ones" => count(B::Count(UnaryOp::CountOnes)),
        "count_zeros" => count(B::CountZeros),
        "leading_zeros" => count(B::Count(UnaryOp::LeadingZeros)),
        "leading_ones" => count(B::LeadingOnes),
        "trailing_zeros" => count(B::TrailingZeros),
        "trailing_ones" => count(B::TrailingOnes),
        "rotate_left" => shift(BinaryOp::RotateLeft),
        "rotate_right" => bits(B::RotateRight, Int, &[U32], This),
        "wrapping_shl" => shift(BinaryOp::Shl),
        "wrapping_shr" => shift(BinaryOp::Shr),
        "unbounded_shl" => bits(B::UnboundedShl, Int, &[U32], This),
        "unbounded_shr" => bits(B::UnboundedShr, Int, &[U32], This),
        "reverse_bits" => unary(UnaryOp::ReverseBits),
        // All engines and all supported hosts are little-endian.
        "swap_bytes" | "to_be" => unary(UnaryOp::SwapBytes),
        "to_le" => Some(MethodSpec::new(Method::Same, Int, &[], This)),
        "ilog2" => count(B::ILog2),
        "ilog10" => count(B::ILog10),
        "is_power_of_two" => bits(B::IsPowerOfTwo, Unsigned, &[], BOOL),
        "next_power_of_two" => bits(B::NextPowerOfTwo, Unsigned, &[], This),
        _ => None,
    }
}
