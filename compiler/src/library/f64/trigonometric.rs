//! Sine, cosine and tangent, of radians.
//!
//! x = n pi/2 + r with |r| <= pi/4. Up to 2^30, pi/2 in three parts is subtracted n times; beyond,
//! x / (2 pi) is computed in integers, of which only the fraction counts (Payne and Hanek).
//! The constant 0.6366197723675814 is 2/pi, and adding 6755399441055744 = 1.5 * 2^52 rounds to an
//! integer, whose lowest bits are then those of the sum.

/// sin(x). For every finite x.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    let angle = reduce_angle(x);
    sine(angle.0, angle.1)
}

/// cos(x). For every finite x.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let angle = reduce_angle(x);
    sine(angle.0.wrapping_add(1), angle.1)
}

/// sin(x) and cos(x).
pub fn sin_cos(x: f64) -> (f64, f64) {
    let angle = reduce_angle(x);
    let sin = sine(angle.0, angle.1);
    let cos = sine(angle.0.wrapping_add(1), angle.1);
    (sin, cos)
}

/// Returns n and r of x = n pi/2 + r.
#[inline(always)]
pub fn reduce_angle(x: f64) -> (u32, f64) {
    let t = x.mul_add(0.6366197723675814, 6755399441055744.0);
    let m = t - 6755399441055744.0;
    let mut n = t.to_bits() as u32;
    let mut r = m.mul_add(-6.123233995736765e-17, m.mul_add(-1.5707963267948966, x));
    r = m.mul_add(-1.0828566739219139e-32, r);
    if !is_moderate(x) {
        let far = reduce_far(x);
        n = far.0;
        r = far.1;
    }
    (n, r)
}

/// sin(r + n pi/2)
///
/// Both polynomials are computed: that takes less time than to choose coefficients.
#[inline(always)]
pub fn sine(n: u32, r: f64) -> f64 {
    let square = r * r;
    let p = square.mul_add(1.5895454381344075e-10, -2.5050734666309774e-08);
    let p = p.mul_add(square, 2.7557313539852906e-06);
    let p = p.mul_add(square, -0.00019841269829361265);
    let p = p.mul_add(square, 0.008333333333321842);
    let p = p.mul_add(square, -0.1666666666666663);
    // Adding 0 makes the product of zeros positive, so that the sign of x = -0 stays.
    let sine = p.mul_add(square.mul_add(r, 0.0), r);
    let p = square.mul_add(-1.1358667781737673e-11, 2.087570400356986e-09);
    let p = p.mul_add(square, -2.7557314208400654e-07);
    let p = p.mul_add(square, 2.4801587288979182e-05);
    let p = p.mul_add(square, -0.001388888888887332);
    let p = p.mul_add(square, 0.041666666666666595);
    let p = p.mul_add(square, -0.5);
    let y = if n & 1 != 0 { p.mul_add(square, 1.0) } else { sine };
    if n & 2 != 0 { -y } else { y }
}

/// tan(x). For every finite x.
pub fn tan(x: f64) -> f64 {
    let t = x.mul_add(0.6366197723675814, 6755399441055744.0);
    let m = t - 6755399441055744.0;
    let mut n = t.to_bits() as u32;
    // As in `reduce_angle`, and with the rounding error of r, which the tangent needs even where it
    // is tiny.
    let near = m.mul_add(-1.5707963267948966, x);
    let second = m * 6.123233995736766e-17;
    let third = m.mul_add(-1.4973849048591698e-33, m.mul_add(6.123233995736766e-17, -second));
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
    let p = square.mul_add(2.0911055689695423e-05, -4.507422492071935e-05);
    let p = p.mul_add(square, 8.981637355983902e-05);
    let p = p.mul_add(square, -2.6779781575862687e-05);
    let p = p.mul_add(square, 0.00013680286250960936);
    let p = p.mul_add(square, 0.00022224622953784893);
    let p = p.mul_add(square, 0.0005951096440092033);
    let p = p.mul_add(square, 0.0014547474050645099);
    let p = p.mul_add(square, 0.0035922907964509574);
    let p = p.mul_add(square, 0.008863218976687041);
    let p = p.mul_add(square, 0.02186948962205557);
    let p = p.mul_add(square, 0.05396825392613857);
    let p = p.mul_add(square, 0.1333333333341568);
    let p = p.mul_add(square, 0.3333333333333277);
    let y = r.mul_add(square * p, square.mul_add(-excess, -excess)) + r;
    if n & 1 != 0 { -reciprocal(y) } else { y }
}

/// 1 / d, for d of 2^-1022 to 2^1021 in magnitude, within 0.51 ULP: a guess by the bits, then
/// Newton's method.
#[inline(always)]
pub fn reciprocal(d: f64) -> f64 {
    let y = f64::from_bits(0x7fde600000000000u64.wrapping_sub(d.to_bits()));
    let e = y.mul_add(-d, 1.0);
    let y = y.mul_add(e.mul_add(e, e), y);
    let e = y.mul_add(-d, 1.0);
    let y = y.mul_add(e.mul_add(e, e), y);
    y.mul_add(y.mul_add(-d, 1.0), y)
}

