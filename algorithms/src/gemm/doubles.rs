//! Products of `f64` on tensor cores.
//!
//! A block of four warps computes a tile, in two rows of two warps. The factors pass through three
//! stages in shared memory, two of which are on their way while one is multiplied, as pairs where
//! their rows are whole pairs. Rows of tiles are four numbers longer, so that no lanes read
//! different numbers of the same bank.
use super::{Gemm, hopper, launch_with_activation, store, tile_of_block};
use crate::error::Result;
use warpwise::{F64x2, Slice, mma, prelude::*};

#[device]
const THREADS: usize = 128;
/// Columns of a tile of `b` and `c`.
#[device]
const COLUMNS: usize = 64;
/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 16;
#[device]
const STAGES: usize = 3;
/// Numbers from one row of a tile to the next.
#[device]
const PITCH_A: usize = DEPTH + 4;
#[device]
const PITCH_B: usize = COLUMNS + 4;

#[device]
type TileA<const ROWS: usize> = [[f64; PITCH_A]; ROWS];
#[device]
type TileB = [[f64; PITCH_B]; DEPTH];

#[device]
type Sum = mma::Accumulator<f64, 16, 8>;
#[device]
type Left = mma::A<f64, 16, 8>;
#[device]
type Right = mma::B<f64, 8, 8>;

/// A factor in global memory, as numbers and as pairs if its rows are whole pairs.
#[device]
#[derive(Clone, Copy)]
struct Factor<'a> {
    numbers: &'a [f64],
    pairs: &'a [F64x2],
    rows: usize,
    columns: usize,
    /// The first row of the batch.
    first_row: usize,
}

#[device]
impl Factor<'_> {
    /// Begins to copy a tile with rows of `WIDTH` numbers, with zeros beyond the edges. Its row and
    /// column are the first ones of the tile.
    fn fetch<const PAIRS: bool, const WIDTH: usize, const PITCH: usize, const ROWS: usize>(
        self,
        row: usize,
        column: usize,
        tile: &mut [[f64; PITCH]; ROWS],
    ) {
        let tile = tile.as_flattened_mut();
        if PAIRS {
            let tile = tile.as_vectors_mut::<F64x2>();
            self.fetch_elements::<F64x2, 2, WIDTH, PITCH, ROWS>(row, column, self.pairs, tile);
        } else {
            self.fetch_elements::<f64, 1, WIDTH, PITCH, ROWS>(row, column, self.numbers, tile);
        }
    }

    /// Copies as [`fetch`](Self::fetch) does, with elements of `LANES` numbers.
    fn fetch_elements<
        T: Copy + Default,
        const LANES: usize,
        const WIDTH: usize,
        const PITCH: usize,
        const ROWS: usize,
    >(
        self,
        row: usize,
        column: usize,
        elements: &[T],
        tile: &mut [T],
    ) {
        let t = thread_idx_x();
        for round in 0..ROWS * WIDTH / LANES / THREADS {
            let i = round * (LANES * THREADS / WIDTH) + t / (WIDTH / LANES);
            let j = t % (WIDTH / LANES);
            let (row, column) = (row + i, column + j * LANES);
            let to = &mut tile[i * (PITCH / LANES) + j];
            if row < self.rows && column < self.columns {
                let from = ((self.first_row + row) * self.columns + column) / LANES;
                async_copy::copy(to, &elements[from]);
            } else {
                *to = T::default();
            }
        }
    }
}

