//! Logarithms.
//!
//! x = 2^n (1 + f) with f from -0.293 to 0.415: subtracting the bits of sqrt(1/2) makes the
//! exponent n, and f is exact. Subnormal x are multiplied by 2^23 first.

/// Bits of x, or of 2^23 x where x is subnormal.
pub fn normal_bits(x: f32) -> u32 {
    (if x < 1.1754944e-38 { x * 8388608.0 } else { x }).to_bits()
}

/// Returns 2^23 n for the n with x 2^-n from sqrt(1/2) to sqrt(2), given the bits of x.
pub fn exponent_of(bits: u32) -> u32 {
    bits.wrapping_sub(0x3f3504f3) & 0xff800000
}

/// Returns the n that [`exponent_of`] encodes, corrected where x was subnormal.
pub fn power(x: f32, exponent: u32) -> f32 {
    let lost = if x < 1.1754944e-38 { -23.0 } else { 0.0 };
    (exponent as i32 as f32).mul_add(1.1920929e-7, lost)
}

/// Returns `y`, or the logarithm of x where x is not positive and finite.
pub fn log_or_end(x: f32, y: f32) -> f32 {
    // Infinity for itself, NaN for NaN and for what is negative.
    let end = x.mul_add(f32::INFINITY, f32::INFINITY);
    let y = if x.to_bits() < 0x7f800000 { y } else { end };
    if x == 0.0 { f32::NEG_INFINITY } else { y }
}

/// (ln(1 + f) - f) / f^2 for f from -0.293 to 0.415.
pub fn ln_of_rest(f: f32) -> f32 {
    let p = f.mul_add(0.08734847, -0.14307526);
    let p = p.mul_add(f, 0.14917974);
    let p = p.mul_add(f, -0.16570507);
    let p = p.mul_add(f, 0.19962072);
    let p = p.mul_add(f, -0.25001755);
    let p = p.mul_add(f, 0.3333395);
    p.mul_add(f, -0.4999999)
}

/// The natural logarithm.
pub fn ln(x: f32) -> f32 {
    let bits = normal_bits(x);
    let exponent = exponent_of(bits);
    let f = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let y = (f * f).mul_add(ln_of_rest(f), f);
    log_or_end(x, power(x, exponent).mul_add(0.6931472, y))
}

/// The logarithm with base 2.
pub fn log2(x: f32) -> f32 {
    let bits = normal_bits(x);
    let exponent = exponent_of(bits);
    let f = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let p = f.mul_add(-0.11600198, 0.19013399);
    let p = p.mul_add(f, -0.19137432);
    let p = p.mul_add(f, 0.20438476);
    let p = p.mul_add(f, -0.2395357);
    let p = p.mul_add(f, 0.2885555);
    let p = p.mul_add(f, -0.3606992);
    let p = p.mul_add(f, 0.48089844);
    let p = p.mul_add(f, -0.72134733);
    let y = f.mul_add(1.442695, f.mul_add(1.925963e-8, f * f * p));
    log_or_end(x, power(x, exponent) + y)
}

/// The logarithm with base 10.
pub fn log10(x: f32) -> f32 {
    let bits = normal_bits(x);
    let exponent = exponent_of(bits);
    let f = f32::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let p = f.mul_add(-0.022788202, 0.050841644);
    let p = p.mul_add(f, -0.0591433);
    let p = p.mul_add(f, 0.06251901);
    let p = p.mul_add(f, -0.07205164);
    let p = p.mul_add(f, 0.08681683);
    let p = p.mul_add(f, -0.10858187);
    let p = p.mul_add(f, 0.14476559);
    let p = p.mul_add(f, -0.21714719);
    let y = f.mul_add(0.4342945, f * f * p);
    let n = power(x, exponent);
    log_or_end(x, n.mul_add(0.30102998, n.mul_add(1.5481332e-8, y)))
}

/// ln(1 + x), accurate near 0.
pub fn ln_1p(x: f32) -> f32 {
    let sum = 1.0 + x;
    let y = log_or_end(sum, ln_of_sum(x, sum));
    if sum == 1.0 { x } else { y }
}

/// ln(1 + x) for positive finite x, or for 0.
pub fn ln_1p_of_positive(x: f32) -> f32 {
    let sum = 1.0 + x;
    let y = ln_of_sum(x, sum);
    if sum == 1.0 { x } else { y }
}

/// ln(1 + x), where `sum` is 1 + x, rounded, and positive and finite.
pub fn ln_of_sum(x: f32, sum: f32) -> f32 {
    let exponent = exponent_of(sum.to_bits());
    // f = 2^-n (1 + x) - 1 = 2^-n x + (2^-n - 1), by way of 4 * 2^-n, which is never subnormal.
    let high = f32::from_bits(0x40800000u32.wrapping_sub(exponent)).mul_add(0.25, -1.0);
    let low = f32::from_bits(x.to_bits().wrapping_sub(exponent));
    let f = high + low;
    let lost = low - (f - high);
    let y = (f * f).mul_add(ln_of_rest(f), lost) + f;
    // 2^-23 ln 2
    (exponent as i32 as f32).mul_add(8.262958e-8, y)
}

/// The logarithm with any base: ln(x) / ln(base).
pub fn log(x: f32, base: f32) -> f32 {
    ln(x) / ln(base)
}
