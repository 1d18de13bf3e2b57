//! Sine, cosine and tangent, of radians.
//!
//! x = n pi/2 + r with |r| <= pi/4. Up to 105615, pi/2 in three parts is subtracted n times;
//! beyond, x / (2 pi) is computed in integers, of which only the fraction counts (Payne and Hanek).
use crate::library::approx as fast;

/// sin(x). For every finite x.
pub fn sin(x: f32) -> f32 {
    let angle = reduce_angle(x);
    sine(angle.0, angle.1, angle.2)
}

/// cos(x). For every finite x.
pub fn cos(x: f32) -> f32 {
    let angle = reduce_angle(x);
    sine(angle.0.wrapping_add(1), angle.1, angle.2)
}

/// sin(x) and cos(x).
pub fn sin_cos(x: f32) -> (f32, f32) {
    let angle = reduce_angle(x);
    let sin = sine(angle.0, angle.1, angle.2);
    let cos = sine(angle.0.wrapping_add(1), angle.1, angle.2);
    (sin, cos)
}

/// Returns n and r of x = n pi/2 + r, and the rounding error of r, if r is not tiny.
pub fn reduce_angle(x: f32) -> (u32, f32, f32) {
    let t = x.mul_add(0.63661975, 12582912.0);
    let m = t - 12582912.0;
    let near = m.mul_add(-1.5707963, x);
    let mut n = t.to_bits();
    let mut r = m.mul_add(-5.3903025e-15, m.mul_add(-7.5497894e-8, near));
    let mut excess = m.mul_add(7.5497894e-8, r - near);
    if !is_moderate(x) {
        let far = reduce_far(x);
        n = far.0;
        r = far.1;
        excess = far.2;
    }
    (n, r, excess)
}

/// sin(r + n pi/2)
pub fn sine(n: u32, r: f32, excess: f32) -> f32 {
    let square = r * r;
    let p = square.mul_add(-0.00019518092, 0.008332188);
    let p = p.mul_add(square, -0.16666655);
    // Adding 0 makes the product of zeros positive, so that the sign of x = -0 stays.
    let second = square.mul_add(r, 0.0);
    // It matters where sin(r) is below a power of 2, and r above.
    let excess = if square < 0.0004 { 0.0 } else { excess };
    let sine = p.mul_add(second, -excess) + r;
    let p = square.mul_add(2.4432347e-5, -0.001388731);
    let p = p.mul_add(square, 0.041666646);
    let p = p.mul_add(square, -0.5);
    let y = if n & 1 != 0 { p.mul_add(square, 1.0) } else { sine };
    if n & 2 != 0 { -y } else { y }
}

/// tan(x). For every finite x.
pub fn tan(x: f32) -> f32 {
    let t = x.mul_add(0.63661975, 12582912.0);
    let m = t - 12582912.0;
    let mut n = t.to_bits();
    // As in `reduce_angle`, and with the rounding error of r, which the tangent needs even where it
    // is tiny.
    let near = m.mul_add(-1.5707963, x);
    let second = m * 7.5497894e-8;
    let third = m.mul_add(5.3903025e-15, m.mul_add(7.5497894e-8, -second));
    let less = near - second;
    let mut r = less - third;
    let mut excess = ((less - near) + second) + ((r - less) + third);
    if !is_moderate(x) {
        let far = reduce_far(x);
        n = far.0;
        r = far.1;
        excess = far.2;
    }
    let square = r * r;
    let p = square.mul_add(0.009385697, 0.0031194207);
    let p = p.mul_add(square, 0.024430448);
    let p = p.mul_add(square, 0.053411193);
    let p = p.mul_add(square, 0.133388);
    let p = p.mul_add(square, 0.33333156);
    let y = r.mul_add(square * p, square.mul_add(-excess, -excess)) + r;
    let inverse = -reciprocal(y);
    if n & 1 != 0 { inverse } else { y }
}

/// 1 / d, for d of 2^-126 to 2^125 in magnitude, within 0.8 ULP.
pub fn reciprocal(d: f32) -> f32 {
    let y = rough_reciprocal(d);
    y.mul_add(y.mul_add(-d, 1.0), y)
}

/// n / d, rounded correctly, for d of 2^-125 to 2^125 in magnitude: the reciprocal that the
/// hardware approximates, a step of Newton's method, and what of n is left.
///
/// All reciprocals within 1 ULP lead to the same result, so it is the same on every engine,
/// whichever they have. The exception is an n that is a power of 2 by a d whose significand is all
/// ones; who calls this sees to it that there is none, or that it is no matter.
pub fn quotient(n: f32, d: f32) -> f32 {
    let guess = fast::recip(d);
    let y = guess.mul_add(guess.mul_add(-d, 1.0), guess);
    let q = n * y;
    q.mul_add(-d, n).mul_add(y, q)
}

