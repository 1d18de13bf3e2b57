//! Constants of std: `f32::MAX`, `u32::BITS`, `std::f32::consts::PI`, `T::ZERO`.
use crate::types::Prim;

/// A constant; its expression has its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// 0 of any number type or type parameter.
    Zero,
    /// 1 of any number type or type parameter.
    One,
    /// An integer.
    Int(i128),
    /// The bits of an `f16` or `bf16`.
    Half(u16),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// A limit of a type parameter.
    Limit(Limit),
}

/// A constant of `Num` or `Float` that has another value in each type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Min,
    Max,
    Infinity,
    NegInfinity,
    Nan,
    Epsilon,
}

impl Limit {
    /// Returns the limit with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "MIN" => Self::Min,
            "MAX" => Self::Max,
            "INFINITY" => Self::Infinity,
            "NEG_INFINITY" => Self::NegInfinity,
            "NAN" => Self::Nan,
            "EPSILON" => Self::Epsilon,
            _ => return None,
        })
    }
}

impl Constant {
    /// Returns true if a number of this type has the constant by the trait `Num`, rather than
    /// inherently.
    pub(crate) fn is_by_trait(self, prim: Prim) -> bool {
        matches!(self, Self::Zero | Self::One) && !prim.is_half()
    }
}

/// Returns the constant `prim::name`, with its type.
fn find_associated(prim: Prim, name: &str) -> Option<(Constant, Prim)> {
    match name {
        "ZERO" if prim != Prim::Bool => return Some((Constant::Zero, prim)),
        "ONE" if prim != Prim::Bool => return Some((Constant::One, prim)),
        "BITS" if prim.is_int() => {
            return Some((Constant::Int(prim.scalar().bits()?.into()), Prim::U32));
        }
        _ => {}
    }
    let of_format = || {
        let (value, ty) = float_format_constant(prim, name)?;
        Some((Constant::Int(value.into()), ty))
    };
    typed_constant(prim, name).map(|constant| (constant, prim)).or_else(of_format)
}

/// Returns a parameter of a float's format, with its type.
fn float_format_constant(prim: Prim, name: &str) -> Option<(i32, Prim)> {
    let numbers = |digits, mantissa, min, max, min_10, max_10| {
        Some(match name {
            "RADIX" => (2, Prim::U32),
            "DIGITS" => (digits, Prim::U32),
            "MANTISSA_DIGITS" => (mantissa, Prim::U32),
            "MIN_EXP" => (min, Prim::I32),
            "MAX_EXP" => (max, Prim::I32),
            "MIN_10_EXP" => (min_10, Prim::I32),
            "MAX_10_EXP" => (max_10, Prim::I32),
            _ => return None,
        })
    };
    match prim {
        Prim::F16 => numbers(3, 11, -13, 16, -4, 4),
        Prim::BF16 => numbers(2, 8, -125, 128, -37, 38),
        Prim::F32 => numbers(6, 24, -125, 128, -37, 38),
        Prim::F64 => numbers(15, 53, -1021, 1024, -307, 308),
        Prim::Bool
        | Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::Isize
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64
        | Prim::Usize => None,
    }
}

/// Returns the constant `prim::name` of type `prim`.
fn typed_constant(prim: Prim, name: &str) -> Option<Constant> {
    match prim {
        Prim::Bool => None,
        Prim::F16 | Prim::BF16 => half_bits(prim == Prim::BF16, name).map(Constant::Half),
        Prim::F32 => of_f32(name).map(Constant::F32),
        Prim::F64 => of_f64(name).map(Constant::F64),
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::Isize
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64
        | Prim::Usize => int_constant(prim, name),
    }
}

fn int_constant(prim: Prim, name: &str) -> Option<Constant> {
    let scalar = prim.scalar();
    let bits = scalar.bits()?;
    let (min, max) = if scalar.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    Some(match name {
        "MIN" => Constant::Int(min),
        "MAX" => Constant::Int(max),
        _ => return None,
    })
}

