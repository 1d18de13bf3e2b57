//! Methods and associated functions of numbers: what they are called, take and return.
//!
//! Here are those that one instruction or a short exact expansion computes; [`Math`] has those that
//! are functions of the library. What rustc would find by a trait (`Num`, `Float`) is listed with
//! the rest: that it exists is rustc's to check.
use super::{
    library::Math,
    types::{Class, Prim, Type},
};
use warpwise_compiler::ir::{BinaryOp, UnaryOp};

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// `as` to the type of the result.
    Convert,
    /// The same bits as the type of the result.
    Bits,
    /// Nothing.
    Same,
    /// One instruction on one value.
    Unary(UnaryOp),
    /// One instruction on two values.
    Binary(BinaryOp),
    MulAdd,
    Abs,
    Clamp,
    DivEuclid,
    RemEuclid,
    Signum,
    /// Of integers only, as numbers.
    Int(IntMethod),
    /// Of integers only, as bits.
    Bit(BitMethod),
    /// Of floats only.
    Float(FloatMethod),
    /// Of floats, by the library.
    Math(Math),
}

/// What a method of integers does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntMethod {
    AbsDiff,
    DivCeil,
    IsMultipleOf,
    IsNegative,
    IsPositive,
    Isqrt,
    Midpoint,
    NextMultipleOf,
    Pow,
    Saturating(Saturating),
    SaturatingPow,
    UnsignedAbs,
    WrappingDiv,
    WrappingDivEuclid,
    WrappingPow,
    WrappingRem,
    WrappingRemEuclid,
    /// `+` or `-` of the integer with the same size and another sign.
    WrappingWithOther(BinaryOp),
}

/// What a method of integers does that sees bits, or counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitMethod {
    /// [`UnaryOp::CountOnes`] or [`UnaryOp::LeadingZeros`], as a `u32`.
    Count(UnaryOp),
    CountZeros,
    ILog2,
    ILog10,
    IsPowerOfTwo,
    LeadingOnes,
    NextPowerOfTwo,
    RotateRight,
    TrailingOnes,
    TrailingZeros,
    UnboundedShl,
    UnboundedShr,
}

/// What stops at the ends of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saturating {
    Abs,
    Add,
    Div,
    Mul,
    Neg,
    Sub,
}

/// What a method of floats does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatMethod {
    Copysign,
    Fract,
    IsFinite,
    IsInfinite,
    IsNan,
    IsNormal,
    IsSignNegative,
    IsSignPositive,
    IsSubnormal,
    Powi,
    Recip,
    Round,
    ToDegrees,
    ToRadians,
}

/// Which types have a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Number,
    Int,
    Signed,
    Unsigned,
    Float,
    /// `f16` and `bf16`.
    Half,
    /// `f32` and `f64`.
    Wide,
    /// Integers and `f32` and `f64`.
    WideNumber,
    /// Integers and floats with a sign.
    WithSign,
}

/// Type of an argument or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The type that has the method.
    This,
    /// This type.
    Is(Prim),
    /// The unsigned integer of its size.
    Unsigned,
    /// The signed integer of its size.
    Signed,
}

/// A method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// What it does.
    pub(crate) which: Method,
    /// Which types have it.
    pub(crate) on: On,
    /// Its arguments; without the receiver, which is `This` where there is one.
    pub(crate) params: &'static [Part],
    /// Its result.
    pub(crate) ret: Part,
    /// Whether type parameters have it, by the traits `Num`, `Int` and `Float`.
    pub(crate) generic: bool,
}

const BOOL: Part = Part::Is(Prim::Bool);
const I32: Part = Part::Is(Prim::I32);
const U32: Part = Part::Is(Prim::U32);

impl Spec {
    const fn of(which: Method, on: On, params: &'static [Part], ret: Part) -> Self {
        Self { which, on, params, ret, generic: false }
    }

    const fn generic(which: Method, on: On, params: &'static [Part], ret: Part) -> Self {
        Self { which, on, params, ret, generic: true }
    }
}

/// The method of that name for a receiver of type `ty`.
pub(crate) fn method(name: &str, ty: Type) -> Option<Spec> {
    let found = |spec: &Spec| has(spec.on, ty, spec.generic);
    let specs = [of_numbers(name), of_floats(name), of_integers(name), of_bits(name)];
    // `erf` is one of the trait `Float` only.
    let math = || math(name, ty).filter(|_| name != "erf" || matches!(ty, Type::Generic(_)));
    specs.into_iter().flatten().find(found).or_else(math)
}