/// Adds a product to a sum. `WIDE` selects the one instruction of devices from sm_90 on; otherwise
/// four smaller ones, which every device with `f64` tensor cores has, take twice as long.
#[device]
fn multiply_add<const WIDE: bool>(sum: &mut Sum, left: Left, right: Right) {
    if WIDE {
        sum.multiply_add(left, right);
    } else {
        for half in 0..2 {
            let words = [sum.words[2 * half], sum.words[2 * half + 1], 0.0, 0.0];
            let mut rows = mma::Accumulator::<f64, 8, 8> { words };
            for k in 0..2 {
                let left = mma::A::<f64, 8, 4> { words: [left.words[half + 2 * k], 0.0, 0.0, 0.0] };
                rows.multiply_add(left, mma::B::<f64, 4, 8> { words: [right.words[k], 0.0] });
            }
            sum.words[2 * half] = rows.words[0];
            sum.words[2 * half + 1] = rows.words[1];
        }
    }
}

/// Multiplies matrices, `PAIRS` if the rows of both factors are whole pairs. A warp computes
/// `PARTS` times 16 rows and half of the columns of a tile of `ROWS` rows, 32 times `PARTS`.
#[kernel(block = 128, min_blocks = 2)]
fn multiply_doubles<
    const WIDE: bool,
    const PAIRS: bool,
    const PARTS: usize,
    const ROWS: usize,
    const ACTIVATION: u32,
>(
    rows: usize,
    columns: usize,
    depth: usize,
    scales: (f64, f64),
    a: &[f64],
    pairs_a: &[F64x2],
    b: &[f64],
    pairs_b: &[F64x2],
    c: &mut [f64],
) {
    let tiles_a = shared!([TileA<ROWS>; STAGES]);
    let tiles_b = shared!([TileB; STAGES]);
    let batch = block_idx_y();
    let a = Factor { numbers: a, pairs: pairs_a, rows, columns: depth, first_row: batch * rows };
    let b = Factor { numbers: b, pairs: pairs_b, rows: depth, columns, first_row: batch * depth };
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    let (first_row, first_column) = (tile_row * ROWS, tile_column * COLUMNS);
    let row = warp::warp_id() / 2 * (16 * PARTS);
    let column = warp::warp_id() % 2 * (COLUMNS / 2);

    let mut sums = [[Sum::zero(); 4]; PARTS];
    let steps = depth.div_ceil(DEPTH);
    // The first steps only fill stages.
    for step in 0..steps + STAGES - 1 {
        let is_full = step + 1 >= STAGES;
        if is_full {
            // From here on all threads see the tiles of this step, and none reads the stage that is
            // filled next.
            async_copy::wait::<{ STAGES - 2 }>();
            sync_threads();
        }
        if step < steps {
            let (free, k) = (step % STAGES, step * DEPTH);
            a.fetch::<PAIRS, DEPTH, PITCH_A, ROWS>(first_row, k, &mut tiles_a[free]);
            b.fetch::<PAIRS, COLUMNS, PITCH_B, DEPTH>(k, first_column, &mut tiles_b[free]);
        }
        async_copy::commit();
        if is_full {
            let full = (step + 1) % STAGES;
            let (tile_a, tile_b) = (tiles_a[full].as_flattened(), tiles_b[full].as_flattened());
            for k in (0..DEPTH).step_by(8) {
                let mut left = [Left::load(tile_a, row * PITCH_A + k, PITCH_A); PARTS];
                for i in 1..PARTS {
                    left[i] = Left::load(tile_a, (row + i * 16) * PITCH_A + k, PITCH_A);
                }
                for j in 0..4 {
                    let right = Right::load(tile_b, k * PITCH_B + column + j * 8, PITCH_B);
                    for i in 0..PARTS {
                        multiply_add::<WIDE>(&mut sums[i][j], left[i], right);
                    }
                }
            }
        }
    }
    async_copy::wait_all();
    for i in 0..PARTS {
        for k in 0..Sum::LEN {
            let row = first_row + row + i * 16 + Sum::row(k);
            if row < rows {
                let line = &mut c[(batch * rows + row) * columns..][..columns];
                for j in 0..4 {
                    let column = first_column + column + j * 8 + Sum::column(k);
                    if column < columns {
                        store::<f64, ACTIVATION>(sums[i][j].get(k), scales, &mut line[column]);
                    }
                }
            }
        }
    }
}

