//! Transposition of matrices.
use crate::error::{Result, require_shape};
use warpwise::{Rows, RowsMut, Slice2, mma::round_to_tf32, prelude::*};

/// Rows and columns of the tile of a block.
#[device]
const TILE: usize = 64;

/// Converts an element to one of the result: rounds it if `TO_TF32`, which takes `f32`s.
#[device]
fn convert<T: Num, const TO_TF32: bool>(x: T) -> T {
    if TO_TF32 { T::from_f64(round_to_tf32(x.as_f32()) as f64) } else { x }
}

/// Transposes through tiles in shared memory, whose rows are padded so that columns have no bank
/// conflicts.
#[kernel(block = (32, 8))]
fn transpose_tiles<T: Num, const TO_TF32: bool>(x: Rows<T>, mut out: RowsMut<T>) {
    let tile = shared!([[T; TILE + 1]; TILE]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (row, column) = (block_idx_y() * TILE, block_idx_x() * TILE);
    // Whole tiles are loaded and stored without a condition for each element.
    let is_whole = row + TILE <= x.rows()
        && column + TILE <= x.columns()
        && column + TILE <= out.rows()
        && row + TILE <= out.columns();
    if is_whole {
        // All loads are on their way before the first store waits for one.
        let mut own = [[T::ZERO; 2]; 8];
        for part in 0..8 {
            for half in 0..2 {
                own[part][half] = x[(row + part * 8 + ty, column + half * 32 + tx)];
            }
        }
        for part in 0..8 {
            for half in 0..2 {
                let x = convert::<T, TO_TF32>(own[part][half]);
                tile[part * 8 + ty][half * 32 + tx] = x;
            }
        }
        sync_threads();
        for part in 0..8 {
            for half in 0..2 {
                let (i, j) = (part * 8 + ty, half * 32 + tx);
                out[(column + i, row + j)] = tile[j][i];
            }
        }
    } else {
        for part in 0..8 {
            for half in 0..2 {
                let (i, j) = (part * 8 + ty, half * 32 + tx);
                if row + i < x.rows() && column + j < x.columns() {
                    tile[i][j] = convert::<T, TO_TF32>(x[(row + i, column + j)]);
                }
            }
        }
        sync_threads();
        for part in 0..8 {
            for half in 0..2 {
                let (i, j) = (part * 8 + ty, half * 32 + tx);
                if column + i < out.rows() && row + j < out.columns() {
                    out[(column + i, row + j)] = tile[j][i];
                }
            }
        }
    }
}

/// Writes to row `i`, column `j` of `out` the element of `x` in row `j`, column `i`, without
/// waiting for it.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless `out` has a row for each column of `x` and a column
/// for each row, and those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::transpose;
///
/// let device = Device::cpu();
/// let x = device.upload_2d(&[1, 2, 3, 4, 5, 6], (2, 3))?;
/// let mut out = device.zeros_2d((3, 2))?;
/// transpose(&device, &x, &mut out)?;
/// assert_eq!(out.to_vec()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn transpose<T: Num>(device: &Device, x: &Slice2<T>, out: &mut Slice2<T>) -> Result<()> {
    launch::<T, false>(device, x, out)
}

/// Transposes as [`transpose`] does, and rounds the elements to tf32.
pub(crate) fn transpose_to_tf32(
    device: &Device,
    x: &Slice2<f32>,
    out: &mut Slice2<f32>,
) -> Result<()> {
    launch::<f32, true>(device, x, out)
}

fn launch<T: Num, const TO_TF32: bool>(
    device: &Device,
    x: &Slice2<T>,
    out: &mut Slice2<T>,
) -> Result<()> {
    require_shape("out", out, (x.columns(), x.rows()))?;
    if x.rows() > 0 && x.columns() > 0 {
        let grid = (x.columns().div_ceil(TILE), x.rows().div_ceil(TILE));
        transpose_tiles::<T, TO_TF32>::launch(device, LaunchConfig::grid(grid), x, out)?;
    }
    Ok(())
}
