//! `f16` and `bf16`: operations are computed in `f32` and rounded back, which is exact for all but
//! `fma`.
use super::float::Float;
use std::cmp::Ordering;
use warpwise_compiler::half::{Format, bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};

macro_rules! halves {
    ($($(#[$meta:meta])* $half:ident, $to_f32:ident, $of_f32:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Default)]
        #[repr(transparent)]
        pub(super) struct $half(u16);

        impl $half {
            #[inline(always)]
            pub(super) fn value(self) -> f32 { $to_f32(self.0) }
            #[inline(always)]
            pub(super) fn of(value: f32) -> Self { Self($of_f32(value)) }
            #[inline(always)]
            pub(super) fn of_f64(value: f64) -> Self { Self(Format::$half.round_f64(value)) }
            #[inline(always)]
            pub(super) fn of_int(value: i128) -> Self { Self(Format::$half.round_int(value)) }
        }
        impl PartialEq for $half {
            #[inline(always)]
            fn eq(&self, other: &Self) -> bool { self.value() == other.value() }
        }
        impl PartialOrd for $half {
            #[inline(always)]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.value().partial_cmp(&other.value())
            }
            #[inline(always)]
            fn lt(&self, other: &Self) -> bool { self.value() < other.value() }
            #[inline(always)]
            fn le(&self, other: &Self) -> bool { self.value() <= other.value() }
            #[inline(always)]
            fn gt(&self, other: &Self) -> bool { self.value() > other.value() }
            #[inline(always)]
            fn ge(&self, other: &Self) -> bool { self.value() >= other.value() }
        }
        impl Float for $half {
            #[inline(always)]
            fn is_nan(self) -> bool { self.value().is_nan() }
            #[inline(always)]
            fn neg(self) -> Self { Self(self.0 ^ 0x8000) }
            #[inline(always)]
            fn abs(self) -> Self { Self(self.0 & 0x7fff) }
            #[inline(always)]
            fn sqrt(self) -> Self { Self::of(self.value().sqrt()) }
            #[inline(always)]
            fn floor(self) -> Self { Self::of(self.value().floor()) }
            #[inline(always)]
            fn ceil(self) -> Self { Self::of(self.value().ceil()) }
            #[inline(always)]
            fn trunc(self) -> Self { Self::of(self.value().trunc()) }
            #[inline(always)]
            fn round_ties_even(self) -> Self { Self::of(self.value().round_ties_even()) }
            #[inline(always)]
            fn add(self, other: Self) -> Self { Self::of(self.value() + other.value()) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { Self::of(self.value() - other.value()) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { Self::of(self.value() * other.value()) }
            #[inline(always)]
            fn div(self, other: Self) -> Self { Self::of(self.value() / other.value()) }
            #[inline(always)]
            fn rem(self, other: Self) -> Self { Self::of(self.value() % other.value()) }
            #[inline(always)]
            fn lower_zero(self, other: Self) -> Self { Self(self.0 | other.0) }
            #[inline(always)]
            fn upper_zero(self, other: Self) -> Self { Self(self.0 & other.0) }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self { Self(Format::$half.fma(self.0, b.0, c.0)) }
            #[inline(always)]
            fn fma_without_instruction(self, b: Self, c: Self) -> Self { self.fma(b, c) }
            #[inline(always)]
            fn bits(self) -> u64 { self.0.into() }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self { Self(bits as u16) }
        }
    )*};
}
halves! {
    /// An `f16`.
    F16, f16_to_f32, f32_to_f16;
    /// A `bf16`.
    BF16, bf16_to_f32, f32_to_bf16;
}
