//! Logarithms.
//!
//! x = 2^n (1 + f) with f from -0.293 to 0.415: subtracting the bits of sqrt(1/2) makes the
//! exponent n, and f is exact. Subnormal x are multiplied by 2^54 first.

use super::trigonometric::high_bits;

/// Returns true if x is subnormal or 0, with either sign.
#[inline(always)]
pub fn is_tiny(x: f64) -> bool {
    high_bits(x) < 0x00100000
}

/// Returns the bits of x, or of 2^54 x where x is subnormal.
#[inline(always)]
pub fn normal_bits(x: f64) -> u64 {
    (if is_tiny(x) { x * 18014398509481984.0 } else { x }).to_bits()
}

/// Returns 2^52 n for the n with x 2^-n from sqrt(1/2) to sqrt(2), given the bits of x.
#[inline(always)]
pub fn exponent_of(bits: u64) -> u64 {
    bits.wrapping_sub(0x3fe6a09e667f3bcd) & 0xfff0000000000000
}

/// Returns the n that [`exponent_of`] encodes, corrected where x was subnormal.
#[inline(always)]
pub fn power(x: f64, exponent: u64) -> f64 {
    let lost = if is_tiny(x) { 54 } else { 0 };
    float_of(((exponent >> 52) as u32 ^ 0x800).wrapping_sub(lost))
}

/// Returns the n that [`exponent_of`] encodes, without the correction for a subnormal x.
#[inline(always)]
pub fn power_of(exponent: u64) -> f64 {
    float_of((exponent >> 52) as u32 ^ 0x800)
}

/// Returns `biased` - 2048, by way of the low bits of a large number.
#[inline(always)]
pub fn float_of(biased: u32) -> f64 {
    f64::from_bits(0x4338000000000000 | biased as u64) - 6755399441057792.0
}

/// Returns true if x is positive and finite.
#[inline(always)]
pub fn has_log(x: f64) -> bool {
    x.to_bits().wrapping_sub(1) < 0x7fefffffffffffff
}

/// Returns the logarithm of an x that is not positive and finite.
#[inline(always)]
pub fn log_of_other(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x > 0.0 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

/// (ln(1 + f) - f) / f^2 for f from -0.293 to 0.415.
pub fn ln_of_rest(f: f64) -> f64 {
    let p = f.mul_add(-0.02824583428213894, 0.06317199969661556);
    let p = p.mul_add(f, -0.06785169227687228);
    let p = p.mul_add(f, 0.0597561181935072);
    let p = p.mul_add(f, -0.06042079293129942);
    let p = p.mul_add(f, 0.0662141654052635);
    let p = p.mul_add(f, -0.07160119465584673);
    let p = p.mul_add(f, 0.07697717138933768);
    let p = p.mul_add(f, -0.08332562292346897);
    let p = p.mul_add(f, 0.09090583274398704);
    let p = p.mul_add(f, -0.1000001777522766);
    let p = p.mul_add(f, 0.11111122018442893);
    let p = p.mul_add(f, -0.12499999839240031);
    let p = p.mul_add(f, 0.1428571408700605);
    let p = p.mul_add(f, -0.16666666666146013);
    let p = p.mul_add(f, 0.2000000000174488);
    let p = p.mul_add(f, -0.2500000000001308);
    let p = p.mul_add(f, 0.33333333333328086);
    p.mul_add(f, -0.4999999999999997)
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    let bits = normal_bits(x);
    let exponent = exponent_of(bits);
    let f = f64::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let n = power(x, exponent);
    let y = (f * f).mul_add(ln_of_rest(f), n * 2.3190468138462996e-17) + f;
    let y = n.mul_add(0.6931471805599453, y);
    if has_log(x) { y } else { log_of_other(x) }
}

/// The logarithm with base 2.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let bits = normal_bits(x);
    let exponent = exponent_of(bits);
    let f = f64::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let p = f.mul_add(-0.04102893840722434, 0.09151931137110074);
    let p = p.mul_add(f, -0.09796743669961636);
    let p = p.mul_add(f, 0.08610513128702654);
    let p = p.mul_add(f, -0.08712279556417106);
    let p = p.mul_add(f, 0.09553643065391594);
    let p = p.mul_add(f, -0.10330596284993537);
    let p = p.mul_add(f, 0.1110544044115589);
    let p = p.mul_add(f, -0.1202129014147569);
    let p = p.mul_add(f, 0.13114937032277554);
    let p = p.mul_add(f, -0.14426978432001783);
    let p = p.mul_add(f, 0.16029960796849382);
    let p = p.mul_add(f, -0.18033687723162586);
    let p = p.mul_add(f, 0.20609928864845578);
    let p = p.mul_add(f, -0.24044917348092096);
    let p = p.mul_add(f, 0.2885390082033916);
    let p = p.mul_add(f, -0.3606737602223915);
    let p = p.mul_add(f, 0.4808983469629106);
    let p = p.mul_add(f, -0.7213475204444814);
    let y = f.mul_add(1.4426950408889634, f.mul_add(2.0355273740931033e-17, f * f * p));
    if has_log(x) { power(x, exponent) + y } else { log_of_other(x) }
}

