//! Floats of 8 bits.
use crate::device;

/// A float of 8 bits with 4 bits of exponent and 4 digits, without infinities.
///
/// Its magnitudes are 0 and 2<sup>-9</sup> to 448. `==` compares the bits: a NaN equals itself, and
/// 0 differs from -0.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct E4M3(u8);

#[device]
impl E4M3 {
    /// Returns the number with these bits: a sign, 4 bits of exponent and 3 of fraction.
    ///
    /// ```
    /// use warpwise::mma::E4M3;
    ///
    /// assert_eq!(E4M3::from_bits(0x38).to_f32(), 1.0);
    /// ```
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    ///
    /// ```
    /// use warpwise::mma::E4M3;
    ///
    /// assert_eq!(E4M3::from_f32(-1.0).to_bits(), 0xb8);
    /// ```
    pub fn to_bits(self) -> u8 {
        self.0
    }

    /// Returns the nearest number, ties to even; larger magnitudes, and infinities, become 448.
    ///
    /// That is `cvt.rn.satfinite.e4m3x2.f32` of PTX.
    ///
    /// ```
    /// use warpwise::mma::E4M3;
    ///
    /// assert_eq!(E4M3::from_f32(1.1).to_f32(), 1.125);
    /// assert_eq!(E4M3::from_f32(-1000.0).to_f32(), -448.0);
    /// assert_eq!(E4M3::from_f32(0.001).to_f32(), 0.001953125);
    /// ```
    pub fn from_f32(value: f32) -> Self {
        let magnitude = value.to_bits() & 0x7fff_ffff;
        if magnitude > 0x7f80_0000 {
            return Self(0x7f);
        }
        // The last place of 2^14 is that of the smallest numbers, 2^-9.
        let subnormal = (f32::from_bits(magnitude) + 16384.0).to_bits() - 16384f32.to_bits();
        let normal = (magnitude + 0x7_ffff + (magnitude >> 20 & 1)) >> 20;
        // 2^-6 is the smallest normal number, and the exponents of an `f32` are 120 above.
        let rounded = if magnitude < 0x3c80_0000 { subnormal } else { normal - (120 << 3) };
        let finite = if magnitude >= 0x43e0_0000 { 0x7e } else { rounded };
        Self((finite | value.to_bits() >> 31 << 7) as u8)
    }

    /// Returns the value, exactly.
    ///
    /// ```
    /// use warpwise::mma::E4M3;
    ///
    /// assert_eq!(E4M3::from_bits(0x7e).to_f32(), 448.0);
    /// assert!(E4M3::from_bits(0x7f).to_f32().is_nan());
    /// ```
    pub fn to_f32(self) -> f32 {
        let (magnitude, sign) = (self.0 as u32 & 0x7f, self.0 as u32 >> 7 << 31);
        // The exponents of an `f32` are 120 above.
        let scaled = f32::from_bits(magnitude << 20) * f32::from_bits((127 + 120) << 23);
        let bits = if magnitude == 0x7f { 0x7fc0_0000 } else { scaled.to_bits() };
        f32::from_bits(bits | sign)
    }
}

/// A float of 8 bits with 5 bits of exponent and 3 digits: the upper half of an `f16`.
///
/// Its magnitudes are 0, 2<sup>-16</sup> to 57344, and infinity. `==` compares the bits: a NaN
/// equals itself, and 0 differs from -0.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct E5M2(u8);

#[device]
impl E5M2 {
    /// Returns the number with these bits: a sign, 5 bits of exponent and 2 of fraction.
    ///
    /// ```
    /// use warpwise::mma::E5M2;
    ///
    /// assert_eq!(E5M2::from_bits(0x3c).to_f32(), 1.0);
    /// ```
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    ///
    /// ```
    /// use warpwise::mma::E5M2;
    ///
    /// assert_eq!(E5M2::from_f32(-1.0).to_bits(), 0xbc);
    /// ```
    pub fn to_bits(self) -> u8 {
        self.0
    }

    /// Returns the nearest number, ties to even; larger magnitudes, and infinities, become 57344.
    ///
    /// That is `cvt.rn.satfinite.e5m2x2.f32` of PTX.
    ///
    /// ```
    /// use warpwise::mma::E5M2;
    ///
    /// assert_eq!(E5M2::from_f32(1.2).to_f32(), 1.25);
    /// assert_eq!(E5M2::from_f32(1e9).to_f32(), 57344.0);
    /// assert_eq!(E5M2::from_f32(1e-5).to_f32(), 0.0000152587890625);
    /// ```
    pub fn from_f32(value: f32) -> Self {
        let magnitude = value.to_bits() & 0x7fff_ffff;
        if magnitude > 0x7f80_0000 {
            return Self(0x7f);
        }
        // The last place of 2^7 is that of the smallest numbers, 2^-16.
        let subnormal = (f32::from_bits(magnitude) + 128.0).to_bits() - 128f32.to_bits();
        let normal = (magnitude + 0xf_ffff + (magnitude >> 21 & 1)) >> 21;
        // 2^-14 is the smallest normal number, and the exponents of an `f32` are 112 above.
        let rounded = if magnitude < 0x3880_0000 { subnormal } else { normal - (112 << 2) };
        let finite = if magnitude >= 0x4760_0000 { 0x7b } else { rounded };
        Self((finite | value.to_bits() >> 31 << 7) as u8)
    }

    /// Returns the value, exactly.
    ///
    /// ```
    /// use warpwise::mma::E5M2;
    ///
    /// assert_eq!(E5M2::from_bits(0xfb).to_f32(), -57344.0);
    /// assert_eq!(E5M2::from_bits(0x7c).to_f32(), f32::INFINITY);
    /// ```
    pub fn to_f32(self) -> f32 {
        let (magnitude, sign) = (self.0 as u32 & 0x7f, self.0 as u32 >> 7 << 31);
        // The exponents of an `f32` are 112 above.
        let scaled = f32::from_bits(magnitude << 21) * f32::from_bits((127 + 112) << 23);
        let bits = if magnitude >= 0x7c { magnitude << 21 | 0x7f80_0000 } else { scaled.to_bits() };
        f32::from_bits(bits | sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks each number, and each boundary between neighbours, which is rounded to the even one.
    fn check(largest: u8, to_f32: fn(u8) -> f32, from_f32: fn(f32) -> u8) {
        for bits in 0..largest {
            let (low, high) = (to_f32(bits), to_f32(bits + 1));
            assert_eq!(from_f32(low), bits);
            assert_eq!(from_f32(-low), bits | 0x80);
            let middle = (low + high) / 2.0;
            assert_eq!(from_f32(middle), bits + bits % 2, "{middle}");
            assert_eq!(from_f32(middle.next_down()), bits);
            assert_eq!(from_f32(-middle.next_up()), (bits + 1) | 0x80);
        }
        for above in [to_f32(largest), to_f32(largest) * 1.1, f32::MAX, f32::INFINITY] {
            assert_eq!([from_f32(above), from_f32(-above)], [largest, largest | 0x80]);
        }
        assert!(to_f32(from_f32(f32::NAN)).is_nan() && to_f32(0x7f).is_nan());
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        let to_f32 = |bits| E4M3::from_bits(bits).to_f32();
        check(0x7e, to_f32, |value| E4M3::from_f32(value).to_bits());
        let to_f32 = |bits| E5M2::from_bits(bits).to_f32();
        check(0x7b, to_f32, |value| E5M2::from_f32(value).to_bits());
        assert_eq!(E5M2::from_bits(0xfc).to_f32(), f32::NEG_INFINITY);
    }
}
