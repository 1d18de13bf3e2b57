//! Zip: add two arrays, element by element.
use warpwise::prelude::*;

/// `z[i] = x[i] + y[i]`
#[kernel(block = 32)]
pub fn zip(x: &[f32], y: &[f32], z: &mut [f32]) {
    // <solution>
    let i = thread_idx_x();
    z[i] = x[i] + y[i];
    // <exercise>
    todo!()
    // <end>
}
