//! Products of `i8` on tensor cores.
//!
//! A block of four warps computes 64 by 64 elements, each warp 32 by 32. The factors pass through
//! two stages in shared memory, as words of four bytes along the sums: a thread loads those of the
//! next step to registers before it multiplies, transposes four by four bytes of `b`, and stores
//! them afterwards.
use super::{Gemm, finish, hopper, launch_with_activation, tile_of_block};
use crate::error::Result;
use warpwise::{Slice, bits, mma, prelude::*};

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

/// A factor in global memory: words of rows if those are whole ones, and bytes.
#[device]
#[derive(Clone, Copy)]
struct Factor<'a> {
    words: &'a [(u32,)],
    bytes: &'a [i8],
    rows: usize,
    columns: usize,
    /// The first row of the batch.
    first_row: usize,
}

#[device]
impl Factor<'_> {
    /// Returns four neighbours in a row, with zeros beyond the edges.
    fn word<const WHOLE: bool>(self, row: usize, column: usize) -> u32 {
        if row >= self.rows || column >= self.columns {
            return 0;
        }
        let start = (self.first_row + row) * self.columns + column;
        if WHOLE {
            return self.words[start / 4].0;
        }
        let mut word = 0;
        for i in 0..4 {
            if column + i < self.columns {
                word |= (self.bytes[start + i] as u8 as u32) << (i * 8);
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
    /// Four columns of four rows, twice.
    b: [[u32; 4]; 2],
}

/// Returns the place of a thread's words of `b`: the number of its word in each column, and the
/// first column. Eight lanes read 32 bytes of a row.
#[device]
fn place_b(part: usize) -> (usize, usize) {
    (thread_idx_x() / 8, (part * 8 + thread_idx_x() % 8) * 4)
}

/// Loads the words of a step.
#[device]
fn load_words<const WHOLE: bool>(
    a: Factor,
    b: Factor,
    (row, column, depth): (usize, usize, usize),
) -> Words {
    let t = thread_idx_x();
    let mut words = Words { a: [0; 8], b: [[0; 4]; 2] };
    for i in 0..8 {
        words.a[i] = a.word::<WHOLE>(row + i * 8 + t / WORDS, depth + t % WORDS * 4);
    }
    for part in 0..2 {
        let (word, first) = place_b(part);
        for i in 0..4 {
            words.b[part][i] = b.word::<WHOLE>(depth + word * 4 + i, column + first);
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
fn store_words(words: Words, tile_a: &mut Tile, tile_b: &mut Tile) {
    let t = thread_idx_x();
    for i in 0..8 {
        tile_a[i * 8 + t / WORDS][t % WORDS] = words.a[i];
    }
    for part in 0..2 {
        let (word, first) = place_b(part);
        let columns = transpose_bytes(words.b[part]);
        for j in 0..4 {
            tile_b[first + j][word] = columns[j];
        }
    }
}

/// Multiplies matrices; `WHOLE` if the rows of both are whole words.
#[kernel(block = 128)]
fn multiply_integers<const WHOLE: bool, const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    factors: (f64, f64),
    words_a: &[(u32,)],
    bytes_a: &[i8],
    words_b: &[(u32,)],
    bytes_b: &[i8],
    c: &mut [i32],
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

    let mut sums = [[mma::Accumulator::<i32, 16, 8>::zero(); 4]; 2];
    let steps = depth.div_ceil(4 * WORDS);
    store_words(
        load_words::<WHOLE>(a, b, (first_row, first_column, 0)),
        &mut tiles_a[0],
        &mut tiles_b[0],
    );
    sync_threads();
    for step in 0..steps {
        // Beyond the edge after the last step.
        let next = load_words::<WHOLE>(a, b, (first_row, first_column, (step + 1) * 4 * WORDS));
        let (tile_a, tile_b) = (&tiles_a[step % 2], &tiles_b[step % 2]);
        for k in (0..WORDS).step_by(8) {
            let mut left = [mma::A::<i8, 16, 32> { words: [0; 4] }; 2];
            for i in 0..2 {
                for word in 0..4 {
                    left[i].words[word] =
                        tile_a[row + i * 16 + word % 2 * 8 + group][k + word / 2 * 4 + lane];
                }
            }
            for j in 0..4 {
                let line = column + j * 8 + group;
                let words = [tile_b[line][k + lane], tile_b[line][k + 4 + lane]];
                for i in 0..2 {
                    sums[i][j].multiply_add(left[i], mma::B::<i8, 32, 8> { words });
                }
            }
        }
        let other = (step + 1) % 2;
        store_words(next, &mut tiles_a[other], &mut tiles_b[other]);
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
                    let old = if factors.1 != 0.0 { *to as f64 } else { 0.0 };
                    let sum = sums[i][j].get(k) as f64;
                    *to = finish::<f64, ACTIVATION>(sum, factors, old) as i32;
                }
            }
        }
    }
}

pub(super) fn launch(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<i8>,
    b: &Slice<i8>,
    c: &mut Slice<i32>,
) -> Result<()> {
    if hopper::integers::suits(device, gemm, a)
        && let Ok(mut pairs) = c.as_vectors_mut()
    {
        return hopper::integers::launch(device, gemm, a, b, &mut pairs);
    }
    launch_by_warps(device, gemm, a, b, c)
}

fn launch_by_warps(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<i8>,
    b: &Slice<i8>,
    c: &mut Slice<i32>,
) -> Result<()> {
    let Gemm { rows, columns, depth, alpha, beta, .. } = *gemm;
    let tiles = rows.div_ceil(TILE) * columns.div_ceil(TILE);
    let config = LaunchConfig::grid((tiles, gemm.batches));
    let factors = (alpha, beta);
    macro_rules! launch {
        ($whole:literal, $words_a:expr, $words_b:expr) => {
            launch_with_activation!(
                gemm.activation,
                multiply_integers::<$whole>(
                    device, config, rows, columns, depth, factors, $words_a, a, $words_b, b, c,
                )
            )
        };
    }
    if columns % 4 == 0
        && depth % 4 == 0
        && let (Ok(words_a), Ok(words_b)) = (a.as_structs(), b.as_structs())
    {
        launch!(true, &words_a, &words_b)?;
    } else {
        let none = device.zeros::<(u32,)>(0)?;
        launch!(false, &none, &none)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;

    /// The products that [`launch`] leaves to warpgroups are the same by warps, also where every
    /// stage is used again.
    #[test]
    fn warps_multiply_as_warpgroups_do() -> Result<()> {
        let device = Device::cpu();
        let cases = [(130, 264, 144, 1), (128, 4, 16, 1), (200, 40, 1168, 2)];
        for (rows, columns, depth, batches) in cases {
            let numbers = |seed: usize, len: usize| -> Vec<i8> {
                (0..len).map(|i| (i * seed % 251) as u8 as i8).collect()
            };
            let a = device.upload(&numbers(7, batches * rows * depth))?;
            let b = device.upload(&numbers(5, batches * depth * columns))?;
            let gemm = Gemm {
                alpha: 0.25,
                beta: 0.5,
                batches,
                activation: Activation::Relu,
                ..Gemm::new(rows, columns, depth)
            };
            assert!(hopper::integers::suits(&device, &gemm, &a));
            let mut by_warps = device.upload(&vec![3000; batches * rows * columns])?;
            let mut by_warpgroups = device.upload(&vec![3000; batches * rows * columns])?;
            launch_by_warps(&device, &gemm, &a, &b, &mut by_warps)?;
            launch(&device, &gemm, &a, &b, &mut by_warpgroups)?;
            assert_eq!(by_warps.to_vec()?, by_warpgroups.to_vec()?);
        }
        Ok(())
    }

    /// Few rows, and rows that begin elsewhere than at multiples of 16 bytes, are left to warps.
    #[test]
    fn other_products_are_left_to_warps() -> Result<()> {
        let device = Device::cpu();
        for (rows, depth) in [(127, 16), (128, 24), (128, 0)] {
            let a = device.zeros(rows * depth)?;
            assert!(!hopper::integers::suits(&device, &Gemm::new(rows, 16, depth), &a));
        }
        Ok(())
    }
}
