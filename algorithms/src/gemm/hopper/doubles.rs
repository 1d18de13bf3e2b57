//! Products of `f64` on tensor cores.
//!
//! A block of four warps computes a tile of 128 rows and 64 columns, two warps beside two others.
//! The warps take turns at beginning the copies. LLVM compiles the instance for each activation in
//! the build: its code takes a tenth less time than the built-in back end's.
use super::{boxes_fit, runs_kernels};
use crate::{
    error::Result,
    gemm::{Gemm, finish, launch_with_activation, tile_of_block},
};
use warpwise::{F64x2, MBarrier, Slice, TensorMap2, mma, prelude::*};

/// Rows of a tile of `a` and `c`.
#[device]
const ROWS: usize = 128;
/// Columns of a tile of `c`.
#[device]
const COLUMNS: usize = 64;
/// Columns of a box of `a`, and rows and columns of a box of `b`.
#[device]
const DEPTH: usize = 16;
#[device]
const STAGES: usize = 4;

/// Rows of 16 numbers in chunks of two. The chunks of row `r` are permuted by an exclusive or with
/// `r % 8`.
#[device]
#[repr(C, align(1024))]
#[derive(Clone, Copy)]
struct Tile<const LINES: usize>([[[f64; 2]; 8]; LINES]);

#[device]
type Sum = mma::Accumulator<f64, 16, 8>;

/// True if the kernel takes such factors on this device.
pub(in crate::gemm) fn suits(device: &Device, gemm: &Gemm) -> bool {
    runs_kernels(device)
        && boxes_fit(gemm, DEPTH)
        && gemm.columns.is_multiple_of(2)
        && gemm.depth.is_multiple_of(2)
}

#[expect(
    gpu_low_occupancy,
    reason = "the registers of a multiprocessor hold the sums of eight warps"
)]
#[kernel(block = 128, min_blocks = 2, precompile(0, 1, 2))]
fn multiply_double_boxes<const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    scales: (f64, f64),
    a: TensorMap2<f64, ROWS, DEPTH, 128>,
    b: TensorMap2<f64, DEPTH, 16, 128>,
    c: &mut [F64x2],
) {
    let full = shared!([MBarrier<1>; STAGES]);
    let empty = shared!([MBarrier<4>; STAGES]);
    let tiles_a = shared!([Tile<ROWS>; STAGES]);
    let tiles_b = shared!([[Tile<DEPTH>; COLUMNS / 16]; STAGES]);
    let batch = block_idx_y();
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    let (first_row, first_column) = (tile_row * ROWS, tile_column * COLUMNS);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let steps = depth.div_ceil(DEPTH);
    // The rows and columns of fragments are permuted, so that the lanes of half a warp read
    // different banks: first the even rows of eight, and two neighbours of either half of 16
    // columns.
    let (group, k) = (lane / 4, lane % 4);
    let row = group % 4 * 2 + group / 4;
    let chunk = group / 2 % 2 * 4 + group / 4;

    let mut sums = [[Sum::zero(); 4]; 4];
    // The first steps only fill stages.
    for step in 0..steps + STAGES - 2 {
        if step < steps && warp == step % 4 && lane == 0 {
            let stage = step % STAGES;
            empty[stage].wait_parity(step / STAGES % 2 == 0);
            let k = step * DEPTH;
            let at = ((batch * rows + first_row) as i32, k as i32);
            full[stage].tensor_copy(&mut tiles_a[stage], &a, at);
            for part in 0..COLUMNS / 16 {
                let at = ((batch * depth + k) as i32, (first_column + part * 16) as i32);
                full[stage].tensor_copy(&mut tiles_b[stage][part], &b, at);
            }
            full[stage].arrive();
        }
        // The lanes that waited for this one may have gone on.
        sync_warp();
        if step + 2 >= STAGES {
            let step = step + 2 - STAGES;
            let stage = step % STAGES;
            full[stage].wait_parity(step / STAGES % 2 == 1);
            for first in (0..DEPTH).step_by(8) {
                let mut left = [mma::A::<f64, 16, 8> { words: [0.0; 4] }; 4];
                for i in 0..4 {
                    for word in 0..4 {
                        let row = warp / 2 * 64 + i * 16 + word % 2 * 8 + row;
                        let chunk = ((first + word / 2 * 4 + k) / 2) ^ (row % 8);
                        left[i].words[word] = tiles_a[stage].0[row][chunk][k % 2];
                    }
                }
                for j in 0..4 {
                    let mut right = mma::B::<f64, 8, 8> { words: [0.0; 2] };
                    for word in 0..2 {
                        let row = first + word * 4 + k;
                        let chunk = (chunk + j % 2 * 2) ^ (row % 8);
                        right.words[word] =
                            tiles_b[stage][warp % 2 * 2 + j / 2].0[row][chunk][group % 2];
                    }
                    for i in 0..4 {
                        sums[i][j].multiply_add(left[i], right);
                    }
                }
            }
            // All lanes have read the stage.
            sync_warp();
            if lane == 0 {
                empty[stage].arrive();
            }
        }
    }
    for i in 0..4 {
        for half in 0..2 {
            let row = first_row + warp / 2 * 64 + i * 16 + half * 8 + row;
            if row < rows {
                for j in 0..4 {
                    let chunk = k % 2 * 4 + k / 2 + j % 2 * 2;
                    let column = first_column + (warp % 2 * 2 + j / 2) * 16 + chunk * 2;
                    if column < columns {
                        let pair = &mut c[((batch * rows + row) * columns + column) / 2];
                        let old = if scales.1 != 0.0 { *pair } else { F64x2::ZERO };
                        let [x, y] = [0, 1].map(|l| sums[i][j].words[half * 2 + l]);
                        *pair = F64x2::new(
                            finish::<f64, ACTIVATION>(x, scales, old.x),
                            finish::<f64, ACTIVATION>(y, scales, old.y),
                        );
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
    a: &Slice<f64>,
    b: &Slice<f64>,
    c: &mut Slice<F64x2>,
) -> Result<()> {
    let Gemm { rows, columns, depth, batches, alpha, beta, .. } = *gemm;
    let tiles = rows.div_ceil(ROWS) * columns.div_ceil(COLUMNS);
    let config = LaunchConfig::grid((tiles, batches));
    let (a, b, scales) = (a.as_rows(depth)?, b.as_rows(columns)?, (alpha, beta));
    launch_with_activation!(
        gemm.activation,
        multiply_double_boxes(device, config, rows, columns, depth, scales, &a, &b, c)
    )?;
    Ok(())
}