/// The function of that name in the module `math`, of a first argument of type `ty`.
pub(crate) fn math(name: &str, ty: Type) -> Option<Spec> {
    let math = Math::named(name)?;
    let spec = Spec::generic(Method::Math(math), On::Float, math.params(), Part::This);
    has(spec.on, ty, spec.generic).then_some(spec)
}

/// Methods that both integers and floats have, or that generic code has.
fn of_numbers(name: &str) -> Option<Spec> {
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

fn of_floats(name: &str) -> Option<Spec> {
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
        "to_f32" => convert(Prim::F32),
        "to_f64" => convert(Prim::F64),
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

/// Arithmetic of integers.
fn of_integers(name: &str) -> Option<Spec> {
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

/// Methods that see an integer as bits, or count them.
fn of_bits(name: &str) -> Option<Spec> {
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
        // The engines are little-endian, and so are the hosts that there are.
        "swap_bytes" | "to_be" => unary(UnaryOp::SwapBytes),
        "to_le" => Some(Spec::of(Method::Same, Int, &[], This)),
        "ilog2" => count(B::ILog2),
        "ilog10" => count(B::ILog10),
        "is_power_of_two" => of(B::IsPowerOfTwo, Unsigned, &[], BOOL),
        "next_power_of_two" => of(B::NextPowerOfTwo, Unsigned, &[], This),
        _ => None,
    }
}

/// The associated function of that name of type `ty`: `f32::from_bits`.
pub(crate) fn associated(name: &str, ty: Type) -> Option<Spec> {
    use Part::This;
    let convert = |from| Spec::generic(Method::Convert, On::Number, from, This);
    let spec = match name {
        "from_i32" => convert(&[Part::Is(Prim::I32)]),
        "from_f64" => convert(&[Part::Is(Prim::F64)]),
        "from_f32" => Spec::of(Method::Convert, On::Half, &[Part::Is(Prim::F32)], This),
        "from_usize" => convert(&[Part::Is(Prim::Usize)]),
        "from_bits" => Spec::of(Method::Bits, On::Float, &[Part::Unsigned], This),
        "from_be" => Spec::of(Method::Unary(UnaryOp::SwapBytes), On::Int, &[This], This),
        "from_le" => Spec::of(Method::Same, On::Int, &[This], This),
        _ => return None,
    };
    has(spec.on, ty, spec.generic).then_some(spec)
}

/// Whether `ty` has the methods of `on`; for type parameters, whether they have `generic` ones at
/// all: their bound is rustc's to check.
fn has(on: On, ty: Type, generic: bool) -> bool {
    match ty {
        Type::Prim(prim) => match on {
            On::Number => prim != Prim::Bool,
            On::Int => prim.is_int(),
            On::Signed => prim.scalar().is_signed(),
            On::Unsigned => prim.scalar().is_unsigned(),
            On::Float => prim.is_float(),
            On::Half => prim.is_half(),
            On::Wide => prim.is_float() && !prim.is_half(),
            On::WideNumber => prim != Prim::Bool && !prim.is_half(),
            On::WithSign => prim.is_float() || prim.scalar().is_signed(),
        },
        Type::Generic(_) => generic,
        Type::Unknown(Class::Any | Class::Int | Class::Float)
        | Type::Same(_)
        | Type::Reported(_)
        | Type::Unit
        | Type::Never
        | Type::Ref { .. }
        | Type::Slice(_)
        | Type::Tuple(_)
        | Type::Adt(..)
        | Type::Closure(_)
        | Type::Array(..)
        | Type::Atomic(..)
        | Type::Exchange(_) => false,
    }
}

/// What to write instead of a method of numbers that kernel code does not have.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "sin_cos" => "call `sin` and `cos`",
        "erf" => "call `math::erf(x)`: std's method is not stable",
        "checked_add" | "checked_sub" | "checked_mul" | "checked_div" | "checked_rem"
        | "overflowing_add" | "overflowing_sub" | "overflowing_mul" => {
            "compare first, or let `#[kernel(overflow_checks)]` make overflow a fault"
        }
        "clone" => "leave it out: numbers are copied",
        _ => return None,
    })
}
