//! Traits for kernels that are generic over number types: [`Num`], [`Int`] and [`Float`].
//!
//! In a kernel their methods are the compiler's own operations; on the host they are these, with
//! the same results.
use crate::Element;
use half::{bf16, f16};
use std::{
    fmt::{Debug, Display},
    ops::{
        Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div,
        DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub,
        SubAssign,
    },
};
use warpwise_compiler::{half::Format, library};

/// Any integer or float that an [`Element`] can be. Kernels can print it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    note = "a kernel whose type parameter is bound by `Num`, or by std's traits alone, is for numbers; one for other types names them: \
            `#[kernel(instances(f32, Point))]`"
)]
pub trait Num:
    Element
    + MinMax
    + Display
    + Debug
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + MulAssign
    + Div<Output = Self>
    + DivAssign
    + Rem<Output = Self>
    + RemAssign
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// Returns `value as Self`.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// /// Returns a literal in a generic kernel or function.
    /// fn three<T: Num>() -> T {
    ///     T::from_i32(3)
    /// }
    /// assert_eq!((three::<u8>(), three::<f64>()), (3, 3.0));
    /// assert_eq!(u8::from_i32(-1), 255);
    /// ```
    fn from_i32(value: i32) -> Self;
    /// Returns `value as Self`.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// assert_eq!(f32::from_f64(0.1), 0.1);
    /// // Of integers toward zero, and at most the largest.
    /// assert_eq!((u8::from_f64(2.9), u8::from_f64(300.0)), (2, 255));
    /// ```
    fn from_f64(value: f64) -> Self;
    /// Returns `value as Self`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Places from 0 to 1.
    /// #[kernel]
    /// fn places<T: Float>(y: &mut [T]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = T::from_usize(i) / T::from_usize(y.len() - 1);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut y = device.zeros::<f64>(5)?;
    /// places::launch(&device, LaunchConfig::cover(5), &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn from_usize(value: usize) -> Self;
    /// Returns `self as f32`.
    ///
    /// ```
    /// use warpwise::{Num, f16};
    ///
    /// /// Adds numbers of any type in `f32`.
    /// fn sum<T: Num>(values: &[T]) -> f32 {
    ///     values.iter().map(|value| value.as_f32()).sum()
    /// }
    /// assert_eq!(sum(&[1u8, 255]), 256.0);
    /// assert_eq!(sum(&[f16::from_f32(0.5); 3]), 1.5);
    /// ```
    fn as_f32(self) -> f32;
    /// Returns `self as f64`.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// assert_eq!(0.5f32.as_f64(), 0.5);
    /// // An `f64` has all 32-bit integers, which an `f32` has not.
    /// assert_eq!(16_777_217.as_f64(), 16_777_217.0);
    /// assert_eq!(16_777_217.as_f32(), 16_777_216.0);
    /// ```
    fn as_f64(self) -> f64;
    /// Returns `self as usize`.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// assert_eq!((2.9f32.as_usize(), (-1.0f32).as_usize()), (2, 0));
    /// ```
    fn as_usize(self) -> usize;
    /// Returns the absolute value; wrapping, so that of `MIN` is `MIN`.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// fn distance<T: Num>(a: T, b: T) -> T {
    ///     (a - b).abs()
    /// }
    /// assert_eq!((distance(2, 5), distance(0.5, 2.0)), (3, 1.5));
    /// assert_eq!(Num::abs(i32::MIN), i32::MIN);
    /// ```
    fn abs(self) -> Self;
}

/// `min` and `max` of every [`Num`].
///
/// A trait of its own, to be left unimported: beside `Ord`, it would make `min` of a plain
/// integer ambiguous. Generic code has it through its bound. For the same reason [`Int`] does not
/// imply `Ord`.
pub trait MinMax: Sized {
    /// Returns the smaller number. Of floats, one NaN is ignored, and -0.0 is below +0.0.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// fn clamp<T: Num>(x: T, low: T, high: T) -> T {
    ///     x.max(low).min(high)
    /// }
    /// assert_eq!((clamp(12u8, 3, 10), clamp(0.5, 1.0, 2.0)), (10, 1.0));
    /// ```
    fn min(self, other: Self) -> Self;
    /// Returns the larger number. Of floats, one NaN is ignored, and -0.0 is below +0.0.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// fn largest<T: Num>(values: &[T]) -> T {
    ///     values.iter().fold(values[0], |most, &value| most.max(value))
    /// }
    /// assert_eq!(largest(&[2, 7, 5]), 7);
    /// assert_eq!(largest(&[f32::NAN, 1.0, 3.0]), 3.0);
    /// ```
    fn max(self, other: Self) -> Self;
}

