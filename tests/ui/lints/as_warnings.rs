//! A lint that warns is rustc's lint `deprecated`, at the user's tokens.
#![deny(deprecated)]
use warpwise::prelude::*;

#[kernel(warn(gpu_barriers_in_divergent_flow))]
fn turned_down(x: &mut [f32]) {
    let i = thread_idx_x();
    if i < 16 {
        sync_threads();
    }
    x[i] = 1.0;
}

#[kernel]
fn by_default(x: &mut [f32]) {
    let i = thread_idx_x();
    if i >= x.len() {
        return;
    }
    sync_threads();
    x[i] = 1.0;
}

#[kernel(deny(gpu_barriers_after_divergent_returns))]
fn turned_up(x: &mut [f32]) {
    let i = thread_idx_x();
    if i >= x.len() {
        return;
    }
    sync_threads();
    x[i] = 1.0;
}

fn main() {}
