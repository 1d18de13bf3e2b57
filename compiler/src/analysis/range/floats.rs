//! Intervals of floats, which bound the integers that they are cast to: an index is often
//! `(x * 255.0).clamp(0.0, 255.0) as usize`, or a cast behind `if x < width as f32`.
//!
//! An operation rounds its exact result, and rounding is monotone. So where the exact result is
//! monotone in each operand, the ends of an interval are what the operation makes of ends of its
//! operands' intervals, in their own type.
use super::Range;
use crate::ir::{BinaryOp, CompareOp, Scalar, Ty, UnaryOp};

/// All floats from `min` to `max`, none if `min` is larger, and NaN if the flag is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FloatRange {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) may_be_nan: bool,
}

impl FloatRange {
    /// Every float.
    pub(super) const ANY: Self =
        Self { min: f64::NEG_INFINITY, max: f64::INFINITY, may_be_nan: true };

    /// No float.
    const EMPTY: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY, may_be_nan: false };

    /// Returns the interval of a literal of type `scalar`.
    pub(super) fn of_bits(scalar: Scalar, bits: u64) -> Self {
        let value = match scalar {
            Scalar::F32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        };
        if value.is_nan() { Self::ANY } else { Self::between(value, value) }
    }

    /// Returns the interval of the integers of `range` as floats of type `scalar`.
    pub(super) fn of_integers(scalar: Scalar, Range { min, max }: Range) -> Self {
        match scalar {
            _ if min > max => Self::EMPTY,
            Scalar::F32 => Self::between((min as f32).into(), (max as f32).into()),
            _ => Self::between(min as f64, max as f64),
        }
    }

    const fn between(min: f64, max: f64) -> Self {
        Self { min, max, may_be_nan: false }
    }

    /// Returns the interval that spans `ends`; any float if one of them is NaN.
    fn spanning(scalar: Scalar, ends: &[f64], may_be_nan: bool) -> Self {
        if ends.iter().any(|end| end.is_nan()) {
            return Self::ANY;
        }
        let rounded = |end: &f64| round(scalar, *end);
        let min = ends.iter().map(rounded).fold(f64::INFINITY, f64::min);
        let max = ends.iter().map(rounded).fold(f64::NEG_INFINITY, f64::max);
        Self { min, max, may_be_nan }
    }

    /// Returns the range of the integers that these floats are cast to, of a type with these
    /// `limits`.
    pub(super) fn integer_range(self, limits: Range) -> Range {
        let saturated = |end: f64| (end as i128).clamp(limits.min, limits.max);
        let range = if self.min > self.max {
            Range::EMPTY
        } else {
            Range::new(saturated(self.min), saturated(self.max))
        };
        if self.may_be_nan { range.union(Range::new(0, 0)) } else { range }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            may_be_nan: self.may_be_nan || other.may_be_nan,
        }
    }

    fn has_zero(self) -> bool {
        self.min <= 0.0 && self.max >= 0.0
    }

    fn is_finite(self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Returns the interval of this one cast to the float type `scalar`.
    pub(super) fn cast(self, scalar: Scalar) -> Self {
        Self { min: round(scalar, self.min), max: round(scalar, self.max), ..self }
    }

    /// Returns the interval of the results of an operation on these numbers of type `scalar`.
    pub(super) fn unary(self, op: UnaryOp, scalar: Scalar) -> Self {
        let Self { min, max, may_be_nan } = self;
        let monotone =
            |apply: fn(f64) -> f64| Self { min: apply(min), max: apply(max), may_be_nan };
        match op {
            UnaryOp::Neg => Self { min: -max, max: -min, may_be_nan },
            UnaryOp::Abs => {
                let least = if self.has_zero() { 0.0 } else { min.abs().min(max.abs()) };
                Self { min: least, max: min.abs().max(max.abs()), may_be_nan }
            }
            UnaryOp::Floor => monotone(f64::floor),
            UnaryOp::Ceil => monotone(f64::ceil),
            UnaryOp::Trunc => monotone(f64::trunc),
            UnaryOp::RoundTiesEven => monotone(f64::round_ties_even),
            UnaryOp::Sqrt if min >= 0.0 => {
                Self::spanning(scalar, &[min.sqrt(), max.sqrt()], may_be_nan)
            }
            UnaryOp::Sqrt
            | UnaryOp::Rsqrt
            | UnaryOp::Approx(_)
            | UnaryOp::Not
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes => Self::ANY,
        }
    }

    /// Returns the interval of `self op other`, of numbers of type `scalar`.
    pub(super) fn binary(self, op: BinaryOp, other: Self, scalar: Scalar) -> Self {
        let nan = self.may_be_nan || other.may_be_nan;
        // Sums and products of infinities may be NaN.
        let is_finite = self.is_finite() && other.is_finite();
        match op {
            BinaryOp::Add if is_finite => {
                Self::spanning(scalar, &[self.min + other.min, self.max + other.max], nan)
            }
            BinaryOp::Sub if is_finite => {
                Self::spanning(scalar, &[self.min - other.max, self.max - other.min], nan)
            }
            BinaryOp::Mul if is_finite => {
                Self::spanning(scalar, &apply_to_ends(self, other, |a, b| a * b), nan)
            }
            BinaryOp::Div if is_finite && !other.has_zero() => {
                Self::spanning(scalar, &apply_to_ends(self, other, |a, b| a / b), nan)
            }
            // These ignore one NaN.
            BinaryOp::Min => {
                let max = match (self.may_be_nan, other.may_be_nan) {
                    (false, false) => self.max.min(other.max),
                    (true, false) => other.max,
                    (false, true) => self.max,
                    (true, true) => self.max.max(other.max),
                };
                let may_be_nan = self.may_be_nan && other.may_be_nan;
                Self { min: self.min.min(other.min), max, may_be_nan }
            }
            BinaryOp::Max => {
                let min = match (self.may_be_nan, other.may_be_nan) {
                    (false, false) => self.min.max(other.min),
                    (true, false) => other.min,
                    (false, true) => self.min,
                    (true, true) => self.min.min(other.min),
                };
                let may_be_nan = self.may_be_nan && other.may_be_nan;
                Self { min, max: self.max.max(other.max), may_be_nan }
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => Self::ANY,
        }
    }

    /// Returns the interval of `self * b + c`, rounded once, of numbers of type `scalar`.
    pub(super) fn fma(self, b: Self, c: Self, scalar: Scalar) -> Self {
        if !(self.is_finite() && b.is_finite() && c.is_finite()) {
            return Self::ANY;
        }
        let nan = self.may_be_nan || b.may_be_nan || c.may_be_nan;
        let sum = |c: f64| {
            apply_to_ends(self, b, move |a, b| match scalar {
                Scalar::F32 => (a as f32).mul_add(b as f32, c as f32).into(),
                _ => a.mul_add(b, c),
            })
        };
        let (least, most) = (sum(c.min), sum(c.max));
        Self::spanning(scalar, &[least, most].concat(), nan)
    }

    /// Returns the intervals of both sides of a comparison, which is `truth`, of numbers of type
    /// `scalar`. A comparison with NaN is false.
    pub(super) fn narrowed_by(
        self,
        op: CompareOp,
        other: Self,
        truth: bool,
        scalar: Scalar,
    ) -> [Self; 2] {
        match (op, truth) {
            (CompareOp::Gt | CompareOp::Ge, _) => {
                let op = if op == CompareOp::Gt { CompareOp::Lt } else { CompareOp::Le };
                let [right, left] = other.narrowed_by(op, self, truth, scalar);
                [left, right]
            }
            (CompareOp::Lt | CompareOp::Le, true) => {
                let is_strict = op == CompareOp::Lt;
                let most = if is_strict { next_below(scalar, other.max) } else { other.max };
                let least = if is_strict { -next_below(scalar, -self.min) } else { self.min };
                [
                    Self { max: self.max.min(most), may_be_nan: false, ..self },
                    Self { min: other.min.max(least), may_be_nan: false, ..other },
                ]
            }
            (CompareOp::Lt | CompareOp::Le, false) => {
                let mut sides = [self, other];
                if !other.may_be_nan {
                    sides[0].min = self.min.max(other.min);
                }
                if !self.may_be_nan {
                    sides[1].max = other.max.min(self.max);
                }
                sides
            }
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => {
                let (min, max) = (self.min.max(other.min), self.max.min(other.max));
                [Self::between(min, max); 2]
            }
            (CompareOp::Eq, false) | (CompareOp::Ne, true) => [self, other],
        }
    }
}

/// Returns the results for each end of one interval with each of the other.
fn apply_to_ends(a: FloatRange, b: FloatRange, apply: impl Fn(f64, f64) -> f64) -> [f64; 4] {
    [apply(a.min, b.min), apply(a.min, b.max), apply(a.max, b.min), apply(a.max, b.max)]
}

/// Rounds a result to the type: that of one operation on `f32` in `f64` is rounded twice, which
/// yields the same.
fn round(scalar: Scalar, value: f64) -> f64 {
    if scalar == Scalar::F32 { (value as f32).into() } else { value }
}

/// Returns the largest number of the type below `value`.
fn next_below(scalar: Scalar, value: f64) -> f64 {
    if scalar == Scalar::F32 { (value as f32).next_down().into() } else { value.next_down() }
}

/// Returns the type of a float with intervals.
pub(super) fn float_type(ty: Ty) -> Option<Scalar> {
    match ty {
        Ty::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) => Some(scalar),
        Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit => None,
    }
}
