//! e^x, 2^x and e^x - 1.
//!
//! x = n ln 2 + r with |r| <= ln 2 / 2, by adding 1.5 * 2^23, which rounds to an integer and leaves
//! it in the low bits of the sum. The polynomial's value is multiplied by 2^n as two powers of 2,
//! since the exponent of one does not reach the ends of the range. There are no branches, so that
//! neighbouring calls overlap.

/// e^x.
pub fn exp(x: f32) -> f32 {
    // Above 89 n stays 128, and the rest, which grows, makes the product infinite.
    let t = x.mul_add(1.442695, 12583166.0).min(12583294.0);
    let y = scaled(exp_of_rest(exp_rest(x, t - 12583166.0)), t);
    if x < -104.0 { 0.0 } else { y }
}

/// x - n ln 2, for an integer n.
pub fn exp_rest(x: f32, n: f32) -> f32 {
    n.mul_add(-5.769999e-8, n.mul_add(-0.6931471, x))
}

/// e^r for |r| <= 0.347.
pub fn exp_of_rest(r: f32) -> f32 {
    let q = r.mul_add(0.0013836628, 0.00836913);
    let q = q.mul_add(r, 0.041668106);
    let q = q.mul_add(r, 0.16666517);
    let q = q.mul_add(r, 0.49999994);
    let q = q.mul_add(r, 1.0);
    q.mul_add(r, 1.0)
}

/// p * 2^n, rounded once, for n = `t` - 1.5 * 2^23 - 254 from -252 to 256: p times 2^(n / 2), times
/// what is left. The 254 are twice what exponents are biased by.
pub fn scaled(p: f32, t: f32) -> f32 {
    let first = (t.to_bits() << 22) & 0xff800000;
    let second = (t.to_bits() << 23).wrapping_sub(first);
    p * f32::from_bits(first) * f32::from_bits(second)
}

/// 2^x.
pub fn exp2(x: f32) -> f32 {
    let t = (x + 12583166.0).min(12583294.0);
    let r = x - (t - 12583166.0);
    let q = r.mul_add(0.00013333398, 0.0013387917);
    let q = q.mul_add(r, 0.009625443);
    let q = q.mul_add(r, 0.055503663);
    let q = q.mul_add(r, 0.24022594);
    let q = q.mul_add(r, 0.6931472);
    let y = scaled(q.mul_add(r, 1.0), t);
    if x < -151.0 { 0.0 } else { y }
}

/// e^x - 1, accurate near 0.
pub fn exp_m1(x: f32) -> f32 {
    // Below it is -1, above infinity.
    let a = if x < -25.0 { -25.0 } else { x };
    let a = if a > 89.0 { 89.0 } else { a };
    // Up to 0.42 the polynomial is used as it is.
    let t = if a.abs() < 0.42 { 12582912.0 } else { a.mul_add(1.442695, 12582912.0) };
    let p = exp_m1_of_rest(exp_rest(a, t - 12582912.0));
    let half = f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f000000));
    let y = p.mul_add(half, half - 0.5) * 2.0;
    if x.abs() < 5.9604645e-8 { x } else { y }
}

/// e^r - 1 for |r| <= 0.45.
pub fn exp_m1_of_rest(r: f32) -> f32 {
    let q = r.mul_add(0.00014937927, 0.0013958917);
    let q = q.mul_add(r, 0.008347295);
    let q = q.mul_add(r, 0.04166623);
    let q = q.mul_add(r, 0.16666579);
    let q = q.mul_add(r, 0.5);
    (r * r).mul_add(q, r)
}
