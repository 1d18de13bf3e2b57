//! Every thread runs these loops as often, and those that return leave nobody waiting. Silent are
//! `gpu_barriers_after_divergent_returns`, `gpu_barriers_in_divergent_flow` and `gpu_barriers_in_divergent_loops`.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 256)]
fn tree(x: &mut [f32]) {
    let sums = shared!([f32; 256]);
    let t = thread_idx_x();
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if t < half {
            sums[t] += sums[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t != 0 {
        return;
    }
    x[block_idx_x()] = sums[0];
}

#[kernel(block = 64)]
fn in_steps(n: usize, x: &mut [f32]) {
    let tile = shared!([f32; 64]);
    if n == 0 {
        return;
    }
    for step in (0..n).step_by(64) {
        tile[thread_idx_x()] = x[step + thread_idx_x()];
        sync_threads();
        x[step + 63 - thread_idx_x()] = tile[thread_idx_x()];
        sync_threads();
    }
}

fn main() {}
