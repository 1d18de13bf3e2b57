//! Convolution: each result is a weighted sum of four elements.
//!
//! Elements beyond the end count as zeros.
use warpwise::prelude::*;

/// `y[i]` is the sum of `x[i + k] * weights[k]` for `k` from 0 to 3.
#[kernel(block = 128)]
pub fn convolution(x: &[f32], weights: &[f32], y: &mut [f32]) {
    // <solution>
    let i = global_idx_x();
    if i < y.len() {
        let mut sum = 0.0;
        for k in 0..4 {
            if i + k < x.len() {
                sum += x[i + k] * weights[k];
            }
        }
        y[i] = sum;
    }
    // <exercise>
    todo!()
    // <end>
}
