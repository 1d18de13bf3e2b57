//! What is found in a function that several kernels call, in the same words for all, is said once.
use warpwise::prelude::*;

#[device]
fn wait() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel(block = 256)]
fn first() {
    wait();
    wait();
}

#[kernel(block = 256)]
fn second(x: &mut [f32]) {
    debug_assert!(x.len() > 4);
    wait();
}

fn main() {}
