//! Blocks: the array is longer than a block.
//!
//! The grid has several blocks of 64 threads. `block_idx_x()` is the number of a thread's block,
//! `block_dim_x()` the number of threads in a block; `global_idx_x()` is the number of the thread
//! in the whole grid.
use warpwise::prelude::*;

/// `y[i] = x[i] + 10` for each element.
#[kernel(block = 64)]
pub fn blocks(x: &[f32], y: &mut [f32]) {
    // <solution>
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] + 10.0;
    }
    // <exercise>
    todo!()
    // <end>
}
