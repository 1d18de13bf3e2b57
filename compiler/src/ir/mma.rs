//! The matrix products of tensor cores: shapes, element types, and the parts of each lane.
//!
//! `d = a * b + c` for an `m` by `k` matrix `a`, a `k` by `n` matrix `b`, and `m` by `n` matrices
//! `c` and `d`. The lanes of a warp hold the matrices together, each its own words of every one.
//! Lane `l` belongs to group `g = l / 4` and is number `t = l % 4` in it. A word of `a` or `b`
//! holds as many neighbouring elements along `k` as fit into 32 bits, `p`; an `f64` is a word of
//! its own.
//!
//! | matrix | word `w`, element `e` | row | column |
//! |---|---|---|---|
//! | `a`, 16 rows | | `g + 8 * (w % 2)` | `(t + 4 * (w / 2)) * p + e` |
//! | `a`, 8 rows | | `g` | `(t + 4 * w) * p + e` |
//! | `b` | | `(t + 4 * w) * p + e` | `g` |
//! | `c`, `d` | of 32 or 64 bits | `g + 8 * (w / 2)` | `2 * t + w % 2` |
//! | `c`, `d` | two of 16 bits | `g + 8 * w` | `2 * t + e` |
use super::{Scalar, names::Named};
use crate::target::Target;
use std::fmt;

/// The rows and columns of the result of a product, and the length of its sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in PTX")]
pub enum MmaShape {
    M8N8K4,
    M8N8K16,
    M8N8K32,
    M16N8K4,
    M16N8K8,
    M16N8K16,
    M16N8K32,
    M16N8K64,
}

impl MmaShape {
    /// Returns `[m, n, k]`.
    pub const fn dims(self) -> [usize; 3] {
        match self {
            Self::M8N8K4 => [8, 8, 4],
            Self::M8N8K16 => [8, 8, 16],
            Self::M8N8K32 => [8, 8, 32],
            Self::M16N8K4 => [16, 8, 4],
            Self::M16N8K8 => [16, 8, 8],
            Self::M16N8K16 => [16, 8, 16],
            Self::M16N8K32 => [16, 8, 32],
            Self::M16N8K64 => [16, 8, 64],
        }
    }
}

/// The element type of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MmaType {
    /// 16 bits, 11 digits.
    F16,
    /// 16 bits, 8 digits.
    BF16,
    /// An `f32`, of which the lower 13 bits count as 0: 11 digits.
    TF32,
    /// 64 bits.
    F64,
    /// A signed byte.
    I8,
    /// An unsigned byte.
    U8,
    /// A signed integer of 4 bits.
    I4,
    /// An unsigned integer of 4 bits.
    U4,
    /// A float of 8 bits, 4 digits, without infinities.
    E4M3,
    /// A float of 8 bits, 3 digits.
    E5M2,
}

impl MmaType {
    /// Returns the number of elements in a word.
    pub const fn per_word(self) -> usize {
        match self {
            Self::F16 | Self::BF16 => 2,
            Self::TF32 | Self::F64 => 1,
            Self::I8 | Self::U8 | Self::E4M3 | Self::E5M2 => 4,
            Self::I4 | Self::U4 => 8,
        }
    }

    /// Returns the type of a word.
    pub const fn word(self) -> Scalar {
        match self {
            Self::F64 => Scalar::F64,
            Self::F16
            | Self::BF16
            | Self::TF32
            | Self::I8
            | Self::U8
            | Self::I4
            | Self::U4
            | Self::E4M3
            | Self::E5M2 => Scalar::U32,
        }
    }

    /// Returns true for floats of 8 bits.
    pub const fn is_float8(self) -> bool {
        matches!(self, Self::E4M3 | Self::E5M2)
    }
}

/// A product of matrices that tensor cores compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaOp {
    /// The shape.
    pub shape: MmaShape,
    /// The element type of `c` and `d`: `f16`, `f32`, `f64` or `i32`.
    pub sum: Scalar,
    /// The element type of `a`.
    pub a: MmaType,
    /// The element type of `b`.
    pub b: MmaType,
}

/// The most words of `a` that a lane has.
pub const MAX_A_WORDS: usize = 4;
/// The most words of `b` that a lane has.
pub const MAX_B_WORDS: usize = 2;
/// The most words of `c` that a lane has.
pub const MAX_SUM_WORDS: usize = 4;

