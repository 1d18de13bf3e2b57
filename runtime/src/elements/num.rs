//! Traits for kernels that are generic over number types: [`Num`], [`Int`] and [`Float`].
//!
//! In a kernel their methods are the compiler's own operations; on the host they are these, with
//! the same results.
use crate::Element;
use half::{bf16, f16};
use std::{
    fmt::{Debug, Display},
    iter::{Product, Sum},
    ops::{
        Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div,
        DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub,
        SubAssign,
    },
};
use warpwise_compiler::{half::Format, library};

/// Any integer or float that an [`Element`] can be. Kernels can print it.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Sets elements below `limit` to 0 and the others to 1, for any type of numbers.
/// #[kernel]
/// fn threshold<T: Num>(x: &mut [T], limit: T) {
///     let i = global_idx_x();
///     if i < x.len() {
///         x[i] = if x[i] < limit { T::ZERO } else { T::ONE };
///     }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.upload(&[5u8, 3, 4])?;
/// threshold::launch(&device, LaunchConfig::cover(3), &mut x, 4)?;
/// assert_eq!(x.to_vec()?, [1, 0, 1]);
/// let mut x = device.upload(&[0.5f64, -0.5])?;
/// threshold::launch(&device, LaunchConfig::cover(2), &mut x, 0.0)?;
/// assert_eq!(x.to_vec()?, [1.0, 0.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
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
    + Sum
    + for<'a> Sum<&'a Self>
    + Product
    + for<'a> Product<&'a Self>
{
    /// The number 0. The documentation of [`Num`] has an example.
    const ZERO: Self;
    /// The number 1. The documentation of [`Num`] has an example.
    const ONE: Self;
    /// The smallest number; of floats the smallest finite one.
    ///
    /// ```
    /// use warpwise::Num;
    ///
    /// assert_eq!((<u8 as Num>::MIN, <f32 as Num>::MIN), (0, -f32::MAX));
    /// ```
    const MIN: Self;
    /// The largest number; of floats the largest finite one.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Replaces zeros by the largest number, for any type of numbers.
    /// #[kernel]
    /// fn without_zeros<T: Num>(x: &mut [T]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() && x[i] == T::ZERO {
    ///         x[i] = T::MAX;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&[7u8, 0, 5])?;
    /// without_zeros::launch(&device, LaunchConfig::cover(3), &mut x)?;
    /// assert_eq!(x.to_vec()?, [7, u8::MAX, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    const MAX: Self;
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
    /// Infinity, which every finite number is below.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the smallest of several numbers.
    /// fn least<T: Float>(values: &[T]) -> T {
    ///     values.iter().fold(T::INFINITY, |least, &value| least.min(value))
    /// }
    /// assert_eq!((least(&[2.0f32, 0.5]), least::<f64>(&[])), (0.5, f64::INFINITY));
    /// ```
    const INFINITY: Self;
    /// Negative infinity, which every finite number is above.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the largest of several numbers.
    /// fn most<T: Float>(values: &[T]) -> T {
    ///     values.iter().fold(T::NEG_INFINITY, |most, &value| most.max(value))
    /// }
    /// assert_eq!((most(&[-2.0f32, -0.5]), most::<f64>(&[])), (-0.5, f64::NEG_INFINITY));
    /// ```
    const NEG_INFINITY: Self;
    /// Not a number.
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// /// Returns the quotient, or NaN for all divisions by zero.
    /// fn quotient<T: Float>(a: T, b: T) -> T {
    ///     if b == T::ZERO { T::NAN } else { a / b }
    /// }
    /// assert!(quotient(1.0f32, 0.0).is_nan() && quotient(f16::ONE, f16::ZERO).is_nan());
    /// ```
    const NAN: Self;
    /// The difference between 1 and the next larger number.
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns true if two numbers differ by at most a few roundings.
    /// fn is_near<T: Float>(a: T, b: T) -> bool {
    ///     (a - b).abs() <= T::from_i32(4) * T::EPSILON * a.abs().max(b.abs())
    /// }
    /// assert!(is_near(0.1 + 0.2, 0.3f64) && !is_near(0.1f32, 0.1001));
    /// ```
    const EPSILON: Self;
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
    /// Returns the angle whose cosine is `self`, from 0 to pi: [`math::acos`](crate::math::acos).
    ///
    /// ```
    /// use std::f32::consts::PI;
    /// use warpwise::{Float, f16};
    ///
    /// /// Returns the angle between two vectors of length 1.
    /// fn angle<T: Float>(a: [T; 2], b: [T; 2]) -> T {
    ///     (a[0] * b[0] + a[1] * b[1]).acos()
    /// }
    /// assert_eq!(angle([1.0, 0.0], [-1.0, 0.0]), PI);
    /// assert_eq!(f16::from_f32(-1.0).acos(), f16::from_f32(PI));
    /// ```
    fn acos(self) -> Self;
    /// Returns the number of at least 0 whose hyperbolic cosine is `self`:
    /// [`math::acosh`](crate::math::acosh).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(Float::acosh(1.0f32), 0.0);
    /// assert!((Float::acosh(1.25f64) - 2f64.ln()).abs() < 1e-15);
    /// ```
    fn acosh(self) -> Self;
    /// Returns the angle whose sine is `self`, from -pi/2 to pi/2:
    /// [`math::asin`](crate::math::asin).
    ///
    /// ```
    /// use std::f32::consts::FRAC_PI_2;
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!(Float::asin(-1.0f32), -FRAC_PI_2);
    /// assert_eq!(f16::from_f32(1.0).asin(), f16::from_f32(FRAC_PI_2));
    /// ```
    fn asin(self) -> Self;
    /// Returns the number whose hyperbolic sine is `self`: [`math::asinh`](crate::math::asinh).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert!((Float::asinh(0.75f64) - 2f64.ln()).abs() < 1e-15);
    /// assert_eq!(Float::asinh(-1e-9f32), -1e-9);
    /// ```
    fn asinh(self) -> Self;
    /// Returns the angle whose tangent is `self`, from -pi/2 to pi/2:
    /// [`math::atan`](crate::math::atan).
    ///
    /// ```
    /// use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
    /// use warpwise::Float;
    ///
    /// /// Returns the angle at which a road rises.
    /// fn incline<T: Float>(slope: T) -> T {
    ///     slope.atan()
    /// }
    /// assert_eq!((incline(1.0), incline(f32::INFINITY)), (FRAC_PI_4, FRAC_PI_2));
    /// ```
    fn atan(self) -> Self;
    /// Returns the angle of the point (`other`, `self`), from -pi to pi:
    /// [`math::atan2`](crate::math::atan2).
    ///
    /// ```
    /// use std::f32::consts::{FRAC_PI_2, PI};
    /// use warpwise::Float;
    ///
    /// /// Returns the direction from one point to another one.
    /// fn direction<T: Float>(from: [T; 2], to: [T; 2]) -> T {
    ///     (to[1] - from[1]).atan2(to[0] - from[0])
    /// }
    /// assert_eq!(direction([1.0, 1.0], [1.0, 3.0]), FRAC_PI_2);
    /// assert_eq!(direction([1.0, 1.0], [-1.0, 1.0]), PI);
    /// ```
    fn atan2(self, other: Self) -> Self;
    /// Returns the number whose hyperbolic tangent is `self`: [`math::atanh`](crate::math::atanh).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert!((Float::atanh(0.6f64) - 2f64.ln()).abs() < 1e-15);
    /// assert_eq!(Float::atanh(-1.0f32), f32::NEG_INFINITY);
    /// ```
    fn atanh(self) -> Self;
    /// Returns the cube root: [`math::cbrt`](crate::math::cbrt).
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// /// Returns the edge of a cube.
    /// fn edge<T: Float>(volume: T) -> T {
    ///     volume.cbrt()
    /// }
    /// assert_eq!((edge(27.0f32), edge(f16::from_f32(-8.0))), (3.0, f16::from_f32(-2.0)));
    /// ```
    fn cbrt(self) -> Self;
    /// Returns the cosine of an angle in radians: [`math::cos`](crate::math::cos).
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!(Float::cos(std::f64::consts::PI), -1.0);
    /// assert_eq!(f16::ZERO.cos(), f16::ONE);
    /// ```
    fn cos(self) -> Self;
    /// Returns the hyperbolic cosine: [`math::cosh`](crate::math::cosh).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(Float::cosh(0.0f32), 1.0);
    /// assert!((Float::cosh(2f64.ln()) - 1.25).abs() < 1e-15);
    /// ```
    fn cosh(self) -> Self;
    /// Returns the error function: [`math::erf`](crate::math::erf).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// The activation function GELU.
    /// fn gelu<T: Float>(x: T) -> T {
    ///     let scaled = x * T::from_f64(std::f64::consts::FRAC_1_SQRT_2);
    ///     x * (T::ONE + scaled.erf()) / T::from_i32(2)
    /// }
    /// assert_eq!((gelu(10.0f32), gelu(-20.0f32)), (10.0, 0.0));
    /// assert!((gelu(1.0f64) - 0.841_344_7).abs() < 1e-7);
    /// ```
    fn erf(self) -> Self;
    /// Returns 1 - [`erf`](Self::erf); accurate where that is small:
    /// [`math::erfc`](crate::math::erfc).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(1.0 - Float::erf(7.0f64), 0.0);
    /// assert!((Float::erfc(7.0f64) / 4.183_825_607_779_414e-23 - 1.0).abs() < 1e-14);
    /// ```
    fn erfc(self) -> Self;
    /// Returns e to the power of `self`: [`math::exp`](crate::math::exp).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns what is left of a quantity that decays.
    /// fn decayed<T: Float>(quantity: T, rate: T, time: T) -> T {
    ///     quantity * (-rate * time).exp()
    /// }
    /// assert_eq!(decayed(8.0, std::f32::consts::LN_2, 1.0), 4.0);
    /// ```
    fn exp(self) -> Self;
    /// Returns 2 to the power of `self`: [`math::exp2`](crate::math::exp2).
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!(Float::exp2(-1.0f32), 0.5);
    /// assert_eq!(f16::from_f32(3.0).exp2(), f16::from_f32(8.0));
    /// ```
    fn exp2(self) -> Self;
    /// Returns e to the power of `self`, less 1; accurate near 0:
    /// [`math::exp_m1`](crate::math::exp_m1).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert_eq!(Float::exp_m1(1e-20f32), 1e-20);
    /// assert_eq!(Float::exp(1e-20f32) - 1.0, 0.0);
    /// ```
    fn exp_m1(self) -> Self;
    /// Returns the length of the vector (`self`, `other`), without overflow on the way:
    /// [`math::hypot`](crate::math::hypot).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the distance of two points.
    /// fn distance<T: Float>(a: [T; 2], b: [T; 2]) -> T {
    ///     (a[0] - b[0]).hypot(a[1] - b[1])
    /// }
    /// assert_eq!(distance([1.0f32, 1.0], [4.0, 5.0]), 5.0);
    /// assert_eq!(distance([0.0f32, 0.0], [3e30, 4e30]), 5e30);
    /// ```
    fn hypot(self, other: Self) -> Self;
    /// Returns the natural logarithm: [`math::ln`](crate::math::ln).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns a term of an entropy, which is 0 for an event that never happens.
    /// fn surprise<T: Float>(p: T) -> T {
    ///     if p > T::ZERO { -p * p.ln() } else { T::ZERO }
    /// }
    /// assert_eq!((surprise(0.0), surprise(1.0), surprise(0.5)), (0.0, 0.0, 0.5 * 2f64.ln()));
    /// ```
    fn ln(self) -> Self;
    /// Returns the natural logarithm of 1 + `self`; accurate near 0:
    /// [`math::ln_1p`](crate::math::ln_1p).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the logarithm of the sum of `exp(a)` and `exp(b)`, without overflow on the way.
    /// fn log_add<T: Float>(a: T, b: T) -> T {
    ///     a.max(b) + (-(a - b).abs()).exp().ln_1p()
    /// }
    /// assert_eq!(log_add(1000.0f32, 1000.0), 1000.0 + 2f32.ln());
    /// assert_eq!(Float::ln_1p(1e-20f32), 1e-20);
    /// ```
    fn ln_1p(self) -> Self;
    /// Returns the logarithm with base `base`: [`math::log`](crate::math::log).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert!((Float::log(81.0f64, 3.0) - 4.0).abs() < 1e-14);
    /// ```
    fn log(self, base: Self) -> Self;
    /// Returns the logarithm with base 10: [`math::log10`](crate::math::log10).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the level of a signal in decibels.
    /// fn decibels<T: Float>(power: T) -> T {
    ///     T::from_i32(10) * power.log10()
    /// }
    /// assert_eq!((decibels(100.0f32), decibels(0.001f32)), (20.0, -30.0));
    /// ```
    fn log10(self) -> Self;
    /// Returns the logarithm with base 2: [`math::log2`](crate::math::log2).
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!(Float::log2(1024.0f32), 10.0);
    /// assert_eq!(f16::from_f32(0.125).log2(), f16::from_f32(-3.0));
    /// ```
    fn log2(self) -> Self;
    /// Returns `self` to the power of `exponent`: [`math::powf`](crate::math::powf).
    ///
    /// ```
    /// use warpwise::{Float, f16};
    ///
    /// assert_eq!(Float::powf(2.0f32, 10.0), 1024.0);
    /// assert_eq!(f16::from_f32(16.0).powf(f16::from_f32(-0.25)), f16::from_f32(0.5));
    /// ```
    fn powf(self, exponent: Self) -> Self;
    /// Returns the sine of an angle in radians: [`math::sin`](crate::math::sin).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns a sample of a sine wave.
    /// fn sample<T: Float>(frequency: T, time: T) -> T {
    ///     (T::from_f64(std::f64::consts::TAU) * frequency * time).sin()
    /// }
    /// assert_eq!(sample(50.0f32, 0.005), 1.0);
    /// ```
    fn sin(self) -> Self;
    /// Returns the sine and the cosine of an angle in radians, which cost less together:
    /// [`math::sin_cos`](crate::math::sin_cos).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Rotates a vector.
    /// fn rotate<T: Float>([x, y]: [T; 2], angle: T) -> [T; 2] {
    ///     let (sin, cos) = angle.sin_cos();
    ///     [x * cos - y * sin, x * sin + y * cos]
    /// }
    /// let [x, y] = rotate([2.0, 0.0], std::f64::consts::FRAC_PI_2);
    /// assert!(x.abs() < 1e-15 && y == 2.0);
    /// ```
    fn sin_cos(self) -> (Self, Self);
    /// Returns the hyperbolic sine: [`math::sinh`](crate::math::sinh).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// assert!((Float::sinh(2f64.ln()) - 0.75).abs() < 1e-15);
    /// assert_eq!(Float::sinh(-1e-9f32), -1e-9);
    /// ```
    fn sinh(self) -> Self;
    /// Returns the tangent of an angle in radians: [`math::tan`](crate::math::tan).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the distance from a camera to its image, for a field of view.
    /// fn focal_length<T: Float>(width: T, angle: T) -> T {
    ///     let two = T::from_i32(2);
    ///     width / (two * (angle / two).tan())
    /// }
    /// assert!((focal_length(36.0, std::f64::consts::FRAC_PI_2) - 18.0).abs() < 1e-14);
    /// ```
    fn tan(self) -> Self;
    /// Returns the hyperbolic tangent: [`math::tanh`](crate::math::tanh).
    ///
    /// ```
    /// use warpwise::Float;
    ///
    /// /// Returns the derivative of the hyperbolic tangent.
    /// fn slope<T: Float>(x: T) -> T {
    ///     T::ONE - x.tanh() * x.tanh()
    /// }
    /// assert_eq!((slope(0.0f32), slope(100.0f32)), (1.0, 0.0));
    /// ```
    fn tanh(self) -> Self;
}

macro_rules! num {
    ($($ty:ident { $zero:literal $one:literal |$a:ident, $b:ident| $min:expr, $max:expr, $abs:expr })*) => {$(
        impl Num for $ty {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const MIN: Self = $ty::MIN;
            const MAX: Self = $ty::MAX;
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
            const INFINITY: Self = $ty::INFINITY;
            const NEG_INFINITY: Self = $ty::NEG_INFINITY;
            const NAN: Self = $ty::NAN;
            const EPSILON: Self = $ty::EPSILON;
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
            const MIN: Self = $ty::MIN;
            const MAX: Self = $ty::MAX;
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
            const INFINITY: Self = $ty::INFINITY;
            const NEG_INFINITY: Self = $ty::NEG_INFINITY;
            const NAN: Self = $ty::NAN;
            const EPSILON: Self = $ty::EPSILON;
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
