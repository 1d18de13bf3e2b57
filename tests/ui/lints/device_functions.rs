//! What is found in a function that several kernels call, in the same words for all, is said once.
use warpwise::prelude::*;

#[device]
fn wait() {
    if thread_idx_x() < 16 {
        sync_threads();
    }
}

#[kernel]
fn first() {
    wait();
    wait();
}

#[kernel]
fn second(x: &mut [f32]) {
    debug_assert!(x.len() > 4);
    wait();
}

fn main() {}
