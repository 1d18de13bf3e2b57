//! Levels of textures: their extents, and levels of detail.
//!
//! The estimate of lengths and the rounding of logarithms are those of an H200, found from a
//! million reads. Of gradients along one axis all have the same level of detail in 8 bits behind
//! the point; of others in one direction 98.8 %, in two 95 %. The rest differs by one or two in the
//! last bit.
use super::{
    Descriptor, Detail, Filter, WEIGHT_BITS, WHOLE,
    filter::{exp2, exponent},
};

impl Descriptor {
    /// Returns the extents of a level.
    pub fn level_extents(&self, level: u32) -> [u32; 3] {
        self.extents.map(|extent| extent.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Returns the number of texels of a level.
    pub fn level_texels(&self, level: u32) -> u64 {
        self.level_extents(level).into_iter().map(u64::from).product()
    }

    /// Returns the bytes of the texels of all levels.
    pub fn texels_bytes(&self) -> usize {
        let texels: u64 = (0..self.levels).map(|level| self.level_texels(level)).sum();
        usize::try_from(texels).unwrap_or(usize::MAX).saturating_mul(self.texel_bytes())
    }

    /// Returns the level that a read samples, and the weight of the next one, in steps of a weight.
    pub(super) fn split_detail(&self, detail: Detail) -> (u32, i64) {
        let steps = match detail {
            Detail::Base => 0,
            Detail::Level(level) => (f64::from(level) * WHOLE as f64).floor() as i64,
            Detail::Gradients(gradients) => self.gradient_steps(gradients),
        };
        let steps = steps.clamp(0, i64::from(self.levels.saturating_sub(1)) << WEIGHT_BITS);
        match self.mipmap_filter {
            Filter::Linear => ((steps >> WEIGHT_BITS) as u32, steps & (WHOLE - 1)),
            Filter::Point => (((steps + WHOLE / 2) >> WEIGHT_BITS) as u32, 0),
        }
    }

    /// Returns the level of detail of gradients, in steps of a weight.
    ///
    /// The pixel is an ellipse of texels. Its longer axis is at least as long as each of the
    /// gradients; if they point into similar directions, as their sum or difference over the square
    /// root of 2.
    fn gradient_steps(&self, gradients: [[f32; 2]; 2]) -> i64 {
        let [g, h] = gradients.map(|gradient| {
            let [x, y] = [0, 1].map(|dim| {
                let extent = if self.normalized { self.extents[dim] } else { 1 };
                f64::from(gradient[dim]) * f64::from(extent)
            });
            [x, y]
        });
        let sum = length([g[0] + h[0], g[1] + h[1]]);
        let difference = length([g[0] - h[0], g[1] - h[1]]);
        // 11/16 is less than the quotient by 3 %.
        let axis = length(g).max(length(h)).max(sum.max(difference) * 11.0 / 16.0);
        log2_steps(axis)
    }
}

/// Returns the length of a vector as hardware estimates it: at most 6 % more than it is, and 5 %
/// less.
fn length(vector: [f64; 2]) -> f64 {
    let [x, y] = vector.map(f64::abs);
    cut(x.max(y), 9) + cut(x.min(y), 10) * 11.0 / 32.0
}

/// Rounds a number down to so many bits behind the first one.
fn cut(value: f64, bits: i32) -> f64 {
    if !value.is_normal() {
        return value;
    }
    let unit = exp2((exponent(value) - bits).max(-1000));
    (value / unit).floor() * unit
}

/// Returns the binary logarithm of a number that is not negative, in steps of a weight: that of the
/// middle of the numbers that agree in 8 bits behind the first one, rounded.
fn log2_steps(value: f64) -> i64 {
    if !value.is_normal() {
        return if value > 1.0 { i64::from(i32::MAX) } else { i64::from(i32::MIN) };
    }
    let whole = i64::from(exponent(value)) << WEIGHT_BITS;
    let significand = cut(value, WEIGHT_BITS as i32) / exp2(exponent(value));
    if significand == 1.0 {
        return whole;
    }
    // Each squaring doubles the logarithm, which yields its next bit, so that the result does not
    // depend on a library of functions.
    let mut square = significand + exp2(-1 - WEIGHT_BITS as i32);
    let mut fraction = 0;
    for _ in 0..WEIGHT_BITS + GUARD_BITS {
        square *= square;
        let bit = square >= 2.0;
        fraction = 2 * fraction + i64::from(bit);
        square /= if bit { 2.0 } else { 1.0 };
    }
    whole + ((fraction + ALMOST_HALF) >> GUARD_BITS).min(WHOLE - 1)
}

/// The bits of a logarithm that are rounded away.
const GUARD_BITS: u32 = 12;
/// The addend of a logarithm that is then rounded down, 0.4693: numbers from 0.4687 to 0.4699 give
/// the hardware's table.
const ALMOST_HALF: i64 = 1922;
