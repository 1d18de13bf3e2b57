//! Mathematical functions, with the same bits in the result on every device and on the host.
//!
//! In a kernel, `x.exp()` on `f32` and `f64` is [`exp`] here: both are a library that is written in
//! the kernel language and compiled into the kernel. On the host, `x.exp()` is std's, whose last
//! bits depend on the platform, and `math::exp(x)` is the library's:
//!
//! ```
//! use warpwise::math;
//!
//! assert_eq!(math::exp(1.0f32), 2.7182817);
//! assert!(math::ln(-1.0f64).is_nan());
//! ```
//!
//! Special values are those of std and IEEE 754, subnormal numbers are neither read nor returned as
//! zero, and trigonometric functions reduce every finite argument correctly. The errors that are
//! stated are bounds in units of the last place of the exact result, for `f32` and `f64`;
//! `docs/math.md` has what was measured. [`sqrt`](f32::sqrt), [`mul_add`](f32::mul_add) and
//! division are correctly rounded.
use crate::Float;

/// Returns the sine and the cosine of an angle in radians: [`sin`] and [`cos`], which cost less
/// together.
///
/// ```
/// use warpwise::math;
///
/// let (sin, cos) = math::sin_cos(0.5f32);
/// assert!((sin * sin + cos * cos - 1.0).abs() < 1e-6);
/// ```
pub fn sin_cos<T: Float>(x: T) -> (T, T) {
    x.sin_cos()
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*), $f32:literal, $f64:literal;)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("Error: at most ", $f32, " ULP for `f32` and ", $f64, " for `f64`.")]
        pub fn $name<T: Float>($($arg: T),*) -> T {
            Float::$name($($arg),*)
        }
    )*};
}