impl MmaOp {
    /// Every product that some target has.
    pub const ALL: [Self; 39] = {
        use MmaShape::{M8N8K4, M8N8K16, M8N8K32, M16N8K4, M16N8K8, M16N8K16, M16N8K32, M16N8K64};
        use MmaType::{BF16, E4M3, E5M2, F16, F64, I4, I8, TF32, U4, U8};
        const fn op(shape: MmaShape, sum: Scalar, a: MmaType, b: MmaType) -> MmaOp {
            MmaOp { shape, sum, a, b }
        }
        [
            op(M16N8K8, Scalar::F32, F16, F16),
            op(M16N8K16, Scalar::F32, F16, F16),
            op(M16N8K8, Scalar::F16, F16, F16),
            op(M16N8K16, Scalar::F16, F16, F16),
            op(M16N8K8, Scalar::F32, BF16, BF16),
            op(M16N8K16, Scalar::F32, BF16, BF16),
            op(M16N8K4, Scalar::F32, TF32, TF32),
            op(M16N8K8, Scalar::F32, TF32, TF32),
            op(M8N8K4, Scalar::F64, F64, F64),
            op(M16N8K4, Scalar::F64, F64, F64),
            op(M16N8K8, Scalar::F64, F64, F64),
            op(M8N8K16, Scalar::I32, I8, I8),
            op(M8N8K16, Scalar::I32, I8, U8),
            op(M8N8K16, Scalar::I32, U8, I8),
            op(M8N8K16, Scalar::I32, U8, U8),
            op(M16N8K16, Scalar::I32, I8, I8),
            op(M16N8K16, Scalar::I32, I8, U8),
            op(M16N8K16, Scalar::I32, U8, I8),
            op(M16N8K16, Scalar::I32, U8, U8),
            op(M16N8K32, Scalar::I32, I8, I8),
            op(M16N8K32, Scalar::I32, I8, U8),
            op(M16N8K32, Scalar::I32, U8, I8),
            op(M16N8K32, Scalar::I32, U8, U8),
            op(M8N8K32, Scalar::I32, I4, I4),
            op(M8N8K32, Scalar::I32, I4, U4),
            op(M8N8K32, Scalar::I32, U4, I4),
            op(M8N8K32, Scalar::I32, U4, U4),
            op(M16N8K32, Scalar::I32, I4, I4),
            op(M16N8K32, Scalar::I32, I4, U4),
            op(M16N8K32, Scalar::I32, U4, I4),
            op(M16N8K32, Scalar::I32, U4, U4),
            op(M16N8K64, Scalar::I32, I4, I4),
            op(M16N8K64, Scalar::I32, I4, U4),
            op(M16N8K64, Scalar::I32, U4, I4),
            op(M16N8K64, Scalar::I32, U4, U4),
            op(M16N8K32, Scalar::F32, E4M3, E4M3),
            op(M16N8K32, Scalar::F32, E4M3, E5M2),
            op(M16N8K32, Scalar::F32, E5M2, E4M3),
            op(M16N8K32, Scalar::F32, E5M2, E5M2),
        ]
    };

    /// Returns the product with this name, `m16n8k16.f32.f16.f16`.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut words = name.split('.');
        let op = Self {
            shape: MmaShape::from_name(words.next()?)?,
            sum: Scalar::from_name(words.next()?)?,
            a: MmaType::from_name(words.next()?)?,
            b: MmaType::from_name(words.next()?)?,
        };
        (words.next().is_none() && Self::ALL.contains(&op)).then_some(op)
    }

    /// Returns the number of words of `a` that a lane has.
    pub const fn a_words(self) -> usize {
        let [m, _, k] = self.shape.dims();
        m * k / 32 / self.a.per_word()
    }

    /// Returns the number of words of `b` that a lane has.
    pub const fn b_words(self) -> usize {
        let [_, n, k] = self.shape.dims();
        n * k / 32 / self.b.per_word()
    }

    /// Returns the number of words of `c`, and of `d`, that a lane has.
    pub const fn sum_words(self) -> usize {
        let [m, n, _] = self.shape.dims();
        m * n / 32 / self.sums_per_word()
    }

    /// Returns the number of elements in a word of `c` and `d`.
    pub const fn sums_per_word(self) -> usize {
        match self.sum_word() {
            Scalar::U32 => 2,
            _ => 1,
        }
    }

    /// Returns the type of a word of `c` and `d`: the element type, or `u32` for two `f16`.
    pub const fn sum_word(self) -> Scalar {
        match self.sum {
            Scalar::F16 => Scalar::U32,
            sum => sum,
        }
    }

    /// Returns the types of the words that a lane passes: of `a`, then of `b`, then of `c`.
    pub fn arg_types(self) -> impl Iterator<Item = Scalar> {
        let a = std::iter::repeat_n(self.a.word(), self.a_words());
        let b = std::iter::repeat_n(self.b.word(), self.b_words());
        a.chain(b).chain(std::iter::repeat_n(self.sum_word(), self.sum_words()))
    }

    /// Returns the oldest target that has the product.
    pub fn oldest_target(self) -> Target {
        match (self.shape, self.a) {
            (MmaShape::M8N8K16 | MmaShape::M8N8K32, _) | (MmaShape::M16N8K8, MmaType::F16) => {
                Target::OLDEST
            }
            (_, MmaType::E4M3 | MmaType::E5M2) => Target::new(89),
            (MmaShape::M16N8K4 | MmaShape::M16N8K8, MmaType::F64) => Target::new(90),
            _ => Target::new(80),
        }
    }
}

impl fmt::Display for MmaOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, sum, a, b } = self;
        write!(f, "{}.{sum}.{}.{}", shape.name(), a.name(), b.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_products() {
        for op in MmaOp::ALL {
            assert_eq!(MmaOp::from_name(&op.to_string()), Some(op));
        }
        for name in ["m16n8k16.f32.f16", "m16n8k16.f32.f16.f16.f32", "m8n8k4.f32.f16.f16"] {
            assert_eq!(MmaOp::from_name(name), None);
        }
    }

    #[test]
    fn words_of_all_lanes_are_the_matrices() {
        for op in MmaOp::ALL {
            let [m, n, k] = op.shape.dims();
            assert_eq!(op.a_words() * op.a.per_word() * 32, m * k, "{op}");
            assert_eq!(op.b_words() * op.b.per_word() * 32, n * k, "{op}");
            assert_eq!(op.sum_words() * op.sums_per_word() * 32, m * n, "{op}");
            let within = op.a_words() <= MAX_A_WORDS
                && op.b_words() <= MAX_B_WORDS
                && op.sum_words() <= MAX_SUM_WORDS;
            assert!(within, "{op}");
        }
    }
}
