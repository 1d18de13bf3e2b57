//! Sum along an axis: a block for each row.
//!
//! A row has more columns than a block has threads, so each thread adds up every 64th element of
//! the row before the block adds up the sums of its threads.
use warpwise::prelude::*;

/// `sums[row]` is the sum of a row of `columns` elements.
#[kernel(block = 64)]
pub fn axis_sum(columns: usize, x: &[f32], sums: &mut [f32]) {
    // <solution>
    let row = block_idx_x();
    let mut sum = 0.0;
    for column in (thread_idx_x()..columns).step_by(64) {
        sum += x[row * columns + column];
    }
    let sum = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        sums[row] = sum;
    }
    // <exercise>
    todo!()
    // <end>
}