/// 1 / d within 1.4e-4 of its value: a guess by the bits, and a step of the third order.
pub fn rough_reciprocal(d: f32) -> f32 {
    let y = f32::from_bits(0x7ef31000u32.wrapping_sub(d.to_bits()));
    let e = y.mul_add(-d, 1.0);
    y.mul_add(e.mul_add(e, e), y)
}

/// Returns true if subtracting multiples of pi/2 in three parts is accurate.
pub fn is_moderate(x: f32) -> bool {
    x.abs() < 105615.0
}

/// Returns n, r and the rounding error of r, for large x; r is NaN if x is not finite.
pub fn reduce_far(x: f32) -> (u32, f32, f32) {
    let turns = turns(x);
    let n = (turns.wrapping_add(0x2000000000000000) >> 62) as u32;
    // The lowest 62 bits, as a signed number.
    let rest = ((turns << 2) as i64 >> 2) as f64 * 3.4061215800304013e-19;
    let rest = if x.is_finite() { rest } else { f64::NAN };
    let r = rest as f32;
    let excess = (r as f64 - rest) as f32;
    if x < 0.0 { (0u32.wrapping_sub(n), -r, -excess) } else { (n, r, excess) }
}

/// The fraction of |x| / (2 pi), times 2^64, for |x| >= 2^15.
pub fn turns(x: f32) -> u64 {
    let bits = x.to_bits() & 0x7fffffff;
    let mantissa = ((bits & 0x007fffff) | 0x00800000) as u64;
    // x = mantissa * 2^(e - 150), and the words are 2^-32 / (2 pi): from this bit on they count.
    let place = (bits >> 23).wrapping_sub(118);
    let a = word(place >> 5);
    let b = word((place >> 5) + 1);
    let c = word((place >> 5) + 2);
    let d = word((place >> 5) + 3);
    let low = mantissa * window(c, d, place & 31);
    let middle = mantissa * window(b, c, place & 31) + (low >> 32);
    let high = mantissa * window(a, b, place & 31) + (middle >> 32);
    (high << 32) | (middle & 0xffffffff)
}

/// The 32 bits that begin with bit `shift` of two words.
pub fn window(high: u64, low: u64, shift: u32) -> u64 {
    (((high << 32) | low) << shift) >> 32
}

/// Words of 2^-32 / (2 pi), highest first.
pub fn word(index: u32) -> u64 {
    if index < 4 {
        if index < 2 {
            if index == 0 { 0 } else { 0x28be60db }
        } else if index == 2 {
            0x9391054a
        } else {
            0x7f09d5f4
        }
    } else if index < 6 {
        if index == 4 { 0x7d4d3770 } else { 0x36d8a566 }
    } else if index == 6 {
        0x4f10e410
    } else {
        0x7f9458ea
    }
}

#[cfg(test)]
mod tests {
    use super::fast;

    /// Refines an approximate reciprocal of `d` as [`quotient`](super::quotient) does.
    fn refined(guess: f32, d: f32) -> f32 {
        guess.mul_add(guess.mul_add(-d, 1.0), guess)
    }

    /// All `f32` within a unit in the last place of 1 / d, for d from 1 to 2.
    fn guesses(d: f32) -> impl Iterator<Item = f32> {
        let nearest = (1.0 / d).to_bits();
        let is_near = move |y: &f32| {
            let unit = if *y < 1.0 { 2f64.powi(-24) } else { 2f64.powi(-23) };
            (f64::from(*y) - 1.0 / f64::from(d)).abs() <= unit
        };
        (nearest - 2..=nearest + 2).map(f32::from_bits).filter(is_near)
    }

    #[test]
    fn every_approximate_reciprocal_leads_to_the_nearest() {
        for bits in (0x3f800000..0x40000000).step_by(61).chain([0x3f800001, 0x3ffffffe]) {
            let d = f32::from_bits(bits);
            assert!(guesses(d).count() >= 2 || d == 1.0);
            assert!(guesses(d).any(|guess| guess == fast::recip(d)));
            for guess in guesses(d) {
                assert_eq!(refined(guess, d), 1.0 / d, "{guess:?} for {d:?}");
            }
        }
    }

    /// And so for every quotient by what is next to 2, except that of a power of 2.
    #[test]
    fn a_significand_of_ones_matters_below_a_power_of_2_only() {
        let d = 2.0f32.next_down();
        let quotient = |n: f32, y: f32| {
            let q = n * y;
            q.mul_add(-d, n).mul_add(y, q)
        };
        for bits in (0x3f800001..0x40000000).step_by(61) {
            let n = f32::from_bits(bits);
            assert!(guesses(d).all(|guess| quotient(n, refined(guess, d)) == n / d), "{n:?}");
        }
        let of_1: Vec<f32> = guesses(d).map(|guess| quotient(1.0, refined(guess, d))).collect();
        assert!(of_1.iter().any(|q| *q != of_1[0]));
    }
}
