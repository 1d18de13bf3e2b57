//! Constants of Rust's own: `f32::MAX`, `u32::BITS`, `std::f32::consts::PI`, `T::ZERO`.
use super::types::Prim;

/// A constant whose type is that of its expression, or `u32` for [`Constant::Bits`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// 0 of any number type, a type parameter's too.
    Zero,
    /// 1 of any number type, a type parameter's too.
    One,
    /// Bits of the type it is of, as a `u32`.
    Bits(Prim),
    /// An integer: its bits, in two's complement.
    Int(i128),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
}

/// The constant `prim::name`.
pub(crate) fn associated(prim: Prim, name: &str) -> Option<Constant> {
    match name {
        "ZERO" if prim != Prim::Bool => return Some(Constant::Zero),
        "ONE" if prim != Prim::Bool => return Some(Constant::One),
        _ => {}
    }
    match prim {
        Prim::Bool => None,
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
        | Prim::Usize => of_int(prim, name),
    }
}

fn of_int(prim: Prim, name: &str) -> Option<Constant> {
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
        "BITS" => Constant::Bits(prim),
        _ => return None,
    })
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

/// The constant that a whole path names, with its type: `std::f32::consts::PI`, `f32::MAX`.
pub(crate) fn find(path: &[String]) -> Option<(Constant, Prim)> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let names = match names.as_slice() {
        ["std" | "core", "primitive", rest @ ..] | ["std" | "core", rest @ ..] | rest => rest,
    };
    match names {
        ["f32", "consts", name] => Some((Constant::F32(consts_f32(name)?), Prim::F32)),
        ["f64", "consts", name] => Some((Constant::F64(consts_f64(name)?), Prim::F64)),
        [prim, name] => {
            let prim = Prim::named(prim)?;
            let constant = associated(prim, name)?;
            let is_bits = matches!(constant, Constant::Bits(_));
            Some((constant, if is_bits { Prim::U32 } else { prim }))
        }
        _ => None,
    }
}
