//! Products on tensor cores of factors that are words of four bytes: four integers or floats of 8
//! bits, or one tf32.
//!
//! A block of four warps computes 64 by 64 elements, each warp 32 by 32. The factors pass through
//! two stages in shared memory, as words along the sums: a thread loads those of the next step to
//! registers before it multiplies, transposes four by four bytes of `b`, or rounds to tf32, and
//! stores them afterwards.
use super::{
    Gemm, finish, hopper, hopper::words::multiply_words, launch_with_activation, tile_of_block,
};
use crate::error::Result;
use warpwise::{
    Plain, Slice, Slice2, U32x2, bits,
    mma::{self, E4M3, E5M2, Tf32},
    prelude::*,
    wgmma,
};

/// Rows and columns of a tile of `c`.
#[device]
const TILE: usize = 64;
/// Words of a row of a tile of `a`, and of a column of one of `b`.
#[device]
const WORDS: usize = 16;
/// Words from one row or column of a tile to the next: no lanes read different words of the same
/// bank.
#[device]
const PITCH: usize = WORDS + 4;

/// The rows of a tile of `a`, or the columns of one of `b`.
#[device]
type Tile = [[u32; PITCH]; TILE];

/// An element type of factors whose sums are words, too.
#[device]
pub trait WordElement: wgmma::FactorElement {
    /// The number of elements in a word.
    const PER_WORD: usize;
    /// Rounds the elements of a word to those that the hardware multiplies.
    fn round(word: u32) -> u32;
    /// Adds the product of 16 rows and 8 columns, of 8 words each, to sums.
    fn multiply(left: [u32; 4], right: [u32; 2], sums: [Self::Sum; 4]) -> [Self::Sum; 4];
    /// Returns the bits of an element of the result from a sum and the bits of the earlier element,
    /// which counts if beta is not 0.
    fn finish_bits<const ACTIVATION: u32>(sum: Self::Sum, scales: (f64, f64), old: u32) -> u32;
    /// Multiplies the tiles of all steps, as one warpgroup.
    fn multiply_tiles<const N: usize, const PARTS: usize>(
        pipeline: hopper::words::Pipeline<N, PARTS>,
    ) -> [wgmma::Sum<Self, N>; PARTS];
}

/// Returns the elements of a word as they are.
#[device]
fn keep_elements(word: u32) -> u32 {
    word
}

/// Rounds a number to the nearest tf32.
#[device]
fn round_tf32(word: u32) -> u32 {
    mma::round_to_tf32(f32::from_bits(word)).to_bits()
}

/// Scales and activates a sum in `f64`, which represents every `i32` exactly.
#[device]
fn finish_integer<const ACTIVATION: u32>(sum: i32, scales: (f64, f64), old: u32) -> u32 {
    finish::<f64, ACTIVATION>(sum as f64, scales, old as i32 as f64) as i32 as u32
}

/// Scales and activates a sum in `f32`.
#[device]
fn finish_float<const ACTIVATION: u32>(sum: f32, (alpha, beta): (f64, f64), old: u32) -> u32 {
    finish::<f32, ACTIVATION>(sum, (alpha as f32, beta as f32), f32::from_bits(old)).to_bits()
}

/// A factor in global memory: as bytes, and as words if its rows are whole words.
#[device]
#[derive(Clone, Copy)]
struct Factor<'a> {
    words: &'a [u32],
    bytes: &'a [u8],
    rows: usize,
    columns: usize,
    /// The first row of the batch.
    first_row: usize,
}

#[device]
impl Factor<'_> {
    /// Returns a word of neighbours in a row, with zeros beyond the edges.
    fn load_word<T: WordElement, const WHOLE: bool>(self, row: usize, column: usize) -> u32 {
        if row >= self.rows || column >= self.columns {
            return 0;
        }
        let start = (self.first_row + row) * self.columns + column;
        if WHOLE {
            return self.words[start / T::PER_WORD];
        }
        // Rows of larger elements are always whole words, and so each element here is a byte.
        assert!(T::PER_WORD == 4);
        let mut word = 0;
        for i in 0..4 {
            if column + i < self.columns {
                word |= (self.bytes[start + i] as u32) << (i * 8);
            }
        }
        word
    }
}

