//! Products of `f64` on tensor cores.
//!
//! A block of four warps computes 64 by 64 elements, each warp 32 by 32. The factors pass through three
//! stages in shared memory, two of which are on their way while one is multiplied. Rows of tiles are
//! four numbers longer, so that no lanes read different numbers of the same bank.
use super::{Gemm, launch_with_activation, store, tile_of_block};
use crate::error::Result;
use warpwise::{Slice, mma, prelude::*};

/// Rows and columns of a tile of `c`.
#[device]
const TILE: usize = 64;
/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 16;
#[device]
const STAGES: usize = 3;
/// Numbers from one row of a tile to the next.
#[device]
const PITCH_A: usize = DEPTH + 4;
#[device]
const PITCH_B: usize = TILE + 4;

#[device]
type TileA = [[f64; PITCH_A]; TILE];
#[device]
type TileB = [[f64; PITCH_B]; DEPTH];

/// A factor in global memory.
#[device]
#[derive(Clone, Copy)]
struct Factor<'a> {
    numbers: &'a [f64],
    rows: usize,
    columns: usize,
    /// The first row of the batch.
    first_row: usize,
}

#[device]
impl Factor<'_> {
    /// Begins to copy a number, or stores a zero beyond the edges.
    fn fetch(self, to: &mut f64, row: usize, column: usize) {
        if row < self.rows && column < self.columns {
            async_copy::copy(to, &self.numbers[(self.first_row + row) * self.columns + column]);
        } else {
            *to = 0.0;
        }
    }
}

/// Begins to copy the tiles of a step to a stage.
#[device]
fn fetch_tiles(
    a: Factor,
    b: Factor,
    (row, column, depth): (usize, usize, usize),
    tile_a: &mut TileA,
    tile_b: &mut TileB,
) {
    let t = thread_idx_x();
    for round in 0..8 {
        let (i, k) = (round * 8 + t / DEPTH, t % DEPTH);
        a.fetch(&mut tile_a[i][k], row + i, depth + k);
        let (k, j) = (round * 2 + t / TILE, t % TILE);
        b.fetch(&mut tile_b[k][j], depth + k, column + j);
    }
}

#[kernel(block = 128)]
fn multiply_doubles<const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    factors: (f64, f64),
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
) {
    let tiles_a = shared!([TileA; STAGES]);
    let tiles_b = shared!([TileB; STAGES]);
    let batch = block_idx_y();
    let a = Factor { numbers: a, rows, columns: depth, first_row: batch * rows };
    let b = Factor { numbers: b, rows: depth, columns, first_row: batch * depth };
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(TILE), columns.div_ceil(TILE));
    let (first_row, first_column) = (tile_row * TILE, tile_column * TILE);
    let (row, column) = (warp::warp_id() / 2 * 32, warp::warp_id() % 2 * 32);

    let mut sums = [[mma::Accumulator::<f64, 8, 8>::zero(); 4]; 4];
    let steps = depth.div_ceil(DEPTH);
    // The first steps only fill stages.
    for step in 0..steps + STAGES - 1 {
        if step < steps {
            let at = (first_row, first_column, step * DEPTH);
            let stage = step % STAGES;
            fetch_tiles(a, b, at, &mut tiles_a[stage], &mut tiles_b[stage]);
        }
        async_copy::commit();
        if step + 1 >= STAGES {
            async_copy::wait::<{ STAGES - 1 }>();
            sync_threads();
            let full = (step + 1) % STAGES;
            let (tile_a, tile_b) = (tiles_a[full].as_flattened(), tiles_b[full].as_flattened());
            for k in (0..DEPTH).step_by(4) {
                let mut left = [mma::A::<f64, 8, 4>::load(tile_a, row * PITCH_A + k, PITCH_A); 4];
                let mut right =
                    [mma::B::<f64, 4, 8>::load(tile_b, k * PITCH_B + column, PITCH_B); 4];
                for i in 1..4 {
                    let start = (row + i * 8) * PITCH_A + k;
                    left[i] = mma::A::<f64, 8, 4>::load(tile_a, start, PITCH_A);
                    let start = k * PITCH_B + column + i * 8;
                    right[i] = mma::B::<f64, 4, 8>::load(tile_b, start, PITCH_B);
                }
                for i in 0..4 {
                    for j in 0..4 {
                        sums[i][j].multiply_add(left[i], right[j]);
                    }
                }
            }
            // The next step fills this stage.
            sync_threads();
        }
    }
    for i in 0..4 {
        let row = first_row + row + i * 8 + mma::Accumulator::<f64, 8, 8>::row(0);
        if row < rows {
            let line = &mut c[(batch * rows + row) * columns..][..columns];
            for j in 0..4 {
                for k in 0..2 {
                    let in_tile = j * 8 + mma::Accumulator::<f64, 8, 8>::column(k);
                    let column = first_column + column + in_tile;
                    if column < columns {
                        store::<f64, ACTIVATION>(sums[i][j].get(k), factors, &mut line[column]);
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
    let Gemm { rows, columns, depth, alpha, beta, .. } = *gemm;
    let tiles = rows.div_ceil(TILE) * columns.div_ceil(TILE);
    let config = LaunchConfig::grid((tiles, gemm.batches));
    launch_with_activation!(
        gemm.activation,
        multiply_doubles(device, config, rows, columns, depth, (alpha, beta), a, b, c)
    )?;
    Ok(())
}
