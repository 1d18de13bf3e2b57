//! The seven steps of the textbook reduction, and what goes wrong on the way.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 256)]
fn interleaved_with_modulo(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = 1;
    while s < 256 {
        if t % (2 * s) == 0 { //~ gpu_divergent_branches
            sums[t] += sums[t + s];
        }
        sync_threads();
        s *= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn interleaved_with_a_stride(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = 1;
    while s < 256 {
        let k = 2 * s * t;
        if k < 256 {
            sums[k] += sums[k + s]; //~ gpu_bank_conflicts
        }
        sync_threads();
        s *= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn sequential(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            sums[t] += sums[t + s];
        }
        sync_threads();
        s /= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn first_add_during_load(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = block_idx_x() * 512 + t;
    let mut sum = 0.0;
    if i < x.len() {
        sum = x[i];
    }
    if i + 256 < x.len() {
        sum += x[i + 256];
    }
    sums[t] = sum;
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            sums[t] += sums[t + s];
        }
        sync_threads();
        s >>= 1;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn last_warp_unrolled(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = 128;
    while s > 32 {
        if t < s {
            sums[t] += sums[t + s];
        }
        sync_threads();
        s /= 2;
    }
    if t < 32 {
        let mut sum = sums[t] + sums[t + 32];
        for k in [16, 8, 4, 2, 1] {
            sum += warp::shfl_down(sum, k);
        }
        if t == 0 && block_idx_x() < y.len() {
            y[block_idx_x()] = sum;
        }
    }
}

#[kernel(block = 256)]
fn last_warp_in_lock_step(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    if t < 128 {
        sums[t] += sums[t + 128];
    }
    sync_threads();
    if t < 64 {
        sums[t] += sums[t + 64];
    }
    sync_threads();
    if t < 32 {
        sums[t] += sums[t + 32];
        sums[t] += sums[t + 16]; //~ gpu_missing_warp_syncs
        sums[t] += sums[t + 8]; //~ gpu_missing_warp_syncs
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn grid_stride_then_shuffles(x: &[f32], total: &[AtomicF32]) {
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(256 * grid_dim_x()) {
        sum += x[i];
    }
    let sums = shared!([f32; 8]);
    let of_warp = warp::reduce_add(sum);
    if warp::lane_id() == 0 {
        sums[warp::warp_id()] = of_warp;
    }
    sync_threads();
    if warp::warp_id() == 0 {
        let v = if warp::lane_id() < 8 { sums[warp::lane_id()] } else { 0.0 };
        let of_block = warp::reduce_add(v);
        if warp::lane_id() == 0 {
            total[0].fetch_add(of_block, Ordering::Relaxed);
        }
    }
}

#[kernel(block = 256)]
fn every_thread_adds_to_the_total(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    if i < x.len() {
        total[0].fetch_add(x[i], Ordering::Relaxed); //~ gpu_contended_atomics "32 "
    }
}

#[kernel(block = 256)]
fn warps_add_to_the_total(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let sum = warp::reduce_add(v);
    if warp::lane_id() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn without_the_barrier_in_the_loop(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            sums[t] += sums[t + s]; //~ gpu_missing_barriers
        }
        s /= 2;
    }
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn without_the_barrier_before_the_loop(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    let mut s = 128;
    while s > 0 {
        if t < s {
            sums[t] += sums[t + s]; //~ gpu_missing_barriers
        }
        sync_threads();
        s /= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn the_barrier_inside_the_branch(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let sums = shared!([f32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            sums[t] += sums[t + s];
            sync_threads(); //~ gpu_barriers_in_divergent_flow
        }
        s /= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = sums[0];
    }
}

#[kernel(block = 256)]
fn largest(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let best = shared!([f32; 256]);
    let mut v = f32::NEG_INFINITY;
    for i in (t..x.len()).step_by(256) {
        v = v.max(x[i]);
    }
    best[t] = v;
    sync_threads();
    for step in 0..8 {
        let s = 128 >> step;
        if t < s {
            best[t] = best[t].max(best[t + s]);
        }
        sync_threads();
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = best[0];
    }
}

crate::corpus![
    interleaved_with_modulo,
    interleaved_with_a_stride,
    sequential,
    first_add_during_load,
    last_warp_unrolled,
    last_warp_in_lock_step,
    grid_stride_then_shuffles,
    every_thread_adds_to_the_total,
    warps_add_to_the_total,
    without_the_barrier_in_the_loop,
    without_the_barrier_before_the_loop,
    the_barrier_inside_the_branch,
    largest,
];
