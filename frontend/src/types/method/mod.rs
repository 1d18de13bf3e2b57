//! Methods and associated functions of numbers, with their signatures.
//!
//! This module has the methods that one instruction or a short exact expansion computes; [`Math`]
//! has those that library functions compute. Methods of the traits `Num` and `Float` are listed
//! with the others; rustc checks that the trait is in scope.
mod table;

use crate::types::{
    Class, Prim, Type,
    math::Math,
    method::table::{of_bits, of_exact, of_floats, of_integers, of_numbers},
};
use warpwise_compiler::ir::{BinaryOp, TernaryOp, UnaryOp};

/// The operation of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// `as` to the result type.
    Convert,
    /// A reinterpretation of the bits as the result type.
    Bits,
    /// The receiver itself.
    Same,
    /// A unary instruction.
    Unary(UnaryOp),
    /// A binary instruction.
    Binary(BinaryOp),
    MulAdd,
    Abs,
    Clamp,
    DivEuclid,
    RemEuclid,
    Signum,
    /// An `Option`: `Some` if the result is exact.
    Checked(Exact),
    /// The wrapped result, and true if it is not exact.
    Overflowing(Exact),
    /// An arithmetic method of integers.
    Int(IntMethod),
    /// A bit method of integers.
    Bit(BitMethod),
    /// A method of floats.
    Float(FloatMethod),
    /// A library function of floats.
    Math(Math),
}

/// An arithmetic method of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntMethod {
    AbsDiff,
    DivCeil,
    IsMultipleOf,
    IsNegative,
    IsPositive,
    Isqrt,
    /// A sum of two `u32` and a carry, for library code.
    Carry(TernaryOp),
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
    /// `+` or `-` with the integer of the same size and the other signedness.
    WrappingWithOther(BinaryOp),
}

/// A method of integers that reads or counts bits.
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

/// An operation that may be inexact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    Abs,
    Add,
    /// The sum with the integer of the same size and the other signedness.
    AddOther,
    Div,
    DivEuclid,
    Mul,
    Neg,
    Pow,
    Rem,
    RemEuclid,
    Shl,
    Shr,
    Sub,
    /// The difference with it.
    SubOther,
}

/// An operation that saturates at the bounds of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saturating {
    Abs,
    Add,
    Div,
    Mul,
    Neg,
    Sub,
}

/// A method of floats.
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

/// The number types that have a method.
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
    /// Signed integers and floats.
    WithSign,
}

/// The type of an argument or result, relative to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The receiver's type.
    This,
    /// This type.
    Is(Prim),
    /// The unsigned integer of the receiver's size.
    Unsigned,
    /// The signed integer of the receiver's size.
    Signed,
    /// An `Option` of the receiver's type.
    Option,
    /// A pair of the receiver's type and `bool`.
    WithBool,
    /// A pair of the receiver's type.
    Pair,
}

/// The signature and operation of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// The operation.
    pub(crate) which: Method,
    /// The types that have it.
    pub(crate) on: On,
    /// The argument types without the receiver, which has type `This`.
    pub(crate) params: &'static [Part],
    /// The result type.
    pub(crate) ret: Part,
    /// True if type parameters have it, by the traits `Num`, `Int` and `Float`.
    pub(crate) generic: bool,
}

impl Spec {
    const fn of(which: Method, on: On, params: &'static [Part], ret: Part) -> Self {
        Self { which, on, params, ret, generic: false }
    }

    const fn generic(which: Method, on: On, params: &'static [Part], ret: Part) -> Self {
        Self { which, on, params, ret, generic: true }
    }
}

/// Returns the method with this name for a receiver of type `ty`.
pub(crate) fn method(name: &str, ty: Type) -> Option<Spec> {
    let found = |spec: &Spec| has(spec.on, ty, spec.generic);
    let specs =
        [of_numbers(name), of_floats(name), of_integers(name), of_bits(name), of_exact(name)];
    // Only the trait `Float` has these.
    let is_std = !matches!(name, "erf" | "erfc");
    let math = || math(name, ty).filter(|_| is_std || matches!(ty, Type::Generic(_)));
    specs.into_iter().flatten().find(found).or_else(math)
}

/// Returns the function of the module `math` with this name for a first argument of type `ty`.
pub(crate) fn math(name: &str, ty: Type) -> Option<Spec> {
    let math = Math::named(name)?;
    let spec = Spec::generic(Method::Math(math), On::Float, math.params(), math.ret());
    has(spec.on, ty, spec.generic).then_some(spec)
}

/// Returns the associated function of `ty` with this name: `f32::from_bits`.
pub(crate) fn associated(name: &str, ty: Type) -> Option<Spec> {
    use Part::This;
    let convert = |from| Spec::generic(Method::Convert, On::Number, from, This);
    let spec = match name {
        "from_i32" => convert(&[Part::Is(Prim::I32)]),
        "from_f64" => convert(&[Part::Is(Prim::F64)]),
        "from_f64_const" => Spec::of(Method::Convert, On::Half, &[Part::Is(Prim::F64)], This),
        "from_f32" | "from_f32_const" => {
            Spec::of(Method::Convert, On::Half, &[Part::Is(Prim::F32)], This)
        }
        "from_usize" => convert(&[Part::Is(Prim::Usize)]),
        "from_bits" => Spec::of(Method::Bits, On::Float, &[Part::Unsigned], This),
        "from_be" => Spec::of(Method::Unary(UnaryOp::SwapBytes), On::Int, &[This], This),
        "from_le" => Spec::of(Method::Same, On::Int, &[This], This),
        _ => return None,
    };
    has(spec.on, ty, spec.generic).then_some(spec)
}

/// Returns true if a number has this method or function inherently, rather than by a trait.
pub(crate) fn is_inherent(name: &str, prim: Prim) -> bool {
    let by_trait = match name {
        "as_f32" | "as_f64" | "as_usize" | "from_i32" | "from_usize" => true,
        "from_f64" => !prim.is_half(),
        "abs" => prim.scalar().is_unsigned(),
        "min" | "max" | "clamp" => prim.is_int(),
        _ => false,
    };
    let ty = Type::Prim(prim);
    !by_trait && (method(name, ty).is_some() || associated(name, ty).is_some())
}

/// Returns true if `ty` has the methods of `on`. Type parameters have the `generic` ones; rustc
/// checks their bounds.
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
        | Type::Pointer(_)
        | Type::Iter(..)
        | Type::Array(..)
        | Type::Atomic(..) => false,
    }
}

/// Returns the replacement of a number method that kernel code does not have.
pub(crate) fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
        "erf" => "call `math::erf(x)`: std's method is not stable",
        "erfc" => "call `math::erfc(x)`: std's method is not stable",
        "clone" => "leave it out: numbers are copied",
        "into" | "try_into" => {
            "write the type that is made, `let p: Point = x.into()`, and mark its `impl From` `#[device]`"
        }
        "classify" => "ask `is_nan`, `is_infinite`, `is_subnormal` and `is_normal`",
        "to_int_unchecked" => "write `as`, which saturates",
        "to_string" | "to_owned" => "kernel code has no strings: `println!` prints numbers",
        name if name.starts_with("unchecked_") => {
            "it is `unsafe`: use the operator, or the method that begins with `wrapping_`"
        }
        _ => return None,
    })
}
