//! The functions of [`Approx`](crate::ir::Approx) for engines without instructions for them.
//! Subnormal arguments and results are the zero of their sign, as with the instructions.
//!
//! `exp2` and `log2` are within 1 unit in the last place, by polynomials of `f32`; `rsqrt` is too,
//! as the quotient of two numbers rounded before. The others are the functions of `f64`, rounded.
//!
//! All that they call is inlined, however large: in a loop compiled for AVX2 and FMA `mul_add` is
//! an instruction then, and the loop is vector code.
use super::f64 as wide;
use std::f32::consts::{LN_2, LOG2_E};

/// 2^x: x = n + r with |r| <= 1/2, by adding 1.5 * 2^23, which leaves n in the low bits of the sum.
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    let t = x + 12582912.0;
    let r = x - (t - 12582912.0);
    let q = r.mul_add(0.00015329264, 0.0013390969);
    let q = q.mul_add(r, 0.009618499);
    let q = q.mul_add(r, 0.055503596);
    let q = q.mul_add(r, 0.24022648);
    let q = q.mul_add(r, LN_2);
    let p = q.mul_add(r, 1.0);
    let y = f32::from_bits(p.to_bits().wrapping_add(t.to_bits() << 23));
    // Infinity from 2^128 on; what is no number stays so.
    let y = if x < 128.0 { y } else { x + f32::INFINITY };
    if x < -126.0 { 0.0 } else { y }
}

/// The logarithm with base 2: x = 2^n (1 + f) with f from -0.293 to 0.415, as in [`wide::log2`].
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let exponent = x.to_bits().wrapping_sub(0x3f3504f3) & 0xff800000;
    let f = f32::from_bits(x.to_bits().wrapping_sub(exponent)) - 1.0;
    let n = (exponent.cast_signed() >> 23) as f32;
    let p = f.mul_add(-0.11099737, 0.18723607);
    let p = p.mul_add(f, -0.19119084);
    let p = p.mul_add(f, 0.20444742);
    let p = p.mul_add(f, -0.23958118);
    let p = p.mul_add(f, 0.28857377);
    let p = p.mul_add(f, -0.36069843);
    let p = p.mul_add(f, 0.48089817);
    let p = p.mul_add(f, -0.72134733);
    let rest = f.mul_add(1.925963e-8, f * f * p);
    let y = n + f.mul_add(LOG2_E, rest);
    if (f32::MIN_POSITIVE..f32::INFINITY).contains(&x) {
        y
    } else if x.abs() < f32::MIN_POSITIVE {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        f32::INFINITY
    } else {
        f32::NAN
    }
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
    1.0 / flushed(x).sqrt()
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
    if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x }
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

    /// Returns the error of a result, in units in the last place of the nearest `f32`.
    fn off(got: f32, want: f64) -> f64 {
        let exponent = (want as f32).abs().to_bits() >> 23;
        (f64::from(got) - want).abs() / 2f64.powi(exponent.cast_signed() - 127 - 23)
    }

    #[test]
    fn powers_and_logarithms_are_within_a_unit_in_the_last_place() {
        for bits in (0x0080_0000..0x7f80_0000u32).step_by(4099) {
            let x = f32::from_bits(bits);
            assert!(off(log2(x), f64::from(x).log2()) < 0.98, "log2({x}) = {}", log2(x));
            let root = f64::from(rsqrt(x)) * f64::from(x).sqrt();
            assert!((root - 1.0).abs() < 9e-8, "rsqrt({x}) = {}", rsqrt(x));
            for x in [x, -x] {
                if (-126.0..128.0).contains(&x) {
                    assert!(off(exp2(x), f64::from(x).exp2()) < 0.8, "exp2({x}) = {}", exp2(x));
                }
            }
        }
        let near_one = (0..1000).flat_map(|i| [1.0 + i as f32 * 1.2e-7, 1.0 - i as f32 * 6e-8]);
        for x in near_one.filter(|x| *x != 1.0) {
            assert!(off(log2(x), f64::from(x).log2()) < 0.98, "log2({x}) = {}", log2(x));
        }
    }

    #[test]
    fn the_range_ends_where_that_of_normal_numbers_does() {
        assert_eq!(exp2(-126.0), f32::MIN_POSITIVE);
        assert_eq!(exp2((-126f32).next_down()).to_bits(), 0);
        assert!((3.402_805e38..f32::MAX).contains(&exp2(128f32.next_down())));
        assert_eq!([exp2(128.0), exp2(f32::MAX)], [f32::INFINITY; 2]);
        assert_eq!([exp2(f32::MIN), exp2(-1e5)], [0.0; 2]);
        assert_eq!([log2(f32::MIN_POSITIVE), log2(1.0), log2(0.25)], [-126.0, 0.0, -2.0]);
        assert_eq!(log2(f32::MAX), 128.0);
        assert_eq!(log2(f32::INFINITY), f32::INFINITY);
        for nan in [f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)] {
            assert!([exp2(nan), log2(nan), rsqrt(nan), recip(nan)].iter().all(|y| y.is_nan()));
        }
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
