//! Map: add 10 to each element.
//!
//! The block has as many threads as there are elements. Each thread runs the kernel once, for the
//! element with its own number, which `thread_idx_x()` returns.
use warpwise::prelude::*;

/// `y[i] = x[i] + 10`
#[kernel(block = 32)]
pub fn map(x: &[f32], y: &mut [f32]) {
    // <solution>
    let i = thread_idx_x();
    y[i] = x[i] + 10.0;
    // <exercise>
    todo!()
    // <end>
}
