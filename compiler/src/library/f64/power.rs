//! Powers and roots, and the error function.
use super::exponential::{exp_m1_of_rest, exp_of_rest, exp_rest, scaled};
use super::logarithm::power_of;
use super::trigonometric::{high_bits, reciprocal};

/// The cube root.
pub fn cbrt(x: f64) -> f64 {
    let subnormal = high_bits(x) < 0x00100000;
    let a = x.abs();
    let a = if subnormal { a * 18014398509481984.0 } else { a };
    // 1 / cbrt(a), by the bits and two steps of the third order.
    let y =
        f64::from_bits((0x553ee8abu32.wrapping_sub((a.to_bits() >> 32) as u32 / 3) as u64) << 32);
    let y = reciprocal_cbrt_step(a, y);
    let y = reciprocal_cbrt_step(a, y);
    // Then one of Newton's for the root itself.
    let root = a * (y * y);
    let rest = root.mul_add(-y, 1.0);
    let root = (root * rest).mul_add(0.6666666666666666, root);
    let root = if subnormal { root * 3.814697265625e-6 } else { root };
    // Zeros, infinities and NaN are their own.
    let own = high_bits(x) >= 0x7ff00000 || a == 0.0;
    if own { x } else { root.copysign(x) }
}

/// A better 1 / cbrt(a).
pub fn reciprocal_cbrt_step(a: f64, y: f64) -> f64 {
    let e = (a * y).mul_add(-(y * y), 1.0);
    (y * e).mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), y)
}

