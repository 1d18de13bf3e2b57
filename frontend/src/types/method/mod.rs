//! Methods and associated functions of numbers, with their signatures.
//!
//! This module has the methods that one instruction or a short exact expansion computes; [`Math`]
//! has those that library functions compute. Methods of the traits `Num` and `Float` are listed
//! with the others; rustc checks that the trait is in scope.
mod table;

use crate::types::{
    Class, Prim, Type,
    math::Math,
    method::table::{
        find_bit_method, find_exactness_method, find_float_method, find_integer_method,
        find_number_method,
    },
};
use warpwise_compiler::{
    id::Id as _,
    ir::{BinaryOp, GenericId, TernaryOp, UnaryOp},
};

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
pub(crate) enum MethodOwner {
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
pub(crate) enum MethodPart {
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
pub(crate) struct MethodSpec {
    /// The operation.
    pub(crate) method: Method,
    /// The types that have it.
    pub(crate) on: MethodOwner,
    /// The argument types without the receiver, which has type `This`.
    pub(crate) params: &'static [MethodPart],
    /// The result type.
    pub(crate) ret: MethodPart,
    /// True if type parameters have it, by the traits `Num`, `Int` and `Float`.
    pub(crate) new_generic: bool,
}

impl MethodSpec {
    const fn new(
        method: Method,
        on: MethodOwner,
        params: &'static [MethodPart],
        ret: MethodPart,
    ) -> Self {
        Self { method, on, params, ret, new_generic: false }
    }

    const fn generic(
        method: Method,
        on: MethodOwner,
        params: &'static [MethodPart],
        ret: MethodPart,
    ) -> Self {
        Self { method, on, params, ret, new_generic: true }
    }
}

/// Returns the method with this name for a receiver of type `ty`.
pub(crate) fn find_method(name: &str, ty: Type) -> Option<MethodSpec> {
    let found = |spec: &MethodSpec| has_methods(spec.on, ty, spec.new_generic);
    let specs = [
        find_number_method(name),
        find_float_method(name),
        find_integer_method(name),
        find_bit_method(name),
        find_exactness_method(name),
    ];
    // Only the trait `Float` has these.
    let is_std = !matches!(name, "erf" | "erfc");
    let math = || find_math_function(name, ty).filter(|_| is_std || matches!(ty, Type::Generic(_)));
    specs.into_iter().flatten().find(found).or_else(math)
}

/// Returns the method of the traits `Num` and `Float`, which the prelude brings, with this name for a
/// number of an undecided type.
pub(crate) fn find_prelude_method(name: &str, class: Class) -> Option<MethodSpec> {
    let spec = find_method(name, Type::Generic(GenericId::new(0)))?;
    let has_it = match class {
        Class::Any => false,
        Class::Int => spec.on == MethodOwner::Number,
        Class::Float => matches!(spec.on, MethodOwner::Number | MethodOwner::Float),
    };
    has_it.then_some(spec)
}

/// Returns the function of the module `math` with this name for a first argument of type `ty`.
pub(crate) fn find_math_function(name: &str, ty: Type) -> Option<MethodSpec> {
    let math = Math::named(name)?;
    let spec =
        MethodSpec::generic(Method::Math(math), MethodOwner::Float, math.params(), math.ret());
    has_methods(spec.on, ty, spec.new_generic).then_some(spec)
}

/// Returns the associated function of `ty` with this name: `f32::from_bits`.
pub(crate) fn find_associated(name: &str, ty: Type) -> Option<MethodSpec> {
    use MethodPart::This;
    let convert = |from| MethodSpec::generic(Method::Convert, MethodOwner::Number, from, This);
    let spec = match name {
        "from_i32" => convert(&[MethodPart::Is(Prim::I32)]),
        "from_f64" => convert(&[MethodPart::Is(Prim::F64)]),
        "from_f64_const" => {
            MethodSpec::new(Method::Convert, MethodOwner::Half, &[MethodPart::Is(Prim::F64)], This)
        }
        "from_f32" | "from_f32_const" => {
            MethodSpec::new(Method::Convert, MethodOwner::Half, &[MethodPart::Is(Prim::F32)], This)
        }
        "from_usize" => convert(&[MethodPart::Is(Prim::Usize)]),
        "from_bits" => {
            MethodSpec::new(Method::Bits, MethodOwner::Float, &[MethodPart::Unsigned], This)
        }
        "from_be" => {
            MethodSpec::new(Method::Unary(UnaryOp::SwapBytes), MethodOwner::Int, &[This], This)
        }
        "from_le" => MethodSpec::new(Method::Same, MethodOwner::Int, &[This], This),
        _ => return None,
    };
    has_methods(spec.on, ty, spec.new_generic).then_some(spec)
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
    !by_trait && (find_method(name, ty).is_some() || find_associated(name, ty).is_some())
}

/// Returns true if `ty` has the methods of `on`. Type parameters have the `generic` ones; rustc
/// checks their bounds.
fn has_methods(on: MethodOwner, ty: Type, generic: bool) -> bool {
    match ty {
        Type::Prim(prim) => match on {
            MethodOwner::Number => prim != Prim::Bool,
            MethodOwner::Int => prim.is_int(),
            MethodOwner::Signed => prim.scalar().is_signed(),
            MethodOwner::Unsigned => prim.scalar().is_unsigned(),
            MethodOwner::Float => prim.is_float(),
            MethodOwner::Half => prim.is_half(),
            MethodOwner::Wide => prim.is_float() && !prim.is_half(),
            MethodOwner::WideNumber => prim != Prim::Bool && !prim.is_half(),
            MethodOwner::WithSign => prim.is_float() || prim.scalar().is_signed(),
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

/// Returns true if numbers of std may have a method of this name: one that kernel code lacks.
pub(crate) fn is_of_std(name: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "carrying_",
        "checked_",
        "from_",
        "is_",
        "overflowing_",
        "saturating_",
        "strict_",
        "to_",
        "unbounded_",
        "unchecked_",
        "widening_",
        "wrapping_",
    ];
    const OTHERS: [&str; 22] = [
        "abs_sub",
        "borrow",
        "borrow_mut",
        "classify",
        "clone",
        "clone_from",
        "cmp",
        "eq",
        "eq_ignore_ascii_case",
        "escape_ascii",
        "fmt",
        "hash",
        "into",
        "make_ascii_lowercase",
        "make_ascii_uppercase",
        "ne",
        "partial_cmp",
        "then",
        "then_some",
        "total_cmp",
        "try_into",
        "type_id",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || OTHERS.contains(&name)
}

/// Returns the replacement of a number method that kernel code does not have.
pub(crate) fn replacement(name: &str) -> Option<&'static str> {
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
