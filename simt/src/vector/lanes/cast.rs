//! Casts between scalars by Rust's `as`.
#[cfg(assembly)]
use super::asm;
use super::{
    Isa, LaneFn, LaneOp,
    half::{BF16, F16},
    or_assembly, pick,
};
use std::marker::PhantomData;
use warpwise_compiler::ir::Scalar;

/// Rust's `as` from `Self` to `D`.
trait As<D> {
    fn cast(self) -> D;
}

macro_rules! casts {
    ($($from:ty: $($to:ty)*;)*) => {$($(
        impl As<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        }
    )*)*};
}
casts! {
    i8: u8 u16 u32 u64 f32 f64;
    i16: u8 u16 u32 u64 f32 f64;
    i32: u8 u16 u32 u64 f32 f64;
    i64: u8 u16 u32 u64 f32 f64;
    u8: u8 u16 u32 u64 f32 f64;
    u16: u8 u16 u32 u64 f32 f64;
    u32: u8 u16 u32 u64 f32 f64;
    u64: u8 u16 u32 u64 f32 f64;
    f32: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
    f64: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64;
}

macro_rules! half_casts {
    ($($half:ident)*) => {$(
        half_casts! { @to_float $half f32 f64 }
        half_casts! { @to_int $half i8 i16 i32 i64 u8 u16 u32 u64 }
        half_casts! { @of_int $half i8 i16 i32 i64 u8 u16 u32 u64 }
        impl As<$half> for f32 {
            #[inline(always)]
            fn cast(self) -> $half {
                $half::of(self)
            }
        }
        impl As<$half> for f64 {
            #[inline(always)]
            fn cast(self) -> $half {
                $half::of_f64(self)
            }
        }
        impl As<F16> for $half {
            #[inline(always)]
            fn cast(self) -> F16 {
                F16::of(self.value())
            }
        }
        impl As<BF16> for $half {
            #[inline(always)]
            fn cast(self) -> BF16 {
                BF16::of(self.value())
            }
        }
    )*};
    (@to_float $half:ident $($to:ty)*) => {$(
        impl As<$to> for $half {
            #[inline(always)]
            fn cast(self) -> $to {
                self.value().into()
            }
        }
    )*};
    (@to_int $half:ident $($to:ty)*) => {$(
        impl As<$to> for $half {
            #[inline(always)]
            fn cast(self) -> $to {
                self.value() as $to
            }
        }
    )*};
    (@of_int $half:ident $($from:ty)*) => {$(
        impl As<$half> for $from {
            #[inline(always)]
            fn cast(self) -> $half {
                $half::of_int(self.into())
            }
        }
    )*};
}
half_casts! { F16 BF16 }

struct Cast<A, D>(PhantomData<(A, D)>);
impl<A: As<D> + Copy, D: Copy + Default> LaneOp for Cast<A, D> {
    type A = A;
    type B = ();
    type C = ();
    type D = D;
    #[inline(always)]
    fn eval(a: A, _b: (), _c: ()) -> D {
        a.cast()
    }
}

/// Returns `as` from one scalar to another; `None` to `bool`, from `bool` to a float, and where a
/// type is generic.
pub(crate) fn cast(from: Scalar, to: Scalar, isa: Isa) -> Option<LaneFn> {
    let is_unsigned = matches!(from, Scalar::U8 | Scalar::U16 | Scalar::U32);
    let is_zero_extension = is_unsigned && to.is_int() && to.bits() > from.bits();
    pick_cast(from, to, isa).map(|found| LaneFn { is_zero_extension, ..found })
}

fn pick_cast(from: Scalar, to: Scalar, isa: Isa) -> Option<LaneFn> {
    or_assembly!(isa, asm::cast(from, to).map(Some));
    match from {
        Scalar::Bool if to.is_float() => None,
        Scalar::Bool | Scalar::U8 => from_int::<u8>(to, isa),
        Scalar::I8 => from_int::<i8>(to, isa),
        Scalar::I16 => from_int::<i16>(to, isa),
        Scalar::I32 => from_int::<i32>(to, isa),
        Scalar::I64 => from_int::<i64>(to, isa),
        Scalar::U16 => from_int::<u16>(to, isa),
        Scalar::U32 => from_int::<u32>(to, isa),
        Scalar::U64 => from_int::<u64>(to, isa),
        Scalar::F16 => from_float::<F16>(to, isa),
        Scalar::BF16 => from_float::<BF16>(to, isa),
        Scalar::F32 => from_float::<f32>(to, isa),
        Scalar::F64 => from_float::<f64>(to, isa),
        Scalar::Generic(_) => None,
    }
}

/// Returns `as` from an integer type. The sign of the target makes no difference.
fn from_int<A>(to: Scalar, isa: Isa) -> Option<LaneFn>
where
    A: As<u8> + As<u16> + As<u32> + As<u64> + As<F16> + As<BF16> + As<f32> + As<f64> + Copy,
{
    match to {
        Scalar::I8 | Scalar::U8 => Some(pick::<Cast<A, u8>>(isa)),
        Scalar::I16 | Scalar::U16 => Some(pick::<Cast<A, u16>>(isa)),
        Scalar::I32 | Scalar::U32 => Some(pick::<Cast<A, u32>>(isa)),
        Scalar::I64 | Scalar::U64 => Some(pick::<Cast<A, u64>>(isa)),
        Scalar::F16 => Some(pick::<Cast<A, F16>>(isa)),
        Scalar::BF16 => Some(pick::<Cast<A, BF16>>(isa)),
        Scalar::F32 => Some(pick::<Cast<A, f32>>(isa)),
        Scalar::F64 => Some(pick::<Cast<A, f64>>(isa)),
        Scalar::Bool | Scalar::Generic(_) => None,
    }
}

fn from_float<A>(to: Scalar, isa: Isa) -> Option<LaneFn>
where
    A: As<i8> + As<i16> + As<i32> + As<i64> + As<u8> + As<u16> + As<u32> + As<u64>,
    A: As<F16> + As<BF16> + As<f32> + As<f64> + Copy,
{
    match to {
        Scalar::I8 => Some(pick::<Cast<A, i8>>(isa)),
        Scalar::I16 => Some(pick::<Cast<A, i16>>(isa)),
        Scalar::I32 => Some(pick::<Cast<A, i32>>(isa)),
        Scalar::I64 => Some(pick::<Cast<A, i64>>(isa)),
        Scalar::U8 => Some(pick::<Cast<A, u8>>(isa)),
        Scalar::U16 => Some(pick::<Cast<A, u16>>(isa)),
        Scalar::U32 => Some(pick::<Cast<A, u32>>(isa)),
        Scalar::U64 => Some(pick::<Cast<A, u64>>(isa)),
        Scalar::F16 => Some(pick::<Cast<A, F16>>(isa)),
        Scalar::BF16 => Some(pick::<Cast<A, BF16>>(isa)),
        Scalar::F32 => Some(pick::<Cast<A, f32>>(isa)),
        Scalar::F64 => Some(pick::<Cast<A, f64>>(isa)),
        Scalar::Bool | Scalar::Generic(_) => None,
    }
}
