//! The fifth norm kernel as textbooks print it: the barrier of the tree is in the branch of the first lanes.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 256)]
fn norm5(x: &[f32], result: &[AtomicF32]) {
    let sums = shared!([f32; 256]);
    let (tid, i) = (thread_idx_x(), global_idx_x());
    let warp = tid / 32;
    let value = if i < x.len() { x[i] } else { 0.0 };
    sums[tid] = warp::reduce_add(value * value);
    sync_threads();
    let mut offset = 4;
    if tid % 32 == 0 {
        while offset > 0 {
            if warp < offset {
                sums[warp * 32] += sums[(warp + offset) * 32];
            }
            offset >>= 1;
            sync_threads();
        }
    }
    if tid == 0 {
        result[0].fetch_add(sums[0], Ordering::Relaxed);
    }
}

fn main() {}
