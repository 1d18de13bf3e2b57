//! Shuffle: the threads of a warp read registers of each other.
//!
//! Compute the sum of each warp without shared memory and without barriers.
//! `warp::shfl_down(value, distance)` returns the value of the lane so many above. Add the values
//! at distance 16, then 8, 4, 2 and 1; lane 0 (`warp::lane_id()`) has the sum.
use warpwise::prelude::*;

/// `sums[w]` is the sum of the 32 elements of warp `w`.
#[kernel(block = 64)]
pub fn warp_sums(x: &[u32], sums: &mut [u32]) {
    // <solution>
    let i = global_idx_x();
    let mut sum = x[i];
    let mut distance = 16;
    while distance > 0 {
        sum += warp::shfl_down(sum, distance);
        distance /= 2;
    }
    if warp::lane_id() == 0 {
        sums[i / 32] = sum;
    }
    // <exercise>
    todo!()
    // <end>
}
