//! The weighted sums of linear filters.
//!
//! They are those of an H200, bit for bit, in all dimensions, formats and address modes that
//! `benches/src/bin/texture_agreement.rs` compares, but for the last bit of 2.8 % of the sums of
//! signed bytes, and of 0.02 % of the sums in volumes whose texels differ in size a thousandfold.
//!
//! Weights are multiples of 1/256 whose sum is 1. The texels are numbers of few bits, so that the
//! sum is exact in integers:
//!
//! | channel | texel | sum |
//! |---|---|---|
//! | normalized, of 8 or 16 bits | itself | rounded to 16 bits, halves up |
//! | `f16` | a multiple of `2^-14` of the power of two of the largest one in its layer | rounded to `f16`, halves away from 0 |
//! | `f32` | a multiple of `2^-27` of it | rounded to `f32`, halves away from 0 |
//!
//! A texel without weight does not count. Texels round towards 0; `f32` that are subnormal, texels
//! and sums, are 0.
use super::{ChannelType, WEIGHT_BITS, WHOLE};
use crate::half;

/// A texel that a filter reads.
pub(super) struct Texel {
    /// The bits of the channel in memory.
    pub(super) bits: u32,
    /// The weight, in 1/256.
    pub(super) weight: i64,
    /// 1 for the second layer of a volume, or the second level.
    pub(super) layer: usize,
}

/// Returns the weights of the texels around coordinates with these fractions, whose sum is `whole`:
/// that of texel `i` is for the second texel along dimension `d` if bit `d` of `i` is set. A level
/// has a part of the whole weight, a volume all of it.
pub(super) fn weights(dims: usize, [x, y, z]: [i64; 3], whole: i64) -> [i64; 8] {
    const HALF: i64 = WHOLE / 2;
    let layers = if dims < 3 { [whole, 0] } else { [WHOLE - z, z] };
    let mut weights = [0; 8];
    for (weights, layer) in weights.chunks_exact_mut(4).zip(layers) {
        let right = (layer * x + HALF) >> WEIGHT_BITS;
        let left = layer - right;
        let y = if dims == 1 { 0 } else { y };
        let below_left = (left * y + HALF - 1) >> WEIGHT_BITS;
        let below_right = (right * y + HALF) >> WEIGHT_BITS;
        weights.copy_from_slice(&[left - below_left, right - below_right, below_left, below_right]);
    }
    weights
}

/// Returns the bits of the `f32` that a filter makes of the bits of texels and their weights.
pub(super) fn weighted_sum(channel: ChannelType, texels: &[Texel]) -> u32 {
    // Texels up to `texel_max`, whose sum becomes a number of 16 bits, up to `sum_max`.
    let fixed = |texel: &dyn Fn(u32) -> i64, texel_max: i64, sum_max: i64| {
        let sum: i64 = texels.iter().map(|at| texel(at.bits) * at.weight).sum();
        let whole = texel_max * WHOLE;
        let rounded = (2 * sum * sum_max + whole).div_euclid(2 * whole);
        (rounded as f32 / sum_max as f32).max(-1.0)
    };
    let sum = match channel {
        ChannelType::U8 => fixed(&i64::from, 255, 65535),
        ChannelType::U16 => fixed(&i64::from, 65535, 65535),
        ChannelType::I8 => fixed(&|bits| (bits as i8).into(), 127, 32767),
        ChannelType::I16 => fixed(&|bits| (bits as i16).into(), 32767, 32767),
        ChannelType::F16 => {
            let texel = |bits| half::f16_to_f32(bits as u16);
            sum_of_floats(
                texels,
                texel,
                FloatFormat { precision: 11, guard_bits: 14, smallest: -24 },
            )
        }
        ChannelType::F32 | ChannelType::U32 | ChannelType::I32 => {
            let texel = |bits| flush(f32::from_bits(bits));
            flush(sum_of_floats(
                texels,
                texel,
                FloatFormat { precision: 24, guard_bits: 27, smallest: -149 },
            ))
        }
    };
    sum.to_bits()
}

/// Replaces a subnormal number by 0.
fn flush(value: f32) -> f32 {
    if value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
}

/// A type of the numbers that are filtered.
#[derive(Clone, Copy)]
struct FloatFormat {
    /// The bits of a significand.
    precision: i32,
    /// The bits of a texel behind the first one of the largest texel.
    guard_bits: i32,
    /// The exponent of the smallest number.
    smallest: i32,
}

fn sum_of_floats(texels: &[Texel], value: impl Fn(u32) -> f32, format: FloatFormat) -> f32 {
    let layers = texels.chunk_by(|a, b| a.layer == b.layer);
    let sum: f64 = layers.map(|texels| sum_of_layer(texels, &value, format.guard_bits)).sum();
    if sum.is_finite() { round(sum, format) } else { sum as f32 }
}

/// Returns the exact sum of the texels of a layer, as multiples of a power of two.
fn sum_of_layer(texels: &[Texel], value: impl Fn(u32) -> f32, guard_bits: i32) -> f64 {
    let values = texels.iter().map(|texel| (f64::from(value(texel.bits)), texel.weight));
    let weighted = values.clone().filter(|(_, weight)| *weight > 0);
    let largest = weighted.map(|(value, _)| value.abs()).fold(0.0, f64::max);
    let unit = if largest > 0.0 && largest.is_finite() {
        exp2(exponent(largest) - guard_bits)
    } else {
        1.0
    };
    let part = |(value, weight): (f64, i64)| (value / unit).trunc() * weight as f64;
    values.map(part).sum::<f64>() * unit / WHOLE as f64
}

/// Rounds a number to a format, halves away from 0.
fn round(value: f64, format: FloatFormat) -> f32 {
    if value == 0.0 {
        return value as f32;
    }
    let unit = exp2((exponent(value) + 1 - format.precision).max(format.smallest));
    // The sum is exact: it has at most 53 bits, and the quotient at most one less than the format.
    ((value / unit).round() * unit) as f32
}

/// Returns the exponent of a normal number.
pub(super) fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Returns a power of two that is a normal `f64`.
pub(super) fn exp2(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
