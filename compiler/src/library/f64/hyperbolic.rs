//! Hyperbolic functions and their inverses.
//!
//! With a = n ln 2 + r, both e^a / 2 and e^-a / 2 come from sinh(r) and cosh(r), which share the
//! square of r, and from powers of 2: nothing is divided.
use super::{
    exponential::exp_of_rest, exponential::exp_rest, logarithm::ln_1p, trigonometric::reciprocal,
};

/// sinh(x).
pub fn sinh(x: f64) -> f64 {
    let a = x.abs();
    let t = a.mul_add(1.4426950408889634, 6755399441055744.0);
    let r = exp_rest(a, t - 6755399441055744.0);
    let n = t.to_bits() << 52;
    let high = f64::from_bits(n.wrapping_add(0x3fe0000000000000));
    let low = f64::from_bits(0x3fe0000000000000u64.wrapping_sub(n));
    let y = if a < 708.0 { sinh_sum(r, high - low, high + low) } else { exp_half(a, r, n) };
    y.copysign(x)
}

/// cosh(x).
pub fn cosh(x: f64) -> f64 {
    let a = x.abs();
    let t = a.mul_add(1.4426950408889634, 6755399441055744.0);
    let r = exp_rest(a, t - 6755399441055744.0);
    let n = t.to_bits() << 52;
    let high = f64::from_bits(n.wrapping_add(0x3fe0000000000000));
    let low = f64::from_bits(0x3fe0000000000000u64.wrapping_sub(n));
    if a < 708.0 { sinh_sum(r, high + low, high - low) } else { exp_half(a, r, n) }
}

/// cosh(r) c + sinh(r) s, for |r| <= 0.347.
pub fn sinh_sum(r: f64, c: f64, s: f64) -> f64 {
    let square = r * r;
    let p = square.mul_add(1.7576462168714322e-10, 2.5046787893602647e-08);
    let p = p.mul_add(square, 2.7557326216514376e-06);
    let p = p.mul_add(square, 0.000198412698370903);
    let p = p.mul_add(square, 0.008333333333334424);
    let p = p.mul_add(square, 0.16666666666666666);
    let cubic = square * p;
    let p = square.mul_add(2.0921753485227008e-09, 2.7557251851677364e-07);
    let p = p.mul_add(square, 2.48015873491869e-05);
    let p = p.mul_add(square, 0.0013888888888873283);
    let p = p.mul_add(square, 0.041666666666666685);
    let p = p.mul_add(square, 0.5);
    // cosh(r) - 1, so that what is rounded is small beside `c`.
    let cosh = square * p;
    // c + r s, with what it lacks, and the rest.
    let first = r * s;
    let rest = first.mul_add(cubic, cosh * c);
    let sum = c + first;
    let lost = ((c - sum) + first) + r.mul_add(s, -first);
    sum + (lost + rest)
}

/// e^a / 2 for a >= 708, where a = n ln 2 + r and `n` is in the exponent's place.
pub fn exp_half(a: f64, r: f64, n: u64) -> f64 {
    let power = f64::from_bits(n.wrapping_add(0x3fc0000000000000));
    if a > 711.0 { f64::INFINITY } else { exp_of_rest(r) * power * 4.0 }
}

/// tanh(x).
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let y = if a < 0.6 {
        let square = a * a;
        let p = square.mul_add(6.503153847910436e-06, -3.117827146076656e-05);
        let p = p.mul_add(square, 9.24893776461092e-05);
        let p = p.mul_add(square, -0.00023751294990668337);
        let p = p.mul_add(square, 0.0005896224434228585);
        let p = p.mul_add(square, -0.0014557641849064972);
        let p = p.mul_add(square, 0.003592119688853635);
        let p = p.mul_add(square, -0.00886323486619367);
        let p = p.mul_add(square, 0.021869488502540897);
        let p = p.mul_add(square, -0.05396825396725841);
        let p = p.mul_add(square, 0.13333333333331865);
        let p = p.mul_add(square, -0.33333333333333326);
        a.mul_add(square * p, a)
    } else {
        // 1 - 2 / (e^2a + 1), which is 1 from 19.1 on.
        let b = if a > 20.0 { 40.0 } else { a + a };
        let t = b.mul_add(1.4426950408889634, 6755399441055744.0);
        let p = exp_of_rest(exp_rest(b, t - 6755399441055744.0));
        let power = f64::from_bits((t.to_bits() << 52).wrapping_add(0x3ff0000000000000));
        reciprocal(p.mul_add(power, 1.0)).mul_add(-2.0, 1.0)
    };
    y.copysign(x)
}

/// asinh(x).
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let square = a * a;
    let large = a > 1152921504606846976.0;
    // a + sqrt(a^2 + 1) - 1, without its cancellation; twice a from 2^60 on.
    let b = if large { a } else { a + square * reciprocal((square + 1.0).sqrt() + 1.0) };
    let y = ln_1p(b);
    (if large { y + 0.6931471805599453 } else { y }).copysign(x)
}

/// acosh(x).
pub fn acosh(x: f64) -> f64 {
    let large = x > 1152921504606846976.0;
    let b = x - 1.0;
    let b = if large { x } else { b + b.mul_add(b, b + b).sqrt() };
    let y = ln_1p(b);
    if x >= 1.0 { if large { y + 0.6931471805599453 } else { y } } else { f64::NAN }
}

/// atanh(x).
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (ln_1p((a + a) / (1.0 - a)) * 0.5).copysign(x)
}