/// The length of the vector (x, y), without overflow on the way.
pub fn hypot(x: f64, y: f64) -> f64 {
    let (a, b) = (x.to_bits() & 0x7fffffffffffffff, y.to_bits() & 0x7fffffffffffffff);
    let high = if a < b { b } else { a };
    let low = if a < b { a } else { b };
    // Powers of 2 whose product is 1, for squares that neither overflow nor vanish.
    let exponent = high & 0x7000000000000000;
    let scale = f64::from_bits(0x77e0000000000000u64.wrapping_sub(exponent));
    let back = f64::from_bits(exponent.wrapping_add(0x0800000000000000));
    let (small, large) = (f64::from_bits(low) * scale, f64::from_bits(high) * scale);
    let length = large.mul_add(large, small * small).sqrt() * back;
    if high < 0x7ff0000000000000 {
        length
    } else if a == 0x7ff0000000000000 || b == 0x7ff0000000000000 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

/// The error function.
pub fn erf(x: f64) -> f64 {
    let a = x.abs();
    let y = if a < 1.0 {
        let square = a * a;
        let p = square.mul_add(1.446248069206889e-10, -1.652814289794575e-09);
        let p = p.mul_add(square, 1.6027736743158956e-08);
        let p = p.mul_add(square, -1.655899437148729e-07);
        let p = p.mul_add(square, 1.648120679363419e-06);
        let p = p.mul_add(square, -1.492688895413748e-05);
        let p = p.mul_add(square, 0.0001205538643519117);
        let p = p.mul_add(square, -0.0008548328540622092);
        let p = p.mul_add(square, 0.005223977652748118);
        let p = p.mul_add(square, -0.026866170648034385);
        let p = p.mul_add(square, 0.11283791670971105);
        let p = p.mul_add(square, -0.376126389031841);
        let p = p.mul_add(square, 0.1283791670955126);
        a.mul_add(p, a)
    } else {
        // The logarithm of 1 - erf(a), which is 1 from 5.93 on.
        let b = if a > 5.95 { 5.95 } else { a };
        let p = b.mul_add(-1.0256694656320885e-15, 7.498936498336239e-14);
        let p = p.mul_add(b, -2.5084038272177054e-12);
        let p = p.mul_add(b, 5.164366927440107e-11);
        let p = p.mul_add(b, -7.393890051104923e-10);
        let p = p.mul_add(b, 7.863030975953696e-09);
        let p = p.mul_add(b, -6.463662506784352e-08);
        let p = p.mul_add(b, 4.2100109582407505e-07);
        let p = p.mul_add(b, -2.202971234788922e-06);
        let p = p.mul_add(b, 9.292381457643076e-06);
        let p = p.mul_add(b, -3.125546539537319e-05);
        let p = p.mul_add(b, 8.0600078421362e-05);
        let p = p.mul_add(b, -0.00014018211137927942);
        let p = p.mul_add(b, 6.651032656649508e-05);
        let p = p.mul_add(b, 0.0004977349168407178);
        let p = p.mul_add(b, -0.0016211346962767396);
        let p = p.mul_add(b, 0.0001603775110844266);
        let p = p.mul_add(b, 0.019153249393294335);
        let p = p.mul_add(b, -0.10278208663621394);
        let p = p.mul_add(b, -0.6366172069637481);
        let p = p.mul_add(b, -1.1283796045821524);
        let p = p.mul_add(b, 3.534816542415467e-08);
        let t = p.mul_add(1.4426950408889634, 6755399441055744.0);
        let power = f64::from_bits((t.to_bits() << 52).wrapping_add(0x3ff0000000000000));
        exp_of_rest(exp_rest(p, t - 6755399441055744.0)).mul_add(-power, 1.0)
    };
    y.copysign(x)
}

/// 1 - erf(x), which loses no digits where that is small.
pub fn erfc(x: f64) -> f64 {
    // It is 0 beyond.
    let a = if x.abs() > 27.23 { 27.23 } else { x.abs() };
    // (1 + 2 a) e^(a^2) erfc(a) is a polynomial in (a - 3) / (a + 3).
    let near = 1.0 / (a + 3.0);
    let u = (a - 3.0) * near;
    let left = (-a).mul_add(u, (u + 1.0).mul_add(-3.0, a));
    let u = near.mul_add(left, u);
    let q = u.mul_add(-4.1709678137948285e-09, -8.405721805214884e-09);
    let q = q.mul_add(u, 3.2852433981759875e-08);
    let q = q.mul_add(u, 9.156244231434985e-08);
    let q = q.mul_add(u, -1.3114298770307867e-07);
    let q = q.mul_add(u, -6.045980671336693e-07);
    let q = q.mul_add(u, 3.491325343220638e-07);
    let q = q.mul_add(u, 3.4636901087184284e-06);
    let q = q.mul_add(u, -7.277331693189205e-07);
    let q = q.mul_add(u, -2.0096488951806807e-05);
    let q = q.mul_add(u, 4.948225243188312e-06);
    let q = q.mul_add(u, 0.00012509811046590528);
    let q = q.mul_add(u, -0.00010515951430802023);
    let q = q.mul_add(u, -0.0007798320304284554);
    let q = q.mul_add(u, 0.001888690316398722);
    let q = q.mul_add(u, 0.002529391787439232);
    let q = q.mul_add(u, -0.023770514914689324);
    let q = q.mul_add(u, 0.06830802734585574);
    let q = q.mul_add(u, -0.11927366341550479);
    let q = q.mul_add(u, 0.12964515870270404);
    let q = q.mul_add(u, -0.047562294353446846);
    let q = q.mul_add(u, -0.13562110612458067);
    let p = q.mul_add(u, 1.2530080582697296);
    let p_rest = q.mul_add(u, 1.2530080582697296 - p);
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
    let t = square.mul_add(-1.4426950408889634, 6755399441055744.0);
    let r = exp_rest(-square, t - 6755399441055744.0) - a.mul_add(a, -square);
    let m = exp_m1_of_rest(r);
    let y = y.mul_add(m, y_rest.mul_add(m, y_rest)) + y;
    let y = scaled(y, t);
    if x < 0.0 { 2.0 - y } else { y }
}

/// x^y; special values are IEEE 754's, as std's are.
pub fn powf(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let magnitude = if a > 0.0 && a < f64::INFINITY && y.abs() < f64::INFINITY {
        power_of_positive(a, y)
    } else if a == 0.0 || a == f64::INFINITY {
        if (a == 0.0) == (y < 0.0) { f64::INFINITY } else { 0.0 }
    } else if a == 1.0 {
        1.0
    } else if (a > 1.0) == (y > 0.0) {
        f64::INFINITY
    } else {
        0.0
    };
    let whole = y.trunc() == y;
    let half = y * 0.5;
    let odd = whole && half.trunc() != half;
    if y == 0.0 || x == 1.0 {
        1.0
    } else if x.is_nan() || y.is_nan() || (x < 0.0 && !whole && a < f64::INFINITY) {
        f64::NAN
    } else if odd {
        magnitude.copysign(x)
    } else {
        magnitude
    }
}

/// a^y for positive finite a and finite y.
///
/// a = 2^n (1 + f) with f from -0.293 to 0.414; with s = f / (2 + f), ln(1 + f) is
/// 2 s + 2/3 s^3 + ..., which is computed in two parts, as are its sum with n ln 2 and its product
/// with y.
pub fn power_of_positive(a: f64, y: f64) -> f64 {
    let subnormal = a < 2.2250738585072014e-308;
    let bits = (if subnormal { a * 18014398509481984.0 } else { a }).to_bits();
    let exponent = bits.wrapping_sub(0x3fe6a09e667f3bcd) & 0xfff0000000000000;
    let lost = if subnormal { -54.0 } else { 0.0 };
    let n = power_of(exponent) + lost;
    let f = f64::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    // s = f / (2 + f), and what it lacks.
    let d = f + 2.0;
    let d_low = f - (d - 2.0);
    let inverse = reciprocal(d);
    let s = f * inverse;
    let s_low = s.mul_add(-d_low, s.mul_add(-d, f)) * inverse;
    // s^2 and s^3.
    let square = s * s;
    let square_low = s.mul_add(s, -square) + 2.0 * (s * s_low);
    let cube = s * square;
    let cube_low = s.mul_add(square, -cube) + s.mul_add(square_low, s_low * square);
    // 2/3 + 2/5 s^2 + ...
    let q = square.mul_add(0.11996329899297259, 0.10282997012567402);
    let q = q.mul_add(square, 0.11777061574807643);
    let q = q.mul_add(square, 0.13332965492999813);
    let q = q.mul_add(square, 0.15384622099537518);
    let q = q.mul_add(square, 0.18181818106763992);
    let q = q.mul_add(square, 0.22222222222713223);
    let q = q.mul_add(square, 0.28571428571426893);
    let q = q.mul_add(square, 0.4) * square;
    let p = q + 0.6666666666666666;
    let p_low = (0.6666666666666666 - p) + q + 3.700743415417188e-17;
    let third = cube * p;
    let third_low = cube.mul_add(p, -third) + cube.mul_add(p_low, cube_low * p);
    // Their sum; n times the high part of ln 2 is exact.
    let n_high = n * 0.6931471803691238;
    let sum = n_high + 2.0 * s;
    let sum_low = (n_high - sum) + 2.0 * s;
    let all = sum + third;
    let all_low =
        (sum - all) + third + (sum_low + 2.0 * s_low + third_low) + n * 1.9082149292705877e-10;
    let log = all + all_low;
    let log_low = (all - log) + all_low;
    let product = y * log;
    let product_low = y.mul_add(log, -product) + y * log_low;
    let t = product.mul_add(1.4426950408889634, 6755399441055744.0);
    let p = exp_of_rest(exp_rest(product, t - 6755399441055744.0) + product_low);
    if product > 710.0 {
        f64::INFINITY
    } else if product < -746.0 {
        0.0
    } else {
        scaled(p, t)
    }
}
