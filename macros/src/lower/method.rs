//! Methods and associated functions of numbers: what they are called, take and return.
//!
//! Here are those that one instruction or a short exact expansion computes. What rustc would find
//! by a trait (`Num`, `Float`) is listed with the rest: that it exists is rustc's to check.
use super::types::{Class, Prim, Type};

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Abs,
    AbsDiff,
    Ceil,
    Convert,
    Copysign,
    DivCeil,
    DivEuclid,
    Floor,
    Fract,
    FromBits,
    IsFinite,
    IsInfinite,
    IsNan,
    IsNegative,
    IsPositive,
    IsPowerOfTwo,
    IsSignNegative,
    IsSignPositive,
    Max,
    Min,
    MulAdd,
    Recip,
    RemEuclid,
    RotateLeft,
    RotateRight,
    Round,
    RoundTiesEven,
    SaturatingAdd,
    SaturatingSub,
    Signum,
    Sqrt,
    ToBits,
    ToDegrees,
    ToRadians,
    Trunc,
    UnsignedAbs,
    WrappingAbs,
    WrappingAdd,
    WrappingMul,
    WrappingNeg,
    WrappingShl,
    WrappingShr,
    WrappingSub,
}

/// Which types have a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Number,
    Int,
    Signed,
    Unsigned,
    Float,
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
const U32: Part = Part::Is(Prim::U32);

/// The method of that name for a receiver of type `ty`.
pub(crate) fn method(name: &str, ty: Type) -> Option<Spec> {
    use Method as M;
    use On::{Float, Int, Number, Signed, Unsigned, WithSign};
    use Part::This;
    let of = |which, on, params, ret| Spec { which, on, params, ret, generic: false };
    let generic = |which, on, params, ret| Spec { which, on, params, ret, generic: true };
    let spec = match name {
        "abs" => generic(M::Abs, Number, &[], This),
        "min" => generic(M::Min, Number, &[This], This),
        "max" => generic(M::Max, Number, &[This], This),
        "as_f32" => generic(M::Convert, Number, &[], Part::Is(Prim::F32)),
        "as_f64" => generic(M::Convert, Number, &[], Part::Is(Prim::F64)),
        "as_usize" => generic(M::Convert, Number, &[], Part::Is(Prim::Usize)),
        "signum" => of(M::Signum, WithSign, &[], This),

        "mul_add" => generic(M::MulAdd, Float, &[This, This], This),
        "sqrt" => generic(M::Sqrt, Float, &[], This),
        "floor" => generic(M::Floor, Float, &[], This),
        "ceil" => generic(M::Ceil, Float, &[], This),
        "trunc" => generic(M::Trunc, Float, &[], This),
        "round_ties_even" => generic(M::RoundTiesEven, Float, &[], This),
        "round" => of(M::Round, Float, &[], This),
        "fract" => of(M::Fract, Float, &[], This),
        "recip" => of(M::Recip, Float, &[], This),
        "copysign" => of(M::Copysign, Float, &[This], This),
        "to_radians" => of(M::ToRadians, Float, &[], This),
        "to_degrees" => of(M::ToDegrees, Float, &[], This),
        "to_bits" => of(M::ToBits, Float, &[], Part::Unsigned),
        "is_nan" => of(M::IsNan, Float, &[], BOOL),
        "is_finite" => of(M::IsFinite, Float, &[], BOOL),
        "is_infinite" => of(M::IsInfinite, Float, &[], BOOL),
        "is_sign_negative" => of(M::IsSignNegative, Float, &[], BOOL),
        "is_sign_positive" => of(M::IsSignPositive, Float, &[], BOOL),

        "wrapping_add" => of(M::WrappingAdd, Int, &[This], This),
        "wrapping_sub" => of(M::WrappingSub, Int, &[This], This),
        "wrapping_mul" => of(M::WrappingMul, Int, &[This], This),
        "wrapping_neg" => of(M::WrappingNeg, Int, &[], This),
        "wrapping_shl" => of(M::WrappingShl, Int, &[U32], This),
        "wrapping_shr" => of(M::WrappingShr, Int, &[U32], This),
        "wrapping_abs" => of(M::WrappingAbs, Signed, &[], This),
        "saturating_add" => of(M::SaturatingAdd, Int, &[This], This),
        "saturating_sub" => of(M::SaturatingSub, Int, &[This], This),
        "rotate_left" => of(M::RotateLeft, Int, &[U32], This),
        "rotate_right" => of(M::RotateRight, Int, &[U32], This),
        "abs_diff" => of(M::AbsDiff, Int, &[This], Part::Unsigned),
        "unsigned_abs" => of(M::UnsignedAbs, Signed, &[], Part::Unsigned),
        "is_positive" => of(M::IsPositive, Signed, &[], BOOL),
        "is_negative" => of(M::IsNegative, Signed, &[], BOOL),
        "rem_euclid" => of(M::RemEuclid, Int, &[This], This),
        "div_euclid" => of(M::DivEuclid, Int, &[This], This),
        "div_ceil" => of(M::DivCeil, Unsigned, &[This], This),
        "is_power_of_two" => of(M::IsPowerOfTwo, Unsigned, &[], BOOL),
        _ => return None,
    };
    has(spec.on, ty, spec.generic).then_some(spec)
}

/// The associated function of that name of type `ty`: `f32::from_bits`.
pub(crate) fn associated(name: &str, ty: Type) -> Option<Spec> {
    use Part::This;
    let convert = |from| Spec {
        which: Method::Convert,
        on: On::Number,
        params: from,
        ret: This,
        generic: true,
    };
    let spec = match name {
        "from_i32" => convert(&[Part::Is(Prim::I32)]),
        "from_f64" => convert(&[Part::Is(Prim::F64)]),
        "from_usize" => convert(&[Part::Is(Prim::Usize)]),
        "from_bits" => Spec {
            which: Method::FromBits,
            on: On::Float,
            params: &[Part::Unsigned],
            ret: This,
            generic: false,
        },
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
        | Type::Array(..)
        | Type::Atomic(..)
        | Type::Exchange(_) => false,
    }
}

/// What to write instead of a method of numbers that kernel code does not have.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "sin" | "cos" | "tan" | "sin_cos" | "asin" | "acos" | "atan" | "atan2" | "sinh"
        | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "exp" | "exp2" | "exp_m1" | "ln"
        | "ln_1p" | "log" | "log2" | "log10" | "powf" | "cbrt" | "hypot" => {
            "compute it on the host, or write an approximation as a `#[device]` function"
        }
        "powi" | "pow" => "multiply: `x * x`, or in a loop",
        "clamp" => "write `x.max(low).min(high)`",
        "checked_add" | "checked_sub" | "checked_mul" | "checked_div" | "checked_rem"
        | "overflowing_add" | "overflowing_sub" | "overflowing_mul" => {
            "compare first, or let `#[kernel(overflow_checks)]` make overflow a fault"
        }
        "saturating_mul" => "compute in a wider type and take `min` and `max`",
        "leading_zeros" | "trailing_zeros" | "count_ones" | "count_zeros" | "leading_ones"
        | "trailing_ones" | "swap_bytes" | "reverse_bits" | "ilog2" => {
            "compute it with shifts and masks in a `#[device]` function"
        }
        "clone" => "leave it out: numbers are copied",
        _ => return None,
    })
}
