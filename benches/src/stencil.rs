//! A five-point stencil: one step of Jacobi's iteration on a square.
use warpwise::prelude::*;

/// Computes the mean of each inner point's four neighbours; the border keeps its values.
#[kernel(block = (32, 8))]
pub(crate) fn jacobi(n: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column > 0 && column + 1 < n && row > 0 && row + 1 < n {
        let i = row * n + column;
        y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
}
