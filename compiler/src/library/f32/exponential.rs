//! e^x, 2^x and e^x - 1.
//!
//! x = n ln 2 + r with |r| <= ln 2 / 2, by adding 1.5 * 2^23, which rounds to an integer and leaves
//! it in the low bits of the sum. The polynomial's value is multiplied by 2^n in its exponent; near
//! the ends of the range, where that would not do, by two powers of 2.

/// e^x.
pub fn exp(x: f32) -> f32 {
    let t = x.mul_add(1.442695, 12582912.0);
    let p = exp_of_rest(exp_rest(x, t - 12582912.0));
    if x.abs() < 87.0 {
        f32::from_bits(p.to_bits().wrapping_add(t.to_bits() << 23))
    } else if x > 88.722836 {
        f32::INFINITY
    } else if x < -103.97208 {
        0.0
    } else {
        scaled(p, t)
    }
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
    (r * r).mul_add(q, r) + 1.0
}

/// p * 2^n, rounded once, for n = `t` - 1.5 * 2^23 of at most 254 in magnitude.
pub fn scaled(p: f32, t: f32) -> f32 {
    let n = t.to_bits().wrapping_sub(0x4b400000) as i32;
    let half = n >> 1;
    let first = f32::from_bits(((half + 127) << 23) as u32);
    let second = f32::from_bits(((n - half + 127) << 23) as u32);
    p * first * second
}

/// 2^x.
pub fn exp2(x: f32) -> f32 {
    let t = x + 12582912.0;
    let r = x - (t - 12582912.0);
    let q = r.mul_add(0.00013333398, 0.0013387917);
    let q = q.mul_add(r, 0.009625443);
    let q = q.mul_add(r, 0.055503663);
    let q = q.mul_add(r, 0.24022594);
    let q = q.mul_add(r, 0.6931472);
    let p = q.mul_add(r, 1.0);
    if x.abs() < 126.0 {
        f32::from_bits(p.to_bits().wrapping_add(t.to_bits() << 23))
    } else if x >= 128.0 {
        f32::INFINITY
    } else if x < -150.0 {
        0.0
    } else {
        scaled(p, t)
    }
}

/// e^x - 1, accurate near 0.
pub fn exp_m1(x: f32) -> f32 {
    // Up to 0.42 the polynomial is used as it is.
    let t = if x.abs() < 0.42 { 12582912.0 } else { x.mul_add(1.442695, 12582912.0) };
    let p = exp_m1_of_rest(exp_rest(x, t - 12582912.0));
    // 2^-24 to 87, by their bits.
    if (x.to_bits() & 0x7fffffff).wrapping_sub(0x33800000) < 0x0f2e0000 {
        let power = f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f800000));
        p.mul_add(power, power - 1.0)
    } else if x.abs() < 1.0 {
        x
    } else if x > 88.722836 {
        f32::INFINITY
    } else if x < 0.0 {
        -1.0
    } else {
        let half = f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f000000));
        p.mul_add(half, half) * 2.0
    }
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