/// A thread's words of the tiles of a step.
#[device]
#[derive(Clone, Copy)]
struct Words {
    a: [u32; 8],
    /// Four columns of four rows of bytes, or of one word, twice.
    b: [[u32; 4]; 2],
}

/// Returns a column of a thread's words of `b`. Eight lanes read 32 bytes of a row.
#[device]
fn b_column<T: WordElement>(part: usize, i: usize) -> usize {
    let lane = thread_idx_x() % 8;
    if T::PER_WORD == 4 { (part * 8 + lane) * 4 + i } else { (part * 4 + i) * 8 + lane }
}

/// Loads the words of a step.
#[device]
fn load_words<T: WordElement, const WHOLE: bool>(
    a: Factor,
    b: Factor,
    (row, column, depth): (usize, usize, usize),
) -> Words {
    let t = thread_idx_x();
    let mut words = Words { a: [0; 8], b: [[0; 4]; 2] };
    for i in 0..8 {
        let depth = depth + t % WORDS * T::PER_WORD;
        words.a[i] = a.load_word::<T, WHOLE>(row + i * 8 + t / WORDS, depth);
    }
    for part in 0..2 {
        for i in 0..4 {
            words.b[part][i] = if T::PER_WORD == 4 {
                b.load_word::<T, WHOLE>(depth + t / 8 * 4 + i, column + b_column::<T>(part, 0))
            } else {
                b.load_word::<T, WHOLE>(depth + t / 8, column + b_column::<T>(part, i))
            };
        }
    }
    words
}

/// Returns the columns of four rows of four bytes.
#[device]
fn transpose_bytes(rows: [u32; 4]) -> [u32; 4] {
    let [a, b, c, d] = rows;
    let (left, right) = (bits::permute_bytes(a, b, 0x5140), bits::permute_bytes(c, d, 0x5140));
    let (left_end, right_end) =
        (bits::permute_bytes(a, b, 0x7362), bits::permute_bytes(c, d, 0x7362));
    [
        bits::permute_bytes(left, right, 0x5410),
        bits::permute_bytes(left, right, 0x7632),
        bits::permute_bytes(left_end, right_end, 0x5410),
        bits::permute_bytes(left_end, right_end, 0x7632),
    ]
}

/// Stores the words of a step in a stage.
#[device]
#[expect(
    gpu_bank_conflicts,
    reason = "a step loads from shared memory far more often, and loads whole sectors of global memory"
)]
fn store_words<T: WordElement>(words: Words, tile_a: &mut Tile, tile_b: &mut Tile) {
    let t = thread_idx_x();
    for i in 0..8 {
        tile_a[i * 8 + t / WORDS][t % WORDS] = T::round(words.a[i]);
    }
    for part in 0..2 {
        let mut columns = words.b[part];
        if T::PER_WORD == 4 {
            columns = transpose_bytes(columns);
        }
        for j in 0..4 {
            tile_b[b_column::<T>(part, j)][t / 8] = T::round(columns[j]);
        }
    }
}

