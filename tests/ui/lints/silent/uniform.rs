//! Nothing is wrong here.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn reversed(x: &mut [f32]) {
    let tile = shared!([f32; 64]);
    let t = thread_idx_x();
    let i = global_idx_x();
    if i < x.len() {
        tile[t] = x[i];
    }
    sync_threads();
    if block_idx_x() % 2 == 0 {
        sync_threads();
    }
    if i < x.len() {
        x[i] = tile[63 - t];
    }
}

fn main() {}
