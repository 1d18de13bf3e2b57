//! Shared memory that is right on one path, or from the second time on.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn a_barrier_in_one_mode(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if mode != 0 {
        sync_threads();
    }
    let v = s[255 - t]; //~ gpu_skipped_barriers
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn barriers_in_some_modes(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    match mode {
        0 => sync_threads(),
        1 => {}
        _ => sync_threads(),
    }
    let v = s[255 - t]; //~ gpu_skipped_barriers
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn a_barrier_in_each_mode(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    match mode {
        0 => sync_threads(),
        1 => sync_threads(),
        _ => sync_threads(),
    }
    let v = s[255 - t];
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
#[expect(clippy::if_same_then_else, reason = "a barrier on each path is what this is about")]
fn barriers_on_either_side_of_a_number(x: &[f32], y: &mut [f32], n: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if n < 16 {
        sync_threads();
    } else if n >= 16 {
        sync_threads();
    }
    let v = s[255 - t];
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn a_barrier_in_one_mode_before_a_guard(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if mode != 0 {
        sync_threads();
    }
    if i < y.len() {
        y[i] = s[255 - t]; //~ gpu_skipped_barriers
    }
}

#[kernel(block = 256)]
fn a_barrier_that_the_guard_asks_for(x: &[f32], y: &mut [f32], n: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if n > 0 {
        sync_threads();
    }
    if t < n && i < y.len() {
        y[i] = s[255 - t];
    }
}

#[kernel(block = 256)]
fn a_barrier_in_every_other_block(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if block_idx_x() % 2 == 0 {
        sync_threads();
    }
    let v = s[255 - t]; //~ gpu_skipped_barriers
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn a_barrier_in_all_rounds_but_the_last(x: &[f32], y: &mut [f32], rounds: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    let mut acc = 0.0;
    for round in 0..rounds {
        s[t] = x[(i + round) % x.len().max(1)];
        if round + 1 < rounds {
            sync_threads();
        }
        acc += s[255 - t]; //~ gpu_skipped_barriers
        sync_threads();
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 256)]
fn a_barrier_on_both_paths(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if mode != 0 {
        s[t] *= 2.0;
        sync_threads();
    } else {
        sync_threads();
    }
    let v = s[255 - t];
    if i < y.len() {
        y[i] = v;
    }
}

/// Nobody reads where there is no barrier.
#[kernel(block = 256)]
fn a_barrier_with_its_read(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    let mut v = 0.0;
    if mode != 0 {
        sync_threads();
        v = s[255 - t];
    }
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn the_same_condition_again(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    if mode != 0 {
        sync_threads();
    }
    let mut v = 0.0;
    if mode != 0 {
        v = s[255 - t];
    }
    if i < y.len() {
        y[i] = v;
    }
}

/// The iteration that comes next waits first.
#[kernel(block = 256)]
fn every_round_but_the_first_waits(x: &[f32], y: &mut [f32], rounds: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    let mut acc = 0.0;
    for round in 0..rounds {
        if round > 0 {
            sync_threads();
        }
        s[t] = x[(i + round) % x.len().max(1)];
        sync_threads();
        acc += s[255 - t];
    }
    if i < y.len() {
        y[i] = acc;
    }
}

/// After the last iteration nobody writes any more.
#[kernel(block = 256)]
fn every_round_but_the_last_waits(x: &[f32], y: &mut [f32], rounds: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    let mut acc = 0.0;
    for round in 0..rounds {
        s[t] = x[(i + round) % x.len().max(1)];
        sync_threads();
        acc += s[255 - t];
        if round + 1 < rounds {
            sync_threads();
        }
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 64)]
fn a_sum_without_a_first_value(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 64]);
    s[t] += x[i % x.len().max(1)]; //~ gpu_uninit_shared_reads "before any thread has written it"
    sync_threads();
    if i < y.len() {
        y[i] = s[63 - t];
    }
}

#[kernel(block = 64)]
fn sums_of_many_without_a_first_value(x: &[f32], y: &mut [f32], n: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 64]);
    for q in 0..n {
        s[t] += x[(i + q) % x.len().max(1)]; //~ gpu_uninit_shared_reads
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[63 - t];
    }
}

#[kernel(block = 64)]
fn a_first_value_in_the_first_round(x: &[f32], y: &mut [f32], n: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 64]);
    for q in 0..n {
        if q == 0 {
            s[t] = 0.0;
        }
        s[t] += x[(i + q) % x.len().max(1)];
    }
    sync_threads();
    if i < y.len() {
        y[i] = s[63 - t];
    }
}

#[kernel(block = 64)]
fn a_first_value_by_other_threads(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 64]);
    if t < 16 {
        for q in 0..4 {
            s[q * 16 + t] = 0.0;
        }
    }
    sync_threads();
    s[t] += x[i % x.len().max(1)];
    sync_threads();
    if i < y.len() {
        y[i] = s[63 - t];
    }
}

#[kernel(block = 64)]
fn read_from_the_second_round_on(x: &[f32], y: &mut [f32], n: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 64]);
    let mut acc = 0.0;
    for q in 0..n {
        if q > 0 {
            acc += s[t];
        }
        s[t] = x[(i + q) % x.len().max(1)];
    }
    if i < y.len() {
        y[i] = acc;
    }
}

crate::corpus![
    a_barrier_in_one_mode,
    barriers_in_some_modes,
    a_barrier_in_each_mode,
    barriers_on_either_side_of_a_number,
    a_barrier_in_one_mode_before_a_guard,
    a_barrier_that_the_guard_asks_for,
    a_barrier_in_every_other_block,
    a_barrier_in_all_rounds_but_the_last,
    a_barrier_on_both_paths,
    a_barrier_with_its_read,
    the_same_condition_again,
    every_round_but_the_first_waits,
    every_round_but_the_last_waits,
    a_sum_without_a_first_value,
    sums_of_many_without_a_first_value,
    a_first_value_in_the_first_round,
    a_first_value_by_other_threads,
    read_from_the_second_round_on,
];
