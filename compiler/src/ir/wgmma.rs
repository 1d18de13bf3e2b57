//! The matrix products of warpgroups: element types, the order of elements in tiles, and the parts
//! of each thread.
//!
//! The 128 threads of a warpgroup, four warps whose first is a multiple of 4, add the product of a
//! 64 by `k` matrix `a` and a `k` by `n` matrix `b` to a 64 by `n` matrix of sums, where `k`
//! elements are 128 bytes. Warp `w` of them has rows `16 * w` to `16 * w + 15` of `a` and of the
//! sums. Lane `l` belongs to group `g = l / 4` and is number `t = l % 4` in it. A word of `a` holds
//! as many neighbours along `k` as fit into 32 bits, `p`.
//!
//! | matrix | | row in the warp | column |
//! |---|---|---|---|
//! | sums | element `i` | `g + 8 * (i / 2 % 2)` | `8 * (i / 4) + 2 * t + i % 2` |
//! | `a` in registers | word `w`, element `e` | `g + 8 * (w % 2)` | `(4 * (w / 2) + t) * p + e` |
//!
//! # Tiles
//!
//! A tile in shared memory is made of rows of 128 bytes and begins at a multiple of 1024 bytes.
//! Bits 4 to 6 of the address of an element are exclusive-ored with bits 7 to 9, which swaps the
//! chunks of 16 bytes in a row: the *128-byte swizzle* ([`swizzle`](WgmmaOp::swizzle)). Without it:
//!
//! - In the order [`K`](Major::K) row `i` of the tile is row `i` of `a`, or column `i` of `b`.
//! - In the order [`Mn`](Major::Mn), which only elements of 16 bits have, row `k` of the tile is
//!   column `k` of `a`, or row `k` of `b`, of 64 elements. Further columns of `b` are in further
//!   tiles of 64 rows, one after the other.
use super::{MmaType, Scalar, names::Named};
use std::fmt;

/// The order of the elements of a factor in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// Elements that are added up are neighbours.
    K,
    /// Elements of a column of `a`, or of a row of `b`, are neighbours.
    Mn,
}

/// A product of matrices that a warpgroup computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WgmmaOp {
    /// The element type of both factors.
    pub ty: MmaType,
    /// The order of `a` in shared memory; `None` if it is in registers.
    pub a: Option<Major>,
    /// The order of `b` in shared memory.
    pub b: Major,
    /// True if the product is added to the sums, false if it replaces them.
    pub accumulates: bool,
}

/// The bytes of a tile of 64 rows.
const TILE_BYTES: u64 = 64 * WgmmaOp::ROW_BYTES;

impl WgmmaOp {
    /// The number of threads of a warpgroup.
    pub const THREADS: u64 = 128;
    /// The number of rows of `a`.
    pub const ROWS: u64 = 64;
    /// The instructions of a product, each of which adds up a quarter of the elements.
    pub const STEPS: usize = 4;
    /// The words of `a` that a thread has in registers.
    pub const A_WORDS: usize = 16;
    /// The most columns of `b`.
    pub const MAX_COLUMNS: u64 = 256;
    /// The bytes of a row of a tile.
    pub const ROW_BYTES: u64 = 128;
    /// The alignment of a tile in bytes: the rows after which the swizzle repeats.
    pub const TILE_ALIGN: u64 = 1024;

    /// The name of `a` in registers.
    const REGISTERS: &str = "registers";

    /// Returns the type of the sums.
    pub const fn sum(self) -> Scalar {
        match self.ty {
            MmaType::I8 | MmaType::U8 | MmaType::I4 | MmaType::U4 => Scalar::I32,
            MmaType::F16
            | MmaType::BF16
            | MmaType::TF32
            | MmaType::F64
            | MmaType::E4M3
            | MmaType::E5M2 => Scalar::F32,
        }
    }

    /// Returns true if `b` can have so many columns.
    pub const fn has_columns(self, columns: u64) -> bool {
        let multiple = match self.sum() {
            Scalar::I32 if columns > 32 => 16,
            _ => 8,
        };
        columns.is_multiple_of(multiple) && matches!(columns, 8..=Self::MAX_COLUMNS)
    }

