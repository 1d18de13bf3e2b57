//! Powers and roots, and the error function.
use super::exponential::{exp_m1_of_rest, exp_of_rest, exp_rest, scaled};
use super::trigonometric::reciprocal;

/// The cube root.
pub fn cbrt(x: f32) -> f32 {
    let a = x.abs();
    let subnormal = a < 1.1754944e-38;
    let a = if subnormal { a * 16777216.0 } else { a };
    // 1 / cbrt(a): a guess by the bits, which are divided by 3, and a step of the third order.
    let third = ((a.to_bits() as u64 * 0x55555556) >> 32) as u32;
    let y = f32::from_bits(0x54a1f800u32.wrapping_sub(third));
    let e = (a * y).mul_add(-(y * y), 1.0);
    let y = e.mul_add(e.mul_add(0.22382055, 0.33470128), 0.9999976) * y;
    // Then one of Newton's for the root itself.
    let square = y * y;
    let root = a * square;
    let rest = (root * root).mul_add(-root, a);
    let root = (rest * square).mul_add(0.33333334, root);
    let root = if subnormal { root * 0.00390625 } else { root };
    // Zeros, infinities and NaN are their own.
    if x + x == x { x } else { root.copysign(x) }
}

/// The length of the vector (x, y), without overflow on the way.
pub fn hypot(x: f32, y: f32) -> f32 {
    let low = x.abs().min(y.abs());
    let high = x.abs().max(y.abs());
    // Powers of 2 whose product is 1, for squares that neither overflow nor vanish.
    let exponent = high.to_bits() & 0x70000000;
    let scale = f32::from_bits(0x78000000u32.wrapping_sub(exponent));
    let back = f32::from_bits(exponent.wrapping_add(0x07000000));
    let (small, large) = (low * scale, high * scale);
    let length = large.mul_add(large, small * small).sqrt() * back;
    let length = if x.is_nan() | y.is_nan() { f32::NAN } else { length };
    if high == f32::INFINITY { high } else { length }
}

/// The error function.
pub fn erf(x: f32) -> f32 {
    let a = x.abs();
    let y = if a < 1.0 {
        let square = a * a;
        let p = square.mul_add(7.806904e-5, -0.0007997853);
        let p = p.mul_add(square, 0.005187162);
        let p = p.mul_add(square, -0.026853347);
        let p = p.mul_add(square, 0.11283579);
        let p = p.mul_add(square, -0.37612626);
        let p = p.mul_add(square, 0.12837917);
        a.mul_add(p, a)
    } else {
        // The logarithm of 1 - erf(a), which is 1 from 3.92 on.
        let b = if a > 4.0 { 4.0 } else { a };
        let p = b.mul_add(-2.1688838e-5, 0.00044134984);
        let p = p.mul_add(b, -0.0042045903);
        let p = p.mul_add(b, 0.025208257);
        let p = p.mul_add(b, -0.108418494);
        let p = p.mul_add(b, -0.63322);
        let p = p.mul_add(b, -1.1295784);
        let p = p.mul_add(b, 0.00018802557);
        let t = p.mul_add(1.442695, 12582912.0);
        let power = f32::from_bits((t.to_bits() << 23).wrapping_add(0x3f800000));
        let r = (t - 12582912.0).mul_add(-0.6931472, p);
        let q = r.mul_add(0.008297654, 0.04191539);
        let q = q.mul_add(r, 0.16667575);
        let q = q.mul_add(r, 0.49998894);
        let q = q.mul_add(r, 0.9999997);
        q.mul_add(r, 1.0000001).mul_add(-power, 1.0)
    };
    y.copysign(x)
}

