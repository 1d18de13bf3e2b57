//! Bank conflicts: the result is right, and the loads from shared memory take 32 times too long.
//!
//! Shared memory has 32 banks, and neighbouring words are in neighbouring banks. A warp that reads
//! a column of the tile finds all 32 words in one bank. Change the length of the rows, so that a
//! column is in different banks.
use warpwise::prelude::*;

/// Transposes a matrix of 32 x 32.
#[kernel(block = (32, 32))]
pub fn transpose(x: &[f32], y: &mut [f32]) {
    // <solution>
    let tile = shared!([[f32; 33]; 32]);
    // <exercise>
    let tile = shared!([[f32; 32]; 32]);
    // <end>
    let (column, row) = (thread_idx_x(), thread_idx_y());
    tile[row][column] = x[row * 32 + column];
    sync_threads();
    y[row * 32 + column] = tile[column][row];
}