    /// Describes the numbers of columns that `b` can have.
    pub const fn describe_columns(self) -> &'static str {
        match self.sum() {
            Scalar::I32 => "8, 16, 24, 32, 48, 64 and so on up to 256 columns",
            _ => "8, 16, 24 and so on up to 256 columns",
        }
    }

    /// Returns the number of sums that a thread has of a product with so many columns.
    pub const fn sums(columns: u64) -> u64 {
        columns / 2
    }

    /// Returns the product with this name, `bf16.k.mn`, or `f16.registers.k.zero` if it replaces
    /// the sums.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut words = name.split('.');
        let op = Self {
            ty: MmaType::from_name(words.next()?)?,
            a: match words.next()? {
                Self::REGISTERS => None,
                name => Some(Major::from_name(name)?),
            },
            b: Major::from_name(words.next()?)?,
            accumulates: match words.next() {
                None => true,
                Some("zero") => false,
                Some(_) => return None,
            },
        };
        (words.next().is_none() && op.exists()).then_some(op)
    }

    /// True if hardware has the product.
    fn exists(self) -> bool {
        let is_k_major = self.b == Major::K && self.a != Some(Major::Mn);
        match self.ty {
            MmaType::F16 | MmaType::BF16 => true,
            MmaType::I8 | MmaType::U8 | MmaType::E4M3 | MmaType::E5M2 | MmaType::TF32 => is_k_major,
            MmaType::F64 | MmaType::I4 | MmaType::U4 => false,
        }
    }

    /// Returns the bytes of the tiles of a factor with `lines` rows of `a`, or columns of `b`.
    pub const fn factor_bytes(major: Major, lines: u64) -> u64 {
        match major {
            Major::K => lines * Self::ROW_BYTES,
            Major::Mn => lines.div_ceil(Self::ROWS) * TILE_BYTES,
        }
    }

    /// Returns the distance of the elements of two instructions in bytes.
    pub const fn step_bytes(major: Major) -> u64 {
        let rows = match major {
            Major::K => 1,
            Major::Mn => Self::ROWS,
        };
        rows * Self::ROW_BYTES / Self::STEPS as u64
    }

    /// Returns the place before the swizzle, in bytes after the start of the first tile, of word
    /// `word` of row `line` of a K-major `a`, or of column `line` of a K-major `b`.
    pub const fn word_offset(line: u64, word: u64) -> u64 {
        line * Self::ROW_BYTES + 4 * word
    }

    /// Returns the place before the swizzle, in bytes after the start of the first tile, of element
    /// `k` of row `line` of an MN-major `a`, or of column `line` of an MN-major `b`.
    pub const fn half_offset(line: u64, k: u64) -> u64 {
        let (tile, column) = (line / Self::ROWS, line % Self::ROWS);
        tile * TILE_BYTES + k * Self::ROW_BYTES + 2 * column
    }

    /// Returns the address of the element that would be at an address without the swizzle.
    pub const fn swizzle(address: u64) -> u64 {
        address ^ (address >> 7 & 7) << 4
    }

    /// Returns the row in the tile of a warp, and the column, of a thread's sum number `i`.
    pub const fn place_of_sum(lane: u64, i: u64) -> [u64; 2] {
        [lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2]
    }

    /// Returns the number of the thread's word of `a` in registers, and the lane, with word `word`
    /// of a row in the tile of a warp.
    pub const fn place_of_word(row: u64, word: u64) -> [u64; 2] {
        [word / 4 * 2 + row / 8, row % 8 * 4 + word % 4]
    }
}

impl fmt::Display for WgmmaOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let a = self.a.map_or(Self::REGISTERS, Major::name);
        write!(f, "{}.{a}.{}", self.ty.name(), self.b.name())?;
        if self.accumulates { Ok(()) } else { write!(f, ".zero") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_products() {
        for name in ["bf16.k.k", "bf16.mn.k", "f16.k.mn.zero", "f16.registers.mn", "i8.k.k"] {
            let op = WgmmaOp::from_name(name).unwrap();
            assert_eq!(op.to_string(), name);
        }
        let unknown = ["bf16.k", "bf16.k.registers", "f64.k.k", "f16.k.k.one", "f16.k.k.zero.zero"];
        for name in unknown {
            assert_eq!(WgmmaOp::from_name(name), None);
        }
    }

    #[test]
    fn only_halves_may_be_mn_major() {
        for ty in ["i8", "u8", "e4m3", "e5m2", "tf32"] {
            for orders in ["k.mn", "mn.k", "mn.mn", "registers.mn"] {
                assert_eq!(WgmmaOp::from_name(&format!("{ty}.{orders}")), None);
            }
            assert!(WgmmaOp::from_name(&format!("{ty}.registers.k.zero")).is_some());
        }
    }

    #[test]
    fn many_columns_of_bytes_are_multiples_of_sixteen() {
        let columns = |name: &str| -> Vec<u64> {
            let op = WgmmaOp::from_name(name).unwrap();
            (0..=300).filter(|columns| op.has_columns(*columns)).collect()
        };
        assert_eq!(columns("f16.k.k"), (8..=256).step_by(8).collect::<Vec<_>>());
        let bytes: Vec<u64> = [8, 16, 24].into_iter().chain((32..=256).step_by(16)).collect();
        assert_eq!(columns("u8.k.k"), bytes);
    }

    #[test]
    fn a_sum_is_in_the_register_of_the_factor() {
        for lane in 0..32 {
            for word in 0..WgmmaOp::A_WORDS as u64 {
                let [row, k] = WgmmaOp::place_of_sum(lane, 2 * word);
                assert_eq!(WgmmaOp::place_of_word(row, k / 2), [word, lane]);
                assert_eq!(WgmmaOp::place_of_sum(lane, 2 * word + 1), [row, k + 1]);
            }
        }
    }

    #[test]
    fn a_tile_has_each_element_once() {
        let halves = |places: &dyn Fn(u64, u64) -> u64| {
            let mut found = vec![false; 128 * 64];
            for line in 0..128 {
                for k in 0..64 {
                    let at = WgmmaOp::swizzle(places(line, k));
                    assert!(!std::mem::replace(&mut found[at as usize / 2], true));
                }
            }
            assert!(found.iter().all(|found| *found));
        };
        halves(&|line, k| WgmmaOp::word_offset(line, k / 2) + k % 2 * 2);
        halves(&WgmmaOp::half_offset);
    }
}
