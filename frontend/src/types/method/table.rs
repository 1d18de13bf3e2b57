//! The table of number methods by name.
use crate::types::{
    Prim,
    method::{BitMethod, Exact, FloatMethod, IntMethod, Method, On, Part, Saturating, Spec},
};
use warpwise_compiler::ir::{BinaryOp, TernaryOp, UnaryOp};

const BOOL: Part = Part::Is(Prim::Bool);
const I32: Part = Part::Is(Prim::I32);
const U32: Part = Part::Is(Prim::U32);

/// Returns methods of both integers and floats, and of generic code.
pub(crate) fn of_numbers(name: &str) -> Option<Spec> {
    use Method::{Abs, Binary, Clamp, Convert, DivEuclid, MulAdd, RemEuclid, Signum, Unary};
    use On::{Float, Number, WideNumber, WithSign};
    use Part::This;
    Some(match name {
        "abs" => Spec::generic(Abs, Number, &[], This),
        "min" => Spec::generic(Binary(BinaryOp::Min), Number, &[This], This),
        "max" => Spec::generic(Binary(BinaryOp::Max), Number, &[This], This),
        "as_f32" => Spec::generic(Convert, Number, &[], Part::Is(Prim::F32)),
        "as_f64" => Spec::generic(Convert, Number, &[], Part::Is(Prim::F64)),
        "as_usize" => Spec::generic(Convert, Number, &[], Part::Is(Prim::Usize)),
        "mul_add" => Spec::generic(MulAdd, Float, &[This, This], This),
        "sqrt" => Spec::generic(Unary(UnaryOp::Sqrt), Float, &[], This),
        "floor" => Spec::generic(Unary(UnaryOp::Floor), Float, &[], This),
        "ceil" => Spec::generic(Unary(UnaryOp::Ceil), Float, &[], This),
        "trunc" => Spec::generic(Unary(UnaryOp::Trunc), Float, &[], This),
        "round_ties_even" => Spec::generic(Unary(UnaryOp::RoundTiesEven), Float, &[], This),
        "clamp" => Spec::of(Clamp, Number, &[This, This], This),
        "signum" => Spec::of(Signum, WithSign, &[], This),
        "rem_euclid" => Spec::of(RemEuclid, WideNumber, &[This], This),
        "div_euclid" => Spec::of(DivEuclid, WideNumber, &[This], This),
        _ => return None,
    })
}

/// Returns methods of floats.
pub(crate) fn of_floats(name: &str) -> Option<Spec> {
    use FloatMethod as F;
    use Part::This;
    let of = |which, params, ret| Some(Spec::of(Method::Float(which), On::Float, params, ret));
    let wide = |which, params| Some(Spec::of(Method::Float(which), On::Wide, params, This));
    let convert = |to| Some(Spec::of(Method::Convert, On::Half, &[], Part::Is(to)));
    match name {
        "round" => wide(F::Round, &[]),
        "fract" => wide(F::Fract, &[]),
        "recip" => wide(F::Recip, &[]),
        "powi" => wide(F::Powi, &[I32]),
        "to_radians" => wide(F::ToRadians, &[]),
        "to_degrees" => wide(F::ToDegrees, &[]),
        "to_f32" | "to_f32_const" => convert(Prim::F32),
        "to_f64" | "to_f64_const" => convert(Prim::F64),
        "copysign" => of(F::Copysign, &[This], This),
        "is_nan" => of(F::IsNan, &[], BOOL),
        "is_finite" => of(F::IsFinite, &[], BOOL),
        "is_infinite" => of(F::IsInfinite, &[], BOOL),
        "is_normal" => of(F::IsNormal, &[], BOOL),
        "is_subnormal" => Some(Spec::of(Method::Float(F::IsSubnormal), On::Wide, &[], BOOL)),
        "is_sign_negative" => of(F::IsSignNegative, &[], BOOL),
        "is_sign_positive" => of(F::IsSignPositive, &[], BOOL),
        "to_bits" => Some(Spec::of(Method::Bits, On::Float, &[], Part::Unsigned)),
        _ => None,
    }
}

