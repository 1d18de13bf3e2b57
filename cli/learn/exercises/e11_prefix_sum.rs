//! Prefix sum: each result is the sum of all elements up to its own.
//!
//! With the elements in shared memory, each thread adds the element 1 before its own, then the one
//! 2 before, 4, 8 and so on. Between the loads of one step and its stores, and between its stores
//! and the next step, all threads must wait.
use warpwise::prelude::*;

/// `y[i] = x[0] + .. + x[i]` for the 64 elements of one block.
#[kernel(block = 64)]
pub fn prefix_sum(x: &[u32], y: &mut [u32]) {
    // <solution>
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    tile[t] = x[t];
    sync_threads();
    let mut distance = 1;
    while distance < 64 {
        let before = if t >= distance { tile[t - distance] } else { 0 };
        sync_threads();
        tile[t] += before;
        sync_threads();
        distance *= 2;
    }
    y[t] = tile[t];
    // <exercise>
    todo!()
    // <end>
}