/// The logarithm with base 10.
pub fn log10(x: f64) -> f64 {
    let bits = normal_bits(x);
    let exponent = exponent_of(bits);
    let f = f64::from_bits(bits.wrapping_sub(exponent)) - 1.0;
    let p = f.mul_add(-0.01224690128962796, 0.027428766822551097);
    let p = p.mul_add(f, -0.0294813133974931);
    let p = p.mul_add(f, 0.025957073032648378);
    let p = p.mul_add(f, -0.026237606867066828);
    let p = p.mul_add(f, 0.02875527575383019);
    let p = p.mul_add(f, -0.031096286005978354);
    let p = p.mul_add(f, 0.033430874616976095);
    let p = p.mul_add(f, -0.03618784062883541);
    let p = p.mul_add(f, 0.03947989607643677);
    let p = p.mul_add(f, -0.04342952618138398);
    let p = p.mul_add(f, 0.048254989925559245);
    let p = p.mul_add(f, -0.05428680951504455);
    let p = p.mul_add(f, 0.06204206797954583);
    let p = p.mul_add(f, -0.072382413648695);
    let p = p.mul_add(f, 0.08685889638821945);
    let p = p.mul_add(f, -0.10857362047586716);
    let p = p.mul_add(f, 0.1447648273010612);
    let p = p.mul_add(f, -0.2171472409516258);
    let y = f.mul_add(0.4342944819032518, f.mul_add(1.098319650216765e-17, f * f * p));
    let n = power(x, exponent);
    let y = n.mul_add(0.30102999566398114, n.mul_add(5.270742310347265e-17, y));
    if has_log(x) { y } else { log_of_other(x) }
}

/// ln(1 + x), accurate near 0.
pub fn ln_1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let exponent = exponent_of(sum.to_bits());
    // f = 2^-n (1 + x) - 1 = 2^-n x + (2^-n - 1), by way of 4 * 2^-n, which is never subnormal.
    let high = f64::from_bits(0x4010000000000000u64.wrapping_sub(exponent)).mul_add(0.25, -1.0);
    let low = f64::from_bits(x.to_bits().wrapping_sub(exponent));
    let f = high + low;
    let lost = low - (f - high);
    let n = power_of(exponent);
    let y = (f * f).mul_add(ln_of_rest(f), n.mul_add(2.3190468138462996e-17, lost)) + f;
    let y = n.mul_add(0.6931471805599453, y);
    if sum == 1.0 {
        x
    } else if has_log(sum) {
        y
    } else {
        log_of_other(sum)
    }
}

/// The logarithm with any base: ln(x) / ln(base).
pub fn log(x: f64, base: f64) -> f64 {
    ln(x) / ln(base)
}
