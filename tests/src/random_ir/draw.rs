//! Draws: the stream of random numbers, and bits of types that are often edge values.
use warpwise_compiler::{half::Format, ir::Scalar};

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, which must not be zero.
    pub(crate) const fn below(&mut self, end: u32) -> u32 {
        (((self.bits() >> 32) * end as u64) >> 32) as u32
    }

    /// Returns true in `percent` of a hundred draws.
    pub(crate) const fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, which must not be empty.
    pub(crate) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    /// Returns an index below `len`.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).expect("a kernel has few of anything")) as usize
    }

    /// Returns the bits of a value of a concrete type.
    pub(crate) fn value(&mut self, ty: Scalar) -> u64 {
        match ty {
            Scalar::Bool => self.bits() & 1,
            Scalar::F16 => u64::from(self.half_bits(Format::F16)),
            Scalar::BF16 => u64::from(self.half_bits(Format::BF16)),
            Scalar::F32 => u64::from(self.f32_bits()),
            Scalar::F64 => self.f64_bits(),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => self.integer(ty.bits().expect("an integer has a width")),
            Scalar::Generic(_) => unreachable!("a type parameter has no values"),
        }
    }

    fn integer(&mut self, width: u32) -> u64 {
        let max = u64::MAX >> (64 - width);
        let bits = match self.below(4) {
            0 => self.bits(),
            1 => u64::from(self.below(8)),
            2 => self.one_of(&[0, 1, 2, 31, 32, 63, max, max - 1, max >> 1, (max >> 1) + 1]),
            _ => (self.bits() >> self.below(64)).wrapping_sub(1 << self.below(width)),
        };
        bits & max
    }

    /// Returns any bits, a small multiple of an eighth, or the value nearest to an edge of `f32`.
    fn half_bits(&mut self, format: Format) -> u16 {
        match self.below(3) {
            0 => self.bits() as u16,
            1 => format.round_f32(self.below(2000) as f32 / 8.0),
            _ => format.round_f32(f32::from_bits(self.f32_bits())),
        }
    }

    fn f32_bits(&mut self) -> u32 {
        let edges = [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            f32::INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            f32::from_bits(0x007f_ffff),
            f32::MAX,
            f32::EPSILON,
            16_777_216.0,
            2_147_483_648.0,
            4_294_967_296.0,
        ];
        let bits = match self.below(4) {
            0 => self.bits() as u32,
            1 => (self.below(2000) as f32 / 8.0).to_bits(),
            _ => self.one_of(&edges).to_bits(),
        };
        if self.chance(40) { bits ^ 1 << 31 } else { bits }
    }

    fn f64_bits(&mut self) -> u64 {
        let edges = [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            f64::INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::from_bits(0x000f_ffff_ffff_ffff),
            f64::MAX,
            f64::EPSILON,
            9_007_199_254_740_992.0,
            9_223_372_036_854_775_808.0,
            1e-45,
            3.402_823_47e38,
        ];
        let bits = match self.below(4) {
            0 => self.bits(),
            1 => (f64::from(self.below(2000)) / 8.0).to_bits(),
            _ => self.one_of(&edges).to_bits(),
        };
        if self.chance(40) { bits ^ 1 << 63 } else { bits }
    }
}
