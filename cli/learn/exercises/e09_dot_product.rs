//! Dot product: the threads of a block add up their products.
//!
//! `block::reduce_add(value)` returns the sum of the values of all threads of a block to each of
//! them. One thread stores it. (Or write the reduction yourself: a tree in shared memory.)
use warpwise::prelude::*;

/// `out[0]` is the sum of `x[i] * y[i]`.
#[kernel(block = 256)]
pub fn dot_product(x: &[f32], y: &[f32], out: &mut [f32]) {
    // <solution>
    let i = thread_idx_x();
    let sum = block::reduce_add(x[i] * y[i]);
    if i == 0 {
        out[0] = sum;
    }
    // <exercise>
    todo!()
    // <end>
}
