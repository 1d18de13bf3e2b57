//! Matrix product: tiles in shared memory.
//!
//! A thread computes one element of `c`, and needs a row of `a` and a column of `b`. The 16 x 16
//! threads of a block need the same 16 rows and 16 columns: load a tile of 16 x 16 of each into
//! shared memory, wait, add up the products of the tiles, wait, and go on with the next tiles. The
//! test counts the sectors that the loads transfer.
use warpwise::prelude::*;

/// `c = a * b` for square matrices whose side `n` is a multiple of 16.
#[kernel(block = (16, 16))]
pub fn matrix_product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    // <solution>
    let tile_a = shared!([[f32; 16]; 16]);
    let tile_b = shared!([[f32; 16]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for tile in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + tile * 16 + tx];
        tile_b[ty][tx] = b[(tile * 16 + ty) * n + column];
        sync_threads();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        sync_threads();
    }
    c[row * n + column] = sum;
    // <exercise>
    todo!()
    // <end>
}