functions! {
    /// The angle whose cosine is `x`, from 0 to pi.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_3;
    /// use warpwise::math;
    ///
    /// assert!((math::acos(0.5) - FRAC_PI_3).abs() < 1e-15);
    /// assert!(math::acos(1.5f64).is_nan());
    /// ```
    acos(x), 2.5, 1.5;
    /// The number of at least 0 whose hyperbolic cosine is `x`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert!((math::acosh(1.25) - 2f64.ln()).abs() < 1e-15);
    /// assert!(math::acosh(0.5f64).is_nan());
    /// ```
    acosh(x), 2.5, 2.5;
    /// The angle whose sine is `x`, from -pi/2 to pi/2.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_6;
    /// use warpwise::math;
    ///
    /// assert!((math::asin(0.5) - FRAC_PI_6).abs() < 1e-15);
    /// ```
    asin(x), 2.5, 2.5;
    /// The number whose hyperbolic sine is `x`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert!((math::asinh(0.75) - 2f64.ln()).abs() < 1e-15);
    /// // Accurate near 0, where it is `x`.
    /// assert_eq!(math::asinh(1e-9f32), 1e-9);
    /// ```
    asinh(x), 2.5, 2.5;
    /// The angle whose tangent is `x`, from -pi/2 to pi/2.
    ///
    /// ```
    /// use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
    /// use warpwise::math;
    ///
    /// assert!((math::atan(1.0) - FRAC_PI_4).abs() < 1e-15);
    /// assert!((math::atan(f64::INFINITY) - FRAC_PI_2).abs() < 1e-15);
    /// ```
    atan(x), 2.0, 2.0;
    /// The angle of the point (`x`, `y`), from -pi to pi.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_4;
    /// use warpwise::math;
    ///
    /// // Unlike the arctangent of `y / x`, it distinguishes all quadrants.
    /// assert!((math::atan2(1.0, 1.0) - FRAC_PI_4).abs() < 1e-15);
    /// assert!((math::atan2(-1.0, -1.0) + 3.0 * FRAC_PI_4).abs() < 1e-15);
    /// ```
    atan2(y, x), 2.5, 2.0;
    /// The number whose hyperbolic tangent is `x`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert!((math::atanh(0.6) - 2f64.ln()).abs() < 1e-15);
    /// assert_eq!(math::atanh(1.0), f64::INFINITY);
    /// ```
    atanh(x), 2.5, 2.5;
    /// The cube root.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// // Of negative numbers, too, of which `powf(x, 1.0 / 3.0)` is NaN.
    /// assert_eq!(math::cbrt(-27.0f32), -3.0);
    /// ```
    cbrt(x), 1.5, 1.5;
    /// Cosine of an angle in radians.
    ///
    /// ```
    /// use std::f64::consts::PI;
    /// use warpwise::math;
    ///
    /// assert_eq!(math::cos(PI), -1.0);
    /// assert!((math::cos(PI / 3.0) - 0.5).abs() < 1e-15);
    /// ```
    cos(x), 1.5, 1.5;
    /// Hyperbolic cosine.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::cosh(0.0f32), 1.0);
    /// assert!((math::cosh(2f64.ln()) - 1.25).abs() < 1e-15);
    /// ```
    cosh(x), 2.5, 1.5;
    /// The error function.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// /// Returns the probability that a normally distributed number is at most `x`.
    /// fn normal_cdf(x: f64) -> f64 {
    ///     0.5 * (1.0 + math::erf(x * std::f64::consts::FRAC_1_SQRT_2))
    /// }
    /// assert_eq!(normal_cdf(0.0), 0.5);
    /// assert!((normal_cdf(1.0) - normal_cdf(-1.0) - 0.6827).abs() < 1e-4);
    /// ```
    erf(x), 1.5, 1.5;
    /// 1 - [`erf(x)`](erf); accurate where that is small, in the tail of the normal distribution.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(1.0 - math::erf(7.0f64), 0.0);
    /// assert!((math::erfc(7.0f64) / 4.183_825_607_779_414e-23 - 1.0).abs() < 1e-14);
    /// ```
    erfc(x), 2.5, 3.0;
    /// e to the power of `x`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::exp(1.0f32), 2.7182817);
    /// assert_eq!(math::exp(-1000.0f32), 0.0);
    /// ```
    exp(x), 1.5, 1.5;
    /// 2 to the power of `x`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::exp2(10.0f32), 1024.0);
    /// assert_eq!(math::exp2(-1.0f64), 0.5);
    /// ```
    exp2(x), 1.0, 1.0;
    /// e to the power of `x`, less 1; accurate near 0.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::exp_m1(1e-20), 1e-20);
    /// // The difference of two numbers that are nearly 1 has lost all digits.
    /// assert_eq!(math::exp(1e-20) - 1.0, 0.0);
    /// ```
    exp_m1(x), 1.5, 1.5;
    /// The length of the vector (`x`, `y`), without overflow on the way.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::hypot(3e30f32, 4e30), 5e30);
    /// assert_eq!((3e30f32 * 3e30 + 4e30 * 4e30).sqrt(), f32::INFINITY);
    /// ```
    hypot(x, y), 1.0, 1.0;
    /// The natural logarithm.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::ln(std::f32::consts::E), 1.0);
    /// assert_eq!(math::ln(0.0f32), f32::NEG_INFINITY);
    /// assert!(math::ln(-1.0f32).is_nan());
    /// ```
    ln(x), 1.5, 1.5;
    /// The natural logarithm of 1 + `x`; accurate near 0.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::ln_1p(1e-20), 1e-20);
    /// // The sum is rounded to 1.
    /// assert_eq!(math::ln(1.0 + 1e-20), 0.0);
    /// ```
    ln_1p(x), 1.5, 1.5;
    /// The logarithm with base `base`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert!((math::log(81.0f64, 3.0) - 4.0).abs() < 1e-14);
    /// ```
    log(x, base), 3.5, 3.0;
    /// The logarithm with base 10.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::log10(1000.0f32), 3.0);
    /// ```
    log10(x), 1.5, 1.5;
    /// The logarithm with base 2.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::log2(1024.0f32), 10.0);
    /// // Of a subnormal number.
    /// assert_eq!(math::log2(f32::from_bits(1)), -149.0);
    /// ```
    log2(x), 1.5, 1.5;
    /// `x` to the power of `y`.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert_eq!(math::powf(2.0f32, 10.0), 1024.0);
    /// assert_eq!(math::powf(16.0f32, -0.25), 0.5);
    /// assert!(math::powf(-8.0f32, 0.5).is_nan());
    /// ```
    powf(x, y), 2.0, 1.5;
    /// Sine of an angle in radians.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_6;
    /// use warpwise::math;
    ///
    /// assert!((math::sin(FRAC_PI_6) - 0.5).abs() < 1e-15);
    /// // The angle is reduced by all digits of pi.
    /// assert!((math::sin(1e22f64) + 0.852_200_849_767_188_8).abs() < 1e-15);
    /// ```
    sin(x), 1.5, 1.5;
    /// Hyperbolic sine.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert!((math::sinh(2f64.ln()) - 0.75).abs() < 1e-15);
    /// assert_eq!(math::sinh(-1e-9f32), -1e-9);
    /// ```
    sinh(x), 2.0, 1.5;
    /// Tangent of an angle in radians.
    ///
    /// ```
    /// use std::f64::consts::FRAC_PI_4;
    /// use warpwise::math;
    ///
    /// assert!((math::tan(FRAC_PI_4) - 1.0).abs() < 1e-15);
    /// ```
    tan(x), 2.5, 2.5;
    /// Hyperbolic tangent.
    ///
    /// ```
    /// use warpwise::math;
    ///
    /// assert!((math::tanh(2f64.ln()) - 0.6).abs() < 1e-15);
    /// assert_eq!(math::tanh(1000.0f32), 1.0);
    /// ```
    tanh(x), 2.5, 1.5;
}