/// Multiplies matrices; `WHOLE` if the rows of both are whole words.
#[kernel(block = 128, instances(i8, u8, E4M3, E5M2, Tf32))]
fn multiply_words_by_warps<T: WordElement, const WHOLE: bool, const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    scales: (f64, f64),
    words_a: &[u32],
    bytes_a: &[u8],
    words_b: &[u32],
    bytes_b: &[u8],
    c: &mut [u32],
) {
    let tiles_a = shared!([Tile; 2]);
    let tiles_b = shared!([Tile; 2]);
    let batch = block_idx_y();
    let a =
        Factor { words: words_a, bytes: bytes_a, rows, columns: depth, first_row: batch * rows };
    let b =
        Factor { words: words_b, bytes: bytes_b, rows: depth, columns, first_row: batch * depth };
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(TILE), columns.div_ceil(TILE));
    let (first_row, first_column) = (tile_row * TILE, tile_column * TILE);
    let (row, column) = (warp::warp_id() / 2 * 32, warp::warp_id() % 2 * 32);
    let (group, lane) = (warp::lane_id() / 4, warp::lane_id() % 4);

    let mut sums = [[[<T as wgmma::FactorElement>::zero(); 4]; 4]; 2];
    let step_depth = T::PER_WORD * WORDS;
    let steps = depth.div_ceil(step_depth);
    store_words::<T>(
        load_words::<T, WHOLE>(a, b, (first_row, first_column, 0)),
        &mut tiles_a[0],
        &mut tiles_b[0],
    );
    sync_threads();
    for step in 0..steps {
        // After the last step, all of it is beyond the edge, and zero.
        let next = (first_row, first_column, (step + 1) * step_depth);
        let next = load_words::<T, WHOLE>(a, b, next);
        let (tile_a, tile_b) = (&tiles_a[step % 2], &tiles_b[step % 2]);
        for k in (0..WORDS).step_by(8) {
            let mut left = [[0; 4]; 2];
            for i in 0..2 {
                for word in 0..4 {
                    left[i][word] =
                        tile_a[row + i * 16 + word % 2 * 8 + group][k + word / 2 * 4 + lane];
                }
            }
            for j in 0..4 {
                let line = column + j * 8 + group;
                let right = [tile_b[line][k + lane], tile_b[line][k + 4 + lane]];
                for i in 0..2 {
                    sums[i][j] = T::multiply(left[i], right, sums[i][j]);
                }
            }
        }
        let other = (step + 1) % 2;
        store_words::<T>(next, &mut tiles_a[other], &mut tiles_b[other]);
        sync_threads();
    }
    for i in 0..2 {
        for j in 0..4 {
            for k in 0..4 {
                let row = first_row + row + i * 16 + mma::Accumulator::<i32, 16, 8>::row(k);
                let column =
                    first_column + column + j * 8 + mma::Accumulator::<i32, 16, 8>::column(k);
                if row < rows && column < columns {
                    let to = &mut c[(batch * rows + row) * columns + column];
                    let old = if scales.1 != 0.0 { *to } else { 0 };
                    *to = T::finish_bits::<ACTIVATION>(sums[i][j][k], scales, old);
                }
            }
        }
    }
}

/// A type of integers of 8 bits: `i8` or `u8`.
pub trait IntegerElement: Plain + Launches {}
impl IntegerElement for i8 {}
impl IntegerElement for u8 {}

/// A type of floats of 8 bits: [`E4M3`](struct@E4M3) or [`E5M2`](struct@E5M2).
pub trait Float8Element: Plain + Launches {}
impl Float8Element for E4M3 {}
impl Float8Element for E5M2 {}

/// The launches of the kernels for an element type.
pub trait Launches: WordElement {
    /// Multiplies matrices, given as bytes, and as words if their rows are whole words.
    fn launch_by_warps(
        device: &Device,
        gemm: &Gemm,
        words: Option<[&Slice<u32>; 2]>,
        bytes: [&Slice<u8>; 2],
        c: &mut Slice<u32>,
    ) -> Result<()>;
    /// Multiplies matrices that [`hopper::words::suits`] accepts, and the second of which is
    /// transposed.
    fn launch_by_warpgroups(
        device: &Device,
        gemm: &Gemm,
        factors: [&Slice2<u32>; 2],
        c: &mut Slice<U32x2>,
    ) -> Result<()>;
}