pub(super) fn launch(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<f64>,
    b: &Slice<f64>,
    c: &mut Slice<f64>,
) -> Result<()> {
    if hopper::doubles::suits(device, gemm)
        && let (Ok(_), Ok(_)) = (a.as_vectors::<F64x2>(), b.as_vectors::<F64x2>())
        && let Ok(mut pairs) = c.as_vectors_mut()
    {
        return hopper::doubles::launch(device, gemm, a, b, &mut pairs);
    }
    let is_wide = device.info().sm.is_none_or(|sm| sm >= 90);
    launch_with(device, gemm, is_wide, a, b, c)
}

fn launch_with(
    device: &Device,
    gemm: &Gemm,
    is_wide: bool,
    a: &Slice<f64>,
    b: &Slice<f64>,
    c: &mut Slice<f64>,
) -> Result<()> {
    let Gemm { rows, columns, depth, batches, alpha, beta, .. } = *gemm;
    let blocks = |tile: usize| rows.div_ceil(tile) * columns.div_ceil(COLUMNS);
    // Large tiles load `b` less often, if there are enough of them for all multiprocessors.
    let is_large = blocks(128) * batches >= 2 * device.info().multiprocessors;
    macro_rules! launch {
        ($wide:literal, $pairs:literal, $parts:literal, $rows:literal, $pairs_a:expr, $pairs_b:expr) => {
            launch_with_activation!(
                gemm.activation,
                multiply_doubles::<$wide, $pairs, $parts, $rows>(
                    device,
                    LaunchConfig::grid((blocks($rows), batches)),
                    rows,
                    columns,
                    depth,
                    (alpha, beta),
                    a,
                    $pairs_a,
                    b,
                    $pairs_b,
                    c,
                )
            )
        };
    }
    macro_rules! launch_form {
        ($pairs:literal, $pairs_a:expr, $pairs_b:expr) => {
            match (is_wide, is_large) {
                (true, true) => launch!(true, $pairs, 4, 128, $pairs_a, $pairs_b),
                (true, false) => launch!(true, $pairs, 2, 64, $pairs_a, $pairs_b),
                (false, true) => launch!(false, $pairs, 4, 128, $pairs_a, $pairs_b),
                (false, false) => launch!(false, $pairs, 2, 64, $pairs_a, $pairs_b),
            }
        };
    }
    if columns % 2 == 0
        && depth % 2 == 0
        && let (Ok(pairs_a), Ok(pairs_b)) = (a.as_vectors(), b.as_vectors())
    {
        launch_form!(true, &pairs_a, &pairs_b)?;
    } else {
        let none = device.zeros(0)?;
        launch_form!(false, &none, &none)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Devices before sm_90 compute the same bits by four instructions in place of one.
    #[test]
    fn narrow_instructions_compute_the_bits_of_wide_ones() -> Result<()> {
        let device = Device::cpu();
        let numbers = |seed: u64, len: usize| -> Vec<f64> {
            let bits = |i| (i as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12;
            (0..len).map(|i| f64::from_bits(0x3ff << 52 | bits(i)) - 1.5).collect()
        };
        for (rows, columns, depth) in [(70, 66, 18), (65, 3, 7), (200, 130, 34)] {
            let a = device.upload(&numbers(1, rows * depth))?;
            let b = device.upload(&numbers(1 << 40, depth * columns))?;
            let gemm = Gemm::new(rows, columns, depth);
            let mut narrow = device.zeros(rows * columns)?;
            let mut wide = device.zeros(rows * columns)?;
            launch_with(&device, &gemm, false, &a, &b, &mut narrow)?;
            launch_with(&device, &gemm, true, &a, &b, &mut wide)?;
            assert_eq!(narrow.to_vec()?, wide.to_vec()?);
        }
        Ok(())
    }
}
