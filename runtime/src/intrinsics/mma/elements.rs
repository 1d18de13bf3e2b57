//! The element types of matrices, and the words of fragments.
use super::{
    float8::{E4M3, E5M2},
    int4::{I4, U4},
};
use crate::{bf16, device, f16};

/// An element type of factors.
#[device]
pub trait FactorElement: Copy {
    /// The type of the elements in memory, of which one may hold [several](Self::PER_VALUE).
    type Value: Copy;
    /// The type of a word of a fragment.
    type Word: Copy;
    /// The number of elements in a word.
    ///
    /// ```
    /// use warpwise::{f16, mma::{FactorElement, Tf32}};
    ///
    /// // A word has 32 bits, and 64 of `f64`.
    /// assert_eq!((i8::PER_WORD, f16::PER_WORD, Tf32::PER_WORD, f64::PER_WORD), (4, 2, 1, 1));
    /// ```
    const PER_WORD: usize;
    /// The number of elements in a [`Value`](Self::Value).
    ///
    /// ```
    /// use warpwise::mma::{FactorElement, I4};
    ///
    /// // Eight integers of 4 bits are a `u32`.
    /// assert_eq!((i8::PER_VALUE, I4::PER_VALUE), (1, 8));
    /// ```
    const PER_VALUE: usize;
    /// A word of zeros.
    ///
    /// ```
    /// use warpwise::{f16, mma::FactorElement};
    ///
    /// assert_eq!(f16::ZEROS, f16::load_word(&[f16::ZERO; 2], 0, 1));
    /// ```
    const ZEROS: Self::Word;
    /// Returns a word of the values at `start`, `start + step` and so on.
    ///
    /// ```
    /// use warpwise::mma::FactorElement;
    ///
    /// // Four bytes of a word, from every other element.
    /// assert_eq!(u8::load_word(&[1, 0, 2, 0, 3, 0, 4], 0, 2), 0x0403_0201);
    /// ```
    fn load_word(tile: &[Self::Value], start: usize, step: usize) -> Self::Word;
}

/// Implements element types of which a word, a `u32`, holds several. Given are their number and the
/// body of `load_word`, and for each type the number of elements in a value, the type of values,
/// and the bits of a value, which the body takes as a function.
macro_rules! packed_elements {
    (
        $per_word:literal,
        |$bits:ident, $tile:ident, $start:ident, $step:ident| $word:expr;
        $($ty:ident: $per_value:literal in $value:ident, $x:ident => $bits_of_x:expr;)*
    ) => {$(
        #[device]
        impl FactorElement for $ty {
            type Value = $value;
            type Word = u32;
            const PER_WORD: usize = $per_word;
            const PER_VALUE: usize = $per_value;
            const ZEROS: u32 = 0;
            fn load_word($tile: &[$value], $start: usize, $step: usize) -> u32 {
                let $bits = |$x: $value| $bits_of_x as u32;
                $word
            }
        }
    )*};
}

packed_elements! {
    2,
    |bits, tile, start, step| {
        let pair = &tile[start..start + step + 1];
        bits(pair[0]) | bits(pair[step]) << 16
    };
    f16: 1 in f16, x => x.to_bits();
    bf16: 1 in bf16, x => x.to_bits();
}

packed_elements! {
    4,
    |bits, tile, start, step| {
        let bytes = &tile[start..start + 3 * step + 1];
        let low = bits(bytes[0]) | bits(bytes[step]) << 8;
        low | bits(bytes[2 * step]) << 16 | bits(bytes[3 * step]) << 24
    };
    i8: 1 in i8, x => x as u8;
    u8: 1 in u8, x => x;
    E4M3: 1 in E4M3, x => x.to_bits();
    E5M2: 1 in E5M2, x => x.to_bits();
}

packed_elements! {
    8,
    |bits, tile, start, _step| bits(tile[start]);
    I4: 8 in u32, x => x;
    U4: 8 in u32, x => x;
}

#[device]
impl FactorElement for f64 {
    type Value = f64;
    type Word = f64;
    const PER_WORD: usize = 1;
    const PER_VALUE: usize = 1;
    const ZEROS: f64 = 0.0;
    fn load_word(tile: &[f64], start: usize, _step: usize) -> f64 {
        tile[start]
    }
}

/// `f32` elements of which tensor cores use the upper 19 bits: as many digits as an `f16` has,
/// and the exponents of an `f32`.
///
/// Loads take `f32`s, whose lower 13 bits products ignore. That truncates;
/// [`round_to_tf32`] rounds to the nearest, with half the error.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Tf32;

#[device]
impl FactorElement for Tf32 {
    type Value = f32;
    type Word = u32;
    const PER_WORD: usize = 1;
    const PER_VALUE: usize = 1;
    const ZEROS: u32 = 0;
    fn load_word(tile: &[f32], start: usize, _step: usize) -> u32 {
        tile[start].to_bits()
    }
}

