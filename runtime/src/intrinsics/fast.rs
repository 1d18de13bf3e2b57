//! Functions of `f32` that hardware approximates: fast, and outside the promise that every device
//! computes the same bits.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! #[kernel]
//! fn softplus(x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = fast::ln(1.0 + fast::exp(x[i]));
//!     }
//! }
//! ```
//!
//! On a GPU each is one instruction or two, whose results differ between generations of GPUs. On
//! the host and the interpreter they are within 1 unit in the last place of the exact result, and
//! the same on both. A test that compares a GPU with the host needs a tolerance; `docs/math.md` has
//! the bounds of the hardware's errors.
//!
//! Subnormal numbers count as the zero of their sign, as arguments and as results of instructions,
//! but for [`tanh`].
use std::f32::consts::{LN_2, LOG2_E, LOG10_2};
use warpwise_compiler::library::approx;

/// Returns e to the power of `x`: [`exp2`] of `x` times the logarithm of e.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::exp(0.5) - 0.5f32.exp()).abs() < 1e-6);
/// ```
pub fn exp(x: f32) -> f32 {
    exp2(x * LOG2_E)
}

/// Returns 2 to the power of `x`.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::exp2(0.5) - 0.5f32.exp2()).abs() < 1e-6);
/// ```
pub fn exp2(x: f32) -> f32 {
    approx::exp2(x)
}

/// Returns the natural logarithm: [`log2`] times a constant.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::ln(3.0) - 3.0f32.ln()).abs() < 1e-6);
/// ```
pub fn ln(x: f32) -> f32 {
    log2(x) * LN_2
}

/// Returns the logarithm with base 2.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::log2(3.0) - 3.0f32.log2()).abs() < 1e-6);
/// ```
pub fn log2(x: f32) -> f32 {
    approx::log2(x)
}

/// Returns the logarithm with base 10: [`log2`] times a constant.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::log10(3.0) - 3.0f32.log10()).abs() < 1e-6);
/// ```
pub fn log10(x: f32) -> f32 {
    log2(x) * LOG10_2
}

/// Returns the sine of an angle in radians, which is not reduced: accurate near 0 only.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::sin(0.5) - 0.5f32.sin()).abs() < 1e-6);
/// ```
pub fn sin(x: f32) -> f32 {
    approx::sin(x)
}

/// Returns the cosine of an angle in radians, which is not reduced: accurate near 0 only.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::cos(0.5) - 0.5f32.cos()).abs() < 1e-6);
/// ```
pub fn cos(x: f32) -> f32 {
    approx::cos(x)
}

/// Returns the tangent of an angle in radians: [`sin`] divided by [`cos`].
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::tan(0.5) - 0.5f32.tan()).abs() < 1e-6);
/// ```
pub fn tan(x: f32) -> f32 {
    div(sin(x), cos(x))
}

/// Returns [`sin`] and [`cos`].
///
/// ```
/// use warpwise::fast;
///
/// assert_eq!(fast::sin_cos(0.5), (fast::sin(0.5), fast::cos(0.5)));
/// ```
pub fn sin_cos(x: f32) -> (f32, f32) {
    (sin(x), cos(x))
}

/// Returns the hyperbolic tangent.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::tanh(0.5) - 0.5f32.tanh()).abs() < 1e-6);
/// ```
pub fn tanh(x: f32) -> f32 {
    approx::tanh(x)
}

/// Returns `x` to the power of `y`, for positive `x`: 2 to the power of `y` times the logarithm of
/// `x`.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::powf(0.5, 3.0) - 0.125).abs() < 1e-6);
/// ```
pub fn powf(x: f32, y: f32) -> f32 {
    exp2(log2(x) * y)
}

/// Returns `1 / x`.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::recip(3.0) - 1.0 / 3.0).abs() < 1e-6);
/// ```
pub fn recip(x: f32) -> f32 {
    approx::recip(x)
}

/// Returns `1 / x.sqrt()`.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::rsqrt(4.0) - 0.5).abs() < 1e-6);
/// ```
pub fn rsqrt(x: f32) -> f32 {
    approx::rsqrt(x)
}

/// Returns the square root.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::sqrt(3.0) - 3.0f32.sqrt()).abs() < 1e-6);
/// ```
pub fn sqrt(x: f32) -> f32 {
    approx::sqrt(x)
}

/// Returns `x / y`, as `x` times [`recip`] of `y`: zero where `y` is above 2^126, and NaN if `x`
/// is infinite as well.
///
/// ```
/// use warpwise::fast;
///
/// assert!((fast::div(2.0, 3.0) - 2.0 / 3.0).abs() < 1e-6);
/// ```
pub fn div(x: f32, y: f32) -> f32 {
    x * recip(y)
}
