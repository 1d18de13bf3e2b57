//! Race: the result is right by luck, or not.
//!
//! A thread reads what another thread of the block writes, and nothing orders the two. The lint
//! names both places; on its default level it is an error, which the attribute below turns into a
//! warning. Add what is missing.
use warpwise::prelude::*;

/// Each element becomes the sum of itself and the next one of the block, around the end.
#[kernel(block = 64)]
#[warn(gpu_missing_barriers)]
pub fn add_next(x: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    tile[t] = x[t];
    // <solution>
    sync_threads();
    // <exercise>
    // <end>
    x[t] = tile[t] + tile[(t + 1) % 64];
}
