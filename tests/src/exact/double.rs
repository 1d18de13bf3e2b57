//! Numbers of twice the precision: unevaluated sums of two floats.
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The number `hi + lo`, where `hi` is the rounded sum.
#[derive(Clone, Copy, Debug)]
pub struct Double {
    /// The rounded sum.
    pub hi: f64,
    /// The rest.
    pub lo: f64,
}

/// The number `value * 2^power`, which may be too large or too small for floats.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// The digits.
    pub value: Double,
    /// The scale.
    pub power: i32,
}

impl From<Double> for Exact {
    fn from(value: Double) -> Self {
        Self { value, power: 0 }
    }
}

impl From<f64> for Exact {
    fn from(value: f64) -> Self {
        Double::from(value).into()
    }
}

impl From<f64> for Double {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl Double {
    /// Returns the sum of two numbers, the first of which is the larger one.
    pub const fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        Self { hi, lo: b - (hi - a) }
    }

    /// Returns the sum of any two numbers.
    pub const fn of(a: f64, b: f64) -> Self {
        let hi = a + b;
        let of_b = hi - a;
        Self { hi, lo: (a - (hi - of_b)) + (b - of_b) }
    }

    /// Returns the square root of a positive number.
    pub fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return self;
        }
        let root = self.hi.sqrt();
        let rest = self - Self::from(root) * Self::from(root);
        Self::sum(root, rest.hi / (2.0 * root))
    }

    /// Multiplies by a power of 2, within the range of floats.
    pub fn times_power(self, power: i32) -> Self {
        Self { hi: scale(self.hi, power), lo: scale(self.lo, power) }
    }

    /// Returns the absolute value.
    pub fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::of(self.hi, other.hi), Self::of(self.lo, other.lo));
        let sum = Self::sum(high.hi, high.lo + low.hi);
        Self::sum(sum.hi, sum.lo + low.lo)
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let hi = self.hi * other.hi;
        let lo = self.hi.mul_add(other.hi, -hi);
        Self::sum(hi, lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * Self::from(first);
        let second = rest.hi / other.hi;
        let rest = rest - other * Self::from(second);
        Self::sum(first, second) + Self::from(rest.hi / other.hi)
    }
}

/// Returns the exponent of a number that is not zero: 0 for 1 to 2.
pub(super) fn exponent(x: f64) -> i32 {
    if x.abs() < f64::MIN_POSITIVE {
        return exponent(x * 2f64.powi(60)) - 60;
    }
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Returns `x * 2^power`, without overflow in between.
pub(super) fn scale(x: f64, power: i32) -> f64 {
    let step = |power: i32| f64::from_bits(((power.clamp(-1022, 1023) + 1023) as u64) << 52);
    let (first, rest) = (power / 3, power - power / 3 * 2);
    x * step(first) * step(first) * step(rest)
}
