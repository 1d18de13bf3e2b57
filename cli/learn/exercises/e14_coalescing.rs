//! Coalescing: the result is right, and eight times too much memory moves.
//!
//! A warp of 32 threads loads sectors of 32 bytes. If its threads access neighbouring elements,
//! they share the sectors; here each thread has eight elements of its own. Keep the loop, and
//! choose other elements for each thread. `cargo warpwise lint` and `cargo warpwise profile --test
//! exercises` show the line.
use warpwise::prelude::*;

/// `y[i] = 2 * x[i]`; each thread does eight elements, each block 2048.
#[kernel(block = 256)]
pub fn double(x: &[f32], y: &mut [f32]) {
    for k in 0..8 {
        // <solution>
        let i = block_idx_x() * 2048 + k * 256 + thread_idx_x();
        // <exercise>
        let i = global_idx_x() * 8 + k;
        // <end>
        if i < x.len() && i < y.len() {
            y[i] = 2.0 * x[i];
        }
    }
}