/// Implements an element type, given its sums, the elements of a word, the rounding, the product of
/// a warp, the result, and the summation of a warpgroup with the columns of a product and the
/// products of a tile.
macro_rules! word_element {
    (
        $($ty:ident: $sum:ident, $per_word:literal, $round:ident, $multiply:ident, $finish:ident,
        $multiply_tiles:ident: $n:literal * $parts:literal;)*
    ) => {$(
        #[device]
        impl WordElement for $ty {
            const PER_WORD: usize = $per_word;
            fn round(word: u32) -> u32 {
                $round(word)
            }
            fn multiply(left: [u32; 4], right: [u32; 2], sums: [$sum; 4]) -> [$sum; 4] {
                mma::words::$multiply(left, right, sums)
            }
            fn finish_bits<const ACTIVATION: u32>(sum: $sum, scales: (f64, f64), old: u32) -> u32 {
                $finish::<ACTIVATION>(sum, scales, old)
            }
            fn multiply_tiles<const N: usize, const PARTS: usize>(
                pipeline: hopper::words::Pipeline<N, PARTS>,
            ) -> [wgmma::Sum<$ty, N>; PARTS] {
                hopper::words::$multiply_tiles::<$ty, N, PARTS>(pipeline)
            }
        }

        impl Launches for $ty {
            fn launch_by_warps(
                device: &Device,
                gemm: &Gemm,
                words: Option<[&Slice<u32>; 2]>,
                [a, b]: [&Slice<u8>; 2],
                c: &mut Slice<u32>,
            ) -> Result<()> {
                let Gemm { rows, columns, depth, alpha, beta, .. } = *gemm;
                let tiles = rows.div_ceil(TILE) * columns.div_ceil(TILE);
                let config = LaunchConfig::grid((tiles, gemm.batches));
                let scales = (alpha, beta);
                macro_rules! launch {
                    ($whole:literal, $words_a:expr, $words_b:expr) => {
                        launch_with_activation!(
                            gemm.activation,
                            multiply_words_by_warps::<Self, $whole>(
                                device, config, rows, columns, depth, scales, $words_a, a,
                                $words_b, b, c,
                            )
                        )
                    };
                }
                if let Some([words_a, words_b]) = words {
                    launch!(true, words_a, words_b)?;
                } else {
                    let none = device.zeros(0)?;
                    launch!(false, &none, &none)?;
                }
                Ok(())
            }

            fn launch_by_warpgroups(
                device: &Device,
                gemm: &Gemm,
                [a, b]: [&Slice2<u32>; 2],
                c: &mut Slice<U32x2>,
            ) -> Result<()> {
                let Gemm { rows, columns, batches, alpha, beta, .. } = *gemm;
                let tiles = rows.div_ceil(hopper::ROWS) * columns.div_ceil($n * $parts);
                let config = LaunchConfig::grid((tiles, batches));
                let scales = (alpha, beta);
                launch_with_activation!(
                    gemm.activation,
                    multiply_words::<Self, $n, $parts, { $n * $parts }>(
                        device, config, rows, columns, scales, a, b, c
                    )
                )?;
                Ok(())
            }
        }
    )*};
}

word_element! {
    i8: i32, 4, keep_elements, m16n8k32_i32_i8_i8, finish_integer, multiply_in_place: 256 * 1;
    u8: i32, 4, keep_elements, m16n8k32_i32_u8_u8, finish_integer, multiply_in_place: 256 * 1;
    E4M3: f32, 4, keep_elements, m16n8k32_f32_e4m3_e4m3, finish_float, multiply_in_parts: 96 * 2;
    E5M2: f32, 4, keep_elements, m16n8k32_f32_e5m2_e5m2, finish_float, multiply_in_parts: 96 * 2;
    Tf32: f32, 1, round_tf32, m16n8k8_f32_tf32_tf32, finish_float, multiply_in_place: 256 * 1;
}

/// Multiplies matrices of elements with these bytes.
pub(super) fn launch<T: Launches>(
    device: &Device,
    gemm: &Gemm,
    [a, b]: [&Slice<u8>; 2],
    c: &mut Slice<u32>,
) -> Result<()> {
    if hopper::words::suits::<T>(device, gemm, a)
        && let Ok(mut pairs) = c.as_structs_mut()
    {
        return hopper::words::launch::<T>(device, gemm, [a, b], &mut pairs);
    }
    launch_by_warps::<T>(device, gemm, [a, b], c)
}