/// Any integer that an [`Element`] can be.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// The lower half of the bits of each element, for any type of integers.
/// #[kernel]
/// fn lower_half<T: Int>(x: &mut [T], bits: u32) {
///     let i = global_idx_x();
///     if i < x.len() {
///         x[i] &= (T::ONE << bits / 2) - T::ONE;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.upload(&[0x1234_u16, 0xabcd])?;
/// lower_half::launch(&device, LaunchConfig::cover(2), &mut x, u16::BITS)?;
/// assert_eq!(x.to_vec()?, [0x34, 0xcd]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Int:
    Num
    + Eq
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Shl<u32, Output = Self>
    + ShlAssign<u32>
    + Shr<u32, Output = Self>
    + ShrAssign<u32>
{
}

/// `f16`, `bf16`, `f32` and `f64`.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// The logistic function of each element, for any type of floats.
/// #[kernel]
/// fn logistic<T: Float>(x: &mut [T]) {
///     let i = global_idx_x();
///     if i < x.len() {
///         x[i] = T::ONE / (T::ONE + (-x[i]).exp());
///     }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.upload(&[0.0f32, 1e10])?;
/// logistic::launch(&device, LaunchConfig::cover(2), &mut x)?;
/// assert_eq!(x.to_vec()?, [0.5, 1.0]);
/// let mut x = device.upload(&[f16::from_f32(0.0)])?;
/// logistic::launch(&device, LaunchConfig::cover(1), &mut x)?;
/// assert_eq!(x.to_vec()?, [f16::from_f32(0.5)]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Float: Num + Neg<Output = Self> {
    /// Returns `self * factor + addend`, rounded once.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the error of a product that is rounded: exact, since it is rounded once.
    /// fn product_error<T: Float>(a: T, b: T) -> T {
    ///     a.mul_add(b, -(a * b))
    /// }
    /// assert_eq!(product_error(3.0f32, 0.5), 0.0);
    /// let near = 1.0 + f32::EPSILON;
    /// assert_eq!(product_error(near, near), f32::EPSILON * f32::EPSILON);
    /// ```
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// Returns the square root, correctly rounded.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// fn norm<T: Float>(x: T, y: T) -> T {
    ///     (x * x + y * y).sqrt()
    /// }
    /// assert_eq!(norm(3.0f32, 4.0), 5.0);
    /// ```
    fn sqrt(self) -> Self;
    /// Rounds to the integer below.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the part of `x` after the point, which is never negative.
    /// fn fraction<T: Float>(x: T) -> T {
    ///     x - x.floor()
    /// }
    /// assert_eq!((fraction(2.75f32), fraction(-0.25f32)), (0.75, 0.75));
    /// ```
    fn floor(self) -> Self;
    /// Rounds to the integer above.
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!((Float::ceil(0.25f32), Float::ceil(-0.25f32)), (1.0, 0.0));
    /// assert_eq!(f16::from_f32(1.5).ceil(), f16::from_f32(2.0));
    /// ```
    fn ceil(self) -> Self;
    /// Rounds to the integer toward zero.
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!((Float::trunc(1.75f32), Float::trunc(-1.75f32)), (1.0, -1.0));
    /// assert_eq!(f16::from_f32(-1.5).trunc(), f16::from_f32(-1.0));
    /// ```
    fn trunc(self) -> Self;
    /// Rounds to the nearest integer, ties to even.
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// let rounded = [0.5f32, 1.5, 2.5].map(Float::round_ties_even);
    /// assert_eq!(rounded, [0.0, 2.0, 2.0]);
    /// assert_eq!(f16::from_f32(2.5).round_ties_even(), f16::from_f32(2.0));
    /// ```
    fn round_ties_even(self) -> Self;
    /// Returns [`math::acos`](crate::math::acos).
    fn acos(self) -> Self;
    /// Returns [`math::acosh`](crate::math::acosh).
    fn acosh(self) -> Self;
    /// Returns [`math::asin`](crate::math::asin).
    fn asin(self) -> Self;
    /// Returns [`math::asinh`](crate::math::asinh).
    fn asinh(self) -> Self;
    /// Returns [`math::atan`](crate::math::atan).
    fn atan(self) -> Self;
    /// Returns [`math::atan2`](crate::math::atan2).
    fn atan2(self, other: Self) -> Self;
    /// Returns [`math::atanh`](crate::math::atanh).
    fn atanh(self) -> Self;
    /// Returns [`math::cbrt`](crate::math::cbrt).
    fn cbrt(self) -> Self;
    /// Returns [`math::cos`](crate::math::cos).
    fn cos(self) -> Self;
    /// Returns [`math::cosh`](crate::math::cosh).
    fn cosh(self) -> Self;
    /// Returns [`math::erf`](crate::math::erf).
    fn erf(self) -> Self;
    /// Returns [`math::erfc`](crate::math::erfc).
    fn erfc(self) -> Self;
    /// Returns [`math::exp`](crate::math::exp).
    fn exp(self) -> Self;
    /// Returns [`math::exp2`](crate::math::exp2).
    fn exp2(self) -> Self;
    /// Returns [`math::exp_m1`](crate::math::exp_m1).
    fn exp_m1(self) -> Self;
    /// Returns [`math::hypot`](crate::math::hypot).
    fn hypot(self, other: Self) -> Self;
    /// Returns [`math::ln`](crate::math::ln).
    fn ln(self) -> Self;
    /// Returns [`math::ln_1p`](crate::math::ln_1p).
    fn ln_1p(self) -> Self;
    /// Returns [`math::log`](crate::math::log).
    fn log(self, base: Self) -> Self;
    /// Returns [`math::log10`](crate::math::log10).
    fn log10(self) -> Self;
    /// Returns [`math::log2`](crate::math::log2).
    fn log2(self) -> Self;
    /// Returns [`math::powf`](crate::math::powf).
    fn powf(self, exponent: Self) -> Self;
    /// Returns [`math::sin`](crate::math::sin).
    fn sin(self) -> Self;
    /// Returns [`math::sin_cos`](crate::math::sin_cos).
    fn sin_cos(self) -> (Self, Self);
    /// Returns [`math::sinh`](crate::math::sinh).
    fn sinh(self) -> Self;
    /// Returns [`math::tan`](crate::math::tan).
    fn tan(self) -> Self;
    /// Returns [`math::tanh`](crate::math::tanh).
    fn tanh(self) -> Self;
}

