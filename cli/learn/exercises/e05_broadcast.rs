//! Broadcast: each row of the result is one array plus a number of the other.
use warpwise::prelude::*;

/// `sums[row * a.len() + column] = a[column] + b[row]`
#[kernel(block = (8, 8))]
pub fn broadcast(a: &[f32], b: &[f32], sums: &mut [f32]) {
    // <solution>
    let (column, row) = (thread_idx_x(), thread_idx_y());
    if column < a.len() && row < b.len() {
        sums[row * a.len() + column] = a[column] + b[row];
    }
    // <exercise>
    todo!()
    // <end>
}
