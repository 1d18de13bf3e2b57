//! Guard: there are more threads than elements.
//!
//! Blocks have 32 threads, and the array 20 elements. A thread without an element must do nothing:
//! an index out of bounds is a fault, which the launch reports. `cargo warpwise explain guard`
//! tells whether a check can fail.
use warpwise::prelude::*;

/// `y[i] = x[i] + 10` for each element.
#[kernel(block = 32)]
pub fn guard(x: &[f32], y: &mut [f32]) {
    // <solution>
    let i = thread_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] + 10.0;
    }
    // <exercise>
    todo!()
    // <end>
}
