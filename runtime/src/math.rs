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
    acos(x), 2.5, 1.5;
    /// The number of at least 0 whose hyperbolic cosine is `x`.
    acosh(x), 2.5, 2.5;
    /// The angle whose sine is `x`, from -pi/2 to pi/2.
    asin(x), 2.5, 2.5;
    /// The number whose hyperbolic sine is `x`.
    asinh(x), 2.5, 2.5;
    /// The angle whose tangent is `x`, from -pi/2 to pi/2.
    atan(x), 2.0, 2.0;
    /// The angle of the point (`x`, `y`), from -pi to pi.
    atan2(y, x), 2.5, 2.0;
    /// The number whose hyperbolic tangent is `x`.
    atanh(x), 2.5, 2.5;
    /// The cube root.
    cbrt(x), 1.5, 1.5;
    /// Cosine of an angle in radians.
    cos(x), 1.5, 1.5;
    /// Hyperbolic cosine.
    cosh(x), 2.5, 1.5;
    /// The error function.
    erf(x), 1.5, 1.5;
    /// 1 - [`erf(x)`](erf); accurate where that is small, in the tail of the normal distribution.
    erfc(x), 2.5, 3.0;
    /// e to the power of `x`.
    exp(x), 1.5, 1.5;
    /// 2 to the power of `x`.
    exp2(x), 1.0, 1.0;
    /// e to the power of `x`, less 1; accurate near 0.
    exp_m1(x), 1.5, 1.5;
    /// The length of the vector (`x`, `y`), without overflow on the way.
    hypot(x, y), 1.0, 1.0;
    /// The natural logarithm.
    ln(x), 1.5, 1.5;
    /// The natural logarithm of 1 + `x`; accurate near 0.
    ln_1p(x), 1.5, 1.5;
    /// The logarithm with base `base`.
    log(x, base), 3.5, 3.0;
    /// The logarithm with base 10.
    log10(x), 1.5, 1.5;
    /// The logarithm with base 2.
    log2(x), 1.5, 1.5;
    /// `x` to the power of `y`.
    powf(x, y), 2.0, 1.5;
    /// Sine of an angle in radians.
    sin(x), 1.5, 1.5;
    /// Hyperbolic sine.
    sinh(x), 2.0, 1.5;
    /// Tangent of an angle in radians.
    tan(x), 2.5, 2.5;
    /// Hyperbolic tangent.
    tanh(x), 2.5, 1.5;
}
