//! What engines compute that have no instructions for [`Approx`](crate::ir::Approx): the functions of `f64`,
//! rounded, subnormal arguments and results being the zero of their sign, as with the instructions.
//!
//! All that they call is inlined, however large: in a loop compiled for AVX2 and FMA `mul_add` is an
//! instruction then, and the loop is vector code.
use super::f64 as wide;

/// 2^x
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    flushed(wide::exp2(argument(x)) as f32)
}

/// The logarithm with base 2.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    flushed(wide::log2(argument(x)) as f32)
}

/// sin(x)
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    flushed(wide::sin(argument(x)) as f32)
}

/// cos(x)
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    flushed(wide::cos(argument(x)) as f32)
}

/// tanh(x); the instruction for it keeps subnormal numbers.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    wide::tanh(x.into()) as f32
}

/// 1 / x
#[inline(always)]
pub fn recip(x: f32) -> f32 {
    flushed(1.0 / flushed(x))
}

/// 1 / sqrt(x)
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    flushed((1.0 / argument(x).sqrt()) as f32)
}

/// The square root.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    flushed(x).sqrt()
}

#[inline(always)]
fn argument(x: f32) -> f64 {
    flushed(x).into()
}

#[inline(always)]
fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_keep_their_signs_and_subnormal_numbers_become_them() {
        for zero in [-0.0f32, -1e-40] {
            assert_eq!(sin(zero).to_bits(), (-0f32).to_bits());
            assert_eq!(sqrt(zero).to_bits(), (-0f32).to_bits());
            assert_eq!([recip(zero), rsqrt(zero), log2(zero)], [f32::NEG_INFINITY; 3]);
            assert_eq!([exp2(zero), cos(zero)], [1.0; 2]);
        }
        assert_eq!(exp2(-126.5), 0.0);
        assert_eq!(recip(3e38).to_bits(), 0);
        assert_eq!(tanh(-1e-40), -1e-40);
    }

    #[test]
    fn ends_are_those_of_the_functions() {
        assert_eq!([recip(f32::INFINITY), rsqrt(f32::INFINITY), exp2(f32::NEG_INFINITY)], [0.0; 3]);
        assert_eq!(tanh(f32::NEG_INFINITY), -1.0);
        let none =
            [rsqrt(-1.0), sqrt(-1.0), log2(-1.0), sin(f32::INFINITY), cos(f32::NEG_INFINITY)];
        assert!(none.iter().all(|value| value.is_nan()));
    }
}