macro_rules! num {
    ($($ty:ident { $zero:literal $one:literal |$a:ident, $b:ident| $min:expr, $max:expr, $abs:expr })*) => {$(
        impl Num for $ty {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            fn from_i32(value: i32) -> Self {
                value as Self
            }
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn from_usize(value: usize) -> Self {
                value as Self
            }
            fn as_f32(self) -> f32 {
                self as f32
            }
            fn as_f64(self) -> f64 {
                self as f64
            }
            fn as_usize(self) -> usize {
                self as usize
            }
            fn abs(self) -> Self {
                let $a = self;
                $abs
            }
        }
        impl MinMax for $ty {
            fn min(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $min
            }
            fn max(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $max
            }
        }
    )*};
}
macro_rules! signed {
    ($($ty:ident)*) => {$(
        num! { $ty { 0 1 |a, b| Ord::min(a, b), Ord::max(a, b), a.wrapping_abs() } }
        impl Int for $ty {}
    )*};
}
macro_rules! unsigned {
    ($($ty:ident)*) => {$(
        num! { $ty { 0 1 |a, b| Ord::min(a, b), Ord::max(a, b), a } }
        impl Int for $ty {}
    )*};
}
macro_rules! library {
    ($ty:ident $($name:ident($($arg:ident)?))*) => {$(
        fn $name(self $(, $arg: Self)?) -> Self {
            library::$ty::$name(self $(, $arg)?)
        }
    )*};
}
macro_rules! float {
    ($($ty:ident)*) => {$(
        num! { $ty { 0.0 1.0 |a, b| lesser!(a, b), greater!(a, b), $ty::abs(a) } }
        impl Float for $ty {
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                $ty::mul_add(self, factor, addend)
            }
            fn sqrt(self) -> Self {
                $ty::sqrt(self)
            }
            fn floor(self) -> Self {
                $ty::floor(self)
            }
            fn ceil(self) -> Self {
                $ty::ceil(self)
            }
            fn trunc(self) -> Self {
                $ty::trunc(self)
            }
            fn round_ties_even(self) -> Self {
                $ty::round_ties_even(self)
            }
            fn sin_cos(self) -> (Self, Self) {
                library::$ty::sin_cos(self)
            }
            library! { $ty acos() acosh() asin() asinh() atan() atan2(other) atanh() cbrt() cos() cosh() erf() erfc() exp() exp2() exp_m1() hypot(other) ln() ln_1p() log(base) log10() log2() powf(exponent) sin() sinh() tan() tanh() }
        }
    )*};
}
/// The smaller float; rustc leaves open which zero `min` returns.
macro_rules! lesser {
    ($a:ident, $b:ident) => {
        if $a < $b || $b.is_nan() || ($a == $b && $a.is_sign_negative()) { $a } else { $b }
    };
}
/// The larger float; rustc leaves open which zero `max` returns.
macro_rules! greater {
    ($a:ident, $b:ident) => {
        if $a > $b || $b.is_nan() || ($a == $b && $a.is_sign_positive()) { $a } else { $b }
    };
}
signed! { i8 i16 i32 i64 isize }
unsigned! { u8 u16 u32 u64 usize }
float! { f32 f64 }

