//! Lanes that are named and do not come, barriers that threads do not meet at, and blocks that are ill shaped.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn half_of_the_lanes(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if warp::lane_id() < 16 {
        v = warp::shfl(v, 0);
    }
    y[global_idx_x()] = v;
}

#[kernel(block = 64)]
fn a_lane_that_is_not_there(x: &[u32], y: &mut [u32]) {
    let mut v = x[thread_idx_x()];
    if warp::lane_id() < 16 {
        v = warp::shfl_mask(0xffff, v, 20);
    }
    y[global_idx_x()] = v;
}

#[kernel(block = 128)]
fn both_arms_wait(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if t < 64 {
        tile[t] = x[t];
        sync_threads();
    } else {
        tile[t] = 0.0;
        sync_threads();
    }
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 128, warn(gpu_redundant_barriers))]
fn waits_twice(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[t];
    sync_threads();
    sync_threads();
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 100)]
fn a_hundred_threads(y: &mut [f32]) {
    y[global_idx_x()] = 1.0;
}

#[kernel(warn(gpu_unknown_block_shape))]
fn any_number_of_threads(y: &mut [f32]) {
    y[global_idx_x()] = 1.0;
}

#[kernel(block = 64)]
fn much_memory_for_few(x: &[f32], y: &mut [f32]) {
    let window = shared!([f32; 25600]);
    let t = thread_idx_x();
    for i in (t..25600).step_by(64) {
        window[i] = x[i];
    }
    sync_threads();
    y[global_idx_x()] = window[25599 - t];
}

#[kernel(block = 256, warn(gpu_moderate_occupancy))]
fn half_of_the_memory(x: &[f32], y: &mut [f32]) {
    let window = shared!([f32; 12800]);
    let t = thread_idx_x();
    for i in (t..12800).step_by(256) {
        window[i] = x[i];
    }
    sync_threads();
    y[global_idx_x()] = window[12799 - t];
}

#[kernel(block = 256)]
fn more_memory_than_there_is(x: &[f32], y: &mut [f32]) {
    let window = shared!([f32; 65536]);
    let t = thread_idx_x();
    for i in (t..65536).step_by(256) {
        window[i] = x[i];
    }
    sync_threads();
    y[global_idx_x()] = window[65535 - t];
}

#[kernel(block = 64)]
fn a_tile_for_nobody(x: &[f32], y: &mut [f32]) {
    let tile = shared!([f32; 64]);
    tile[thread_idx_x()] = x[thread_idx_x()];
    y[global_idx_x()] = 1.0;
}

fn main() {}
