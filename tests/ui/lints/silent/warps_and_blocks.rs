//! Lanes that come, barriers that order something, and blocks of whole warps. Silent are `gpu_inactive_lane_shuffles`,
//! `gpu_low_occupancy`, `gpu_mismatched_barriers`, `gpu_moderate_occupancy`, `gpu_partial_warps`, `gpu_redundant_barriers`,
//! `gpu_unknown_block_shape`, `gpu_unlaunchable_kernels`, `gpu_unused_shared` and `gpu_warp_mask_mismatches`.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn all_lanes(x: &[u32], y: &mut [u32]) {
    let first = warp::shfl(x[thread_idx_x()], 0);
    y[global_idx_x()] = if warp::lane_id() < 16 { first } else { 0 };
}

#[kernel(block = 64)]
fn a_lane_that_is_there(x: &[u32], y: &mut [u32]) {
    let mut v = x[thread_idx_x()];
    if warp::lane_id() < 16 {
        v = warp::shfl_mask(0xffff, v, 15);
    }
    y[global_idx_x()] = v;
}

#[kernel(block = 128, warn(gpu_redundant_barriers))]
fn all_wait_behind_the_arms(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if t < 64 {
        tile[t] = x[t];
    } else {
        tile[t] = 0.0;
    }
    sync_threads();
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 96, warn(gpu_unknown_block_shape))]
fn three_warps(y: &mut [f32]) {
    y[global_idx_x()] = 1.0;
}

#[kernel(block = 1024, warn(gpu_moderate_occupancy))]
fn memory_for_two_blocks(x: &[f32], y: &mut [f32]) {
    let window = shared!([f32; 8192]);
    let t = thread_idx_x();
    for i in (t..8192).step_by(1024) {
        window[i] = x[i];
    }
    sync_threads();
    y[global_idx_x()] = window[8191 - t];
}

fn main() {}