/// Returns arithmetic methods of integers.
pub(crate) fn of_integers(name: &str) -> Option<Spec> {
    use IntMethod as I;
    use On::{Int, Signed, Unsigned};
    use Part::This;
    let of = |which, on, params, ret| Some(Spec::of(Method::Int(which), on, params, ret));
    let binary = |op| Some(Spec::of(Method::Binary(op), Int, &[This], This));
    let saturating = |which, on, params| of(I::Saturating(which), on, params, This);
    let with = |op, on, params| of(I::WrappingWithOther(op), on, params, This);
    match name {
        "wrapping_add" => binary(BinaryOp::Add),
        "wrapping_sub" => binary(BinaryOp::Sub),
        "wrapping_mul" => binary(BinaryOp::Mul),
        // For library code.
        "__warpwise_mul_high" => binary(BinaryOp::MulHigh),
        "__warpwise_add_carry" => of(I::Carry(TernaryOp::AddCarry), Unsigned, &[This, This], This),
        "__warpwise_carry_out" => of(I::Carry(TernaryOp::CarryOut), Unsigned, &[This, This], This),
        "wrapping_neg" => Some(Spec::of(Method::Unary(UnaryOp::Neg), Int, &[], This)),
        "wrapping_abs" => Some(Spec::of(Method::Unary(UnaryOp::Abs), Signed, &[], This)),
        "wrapping_div" => of(I::WrappingDiv, Int, &[This], This),
        "wrapping_rem" => of(I::WrappingRem, Int, &[This], This),
        "wrapping_div_euclid" => of(I::WrappingDivEuclid, Int, &[This], This),
        "wrapping_rem_euclid" => of(I::WrappingRemEuclid, Int, &[This], This),
        "wrapping_pow" => of(I::WrappingPow, Int, &[U32], This),
        "wrapping_add_signed" => with(BinaryOp::Add, Unsigned, &[Part::Signed]),
        "wrapping_sub_signed" => with(BinaryOp::Sub, Unsigned, &[Part::Signed]),
        "wrapping_add_unsigned" => with(BinaryOp::Add, Signed, &[Part::Unsigned]),
        "wrapping_sub_unsigned" => with(BinaryOp::Sub, Signed, &[Part::Unsigned]),
        "saturating_add" => saturating(Saturating::Add, Int, &[This]),
        "saturating_sub" => saturating(Saturating::Sub, Int, &[This]),
        "saturating_mul" => saturating(Saturating::Mul, Int, &[This]),
        "saturating_div" => saturating(Saturating::Div, Int, &[This]),
        "saturating_pow" => of(I::SaturatingPow, Int, &[U32], This),
        "saturating_neg" => saturating(Saturating::Neg, Signed, &[]),
        "saturating_abs" => saturating(Saturating::Abs, Signed, &[]),
        "pow" => of(I::Pow, Int, &[U32], This),
        "isqrt" => of(I::Isqrt, Int, &[], This),
        "midpoint" => of(I::Midpoint, Int, &[This], This),
        "abs_diff" => of(I::AbsDiff, Int, &[This], Part::Unsigned),
        "unsigned_abs" => of(I::UnsignedAbs, Signed, &[], Part::Unsigned),
        "is_positive" => of(I::IsPositive, Signed, &[], BOOL),
        "is_negative" => of(I::IsNegative, Signed, &[], BOOL),
        "cast_unsigned" => Some(Spec::of(Method::Convert, Signed, &[], Part::Unsigned)),
        "cast_signed" => Some(Spec::of(Method::Convert, Unsigned, &[], Part::Signed)),
        "div_ceil" => of(I::DivCeil, Unsigned, &[This], This),
        "next_multiple_of" => of(I::NextMultipleOf, Unsigned, &[This], This),
        "is_multiple_of" => of(I::IsMultipleOf, Unsigned, &[This], BOOL),
        _ => None,
    }
}

/// Returns methods that report whether they are exact.
pub(crate) fn of_exact(name: &str) -> Option<Spec> {
    use On::{Int, Signed, Unsigned};
    use Part::This;
    let (checked, name) = match name.strip_prefix("checked_") {
        Some(name) => (true, name),
        None => (false, name.strip_prefix("overflowing_")?),
    };
    let (exact, on, params): (Exact, On, &[Part]) = match name {
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
        "add_signed" => (Exact::AddOther, Unsigned, &[Part::Signed]),
        "add_unsigned" => (Exact::AddOther, Signed, &[Part::Unsigned]),
        "sub_unsigned" => (Exact::SubOther, Signed, &[Part::Unsigned]),
        _ => return None,
    };
    Some(if checked {
        Spec::of(Method::Checked(exact), on, params, Part::Option)
    } else {
        Spec::of(Method::Overflowing(exact), on, params, Part::WithBool)
    })
}

/// Returns methods that read or count the bits of an integer.
pub(crate) fn of_bits(name: &str) -> Option<Spec> {
    use BitMethod as B;
    use On::{Int, Unsigned};
    use Part::This;
    let of = |which, on, params, ret| Some(Spec::of(Method::Bit(which), on, params, ret));
    let count = |which| of(which, Int, &[], U32);
    let shift = |op| Some(Spec::of(Method::Binary(op), Int, &[U32], This));
    let unary = |op| Some(Spec::of(Method::Unary(op), Int, &[], This));
    match name {
        "count_ones" => count(B::Count(UnaryOp::CountOnes)),
        "count_zeros" => count(B::CountZeros),
        "leading_zeros" => count(B::Count(UnaryOp::LeadingZeros)),
        "leading_ones" => count(B::LeadingOnes),
        "trailing_zeros" => count(B::TrailingZeros),
        "trailing_ones" => count(B::TrailingOnes),
        "rotate_left" => shift(BinaryOp::RotateLeft),
        "rotate_right" => of(B::RotateRight, Int, &[U32], This),
        "wrapping_shl" => shift(BinaryOp::Shl),
        "wrapping_shr" => shift(BinaryOp::Shr),
        "unbounded_shl" => of(B::UnboundedShl, Int, &[U32], This),
        "unbounded_shr" => of(B::UnboundedShr, Int, &[U32], This),
        "reverse_bits" => unary(UnaryOp::ReverseBits),
        // All engines and all supported hosts are little-endian.
        "swap_bytes" | "to_be" => unary(UnaryOp::SwapBytes),
        "to_le" => Some(Spec::of(Method::Same, Int, &[], This)),
        "ilog2" => count(B::ILog2),
        "ilog10" => count(B::ILog10),
        "is_power_of_two" => of(B::IsPowerOfTwo, Unsigned, &[], BOOL),
        "next_power_of_two" => of(B::NextPowerOfTwo, Unsigned, &[], This),
        _ => None,
    }
}
