//! The 16-bit floats as bits: `f16` (IEEE 754 binary16) and `bf16` (the upper half of an `f32`).
//!
//! Both are subsets of `f32`. A sum, difference, product, quotient or square root of two of them,
//! rounded to `f32` and then to 16 bits, equals the exact result rounded once, as `f32` has more
//! than twice their digits (Figueroa, "When is double rounding innocuous?", 1995). Results wider
//! than `f32` are rounded to odd in between, so that the last rounding is correct (Boldo and
//! Melquiond, "Emulation of FMA and correctly rounded sums", 2008).

/// One of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 5 bits of exponent, 11 digits.
    F16,
    /// 8 bits of exponent, 8 digits.
    BF16,
}

impl Format {
    /// Returns the value of `bits`; exact.
    #[inline(always)]
    pub fn to_f32(self, bits: u16) -> f32 {
        match self {
            Self::F16 => f16_to_f32(bits),
            Self::BF16 => bf16_to_f32(bits),
        }
    }

    /// Rounds `value` to the nearest, ties to even.
    #[inline(always)]
    pub fn round_f32(self, value: f32) -> u16 {
        match self {
            Self::F16 => f32_to_f16(value),
            Self::BF16 => f32_to_bf16(value),
        }
    }

    /// Rounds `value` once.
    #[inline(always)]
    pub fn round_f64(self, value: f64) -> u16 {
        self.round_f32(f64_to_odd(value))
    }

    /// Rounds `value`, of at most 64 bits and a sign, once.
    #[inline(always)]
    pub fn round_int(self, value: i128) -> u16 {
        self.round_f32(int_to_odd(value))
    }

    /// Returns `a * b + c`, rounded once.
    #[inline(always)]
    pub fn fma(self, a: u16, b: u16, c: u16) -> u16 {
        let [a, b, c] = [a, b, c].map(|bits| f64::from(self.to_f32(bits)));
        // Exact: the factors have 11 digits at most.
        self.round_f64(sum_to_odd(a * b, c))
    }
}

/// Returns the value of an `f16`: its exponent and digits in the places of an `f32`'s, scaled.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = u32::from(bits & 0x7fff);
    let scaled = f32::from_bits(magnitude << 13) * SCALE;
    let not_finite = if magnitude >= 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | not_finite | u32::from(bits & 0x8000) << 16)
}

/// Returns the `f16` nearest to `value`, ties to even.
#[inline(always)]
pub fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let even = magnitude >> 13 & 1;
    let normal = (magnitude.wrapping_sub(0x3800_0000) + 0xfff + even) >> 13;
    // The last place of a half is the smallest subnormal's.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let rounded = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let result = if magnitude > 0x7f80_0000 { nan } else { rounded };
    result as u16 | (bits >> 16 & 0x8000) as u16
}

/// Returns the value of a `bf16`.
#[inline(always)]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Returns the `bf16` nearest to `value`, ties to even.
#[inline(always)]
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    (if value.is_nan() { bits >> 16 | 0x40 } else { rounded }) as u16
}

/// Truncates `value` to an `f32`, with an odd last digit if anything was cut off.
#[inline(always)]
fn f64_to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let toward_zero = nearest.to_bits().wrapping_sub(u32::from(back.abs() > value.abs()));
    f32::from_bits(toward_zero | u32::from(back != value))
}

/// Does the same for an integer of at most 64 bits.
#[inline(always)]
fn int_to_odd(value: i128) -> f32 {
    let magnitude = value.unsigned_abs() as u64;
    let cut = 40_u32.saturating_sub(magnitude.leading_zeros());
    let lost = magnitude & ((1 << cut) - 1);
    let kept = (magnitude >> cut) | u64::from(lost != 0);
    let scaled = kept as f32 * f32::from_bits((127 + cut) << 23);
    if value < 0 { -scaled } else { scaled }
}

