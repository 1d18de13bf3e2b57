//! Transpositions of a matrix, beside that of the race through a padded tile.
use super::prelude::*;

pub(super) const ALL: &[Benchmark] = &[
    variant!(transpose_by_rows, |scale| problem(scale, 8)),
    variant!(transpose_by_columns, |scale| problem(scale, 8)),
    variant!(transpose_unpadded, |scale| problem(scale, 32)),
];

/// Reads along rows, so that a warp writes 32 rows.
#[kernel(block = (32, 8))]
fn transpose_by_rows(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row < height {
        y[column * height + row] = x[row * width + column];
    }
}

/// Writes along rows, so that a warp reads 32 rows.
#[kernel(block = (32, 8))]
fn transpose_by_columns(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < height && row < width {
        y[row * height + column] = x[column * width + row];
    }
}

/// Goes through a tile whose columns are in one bank each.
#[kernel(block = (32, 8))]
fn transpose_unpadded(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let column = block_idx_x() * 32 + tx;
    for k in (0..32).step_by(8) {
        let row = block_idx_y() * 32 + ty + k;
        if column < width && row < height {
            tile[ty + k][tx] = x[row * width + column];
        }
    }
    sync_threads();
    let column = block_idx_y() * 32 + tx;
    for k in (0..32).step_by(8) {
        let row = block_idx_x() * 32 + ty + k;
        if column < height && row < width {
            y[row * height + column] = tile[tx][ty + k];
        }
    }
}

/// A problem whose blocks take 32 columns of `rows` rows.
fn problem(scale: Scale, rows: usize) -> Problem {
    let n = scale.pick(64, 8192);
    let x = inputs::floats(-1.0, 1.0, 1, n * n);
    let expected = || (0..n * n).map(|i| x[i % n * n + i / n]).collect();
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![0.0; n * n], Agreement::Exact, expected);
    Problem {
        grid: [n.div_ceil(32) as u32, n.div_ceil(rows) as u32, 1],
        block: [32, 8, 1],
        rust: args![n, n, x_id, y_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Bytes(8 * n * n),
    }
}
