//! Sine and cosine of angles of every size.
use super::double::{Double, exponent, scale};
use super::functions::taylor;
use std::f64::consts::FRAC_PI_2;

/// pi / 2
pub(super) const QUARTER: Double = Double { hi: FRAC_PI_2, lo: 6.123233995736766e-17 };

/// 2 / pi, in words of 64 bits after the binary point.
const WORDS: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Returns sine and cosine of a finite number.
pub(super) fn sin_cos(x: Double) -> (Double, Double) {
    let (quarters, rest) = if x.hi.abs() < 0.7 { (0, x) } else { reduced(x) };
    let square = -(rest * rest);
    let term = |n: i32| f64::from(2 * n * (2 * n + 1));
    let sin = taylor(rest, |last, n| last * square / Double::from(term(n)));
    let term = |n: i32| f64::from(2 * n * (2 * n - 1));
    let cos = taylor(Double::from(1.0), |last, n| last * square / Double::from(term(n)));
    match quarters & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// Returns the number of quarter turns, and the rest of the angle.
fn reduced(x: Double) -> (u64, Double) {
    let (quarters, fraction) = fraction(x.hi.abs());
    let sign = Double::from(1f64.copysign(x.hi));
    // The low part is small. It is added to the rest, which may then exceed pi / 4 slightly.
    let rest = fraction * QUARTER * sign + Double::from(x.lo);
    (if x.hi < 0.0 { quarters.wrapping_neg() } else { quarters }, rest)
}

/// Multiplies `x` by 2/pi, and returns the nearest integer modulo 4 and the rest. It multiplies the
/// mantissa of `x` by 256 bits of 2/pi, in 64-bit digits, the first of which is the integer part.
fn fraction(x: f64) -> (u64, Double) {
    let power = exponent(x) - 52;
    let mantissa = scale(x, -power) as u64;
    // The bits of 2/pi from 2^-start on; earlier ones contribute multiples of 4 only.
    let start = (power - 2).max(0) as usize;
    let left = power - start as i32;
    let mut digits = [0u64; 5];
    let mut carry = 0;
    for index in (0..5).rev() {
        let product = u128::from(mantissa) * u128::from(word(start, index)) + u128::from(carry);
        digits[index] = product as u64;
        carry = (product >> 64) as u64;
    }
    // The value is (carry, digits) * 2^(left - 64 * index), with the point before `digits[0]`.
    let mut all = [carry, digits[0], digits[1], digits[2], digits[3], digits[4]];
    shift(&mut all, left);
    let mut quarters = all[0];
    let up = all[1] >> 63 == 1;
    if up {
        quarters = quarters.wrapping_add(1);
        for digit in &mut all[1..] {
            *digit = !*digit;
        }
    }
    let mut sum = Double::from(0.0);
    for (index, digit) in all[1..5].iter().enumerate().rev() {
        for (half, place) in [(digit & 0xffff_ffff, 64), (digit >> 32, 32)] {
            sum = sum + Double::from(scale(half as f64, -(64 * index as i32 + place)));
        }
    }
    (quarters, if up { -sum } else { sum })
}

/// Returns 64 bits of 2/pi from bit `start` on, `index` words further.
fn word(start: usize, index: usize) -> u64 {
    let (at, bits) = (start / 64 + index, start % 64);
    let word = |at: usize| WORDS.get(at).copied().unwrap_or(0);
    if bits == 0 { word(at) } else { (word(at) << bits) | (word(at + 1) >> (64 - bits)) }
}

/// Shifts a long number by at most 63 bits, to the left or to the right.
fn shift(all: &mut [u64; 6], left: i32) {
    if left > 0 {
        for index in 0..6 {
            let low = all.get(index + 1).map_or(0, |low| low >> (64 - left));
            all[index] = (all[index] << left) | low;
        }
    } else if left < 0 {
        for index in (0..6).rev() {
            let high = if index > 0 { all[index - 1] << (64 + left) } else { 0 };
            all[index] = (all[index] >> -left) | high;
        }
    }
}
