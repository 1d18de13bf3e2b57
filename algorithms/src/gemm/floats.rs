//! Products of `f32`.
//!
//! A block of 256 threads computes 128 by 128 elements, each thread eight by eight. The factors pass
//! through four stages in shared memory, three of which are on their way while one is multiplied.
use super::{Gemm, launch_with_activation, store, tile_of_block};
use crate::error::Result;
use warpwise::prelude::*;

/// Rows and columns of a tile of `c`.
#[device]
const TILE: usize = 128;
/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 8;
#[device]
const STAGES: usize = 4;

/// A tile of `a`: rows of two vectors.
#[device]
type TileA = [[F32x4; 2]; TILE];
/// A tile of `b`: rows of 32 vectors.
#[device]
type TileB = [[F32x4; 32]; DEPTH];

/// A factor in global memory: vectors of rows if those are whole ones, and numbers.
#[device]
#[derive(Clone, Copy)]
struct Factor<'a> {
    vectors: &'a [F32x4],
    numbers: &'a [f32],
    rows: usize,
    columns: usize,
    /// The first row of the batch.
    first_row: usize,
}

#[device]
impl Factor<'_> {
    /// Begins to copy a vector, with zeros beyond the edges.
    fn fetch<const WHOLE: bool>(self, to: &mut F32x4, row: usize, column: usize) {
        let start = (self.first_row + row) * self.columns + column;
        if row >= self.rows || column >= self.columns {
            *to = F32x4::ZERO;
        } else if WHOLE {
            async_copy::copy(to, &self.vectors[start / 4]);
        } else {
            let mut lanes = [0.0; 4];
            for i in 0..4 {
                if column + i < self.columns {
                    lanes[i] = self.numbers[start + i];
                }
            }
            *to = F32x4::from_array(lanes);
        }
    }
}

/// Begins to copy the tiles of a step to a stage, a vector of each by each thread, with zeros beyond the
/// edges.
#[device]
fn fetch_edges<const WHOLE: bool>(
    a: Factor,
    b: Factor,
    (row, column, depth): (usize, usize, usize),
    tile_a: &mut TileA,
    tile_b: &mut TileB,
) {
    let t = thread_idx_x();
    a.fetch::<WHOLE>(&mut tile_a[t / 2][t % 2], row + t / 2, depth + t % 2 * 4);
    b.fetch::<WHOLE>(&mut tile_b[t / 32][t % 32], depth + t / 32, column + t % 32 * 4);
}

/// Multiplies matrices; `WHOLE` if the rows of both are whole vectors.
#[kernel(block = 256, min_blocks = 2)]
fn multiply_floats<const WHOLE: bool, const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    factors: (f32, f32),
    vectors_a: &[F32x4],
    numbers_a: &[f32],
    vectors_b: &[F32x4],
    numbers_b: &[f32],
    c: &mut [f32],
) {
    let tiles_a = shared!([TileA; STAGES]);
    let tiles_b = shared!([TileB; STAGES]);
    let batch = block_idx_y();
    let a = Factor {
        vectors: vectors_a,
        numbers: numbers_a,
        rows,
        columns: depth,
        first_row: batch * rows,
    };
    let b = Factor {
        vectors: vectors_b,
        numbers: numbers_b,
        rows: depth,
        columns,
        first_row: batch * depth,
    };
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(TILE), columns.div_ceil(TILE));
    let (first_row, first_column) = (tile_row * TILE, tile_column * TILE);
    // A warp computes 32 rows and 64 columns, and a thread of it every fourth row and twice four
    // columns, so that the lanes read from different banks.
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let row = warp / 2 * 32 + lane / 8;
    let column = warp % 2 * 16 + lane % 8;

    let t = thread_idx_x();
    let steps = depth.div_ceil(DEPTH);
    let is_whole = WHOLE
        && first_row + TILE <= rows
        && first_column + TILE <= columns
        && steps * DEPTH == depth;
    // This thread's vectors of the next tiles.
    let mut from_a = ((a.first_row + first_row + t / 2) * depth) / 4 + t % 2;
    let mut from_b = ((b.first_row + t / 32) * columns + first_column) / 4 + t % 32;

    let mut sums = [[0.0; 8]; 8];
    // The first steps only fill stages.
    for step in 0..steps + STAGES - 1 {
        if step >= STAGES - 1 {
            // The tiles of a step are there for all threads, and all are done with those of the step
            // before, whose place the next ones take.
            async_copy::wait::<{ STAGES - 2 }>();
            sync_threads();
        }
        if step < steps {
            let free = step % STAGES;
            let (tile_a, tile_b) = (&mut tiles_a[free], &mut tiles_b[free]);
            if is_whole {
                async_copy::copy(&mut tile_a[t / 2][t % 2], &a.vectors[from_a]);
                async_copy::copy(&mut tile_b[t / 32][t % 32], &b.vectors[from_b]);
                from_a += DEPTH / 4;
                from_b += DEPTH * columns / 4;
            } else {
                let at = (first_row, first_column, step * DEPTH);
                fetch_edges::<WHOLE>(a, b, at, tile_a, tile_b);
            }
        }
        async_copy::commit();
        if step < STAGES - 1 {
            continue;
        }
        let full = (step + 1) % STAGES;
        for quad in 0..2 {
            let mut left = [F32x4::ZERO; 8];
            for i in 0..8 {
                left[i] = tiles_a[full][row + i * 4][quad];
            }
            for k in 0..4 {
                let right = &tiles_b[full][quad * 4 + k];
                let right = [right[column], right[column + 8]];
                for i in 0..8 {
                    for j in 0..8 {
                        sums[i][j] += left[i][k] * right[j / 4][j % 4];
                    }
                }
            }
        }
    }
    async_copy::wait_all();
    for i in 0..8 {
        let row = first_row + row + i * 4;
        if row < rows {
            let line = &mut c[(batch * rows + row) * columns..][..columns];
            for j in 0..8 {
                let column = first_column + (column + j / 4 * 8) * 4 + j % 4;
                if column < columns {
                    store::<ACTIVATION>(sums[i][j], factors, &mut line[column]);
                }
            }
        }
    }
}

pub(super) fn launch(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<f32>,
    b: &Slice<f32>,
    c: &mut Slice<f32>,
) -> Result<()> {
    let Gemm { rows, columns, depth, .. } = *gemm;
    let tiles = rows.div_ceil(TILE) * columns.div_ceil(TILE);
    let config = LaunchConfig::grid((tiles, gemm.batches));
    let factors = gemm.factors();
    if columns % 4 == 0
        && depth % 4 == 0
        && let (Ok(vectors_a), Ok(vectors_b)) = (a.as_vectors(), b.as_vectors())
    {
        launch_with_activation!(
            gemm.activation,
            multiply_floats::<true>(
                device, config, rows, columns, depth, factors, &vectors_a, a, &vectors_b, b, c,
            )
        )?;
    } else {
        let none = device.zeros(0)?;
        launch_with_activation!(
            gemm.activation,
            multiply_floats::<false>(
                device, config, rows, columns, depth, factors, &none, a, &none, b, c,
            )
        )?;
    }
    Ok(())
}
