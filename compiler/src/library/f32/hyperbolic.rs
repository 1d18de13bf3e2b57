//! Hyperbolic functions and their inverses.
//!
//! With a = n ln 2 + r, both e^a / 2 and e^-a / 2 come from sinh(r) and cosh(r), which share the
//! square of r, and from powers of 2: nothing is divided.
use super::{
    exponential::exp_of_rest, exponential::exp_rest, logarithm::ln_1p, trigonometric::reciprocal,
};

/// sinh(x).
pub fn sinh(x: f32) -> f32 {
    let a = x.abs();
    let t = a.mul_add(1.442695, 12582912.0);
    let r = exp_rest(a, t - 12582912.0);
    let n = t.to_bits() << 23;
    let high = f32::from_bits(n.wrapping_add(0x3f000000));
    let low = f32::from_bits(0x3f000000u32.wrapping_sub(n));
    let y = if a < 87.0 { sinh_sum(r, high - low, high + low) } else { exp_half(a, r, n) };
    y.copysign(x)
}

/// cosh(x).
pub fn cosh(x: f32) -> f32 {
    let a = x.abs();
    let t = a.mul_add(1.442695, 12582912.0);
    let r = exp_rest(a, t - 12582912.0);
    let n = t.to_bits() << 23;
    let high = f32::from_bits(n.wrapping_add(0x3f000000));
    let low = f32::from_bits(0x3f000000u32.wrapping_sub(n));
    if a < 87.0 { sinh_sum(r, high + low, high - low) } else { exp_half(a, r, n) }
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

/// e^a / 2 for a >= 87, where a = n ln 2 + r and `n` is in the exponent's place.
pub fn exp_half(a: f32, r: f32, n: u32) -> f32 {
    let power = f32::from_bits(n.wrapping_add(0x3e000000));
    if a > 90.0 { f32::INFINITY } else { exp_of_rest(r) * power * 4.0 }
}

/// tanh(x).
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let y = if a < 0.6 {
        let square = a * a;
        let p = square.mul_add(-0.0058979723, 0.020798627);
        let p = p.mul_add(square, -0.053784717);
        let p = p.mul_add(square, 0.13331936);
        let p = p.mul_add(square, -0.333333);
        a.mul_add(square * p, a)
    } else {
        // 1 - 2 / (e^2a + 1), which is 1 from 9.02 on.
        let b = if a > 10.0 { 20.0 } else { a + a };
        let t = b.mul_add(1.442695, 12582912.0);
        let p = exp_of_rest(exp_rest(b, t - 12582912.0));
        let power = f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f800000));
        reciprocal(p.mul_add(power, 1.0)).mul_add(-2.0, 1.0)
    };
    y.copysign(x)
}

/// asinh(x).
pub fn asinh(x: f32) -> f32 {
    let a = x.abs();
    let square = a * a;
    let large = a > 1073741824.0;
    // a + sqrt(a^2 + 1) - 1, without its cancellation; twice a from 2^30 on.
    let b = if large { a } else { a + square / ((square + 1.0).sqrt() + 1.0) };
    let y = ln_1p(b);
    (if large { y + 0.6931472 } else { y }).copysign(x)
}

/// acosh(x).
pub fn acosh(x: f32) -> f32 {
    let large = x > 1073741824.0;
    let b = x - 1.0;
    let b = if large { x } else { b + b.mul_add(b, b + b).sqrt() };
    let y = ln_1p(b);
    if x >= 1.0 { if large { y + 0.6931472 } else { y } } else { f32::NAN }
}

/// atanh(x).
pub fn atanh(x: f32) -> f32 {
    let a = x.abs();
    (ln_1p((a + a) / (1.0 - a)) * 0.5).copysign(x)
}
