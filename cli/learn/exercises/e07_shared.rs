//! Shared memory: reverse the 64 elements of each block.
//!
//! The threads of a block share arrays: `let tile = shared!([f32; 64]);`. Each thread stores one
//! element there, waits for the others at `sync_threads()`, and takes the element of another
//! thread. Without the barrier the launch fails: the sanitizer reports the race.
use warpwise::prelude::*;

/// `y` has the elements of each block in reverse order.
#[kernel(block = 64)]
pub fn reverse(x: &[f32], y: &mut [f32]) {
    // <solution>
    let tile = shared!([f32; 64]);
    let t = thread_idx_x();
    tile[t] = x[global_idx_x()];
    sync_threads();
    y[global_idx_x()] = tile[63 - t];
    // <exercise>
    todo!()
    // <end>
}
