//! Updates that meet, and arrays that registers cannot hold.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 256)]
fn a_counter_in_shared_memory(x: &[f32], counts: &[AtomicU32]) {
    let count = shared!([AtomicU32; 1]);
    let t = thread_idx_x();
    if t == 0 {
        count[0].store(0, Ordering::Relaxed);
    }
    sync_threads();
    if x[global_idx_x()] > 0.0 {
        count[0].fetch_add(1, Ordering::Relaxed); //~ gpu_contended_atomics "up to 32"
    }
    sync_threads();
    if t == 0 {
        counts[block_idx_x()].fetch_add(count[0].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn the_largest_of_all(x: &[u32], largest: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() {
        largest[0].fetch_max(x[i], Ordering::Relaxed); //~ gpu_contended_atomics "32 lanes"
    }
}

#[kernel(block = 256)]
fn the_largest_of_each_warp(x: &[u32], largest: &[AtomicU32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0 };
    let of_warp = warp::reduce_max(v);
    if warp::lane_id() == 0 {
        largest[0].fetch_max(of_warp, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn one_counter_for_each_warp(x: &[u32], counts: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() {
        counts[i / 32].fetch_add(x[i], Ordering::Relaxed); //~ gpu_contended_atomics "32 lanes"
    }
}

#[kernel(block = 256)]
fn a_counter_for_each_thread(x: &[u32], counts: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() {
        counts[i].fetch_add(x[i], Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn bins(x: &[u8], counts: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn a_failure_is_counted(x: &[u32], y: &mut [u32], failures: &[AtomicU32]) {
    let i = global_idx_x();
    if i >= y.len() || i >= x.len() {
        return;
    }
    if x[i] > 1000 {
        failures[0].fetch_add(1, Ordering::Relaxed);
        return;
    }
    y[i] = x[i];
}

#[kernel(block = 256)]
fn a_change_is_noted(x: &[u32], y: &mut [u32], changed: &[AtomicU32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.len() && y[i] != x[i] {
        y[i] = x[i];
        changed[0].fetch_or(1, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn an_elected_lane_claims_for_all(x: &[f32], next: &[AtomicU32], places: &mut [u32]) {
    let i = global_idx_x();
    let wanted = warp::ballot(x[i] > 0.0);
    let leader = wanted.trailing_zeros() as usize;
    let mut first = 0;
    if warp::lane_id() == leader {
        first = next[0].fetch_add(wanted.count_ones(), Ordering::Relaxed);
    }
    places[i] = first;
}

#[kernel(block = 256)]
fn counted_in_a_local_array(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    let mut counts = [0; 8];
    for k in 0..16 {
        counts[(x[k] % 8) as usize] += 1; //~ gpu_local_arrays "32 bytes"
    }
    y[i] = counts[0] + counts[7];
}

#[kernel(block = 256)]
fn a_window_of_constants(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut window = [0.0; 4];
    for k in 0..4 {
        window[k] = x[k * 256 + thread_idx_x()];
    }
    let mut sum = 0.0;
    for k in 0..4 {
        sum += window[k] * window[3 - k];
    }
    y[i] = sum;
}

crate::corpus![
    a_counter_in_shared_memory,
    the_largest_of_all,
    the_largest_of_each_warp,
    one_counter_for_each_warp,
    a_counter_for_each_thread,
    bins,
    a_failure_is_counted,
    a_change_is_noted,
    an_elected_lane_claims_for_all,
    counted_in_a_local_array,
    a_window_of_constants,
];
