//! Threads leave these loops after different numbers of barriers.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn bounds(x: &mut [f32]) {
    let n = x.len();
    for i in (thread_idx_x()..n).step_by(block_dim_x()) {
        x[i] = 1.0;
        sync_threads();
    }
}

#[kernel(block = 256)]
fn halved(x: &mut [f32]) {
    let mut rest = thread_idx_x();
    while rest > 0 {
        rest /= 2;
        sync_threads();
    }
    x[thread_idx_x()] = 0.0;
}

fn main() {}