/// Returns the bits of a constant of the `half` crate.
fn half_bits(is_bf16: bool, name: &str) -> Option<u16> {
    let (f16, bf16) = match name {
        "EPSILON" => (0x1400, 0x3c00),
        "INFINITY" => (0x7c00, 0x7f80),
        "NEG_INFINITY" => (0xfc00, 0xff80),
        "MAX" => (0x7bff, 0x7f7f),
        "MIN" => (0xfbff, 0xff7f),
        "MIN_POSITIVE" => (0x0400, 0x0080),
        "MIN_POSITIVE_SUBNORMAL" => (0x0001, 0x0001),
        "MAX_SUBNORMAL" => (0x03ff, 0x007f),
        "NAN" => (0x7e00, 0x7fc0),
        "NEG_ZERO" => (0x8000, 0x8000),
        "NEG_ONE" => (0xbc00, 0xbf80),
        "E" => (0x4170, 0x402e),
        "PI" => (0x4248, 0x4049),
        "FRAC_1_PI" => (0x3518, 0x3ea3),
        "FRAC_1_SQRT_2" => (0x39a8, 0x3f35),
        "FRAC_2_PI" => (0x3918, 0x3f23),
        "FRAC_2_SQRT_PI" => (0x3c83, 0x3f90),
        "FRAC_PI_2" => (0x3e48, 0x3fc9),
        "FRAC_PI_3" => (0x3c30, 0x3f86),
        "FRAC_PI_4" => (0x3a48, 0x3f49),
        "FRAC_PI_6" => (0x3830, 0x3f06),
        "FRAC_PI_8" => (0x3648, 0x3ec9),
        "LN_10" => (0x409b, 0x4013),
        "LN_2" => (0x398c, 0x3f31),
        "LOG10_E" => (0x36f3, 0x3ede),
        "LOG10_2" => (0x34d1, 0x3e9a),
        "LOG2_E" => (0x3dc5, 0x3fb9),
        "LOG2_10" => (0x42a5, 0x4055),
        "SQRT_2" => (0x3da8, 0x3fb5),
        _ => return None,
    };
    Some(if is_bf16 { bf16 } else { f16 })
}

macro_rules! of_float {
    ($of:ident $consts:ident $float:ident) => {
        fn $of(name: &str) -> Option<$float> {
            Some(match name {
                "MAX" => $float::MAX,
                "MIN" => $float::MIN,
                "MIN_POSITIVE" => $float::MIN_POSITIVE,
                "EPSILON" => $float::EPSILON,
                "INFINITY" => $float::INFINITY,
                "NEG_INFINITY" => $float::NEG_INFINITY,
                "NAN" => $float::NAN,
                _ => return None,
            })
        }
        fn $consts(name: &str) -> Option<$float> {
            use std::$float::consts as c;
            Some(match name {
                "E" => c::E,
                "EULER_GAMMA" => c::EULER_GAMMA,
                "GOLDEN_RATIO" => c::GOLDEN_RATIO,
                "FRAC_1_PI" => c::FRAC_1_PI,
                "FRAC_1_SQRT_2" => c::FRAC_1_SQRT_2,
                "FRAC_2_PI" => c::FRAC_2_PI,
                "FRAC_2_SQRT_PI" => c::FRAC_2_SQRT_PI,
                "FRAC_PI_2" => c::FRAC_PI_2,
                "FRAC_PI_3" => c::FRAC_PI_3,
                "FRAC_PI_4" => c::FRAC_PI_4,
                "FRAC_PI_6" => c::FRAC_PI_6,
                "FRAC_PI_8" => c::FRAC_PI_8,
                "LN_10" => c::LN_10,
                "LN_2" => c::LN_2,
                "LOG10_2" => c::LOG10_2,
                "LOG10_E" => c::LOG10_E,
                "LOG2_10" => c::LOG2_10,
                "LOG2_E" => c::LOG2_E,
                "PI" => c::PI,
                "SQRT_2" => c::SQRT_2,
                "TAU" => c::TAU,
                _ => return None,
            })
        }
    };
}
of_float! { of_f32 consts_f32 f32 }
of_float! { of_f64 consts_f64 f64 }

/// Returns the value of a constant of `f32::consts` or `f64::consts`, as an `f64`.
pub(crate) fn float_constant(name: &str) -> Option<f64> {
    consts_f64(name)
}

/// Returns the constant that a whole path names, with its type: `std::f32::consts::PI`, `f32::MAX`.
pub(crate) fn find(path: &[String]) -> Option<(Constant, Prim)> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let names = match names.as_slice() {
        ["std" | "core", "primitive", rest @ ..] | ["std" | "core", rest @ ..] => rest,
        ["half" | "warpwise", rest @ ..] | rest => rest,
    };
    match names {
        ["f32", "consts", name] => Some((Constant::F32(consts_f32(name)?), Prim::F32)),
        ["f64", "consts", name] => Some((Constant::F64(consts_f64(name)?), Prim::F64)),
        [prim, name] => {
            let prim = Prim::from_name(prim)?;
            find_associated(prim, name)
        }
        _ => None,
    }
}
