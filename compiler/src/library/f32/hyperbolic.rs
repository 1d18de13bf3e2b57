//! Hyperbolic functions and their inverses.
//!
//! With a = n ln 2 + r, both e^a / 2 and e^-a / 2 come from sinh(r) and cosh(r), which share the
//! square of r, and from powers of 2: nothing is divided. Powers are a quarter of what they should
//! be, because the largest would be too large.
//!
//! asinh(x) = n ln 2 + 2 atanh(t / 2), with 2^n next to e to that power: t / 2 is x less sinh(n ln
//! 2), which is exact, divided by sqrt(x^2 + 1) and cosh(n ln 2). Nothing cancels. With atanh it is
//! the same, and simpler.
use super::exponential::exp_rest;
use super::logarithm::{exponent_of, ln, ln_1p_of_positive};
use super::trigonometric::{quotient, rough_reciprocal};

/// sinh(x).
pub fn sinh(x: f32) -> f32 {
    let a = x.abs();
    let t = power_of_2(a);
    let powers = quarter_powers(t);
    let y = sinh_sum(exp_rest(a, t - 12582912.0), powers.0 - powers.1, powers.0 + powers.1) * 2.0;
    (if a < 0.00024414063 { a } else { y }).copysign(x)
}

/// cosh(x).
pub fn cosh(x: f32) -> f32 {
    let a = x.abs();
    let t = power_of_2(a);
    let powers = quarter_powers(t);
    sinh_sum(exp_rest(a, t - 12582912.0), powers.0 + powers.1, powers.0 - powers.1) * 2.0
}

/// n + 1.5 * 2^23 for the n whose n ln 2 is next to `a`, but for 129 at most: the functions are
/// infinite where that matters, and so are polynomials of what is left.
pub fn power_of_2(a: f32) -> f32 {
    a.mul_add(1.442695, 12582912.0).min(12583041.0)
}

/// 2^n / 4 and 2^-n / 4, for n = `t` - 1.5 * 2^23 up to 129; the latter is 0 where it would have no
/// exponent.
pub fn quarter_powers(t: f32) -> (f32, f32) {
    let n = t.to_bits() << 23;
    let low = (0x3e800000u32.wrapping_sub(n) as i32).max(0);
    (f32::from_bits(n.wrapping_add(0x3e800000)), f32::from_bits(low as u32))
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
    let a = x.abs();
    // It is 1 from 9.02 on. No numerator is a power of 2 where the denominator is all ones.
    let parts = tanh_parts(if a > 9.1 { 9.1 } else { a });
    quotient(parts.0, parts.1).copysign(x)
}

/// A numerator and a denominator of tanh(a), for a from 0 to 9.1: with a = n / 2 ln 2 + r and k = r
/// coth(r), e^2r is (k + r) / (k - r), and so tanh(a) is (2^n (k + r) - (k - r)) / (2^n (k + r) +
/// (k - r)). Here they are halves of those.
pub fn tanh_parts(a: f32) -> (f32, f32) {
    // n / 2 ln 2 next to a; the 126 are what exponents are biased by, less 1.
    let t = a.mul_add(2.88539, 12583038.0);
    let r = (t - 12583038.0).mul_add(-0.3465736, a);
    let m = f32::from_bits(t.to_bits() << 23) - 0.5;
    let square = r * r;
    let k = square.mul_add(-0.022158, 0.3333333).mul_add(square, 1.0);
    let n = m.mul_add(k, m.mul_add(r, r));
    // What n is rounded by is in both, so that it is no matter where they are next to each other.
    (n, n + (k - r))
}

/// asinh(x).
pub fn asinh(x: f32) -> f32 {
    let a = x.abs();
    let y = if a < 1152921504606846976.0 {
        let c = a.mul_add(a, 1.0).sqrt();
        let exponent = exponent_of((a + c).to_bits());
        let powers = powers_of_exponent(exponent);
        let half = powers.0 + powers.1;
        let d = c.mul_add(0.5, half);
        // What d lacks counts where it is next to 1.
        let low = c.mul_add(0.5, half - d);
        let rest = (powers.0 - powers.1).mul_add(-2.0, a);
        let inverse = rough_reciprocal(d);
        let t = rest * inverse;
        let t = t.mul_add(-low, t.mul_add(-d, rest)).mul_add(inverse, t);
        (exponent as i32 as f32).mul_add(8.262958e-8, twice_atanh_of_half(t))
    } else {
        ln(a) + 0.6931472
    };
    y.copysign(x)
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

/// 2^n / 4 and 2^-n / 4, for an n in the exponent's place.
pub fn powers_of_exponent(exponent: u32) -> (f32, f32) {
    let high = f32::from_bits(exponent.wrapping_add(0x3e800000));
    (high, f32::from_bits(0x3e800000u32.wrapping_sub(exponent)))
}

/// 2 atanh(t / 2) for |t| <= 0.405.
pub fn twice_atanh_of_half(t: f32) -> f32 {
    let square = t * t;
    let p = square.mul_add(0.0023754989, 0.012486152);
    let p = p.mul_add(square, 0.08333371);
    t.mul_add(square * p, t)
}

/// atanh(x).
pub fn atanh(x: f32) -> f32 {
    let a = x.abs();
    let (up, down) = (1.0 + a, 1.0 - a);
    // n, in the exponent's place, for 2^n next to up / down.
    let exponent = up.to_bits().wrapping_sub(down.to_bits()).wrapping_add(0x400000) & 0xff800000;
    let power = f32::from_bits(exponent.wrapping_add(0x3f800000));
    // up - 2^n down; factors of a would be inexact where a is next to 1, as up is elsewhere.
    let rest = a.mul_add(power + 1.0, 1.0 - power);
    let rest = if power > 1000.0 { power.mul_add(-down, up) } else { rest };
    // Only at 1 - 2^-22 is it a power of 2 by ones, and too small to matter.
    let t = quotient(rest, power.mul_add(down, up) * 0.5);
    let y = (exponent as i32 as f32).mul_add(8.262958e-8, twice_atanh_of_half(t)) * 0.5;
    let end = if a == 1.0 { f32::INFINITY } else { f32::NAN };
    (if a < 1.0 { y } else { end }).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::{tanh_parts, twice_atanh_of_half};

    const SIGNIFICAND: u32 = 0x7fffff;

    /// A denominator's significand is all ones only just below a power of 2, so only these are
    /// tried.
    #[test]
    fn no_quotient_of_tanh_is_of_a_power_of_2_by_ones() {
        let mut ones = 0;
        for exponent in 1..26 {
            let below = |bits: &u32| tanh_parts(f32::from_bits(*bits)).1 < 2f32.powi(exponent);
            let all: Vec<u32> = (0x3e000000..=9.1f32.to_bits()).step_by(1 << 10).collect();
            let about = all[all.partition_point(below)];
            for bits in about - (1 << 11)..about + (1 << 11) {
                let (n, d) = tanh_parts(f32::from_bits(bits));
                if d.to_bits() & SIGNIFICAND == SIGNIFICAND {
                    ones += 1;
                    assert_ne!(n.to_bits() & SIGNIFICAND, 0, "{n} / {d}");
                }
            }
        }
        assert_eq!(ones, 4);
    }

    #[test]
    fn the_quotient_of_atanh_that_reciprocals_matter_for_does_not() {
        let of = |t: f32| (23 << 23) as f32 * 8.262958e-8 + twice_atanh_of_half(t);
        let t = 2f32.powi(-22) / 2f32.next_down();
        assert_eq!([of(t.next_down()), of(t.next_up())], [of(t); 2]);
    }
}
