//! Products of `i8` by the warpgroups of Hopper.
//!
//! As [`warpgroups`](super::halves) multiplies halves, but hardware takes bytes of both factors
//! along the sums only: `b` is transposed in memory before.
use super::runs_kernels;
use crate::{
    error::Result,
    gemm::{Gemm, finish, launch_with_activation, tile_of_block},
    transpose,
};
use warpwise::{I32x2, MBarrier, Slice, TensorMap2, U32x4, prelude::*, wgmma};

/// Rows of a tile of `a` and `c`.
#[device]
const ROWS: usize = 128;
/// Columns of a tile of `b` and `c`.
#[device]
const COLUMNS: usize = 256;
/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 128;
#[device]
const STAGES: usize = 4;
/// Warps that multiply.
#[device]
const MULTIPLIERS: usize = 8;

/// True if the kernel takes such factors, on a device that has warpgroups: rows of `a` and of the
/// transposed `b` begin at multiples of 16 bytes. For fewer rows than a tile has, the transposition
/// would take longer than the product.
pub(in crate::gemm) fn suits(device: &Device, gemm: &Gemm, a: &Slice<i8>) -> bool {
    let Gemm { rows, columns, depth, batches, .. } = *gemm;
    let fits = |extent: usize| i32::try_from(extent).is_ok();
    runs_kernels(device)
        && rows >= ROWS
        && depth > 0
        && columns % 2 == 0
        && depth % 16 == 0
        && [batches * rows, batches * columns, depth].into_iter().all(fits)
        && a.as_structs::<(U32x4,)>().is_ok()
}

#[kernel(block = 384)]
fn multiply_bytes<const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    factors: (f64, f64),
    a: TensorMap2<i8, ROWS, DEPTH, 128>,
    b: TensorMap2<i8, COLUMNS, DEPTH, 128>,
    c: &mut [I32x2],
) {
    let full = shared!([MBarrier<1>; STAGES]);
    let empty = shared!([MBarrier<MULTIPLIERS>; STAGES]);
    let tiles_a = shared!([[wgmma::Tile<64>; 2]; STAGES]);
    let tiles_b = shared!([wgmma::Tile<COLUMNS>; STAGES]);
    let batch = block_idx_y();
    let (row, column) = tile_of_block(rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    let (first_row, first_column) = (row * ROWS, column * COLUMNS);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let steps = depth.div_ceil(DEPTH);
    if warp >= MULTIPLIERS {
        if thread_idx_x() == 32 * MULTIPLIERS {
            for step in 0..steps {
                let stage = step % STAGES;
                empty[stage].wait_parity(step / STAGES % 2 == 0);
                let k = (step * DEPTH) as i32;
                let at = ((batch * rows + first_row) as i32, k);
                full[stage].tensor_copy(&mut tiles_a[stage], &a, at);
                let at = ((batch * columns + first_column) as i32, k);
                full[stage].tensor_copy(&mut tiles_b[stage], &b, at);
                full[stage].arrive();
            }
        }
        return;
    }
    let group = warp / 4 % 2;
    let mut products = wgmma::Products::<i8, COLUMNS>::zero();
    for step in 0..steps {
        let stage = step % STAGES;
        full[stage].wait_parity(step / STAGES % 2 == 1);
        products.multiply_add(&tiles_a[stage][group], &tiles_b[stage]);
        // The product before has read its stage.
        products.wait::<1>();
        if step > 0 && lane == 0 {
            empty[(step - 1) % STAGES].arrive();
        }
    }
    let sums = products.finish();
    for i in (0..COLUMNS / 2).step_by(2) {
        let row = first_row + group * 64 + wgmma::Sum::<i8, COLUMNS>::row(i);
        let column = first_column + wgmma::Sum::<i8, COLUMNS>::column(i);
        if row < rows && column < columns {
            let pair = &mut c[((batch * rows + row) * columns + column) / 2];
            let old = if factors.1 != 0.0 { *pair } else { I32x2::ZERO };
            for l in 0..2 {
                let sum = sums.get(i + l) as f64;
                pair[l] = finish::<f64, ACTIVATION>(sum, factors, old[l] as f64) as i32;
            }
        }
    }
}

/// Multiplies matrices that [`suits`] accepts.
pub(in crate::gemm) fn launch(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<i8>,
    b: &Slice<i8>,
    c: &mut Slice<I32x2>,
) -> Result<()> {
    let Gemm { rows, columns, depth, batches, alpha, beta, .. } = *gemm;
    let mut transposed = device.zeros_2d::<i8>((batches * columns, depth))?;
    for batch in 0..batches {
        let own = b.slice(batch * depth * columns..(batch + 1) * depth * columns)?;
        let to = batch * columns..(batch + 1) * columns;
        transpose(device, &own.as_rows(columns)?, &mut transposed.rectangle_mut(to, ..)?)?;
    }
    let tiles = rows.div_ceil(ROWS) * columns.div_ceil(COLUMNS);
    let config = LaunchConfig::grid((tiles, batches));
    let (a, factors) = (a.as_rows(depth)?, (alpha, beta));
    launch_with_activation!(
        gemm.activation,
        multiply_bytes(device, config, rows, columns, depth, factors, &a, &transposed, c)
    )?;
    Ok(())
}
