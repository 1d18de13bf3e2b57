//! Map in two dimensions: blocks have rows and columns of threads.
//!
//! The matrix is stored row by row: the element in a row and a column has the index `row * width +
//! column`. Neighbouring threads along x should access neighbouring elements, so let
//! `thread_idx_x()` be the column. There are more threads than elements along both axes.
use warpwise::prelude::*;

/// Adds 10 to each element of a matrix of `height` rows and `width` columns.
#[kernel(block = (8, 8))]
pub fn map_2d(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    // <solution>
    let (column, row) = (thread_idx_x(), thread_idx_y());
    if column < width && row < height {
        let i = row * width + column;
        y[i] = x[i] + 10.0;
    }
    // <exercise>
    todo!()
    // <end>
}