macro_rules! library_of_f32 {
    ($($name:ident($($arg:ident)?))*) => {$(
        fn $name(self $(, $arg: Self)?) -> Self {
            Self::from_f32(library::f32::$name(self.to_f32() $(, $arg.to_f32())?))
        }
    )*};
}
/// Everything but `mul_add` is exact in `f32`, or rounded by way of it.
macro_rules! half {
    ($($ty:ident $format:ident)*) => {$(
        impl Num for $ty {
            const ZERO: Self = $ty::ZERO;
            const ONE: Self = $ty::ONE;
            fn from_i32(value: i32) -> Self {
                Self::from_bits(Format::$format.round_int(value.into()))
            }
            fn from_f64(value: f64) -> Self {
                Self::from_bits(Format::$format.round_f64(value))
            }
            fn from_usize(value: usize) -> Self {
                Self::from_bits(Format::$format.round_int(value as i128))
            }
            fn as_f32(self) -> f32 {
                self.to_f32()
            }
            fn as_f64(self) -> f64 {
                self.to_f64()
            }
            fn as_usize(self) -> usize {
                self.to_f32() as usize
            }
            fn abs(self) -> Self {
                Self::from_bits(self.to_bits() & 0x7fff)
            }
        }
        impl MinMax for $ty {
            fn min(self, other: Self) -> Self {
                let (a, b) = (self, other);
                lesser!(a, b)
            }
            fn max(self, other: Self) -> Self {
                let (a, b) = (self, other);
                greater!(a, b)
            }
        }
        impl Float for $ty {
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                let bits = [self, factor, addend].map(Self::to_bits);
                Self::from_bits(Format::$format.fma(bits[0], bits[1], bits[2]))
            }
            fn sqrt(self) -> Self {
                Self::from_f32(self.to_f32().sqrt())
            }
            fn floor(self) -> Self {
                Self::from_f32(self.to_f32().floor())
            }
            fn ceil(self) -> Self {
                Self::from_f32(self.to_f32().ceil())
            }
            fn trunc(self) -> Self {
                Self::from_f32(self.to_f32().trunc())
            }
            fn round_ties_even(self) -> Self {
                Self::from_f32(self.to_f32().round_ties_even())
            }
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = library::f32::sin_cos(self.to_f32());
                (Self::from_f32(sin), Self::from_f32(cos))
            }
            library_of_f32! { acos() acosh() asin() asinh() atan() atan2(other) atanh() cbrt() cos() cosh() erf() erfc() exp() exp2() exp_m1() hypot(other) ln() ln_1p() log(base) log10() log2() powf(exponent) sin() sinh() tan() tanh() }
        }
    )*};
}
half! { f16 F16 bf16 BF16 }

#[cfg(test)]
mod tests {
    use super::*;

    fn mean<T: Float>(values: &[T]) -> T {
        let mut sum = T::ZERO;
        for &value in values {
            sum += value;
        }
        sum / T::from_usize(values.len())
    }

    fn low_bits<T: Int>(value: T, bits: u32) -> T {
        value & ((T::ONE << bits) - T::ONE)
    }

    #[test]
    fn generic_code_computes() {
        assert_eq!(mean(&[1.0f32, 2.0, 6.0]), 3.0);
        assert_eq!(low_bits(0x1234u16, 8), 0x34);
        assert_eq!(low_bits(-1i64, 3), 7);
    }

    #[test]
    fn casts_are_rusts() {
        assert_eq!(u8::from_f64(300.0), 255);
        assert_eq!(u8::from_i32(-1), 255);
        assert_eq!((-1.5f32).as_usize(), 0);
        assert_eq!(Num::abs(i32::MIN), i32::MIN);
    }

    #[test]
    fn floats_ignore_one_nan_and_order_zeros() {
        for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert_eq!((MinMax::min(a, b), MinMax::max(a, b)), (1.0, 1.0));
        }
        for (a, b) in [(0.0f64, -0.0), (-0.0, 0.0)] {
            assert!(MinMax::min(a, b).is_sign_negative());
            assert!(MinMax::max(a, b).is_sign_positive());
        }
        assert!(MinMax::min(f32::NAN, f32::NAN).is_nan());
    }

    #[test]
    fn halves_are_rounded_once() {
        let (near, small) = (f16::ONE + f16::EPSILON, f16::from_bits(0x1000));
        assert_eq!(near.mul_add(near, small).to_bits(), 0x3c03);
        assert_eq!(bf16::from_usize((0x181 << 40) + 1), bf16::from_usize(0x182 << 40));
        // Between two `f16`, nearer to the upper one by less than an `f32` can say.
        let above = 1.0 + f64::from(f16::EPSILON) / 2.0 + 1e-12;
        assert_eq!(<f16 as Num>::from_f64(above), near);
        assert_eq!(mean(&[f16::ONE, f16::from_f32(2.0)]), f16::from_f32(1.5));
    }
}
