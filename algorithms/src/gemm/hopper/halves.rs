//! Products of halves by the warpgroups of Hopper.
//!
//! A block computes a tile of 128 rows and 256 columns, each of its two warpgroups 64 rows. One
//! thread of a third warpgroup copies boxes of the factors to four stages in shared memory, by
//! tensor maps, which put zeros beyond the edges. Up to three stages are being filled while one is
//! multiplied.
use super::{
    MULTIPLIERS, ROWS, STAGES, boxes_fit, release_previous, runs_kernels, wait_until_empty,
    wait_until_full,
};
use crate::{
    error::Result,
    gemm::{Gemm, finish, launch_with_activation, tile_of_block},
};
use warpwise::{Element, F32x2, MBarrier, Slice, TensorMap2, bf16, f16, prelude::*, wgmma};

/// Columns of a tile of `b` and `c`.
#[device]
const COLUMNS: usize = 256;
/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 64;

/// Returns true if the kernels take factors of these shapes on the device: if `a` and `b` begin at
/// multiples of 16 bytes, which the caller checks, so do their rows; and no box of `b` has elements
/// of the next batch where that of `a` has zeros.
pub(in crate::gemm) fn suits(device: &Device, gemm: &Gemm) -> bool {
    runs_kernels(device)
        && boxes_fit(gemm, DEPTH)
        && gemm.columns.is_multiple_of(8)
        && gemm.depth.is_multiple_of(8)
}

/// An element type of factors for warpgroups.
pub trait WarpgroupElement: Sized + Element {
    /// Multiplies matrices whose rows begin at multiples of 16 bytes.
    fn multiply_by_warpgroups(
        device: &Device,
        gemm: &Gemm,
        a: &Slice<Self>,
        b: &Slice<Self>,
        c: &mut Slice<F32x2>,
    ) -> Result<()>;
}

macro_rules! multiply {
    ($name:ident, $ty:ty) => {
        #[kernel(block = 384)]
        fn $name<const ACTIVATION: u32>(
            rows: usize,
            columns: usize,
            depth: usize,
            scales: (f32, f32),
            a: TensorMap2<$ty, ROWS, DEPTH, 128>,
            b: TensorMap2<$ty, DEPTH, 64, 128>,
            c: &mut [F32x2],
        ) {
            let full = shared!([MBarrier<1>; STAGES]);
            let empty = shared!([MBarrier<MULTIPLIERS>; STAGES]);
            let tiles_a = shared!([[wgmma::Tile<64>; 2]; STAGES]);
            let tiles_b = shared!([[wgmma::Tile<64>; 4]; STAGES]);
            let batch = block_idx_y();
            let (row, column) = tile_of_block(rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
            let (first_row, first_column) = (row * ROWS, column * COLUMNS);
            let warp = warp::warp_id();
            let steps = depth.div_ceil(DEPTH);
            if warp >= MULTIPLIERS {
                if thread_idx_x() == 32 * MULTIPLIERS {
                    for step in 0..steps {
                        let stage = step % STAGES;
                        wait_until_empty(empty, step);
                        let k = step * DEPTH;
                        let at = ((batch * rows + first_row) as i32, k as i32);
                        full[stage].tensor_copy(&mut tiles_a[stage], &a, at);
                        for part in 0..4 {
                            let at =
                                ((batch * depth + k) as i32, (first_column + part * 64) as i32);
                            full[stage].tensor_copy(&mut tiles_b[stage][part], &b, at);
                        }
                        full[stage].arrive();
                    }
                }
                return;
            }
            // Below 2 without `% 2`, too, by which the compiler proves it.
            let group = warp / 4 % 2;
            let mut products = wgmma::Products::<$ty, COLUMNS>::zero();
            for step in 0..steps {
                let stage = step % STAGES;
                wait_until_full(full, step);
                products.multiply_add_mn(&tiles_a[stage][group], &tiles_b[stage]);
                // The previous product has finished reading its stage.
                products.wait::<1>();
                release_previous(empty, step);
            }
            let sums = products.finish();
            for i in (0..COLUMNS / 2).step_by(2) {
                let row = first_row + group * 64 + wgmma::Sum::<$ty, COLUMNS>::row(i);
                let column = first_column + wgmma::Sum::<$ty, COLUMNS>::column(i);
                if row < rows && column < columns {
                    let pair = &mut c[((batch * rows + row) * columns + column) / 2];
                    let old = if scales.1 != 0.0 { *pair } else { F32x2::ZERO };
                    *pair = F32x2::new(
                        finish::<f32, ACTIVATION>(sums.get(i), scales, old.x),
                        finish::<f32, ACTIVATION>(sums.get(i + 1), scales, old.y),
                    );
                }
            }
        }

        impl WarpgroupElement for $ty {
            fn multiply_by_warpgroups(
                device: &Device,
                gemm: &Gemm,
                a: &Slice<Self>,
                b: &Slice<Self>,
                c: &mut Slice<F32x2>,
            ) -> Result<()> {
                let Gemm { rows, columns, depth, .. } = *gemm;
                let tiles = rows.div_ceil(ROWS) * columns.div_ceil(COLUMNS);
                let config = LaunchConfig::grid((tiles, gemm.batches));
                let (a, b, scales) = (a.as_rows(depth)?, b.as_rows(columns)?, gemm.scales());
                launch_with_activation!(
                    gemm.activation,
                    $name(device, config, rows, columns, depth, scales, &a, &b, c)
                )?;
                Ok(())
            }
        }
    };
}

multiply!(multiply_bf16, bf16);
multiply!(multiply_f16, f16);