/// Rounds to the nearest number whose lower 13 bits are 0, ties away from zero, as
/// `cvt.rna.tf32.f32` does. A NaN stays one.
///
/// ```
/// use warpwise::mma::round_to_tf32;
///
/// // Ten bits after the point are left.
/// assert_eq!(round_to_tf32(1.0 + 1.0 / 1024.0), 1.0 + 1.0 / 1024.0);
/// assert_eq!(round_to_tf32(1.0 + 1.0 / 4096.0), 1.0);
/// // To the nearest number, while a product would truncate.
/// assert_eq!(round_to_tf32(1.0 + 3.0 / 4096.0), 1.0 + 1.0 / 1024.0);
/// ```
#[device]
pub fn round_to_tf32(x: f32) -> f32 {
    if x.is_nan() { x } else { f32::from_bits((x.to_bits() + 0x1000) & !0x1fff) }
}

/// An element type of sums.
#[device]
pub trait SumElement: Copy {
    /// The type of a word of a fragment.
    type Word: Copy;
    /// The number of elements in a word.
    ///
    /// ```
    /// use warpwise::{f16, mma::SumElement};
    ///
    /// assert_eq!((f16::PER_WORD, f32::PER_WORD), (2, 1));
    /// ```
    const PER_WORD: usize;
    /// Returns the word whose elements are all `value`.
    ///
    /// ```
    /// use warpwise::{f16, mma::SumElement};
    ///
    /// // A word of an `f16` sum has two elements.
    /// assert_eq!(f16::splat(f16::ONE), 0x3c00_3c00);
    /// assert_eq!(f32::splat(1.0), 1.0);
    /// ```
    fn splat(value: Self) -> Self::Word;
    /// Returns element `index` of a word.
    ///
    /// ```
    /// use warpwise::{f16, mma::SumElement};
    ///
    /// assert_eq!(f16::get(0x3c00_0000, 1), f16::ONE);
    /// ```
    fn get(word: Self::Word, index: usize) -> Self;
    /// Returns `word` with another element `index`.
    ///
    /// ```
    /// use warpwise::{f16, mma::SumElement};
    ///
    /// assert_eq!(f16::with(0x3c00_3c00, 0, f16::ZERO), 0x3c00_0000);
    /// ```
    fn with(word: Self::Word, index: usize, value: Self) -> Self::Word;
    /// Returns zero.
    ///
    /// ```
    /// use warpwise::{f16, mma::SumElement};
    ///
    /// /// Returns the first element of words, or zero if there is none.
    /// fn first<T: SumElement>(words: &[T::Word]) -> T {
    ///     words.first().map_or(T::zero(), |&word| T::get(word, 0))
    /// }
    /// assert_eq!((first::<f16>(&[0x3c00]), first::<i32>(&[])), (f16::ONE, 0));
    /// ```
    fn zero() -> Self;
}

#[device]
impl SumElement for f32 {
    type Word = f32;
    const PER_WORD: usize = 1;
    fn splat(value: f32) -> f32 {
        value
    }
    fn get(word: f32, _index: usize) -> f32 {
        word
    }
    fn with(_word: f32, _index: usize, value: f32) -> f32 {
        value
    }
    fn zero() -> f32 {
        0.0
    }
}

#[device]
impl SumElement for f64 {
    type Word = f64;
    const PER_WORD: usize = 1;
    fn splat(value: f64) -> f64 {
        value
    }
    fn get(word: f64, _index: usize) -> f64 {
        word
    }
    fn with(_word: f64, _index: usize, value: f64) -> f64 {
        value
    }
    fn zero() -> f64 {
        0.0
    }
}

#[device]
impl SumElement for i32 {
    type Word = i32;
    const PER_WORD: usize = 1;
    fn splat(value: i32) -> i32 {
        value
    }
    fn get(word: i32, _index: usize) -> i32 {
        word
    }
    fn with(_word: i32, _index: usize, value: i32) -> i32 {
        value
    }
    fn zero() -> i32 {
        0
    }
}

#[device]
impl SumElement for f16 {
    type Word = u32;
    const PER_WORD: usize = 2;
    fn splat(value: f16) -> u32 {
        value.to_bits() as u32 * 0x1_0001
    }
    fn get(word: u32, index: usize) -> f16 {
        f16::from_bits((word >> (16 * index)) as u16)
    }
    fn with(word: u32, index: usize, value: f16) -> u32 {
        word & !(0xffff << (16 * index)) | (value.to_bits() as u32) << (16 * index)
    }
    fn zero() -> f16 {
        f16::from_bits(0)
    }
}
