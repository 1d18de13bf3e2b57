//! Hyperbolic functions and their inverses.
//!
//! With a = n ln 2 + r, both e^a / 2 and e^-a / 2 come from sinh(r) and cosh(r), which share the
//! square of r, and from powers of 2: nothing is divided. Powers are a quarter of what they should be,
//! because the largest would be too large.
use super::exponential::{exp_m1_of_rest, exp_rest};
use super::logarithm::ln_1p_of_positive;
use super::trigonometric::{quotient, rough_reciprocal};

/// sinh(x).
pub fn sinh(x: f32) -> f32 {
    let a = at_most(x.abs(), 89.5);
    let t = a.mul_add(1.442695, 12582912.0);
    let powers = quarter_powers(a, t);
    let y = sinh_sum(exp_rest(a, t - 12582912.0), powers.0 - powers.1, powers.0 + powers.1) * 2.0;
    (if a < 0.00024414063 { a } else { y }).copysign(x)
}

/// cosh(x).
pub fn cosh(x: f32) -> f32 {
    let a = at_most(x.abs(), 89.5);
    let t = a.mul_add(1.442695, 12582912.0);
    let powers = quarter_powers(a, t);
    sinh_sum(exp_rest(a, t - 12582912.0), powers.0 + powers.1, powers.0 - powers.1) * 2.0
}

/// `a`, but at most `most`, where it makes no difference. NaN stays NaN.
pub fn at_most(a: f32, most: f32) -> f32 {
    if a > most { most } else { a }
}

/// 2^n / 4 and 2^-n / 4, for n = `t` - 1.5 * 2^23 up to 129; the latter is left out where it does not count.
pub fn quarter_powers(a: f32, t: f32) -> (f32, f32) {
    let n = t.to_bits() << 23;
    let low = if a < 80.0 { 0x3e800000u32.wrapping_sub(n) } else { 0 };
    (f32::from_bits(n.wrapping_add(0x3e800000)), f32::from_bits(low))
}

/// cosh(r) c + sinh(r) s, for |r| <= 0.347.
pub fn sinh_sum(r: f32, c: f32, s: f32) -> f32 {
    let square = r * r;
    let p = square.mul_add(0.00019974088, 0.008333175);
    let p = p.mul_add(square, 0.16666667);
    let sinh = r.mul_add(square * p, r);
    let p = square.mul_add(0.0013935432, 0.04166646);
    let p = p.mul_add(square, 0.5);
    // cosh(r) - 1, so that what is rounded is small beside `c`.
    let cosh = square * p;
    sinh.mul_add(s, cosh * c) + c
}

/// tanh(x).
pub fn tanh(x: f32) -> f32 {
    // It is 1 from 9.02 on.
    let a = at_most(x.abs(), 9.1);
    let t = a.mul_add(2.88539, 12582912.0);
    let p = exp_m1_of_rest(exp_rest(a + a, t - 12582912.0));
    let power = f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f800000));
    // e^2a - 1
    let e = p.mul_add(power, power - 1.0);
    // e / (e + 2), with what the sum loses.
    let inverse = rough_reciprocal(e + 2.0);
    let q = e * inverse;
    q.mul_add(-e, q.mul_add(-2.0, e)).mul_add(inverse, q).copysign(x)
}

/// asinh(x).
pub fn asinh(x: f32) -> f32 {
    let a = x.abs();
    let square = a * a;
    let large = a > 1073741824.0;
    // a + sqrt(a^2 + 1) - 1, without its cancellation; twice a from 2^30 on.
    let b = a + quotient(square, (square + 1.0).sqrt() + 1.0);
    let y = ln_1p_of_positive(if large { a } else { b });
    let y = if large { y + 0.6931472 } else { y };
    (if a < f32::INFINITY { y } else { a }).copysign(x)
}

/// acosh(x).
pub fn acosh(x: f32) -> f32 {
    let large = x > 1073741824.0;
    let b = x - 1.0;
    let b = if large { x } else { b + b.mul_add(b, b + b).sqrt() };
    let y = ln_1p_of_positive(b);
    let y = if large { y + 0.6931472 } else { y };
    let y = if x == f32::INFINITY { x } else { y };
    if x >= 1.0 { y } else { f32::NAN }
}

/// atanh(x).
pub fn atanh(x: f32) -> f32 {
    let a = x.abs();
    let y = ln_1p_of_positive(quotient(a + a, 1.0 - a)) * 0.5;
    let end = if a == 1.0 { f32::INFINITY } else { f32::NAN };
    (if a < 1.0 { y } else { end }).copysign(x)
}
