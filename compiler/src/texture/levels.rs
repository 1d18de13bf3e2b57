//! Levels of textures: their extents, and levels of detail.
use super::{
    Descriptor, Detail, Filter, WEIGHT_BITS, WHOLE,
    filter::{exp2, exponent},
    round_steps,
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
            Detail::Level(level) => round_steps(level.into()),
            Detail::Gradients(gradients) => self.gradient_steps(gradients),
        };
        let steps = steps.clamp(0, i64::from(self.levels.saturating_sub(1)) << WEIGHT_BITS);
        match self.mipmap_filter {
            Filter::Linear => ((steps >> WEIGHT_BITS) as u32, steps & (WHOLE - 1)),
            Filter::Point => (((steps + WHOLE / 2) >> WEIGHT_BITS) as u32, 0),
        }
    }

    /// Returns the level of detail of gradients, in steps of a weight.
    fn gradient_steps(&self, gradients: [[f32; 2]; 2]) -> i64 {
        let squared_texels = gradients.map(|gradient| {
            let texels = gradient.into_iter().zip(self.extents).map(|(change, extent)| {
                f64::from(change) * if self.normalized { f64::from(extent) } else { 1.0 }
            });
            texels.map(|texels| texels * texels).sum::<f64>()
        });
        let [along_x, along_y] = squared_texels;
        // Half of the logarithm of the square, rounded.
        (log2_steps(along_x.max(along_y)) + 1) >> 1
    }
}

/// Returns the binary logarithm of a number that is not negative, rounded down to a step of a weight.
///
/// Each squaring doubles the logarithm, which yields its next bit, so that the result does not depend
/// on a library of functions.
fn log2_steps(value: f64) -> i64 {
    if !value.is_normal() {
        return if value > 1.0 { i64::from(i32::MAX) } else { i64::from(i32::MIN) };
    }
    let mut steps = i64::from(exponent(value));
    let mut significand = value / exp2(exponent(value));
    for _ in 0..WEIGHT_BITS {
        significand *= significand;
        let bit = significand >= 2.0;
        steps = 2 * steps + i64::from(bit);
        significand /= if bit { 2.0 } else { 1.0 };
    }
    steps
}
