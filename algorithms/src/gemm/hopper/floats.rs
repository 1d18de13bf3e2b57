//! Products of `f32`.
//!
//! A block of four warps computes a tile of 128 by 128 elements, each thread 16 rows and eight
//! columns of it. `a` is transposed in memory before, so that a thread loads four neighbouring rows
//! of a column at once. The warps take turns at beginning the copies.
use super::{boxes_fit, runs_kernels};
use crate::{
    error::Result,
    gemm::{Gemm, finish, launch_with_activation, tile_of_block},
    transpose,
};
use warpwise::{F32x4, MBarrier, Slice, TensorMap2, prelude::*};

/// Rows and columns of a tile of `c`.
#[device]
const SIDE: usize = 128;
/// Rows of a box of `b` and of the transposed `a`.
#[device]
const DEPTH: usize = 16;
#[device]
const STAGES: usize = 4;
/// Vectors of rows of a thread, which are four vectors apart.
#[device]
const ROW_VECTORS: usize = 4;
/// Vectors of columns of a thread, which are eight vectors apart.
#[device]
const COLUMN_VECTORS: usize = 2;
/// Columns for which the transposition of `a` takes a tenth of the product's time.
const MIN_COLUMNS: usize = 512;

#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Tile([[F32x4; SIDE / 4]; DEPTH]);

/// The numbers of a column of `a` and of a row of `b` that a thread multiplies.
#[device]
#[derive(Clone, Copy)]
struct Fragments {
    left: [F32x4; ROW_VECTORS],
    right: [F32x4; COLUMN_VECTORS],
}

/// Loads the numbers of product `k` of a step, from a thread's first vectors.
#[device]
fn load_fragments(a: &Tile, b: &Tile, k: usize, row: usize, column: usize) -> Fragments {
    let mut fragments =
        Fragments { left: [F32x4::ZERO; ROW_VECTORS], right: [F32x4::ZERO; COLUMN_VECTORS] };
    for i in 0..ROW_VECTORS {
        fragments.left[i] = a.0[k][row + i * 4];
    }
    for j in 0..COLUMN_VECTORS {
        fragments.right[j] = b.0[k][column + j * 8];
    }
    fragments
}

/// Adds the products of fragments to the sums of each row.
#[device]
fn multiply(fragments: Fragments, sums: &mut [[F32x4; COLUMN_VECTORS]; 4 * ROW_VECTORS]) {
    for i in 0..4 * ROW_VECTORS {
        for j in 0..COLUMN_VECTORS {
            for lane in 0..4 {
                sums[i][j][lane] += fragments.left[i / 4][i % 4] * fragments.right[j][lane];
            }
        }
    }
}

/// True if the kernel takes such factors on this device, and is worth the transposition.
pub(in crate::gemm) fn suits(device: &Device, gemm: &Gemm) -> bool {
    let Gemm { rows, columns, .. } = *gemm;
    let are_aligned = rows % 4 == 0 && columns % 4 == 0;
    runs_kernels(device) && boxes_fit(gemm, DEPTH) && are_aligned && columns >= MIN_COLUMNS
}

#[kernel(block = 128, min_blocks = 2)]
fn multiply_float_boxes<const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    scales: (f32, f32),
    transposed_a: TensorMap2<f32, DEPTH, SIDE, 0>,
    b: TensorMap2<f32, DEPTH, SIDE, 0>,
    c: &mut [F32x4],
) {
    let full = shared!([MBarrier<1>; STAGES]);
    let empty = shared!([MBarrier<4>; STAGES]);
    let tiles_a = shared!([Tile; STAGES]);
    let tiles_b = shared!([Tile; STAGES]);
    let batch = block_idx_y();
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(SIDE), columns.div_ceil(SIDE));
    let (first_row, first_column) = (tile_row * SIDE, tile_column * SIDE);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    // Shared memory serves two quarters of a warp at once if lanes beside each other, or every
    // other lane, read the same vector.
    let row = warp / 2 * 16 + lane / 2 % 2 + lane / 16 * 2;
    let column = warp % 2 * 16 + lane % 2 + lane / 4 % 4 * 2;
    let steps = depth.div_ceil(DEPTH);

    let mut sums = [[F32x4::ZERO; COLUMN_VECTORS]; 4 * ROW_VECTORS];
    // The numbers of two products: those that are multiplied, and the next ones.
    let mut fragments =
        [Fragments { left: [F32x4::ZERO; ROW_VECTORS], right: [F32x4::ZERO; COLUMN_VECTORS] }; 2];
    // The first steps only fill stages. A stage was read two steps ago, so that nobody waits for
    // it.
    for step in 0..steps + STAGES - 2 {
        if step < steps && warp == step % 4 && lane == 0 {
            let stage = step % STAGES;
            empty[stage].wait_parity(step / STAGES % 2 == 0);
            let k = (batch * depth + step * DEPTH) as i32;
            full[stage].tensor_copy(&mut tiles_a[stage], &transposed_a, (k, first_row as i32));
            full[stage].tensor_copy(&mut tiles_b[stage], &b, (k, first_column as i32));
            full[stage].arrive();
        }
        // While that lane waits, the others may go on: without this they would not compute
        // together.
        sync_warp();
        if step + 2 >= STAGES {
            let step = step + 2 - STAGES;
            let stage = step % STAGES;
            full[stage].wait_parity(step / STAGES % 2 == 1);
            let (tile_a, tile_b) = (&tiles_a[stage], &tiles_b[stage]);
            for first in (0..DEPTH).step_by(8) {
                for k in 0..8 {
                    fragments[k % 2] = load_fragments(tile_a, tile_b, first + k, row, column);
                    multiply(fragments[k % 2], &mut sums);
                }
            }
            // All lanes have read the stage.
            sync_warp();
            if lane == 0 {
                empty[stage].arrive();
            }
        }
    }
    for i in 0..4 * ROW_VECTORS {
        let row = first_row + (row + i / 4 * 4) * 4 + i % 4;
        if row < rows {
            for j in 0..COLUMN_VECTORS {
                let column = first_column + (column + j * 8) * 4;
                if column < columns {
                    let to = &mut c[((batch * rows + row) * columns + column) / 4];
                    let old = if scales.1 != 0.0 { *to } else { F32x4::ZERO };
                    for lane in 0..4 {
                        let sum = sums[i][j][lane];
                        to[lane] = finish::<f32, ACTIVATION>(sum, scales, old[lane]);
                    }
                }
            }
        }
    }
}

/// Multiplies matrices that [`suits`] accepts.
pub(in crate::gemm) fn launch(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<f32>,
    b: &Slice<f32>,
    c: &mut Slice<F32x4>,
) -> Result<()> {
    let Gemm { rows, columns, depth, batches, .. } = *gemm;
    let mut transposed_a = device.zeros_2d::<f32>((batches * depth, rows))?;
    for batch in 0..batches {
        let own = a.slice(batch * rows * depth..(batch + 1) * rows * depth)?;
        let to = batch * depth..(batch + 1) * depth;
        transpose(device, &own.as_rows(depth)?, &mut transposed_a.rectangle_mut(to, ..)?)?;
    }
    let tiles = rows.div_ceil(SIDE) * columns.div_ceil(SIDE);
    let config = LaunchConfig::grid((tiles, batches));
    let (b, scales) = (b.as_rows(columns)?, gemm.scales());
    launch_with_activation!(
        gemm.activation,
        multiply_float_boxes(device, config, rows, columns, depth, scales, &transposed_a, &b, c)
    )?;
    Ok(())
}
