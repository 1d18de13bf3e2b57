//! Some threads have returned before this barrier.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn guarded(x: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    tile[thread_idx_x()] = x[i];
    sync_threads();
    x[i] = tile[63 - thread_idx_x()];
}

fn main() {}
