//! Transposition of matrices.
use crate::error::{Result, require_shape};
use warpwise::{Rows, RowsMut, Slice2, prelude::*};

/// Rows and columns of the tile of a block.
#[device]
const TILE: usize = 32;

/// Transposes through tiles in shared memory, whose rows are padded so that columns have no bank
/// conflicts.
#[kernel(block = (32, 8))]
fn transpose_tiles<T: Num>(x: Rows<T>, mut out: RowsMut<T>) {
    let tile = shared!([[T; TILE + 1]; TILE]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (row, column) = (block_idx_y() * TILE, block_idx_x() * TILE);
    for part in 0..4 {
        let i = part * 8 + ty;
        if row + i < x.rows() && column + tx < x.columns() {
            tile[i][tx] = x[(row + i, column + tx)];
        }
    }
    sync_threads();
    for part in 0..4 {
        let i = part * 8 + ty;
        if column + i < out.rows() && row + tx < out.columns() {
            out[(column + i, row + tx)] = tile[tx][i];
        }
    }
}

/// Writes to row `i`, column `j` of `out` the element of `x` in row `j`, column `i`, without waiting for
/// it.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) unless `out` has a row for each column of `x` and a column for
/// each row, and those of launches.
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
    require_shape("out", out, (x.columns(), x.rows()))?;
    if x.rows() > 0 && x.columns() > 0 {
        let grid = (x.columns().div_ceil(TILE), x.rows().div_ceil(TILE));
        transpose_tiles::launch(device, LaunchConfig::grid(grid), x, out)?;
    }
    Ok(())
}