/// Returns true if subtracting multiples of pi/2 in three parts is accurate: below 2^30.
#[inline(always)]
pub fn is_moderate(x: f64) -> bool {
    high_bits(x) < 0x41d00000
}

/// Returns the upper half of the bits of |x|. Comparing it is an integer operation, which leaves
/// the `f64` unit free.
pub fn high_bits(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32 & 0x7fffffff
}

/// Returns n, r and the rounding error of r, for large x; r is NaN if x is not finite.
pub fn reduce_far(x: f64) -> (u32, f64, f64) {
    let turns = turns(x);
    let n = (turns.0.wrapping_add(0x2000000000000000) >> 62) as u32;
    // The lowest 62 bits as a signed number, and the bits after them, in parts of 32, 52 and 44
    // bits.
    let rest = (turns.0 << 2) as i64 >> 2;
    let high = (rest >> 32) as f64 * 4294967296.0;
    let middle = (((rest as u64 & 0xffffffff) << 20) | (turns.1 >> 44)) as f64 * 9.5367431640625e-7;
    let low = (turns.1 & 0xfffffffffff) as f64 * 5.421010862427522e-20;
    let sum = high + middle;
    let rest = (middle - (sum - high)) + low;
    let all = sum + rest;
    let rest = rest - (all - sum);
    // Times 2^-64 2 pi, in two parts.
    let product = all * 3.4061215800865545e-19;
    let lost = all.mul_add(3.4061215800865545e-19, -product);
    let lost = all.mul_add(1.3277647201629795e-35, lost) + rest * 3.4061215800865545e-19;
    let r = if x.is_finite() { product + lost } else { f64::NAN };
    let excess = (r - product) - lost;
    if x < 0.0 { (0u32.wrapping_sub(n), -r, -excess) } else { (n, r, excess) }
}

/// The fraction of |x| / (2 pi), times 2^64, for |x| >= 2^10, and the fraction of that.
pub fn turns(x: f64) -> (u64, u64) {
    let bits = x.to_bits() & 0x7fffffffffffffff;
    let mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
    // x = mantissa * 2^(e - 1075), and the words are 2^-64 / (2 pi): the bits before this one
    // contribute whole turns only.
    let place = ((bits >> 52) as u32).wrapping_sub(1011);
    let b = word((place >> 6) + 1);
    let c = word((place >> 6) + 2);
    let first = window(word(place >> 6), b, place & 63);
    let second = window(b, c, place & 63);
    let third = window(c, word((place >> 6) + 3), place & 63);
    let low = mantissa.wrapping_mul(second);
    let sum = low.wrapping_add(high_product(mantissa, third));
    let carry = if sum < low { 1 } else { 0 };
    let high = mantissa.wrapping_mul(first).wrapping_add(high_product(mantissa, second));
    (high.wrapping_add(carry), sum)
}

/// The upper half of a product.
pub fn high_product(a: u64, b: u64) -> u64 {
    let a_high = a >> 32;
    let a_low = a & 0xffffffff;
    let middle = a_high.wrapping_mul(b & 0xffffffff);
    let low = (a_low.wrapping_mul(b & 0xffffffff) >> 32).wrapping_add(middle & 0xffffffff);
    let low = low.wrapping_add(a_low.wrapping_mul(b >> 32) & 0xffffffff);
    let high = a_high.wrapping_mul(b >> 32).wrapping_add(middle >> 32);
    high.wrapping_add(a_low.wrapping_mul(b >> 32) >> 32).wrapping_add(low >> 32)
}

/// The 64 bits that begin with bit `shift` of two words.
pub fn window(high: u64, low: u64, shift: u32) -> u64 {
    // Two shifts, because one by 64 would be none.
    (high << shift) | ((low >> 1) >> (63 - shift))
}

/// Words of 2^-64 / (2 pi), highest first.
pub fn word(index: u32) -> u64 {
    if index < 16 {
        if index < 8 {
            if index < 4 {
                if index < 2 {
                    if index < 1 { 0 } else { 0x28be60db9391054a }
                } else {
                    if index < 3 { 0x7f09d5f47d4d3770 } else { 0x36d8a5664f10e410 }
                }
            } else {
                if index < 6 {
                    if index < 5 { 0x7f9458eaf7aef158 } else { 0x6dc91b8e909374b8 }
                } else {
                    if index < 7 { 0x01924bba82746487 } else { 0x3f877ac72c4a69cf }
                }
            }
        } else {
            if index < 12 {
                if index < 10 {
                    if index < 9 { 0xba208d7d4baed121 } else { 0x3a671c09ad17df90 }
                } else {
                    if index < 11 { 0x4e64758e60d4ce7d } else { 0x272117e2ef7e4a0e }
                }
            } else {
                if index < 14 {
                    if index < 13 { 0xc7fe25fff7816603 } else { 0xfbcbc462d6829b47 }
                } else {
                    if index < 15 { 0xdb4d9fb3c9f2c26d } else { 0xd3d18fd9a797fa8b }
                }
            }
        }
    } else {
        if index < 18 {
            if index < 17 { 0x5d49eeb1faf97c5e } else { 0xcf41ce7de294a4ba }
        } else {
            if index < 19 { 0x9afed7ec47e35742 } else { 0x1580cc11bf1edaea }
        }
    }
}