/// Returns a sum, odd in its last place if it is not exact.
#[inline(always)]
fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // The error of the sum (Knuth's two-sum); NaN where `sum` is not finite.
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let bits = sum.to_bits();
    let to_odd = sum.is_finite() && error != 0.0 && bits & 1 == 0;
    let outward = (error > 0.0) == (sum > 0.0);
    let odd = if outward { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if to_odd { odd } else { bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every finite value of a format that is not negative, in order, with its bits.
    fn values(format: Format) -> Vec<(f64, u16)> {
        let infinity = if format == Format::F16 { 0x7c00 } else { 0x7f80 };
        (0..infinity).map(|bits| (f64::from(format.to_f32(bits)), bits)).collect()
    }

    #[test]
    fn every_value_comes_back() {
        for bits in 0..=u16::MAX {
            for format in [Format::F16, Format::BF16] {
                let value = format.to_f32(bits);
                if value.is_nan() {
                    assert!(format.to_f32(format.round_f32(value)).is_nan());
                } else {
                    assert_eq!(format.round_f32(value), bits);
                    assert_eq!(format.round_f64(value.into()), bits);
                }
            }
        }
        assert_eq!(f16_to_f32(0x3555), 0.333_251_95);
        assert_eq!(f16_to_f32(1), 5.960_464_5e-8);
        assert_eq!(f16_to_f32(0xfc00), f32::NEG_INFINITY);
        assert_eq!(bf16_to_f32(0x3eab), 0.333_984_38);
    }

    /// Between neighbours, the nearer wins, and in a tie the even one.
    #[test]
    fn rounds_to_the_nearest_ties_to_even() {
        for format in [Format::F16, Format::BF16] {
            for pair in values(format).windows(2) {
                let [(low, low_bits), (high, high_bits)] = pair else { unreachable!() };
                let middle = (low + high) / 2.0;
                let even = if low_bits % 2 == 0 { low_bits } else { high_bits };
                let below = f64::from_bits(middle.to_bits() - 1);
                let above = f64::from_bits(middle.to_bits() + 1);
                for (value, bits) in [(below, low_bits), (middle, even), (above, high_bits)] {
                    assert_eq!(format.round_f64(value), *bits, "{value:e}");
                    assert_eq!(format.round_f64(-value), bits | 0x8000, "-{value:e}");
                }
                // A tie is an `f32`, but for the smallest of a `bf16`.
                let middle = middle as f32;
                if f64::from(middle) == (low + high) / 2.0 {
                    assert_eq!(format.round_f32(middle), *even, "{middle:e}");
                }
            }
        }
        assert_eq!(f32_to_f16(65519.996), 0x7bff);
        assert_eq!(f32_to_f16(65520.0), 0x7c00);
        assert_eq!(f32_to_bf16(f32::MAX), 0x7f80);
        assert_eq!(Format::BF16.round_f64(1e300), 0x7f80);
    }

    #[test]
    fn integers_are_rounded_once() {
        // A tie, and a number one above it, which neither `f32` nor `f64` can tell apart.
        for shift in [1, 20, 40, 55] {
            let (tie, down) = (0x181 << shift, Format::BF16.round_int(0x180 << shift));
            assert_eq!(Format::BF16.round_int(tie), down);
            assert_eq!(Format::BF16.round_int(tie + 1), down + 1);
            assert_eq!(Format::BF16.round_int(-tie - 1), (down + 1) | 0x8000);
        }
        assert_eq!(Format::F16.round_int(65519), 0x7bff);
        assert_eq!(Format::F16.round_int(65520), 0x7c00);
        assert_eq!(Format::F16.round_int(i128::from(u64::MAX)), 0x7c00);
        assert_eq!(Format::BF16.round_int(0), 0);
    }

    #[test]
    fn a_fused_sum_is_rounded_once() {
        let one = 0x3c00;
        // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20: more than a tie with an addend of half a place.
        let (near, tiny) = (one + 1, 0x0001);
        assert_eq!(Format::F16.fma(near, near, 0), one + 2);
        assert_eq!(Format::F16.fma(near, near, 0x1000), one + 3);
        assert_eq!(Format::F16.fma(tiny, tiny, one), one);
        assert_eq!(Format::F16.fma(0x7bff, 0x7bff, 0xfc00), 0xfc00);
        assert_eq!(Format::BF16.fma(0x3f81, 0x3f81, 0xbf82), 0x3880);
    }
}
