//! Sine, cosine and tangent, of radians.
//!
//! x = n pi/2 + r with |r| <= pi/4. Up to 105615, pi/2 in three parts is subtracted n times; beyond,
//! x / (2 pi) is computed in integers, of which only the fraction counts (Payne and Hanek).

/// sin(x). At most 1.5 ULP, for every finite x.
pub fn sin(x: f32) -> f32 {
    sine(x, 0)
}

/// cos(x). At most 1.5 ULP, for every finite x.
pub fn cos(x: f32) -> f32 {
    sine(x, 1)
}

/// sin(x + shift pi/2)
pub fn sine(x: f32, shift: u32) -> f32 {
    let t = quarter(x);
    let mut n = t.to_bits();
    let mut r = quarter_rest(x, t - 12582912.0);
    let mut excess = quarter_excess(x, t - 12582912.0, r);
    if !is_moderate(x) {
        n = far_quarter(x);
        r = far_rest(x) as f32;
        excess = (r as f64 - far_rest(x)) as f32;
    }
    let n = n.wrapping_add(shift);
    let cosine = n & 1 != 0;
    let square = r * r;
    let first = if cosine { 1.0 } else { r };
    // It matters where sin(r) is below a power of 2, and r above.
    let excess = if cosine || square < 0.0004 { 0.0 } else { excess };
    // Adding 0 makes the product of zeros positive, so that the sign of x = -0 stays.
    let second = square.mul_add(first, 0.0);
    let p = if cosine { square.mul_add(2.4432347e-5, -0.001388731) } else { -0.00019518092 };
    let p = p.mul_add(square, if cosine { 0.041666646 } else { 0.008332188 });
    let p = p.mul_add(square, if cosine { -0.5 } else { -0.16666655 });
    let y = p.mul_add(second, -excess) + first;
    if n & 2 != 0 { -y } else { y }
}

/// tan(x). At most 2 ULP, for every finite x.
pub fn tan(x: f32) -> f32 {
    let t = quarter(x);
    let mut n = t.to_bits();
    // x - n pi/2 as `quarter_rest`, with what it lacks even where it is tiny.
    let m = t - 12582912.0;
    let near = m.mul_add(-1.5707963, x);
    let second = m * 7.5497894e-8;
    let third = m.mul_add(5.3903025e-15, m.mul_add(7.5497894e-8, -second));
    let less = near - second;
    let mut r = less - third;
    let mut excess = ((less - near) + second) + ((r - less) + third);
    if !is_moderate(x) {
        n = far_quarter(x);
        r = far_rest(x) as f32;
        excess = (r as f64 - far_rest(x)) as f32;
    }
    let square = r * r;
    let p = square.mul_add(0.0043760203, 9.189768e-5);
    let p = p.mul_add(square, 0.010832082);
    let p = p.mul_add(square, 0.021284606);
    let p = p.mul_add(square, 0.05405917);
    let p = p.mul_add(square, 0.13332674);
    let p = p.mul_add(square, 0.3333335);
    let y = r.mul_add(square * p, square.mul_add(-excess, -excess)) + r;
    if n & 1 != 0 { -reciprocal(y) } else { y }
}

/// 1 / d, for d of 2^-126 to 2^125 in magnitude, within 0.51 ULP: a guess by the bits, then
/// Newton's method.
pub fn reciprocal(d: f32) -> f32 {
    let y = f32::from_bits(0x7ef31000u32.wrapping_sub(d.to_bits()));
    let e = y.mul_add(-d, 1.0);
    let y = y.mul_add(e.mul_add(e, e), y);
    let e = y.mul_add(-d, 1.0);
    let y = y.mul_add(e.mul_add(e, e), y);
    y.mul_add(y.mul_add(-d, 1.0), y)
}

/// x 2/pi + 1.5 * 2^23: n in the low bits.
pub fn quarter(x: f32) -> f32 {
    x.mul_add(0.63661975, 12582912.0)
}

/// x - n pi/2
pub fn quarter_rest(x: f32, n: f32) -> f32 {
    let r = n.mul_add(-1.5707963, x);
    let r = n.mul_add(-7.5497894e-8, r);
    n.mul_add(-5.3903025e-15, r)
}

/// What `r` of `quarter_rest` is too large by, if it is not tiny.
pub fn quarter_excess(x: f32, n: f32, r: f32) -> f32 {
    n.mul_add(7.5497894e-8, r - n.mul_add(-1.5707963, x))
}

/// Whether `quarter_rest` is accurate.
pub fn is_moderate(x: f32) -> bool {
    x.abs() < 105615.0
}

/// n for large x.
pub fn far_quarter(x: f32) -> u32 {
    let n = (turns(x).wrapping_add(0x2000000000000000) >> 62) as u32;
    if x < 0.0 { 0u32.wrapping_sub(n) } else { n }
}

/// r for large x; NaN for what is not finite.
pub fn far_rest(x: f32) -> f64 {
    // The lowest 62 bits, as a signed number.
    let rest = (turns(x) << 2) as i64 >> 2;
    let r = rest as f64 * 3.4061215800304013e-19;
    if !x.is_finite() {
        f64::NAN
    } else if x < 0.0 {
        -r
    } else {
        r
    }
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