/// 1 - erf(x), which loses no digits where that is small.
pub fn erfc(x: f32) -> f32 {
    // It is 0 beyond.
    let a = if x.abs() > 10.06 { 10.06 } else { x.abs() };
    // (1 + 2 a) e^(a^2) erfc(a) is a polynomial in (a - 2) / (a + 2).
    let near = 1.0 / (a + 2.0);
    let u = (a - 2.0) * near;
    let left = (-a).mul_add(u, (u + 1.0).mul_add(-2.0, a));
    let u = near.mul_add(left, u);
    let q = u.mul_add(-0.00042332226, -0.0012623772);
    let q = q.mul_add(u, 0.0013282917);
    let q = q.mul_add(u, 0.008663137);
    let q = q.mul_add(u, -0.00806145);
    let q = q.mul_add(u, -0.054214075);
    let q = q.mul_add(u, 0.16405506);
    let q = q.mul_add(u, -0.16603042);
    let q = q.mul_add(u, -0.09276395);
    let p = q.mul_add(u, 1.2769784);
    let p_rest = q.mul_add(u, 1.2769784 - p);
    // Divided by 1 + 2 a, with what all of these lack.
    let twice = a + a;
    let sum = twice + 1.0;
    let sum_rest = twice.min(1.0) - (sum - twice.max(1.0));
    let inverse = 1.0 / sum;
    let y = p * inverse;
    let left = (-y).mul_add(sum_rest, (-y).mul_add(sum, p));
    let y_rest = (left + p_rest) * inverse;
    // Times e^(-a^2).
    let square = a * a;
    let t = square.mul_add(-1.442695, 12582912.0);
    let r = exp_rest(-square, t - 12582912.0) - a.mul_add(a, -square);
    let m = exp_m1_of_rest(r);
    let y = y.mul_add(m, y_rest.mul_add(m, y_rest)) + y;
    let y = scaled(y, t + 254.0);
    if x < 0.0 { 2.0 - y } else { y }
}

/// x^y; special values are IEEE 754's, as std's are.
pub fn powf(x: f32, y: f32) -> f32 {
    let a = x.abs();
    let end = if (a > 1.0) == (y > 0.0) { f32::INFINITY } else { 0.0 };
    let end = if a == 1.0 { 1.0 } else { end };
    let ordinary = (a > 0.0) & (a < f32::INFINITY) & (y.abs() < f32::INFINITY);
    let power = power_of_positive(a, y);
    let magnitude = if ordinary { power } else { end };
    let whole = y.trunc() == y;
    let half = y * 0.5;
    let odd = whole & (half.trunc() != half);
    let signed = if odd { magnitude.copysign(x) } else { magnitude };
    let none = x.is_nan() | y.is_nan() | ((x < 0.0) & !whole & (a < f32::INFINITY));
    let value = if none { f32::NAN } else { signed };
    if (y == 0.0) | (x == 1.0) { 1.0 } else { value }
}

/// a^y for positive finite a and finite y.
///
/// a = 2^n (1 + f) with f from -0.293 to 0.414; with s = f / (2 + f), ln(1 + f) is
/// 2 s + 2/3 s^3 + ..., which is computed in two parts, as are its sum with n ln 2 and its product
/// with y.
pub fn power_of_positive(a: f32, y: f32) -> f32 {
    let subnormal = a < 1.1754944e-38;
    let bits = (if subnormal { a * 8388608.0 } else { a }).to_bits();
    let exponent = bits.wrapping_sub(0x3f3504f3) & 0xff800000;
    let lost = if subnormal { -23.0 } else { 0.0 };
    let n = (exponent as i32 as f32).mul_add(1.1920929e-7, lost);
    let f = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    // s = f / (2 + f), and what it lacks.
    let d = f + 2.0;
    let d_low = f - (d - 2.0);
    let inverse = reciprocal(d);
    let s = f * inverse;
    let s_low = s.mul_add(-d_low, s.mul_add(-d, f)) * inverse;
    // s^2 and s^3.
    let square = s * s;
    let square_low = (s + s).mul_add(s_low, s.mul_add(s, -square));
    let cube = s * square;
    let cube_low = s_low.mul_add(square, s.mul_add(square, -cube));
    let cube_low = s.mul_add(square_low, cube_low);
    // 2/3 s^3 + 2/5 s^5 + ...
    let q = square.mul_add(0.23427579, 0.2854677);
    let q = q.mul_add(square, 0.40000156);
    let q = q.mul_add(square, 0.6666667);
    let third = cube * q;
    let third_low = cube_low.mul_add(q, cube.mul_add(q, -third));
    // Their sum; n times the high part of ln 2 is exact.
    let n_high = n * 0.69314575;
    let sum = s.mul_add(2.0, n_high);
    let sum_low = s.mul_add(2.0, n_high - sum);
    let all = sum + third;
    let rest = n.mul_add(1.4286068e-6, s_low.mul_add(2.0, third_low + sum_low));
    let all_low = ((sum - all) + third) + rest;
    let log = all + all_low;
    let log_low = (all - log) + all_low;
    let product = y * log;
    let product_low = y.mul_add(log_low, y.mul_add(log, -product));
    let t = product.mul_add(1.442695, 12583166.0);
    let power = scaled(exp_of_rest(exp_rest(product, t - 12583166.0) + product_low), t);
    let power = if product < -104.0 { 0.0 } else { power };
    if product > 89.0 { f32::INFINITY } else { power }
}