fn launch_by_warps<T: Launches>(
    device: &Device,
    gemm: &Gemm,
    [a, b]: [&Slice<u8>; 2],
    c: &mut Slice<u32>,
) -> Result<()> {
    if gemm.columns.is_multiple_of(T::PER_WORD)
        && gemm.depth.is_multiple_of(T::PER_WORD)
        && let (Ok(words_a), Ok(words_b)) = (a.as_structs(), b.as_structs())
    {
        return T::launch_by_warps(device, gemm, Some([&words_a, &words_b]), [a, b], c);
    }
    T::launch_by_warps(device, gemm, None, [a, b], c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;

    /// Multiplies the same bytes by warps and by warpgroups, also where every stage is used again.
    fn check<T: Launches>(bytes: impl Fn(usize) -> [u8; 4]) -> Result<()> {
        let device = Device::cpu();
        for (rows, columns, steps, batches) in [(130, 264, 9, 1), (128, 4, 1, 1), (128, 8, 37, 2)] {
            // Rows of whole words, and the last step not.
            let words = steps * 4;
            let numbers = |seed: usize, len: usize| -> Vec<u8> {
                (0..len).flat_map(|i| bytes(i * seed % 251)).collect()
            };
            let a = device.upload(&numbers(7, batches * rows * words))?;
            let b = device.upload(&numbers(5, batches * words * columns))?;
            let gemm = Gemm {
                alpha: 0.25,
                beta: 0.5,
                batches,
                activation: Activation::Relu,
                ..Gemm::new(rows, columns, words * T::PER_WORD)
            };
            assert!(hopper::words::suits::<T>(&device, &gemm, &a));
            let before = vec![3000; batches * rows * columns];
            let mut by_warps = device.upload(&before)?;
            let mut by_warpgroups = device.upload(&before)?;
            launch_by_warps::<T>(&device, &gemm, [&a, &b], &mut by_warps)?;
            launch::<T>(&device, &gemm, [&a, &b], &mut by_warpgroups)?;
            assert_eq!(by_warps.to_vec()?, by_warpgroups.to_vec()?);
            assert_ne!(by_warps.to_vec()?, before);
        }
        Ok(())
    }

    #[test]
    fn warps_multiply_integers_as_warpgroups_do() -> Result<()> {
        check::<i8>(|i| (i as u32 * 0x0503_0b01).to_le_bytes())?;
        check::<u8>(|i| (i as u32 * 0x0503_0b01).to_le_bytes())
    }

    /// All sums are exact.
    #[test]
    fn warps_multiply_floats_of_8_bits_as_warpgroups_do() -> Result<()> {
        let small = |i: usize| [i, i / 5, i / 7, i / 11].map(|i| (i % 5) as f32 - 2.0);
        check::<E4M3>(|i| small(i).map(|x| E4M3::from_f32(x).to_bits()))?;
        check::<E5M2>(|i| small(i).map(|x| E5M2::from_f32(x).to_bits()))
    }

    /// The factors are rounded to tf32, and the sums are inexact.
    #[test]
    fn warps_multiply_tf32_as_warpgroups_do() -> Result<()> {
        check::<Tf32>(|i| ((i as f32 - 120.0) * 1.000_321).to_le_bytes())
    }

    /// Few rows, and rows that begin elsewhere than at multiples of 16 bytes, are left to warps.
    #[test]
    fn other_products_are_left_to_warps() -> Result<()> {
        let device = Device::cpu();
        for (rows, depth) in [(127, 16), (128, 24), (128, 0)] {
            let (a, gemm) = (device.zeros(rows * depth)?, Gemm::new(rows, 16, depth));
            assert!(!hopper::words::suits::<i8>(&device, &gemm, &a));
        }
        let (a, gemm) = (device.zeros(128 * 6 * 4)?, Gemm::new(128, 16, 6));
        assert!(!hopper::words::suits::<Tf32>(&device, &gemm, &a));
        Ok(())
    }
}
