//! Exchanges through shared memory in loops of many iterations, or of an unknown number of them.
use warpwise::prelude::*;

#[kernel(block = 64)]
fn sixty_five_reads(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 65]);
    if i >= y.len() || i >= x.len() {
        return;
    }
    s[t] = x[i];
    s[t + 1] = x[i]; //~ gpu_missing_barriers
    let mut acc = 0.0;
    for q in 0..65 {
        acc += s[q]; //~ gpu_missing_barriers
    }
    y[i] = acc;
}

#[kernel(block = 256)]
fn bodies_in_a_while_without_a_barrier(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    let (mut acc, mut q) = (0.0, 0);
    while q < 256 {
        acc += s[q]; //~ gpu_missing_barriers
        q += 1;
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 256)]
fn bodies_without_a_barrier_behind_the_store(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 256]);
    let mut acc = 0.0;
    for first in (0..x.len() / 256 * 256).step_by(256) {
        tile[t] = x[first + t];
        for q in 0..256 {
            acc += tile[q]; //~ gpu_missing_barriers "thread (32, 0, 0) reads"
        }
        sync_threads();
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 128)]
fn bodies_without_a_barrier_at_the_end(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 128]);
    let mut acc = 0.0;
    for first in (0..x.len() / 128 * 128).step_by(128) {
        tile[t] = x[first + t]; //~ gpu_missing_barriers
        sync_threads();
        for q in 0..128 {
            acc += tile[q];
        }
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 1024)]
fn bodies_with_both_barriers(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 1024]);
    let mut acc = 0.0;
    for first in (0..x.len() / 1024 * 1024).step_by(1024) {
        tile[t] = x[first + t];
        sync_threads();
        for q in 0..1024 {
            acc += tile[q];
        }
        sync_threads();
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 1024)]
fn a_thousand_bodies(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 1024]);
    if i >= x.len() || i >= y.len() {
        return;
    }
    tile[t] = x[i];
    let mut acc = 0.0;
    for q in (0..1024).step_by(8) {
        acc += tile[q + 3]; //~ gpu_missing_barriers
    }
    y[i] = acc;
}

#[kernel(block = 64)]
fn a_row_for_each_thread(x: &[f32], y: &mut [f32]) { //~ gpu_moderate_occupancy
    let (t, i) = (thread_idx_x(), global_idx_x());
    let rows = shared!([[f32; 81]; 64]);
    for q in 0..81 {
        rows[t][q] = x[(i + q) % x.len().max(1)];
    }
    let mut acc = 0.0;
    for q in 0..81 {
        acc += rows[t][80 - q];
    }
    if i < y.len() {
        y[i] = acc;
    }
}

#[kernel(block = 64)]
fn the_row_of_a_neighbour(x: &[f32], y: &mut [f32]) { //~ gpu_moderate_occupancy
    let (t, i) = (thread_idx_x(), global_idx_x());
    let rows = shared!([[f32; 81]; 64]);
    for q in 0..81 {
        rows[t][q] = x[(i + q) % x.len().max(1)];
    }
    let mut acc = 0.0;
    for q in 0..81 {
        acc += rows[(t + 1) % 64][q]; //~ gpu_missing_barriers
    }
    if i < y.len() {
        y[i] = acc;
    }
}

/// Each thread reads one half while the other half is written.
#[kernel(block = 128)]
fn the_other_half(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let halves = shared!([f32; 256]);
    halves[t] = x[i % x.len().max(1)];
    sync_threads();
    halves[128 + t] = 2.0 * halves[127 - t];
    let mut acc = 0.0;
    for q in 0..128 {
        acc += halves[q];
    }
    sync_threads();
    if i < y.len() {
        y[i] = acc + halves[255 - t];
    }
}

/// Elimination: each step reads the pivot that the step before has written.
#[kernel(block = 128)]
fn a_pivot_that_a_thread_still_writes(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = x[i % x.len().max(1)];
    sync_threads();
    for k in 0..127 {
        let pivot = s[k];
        s[t] = s[t] - 0.5 * pivot; //~ gpu_missing_barriers
        sync_threads();
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

#[kernel(block = 128)]
fn a_pivot_that_only_later_threads_subtract(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = x[i % x.len().max(1)];
    sync_threads();
    for k in 0..127 {
        if t > k {
            s[t] = s[t] - 0.5 * s[k];
        }
        sync_threads();
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

/// The store and the reads of one iteration are kept apart by barriers in the loop.
#[kernel(block = 128)]
fn a_pivot_in_every_iteration(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = x[i % x.len().max(1)];
    sync_threads();
    for k in 0..127 {
        let pivot = s[k];
        sync_threads();
        s[t] = s[t] - 0.5 * pivot;
        sync_threads();
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

/// The barrier at the beginning of each iteration is between the store and the first read.
#[kernel(block = 128)]
fn each_iteration_waits_first(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = x[i % x.len().max(1)];
    let mut acc = 0.0;
    for q in 0..128 {
        sync_threads();
        acc += s[q];
    }
    if i < y.len() {
        y[i] = acc;
    }
}

/// In the first iteration only the thread that wrote it reads element 0; later ones are behind a barrier.
#[kernel(block = 128)]
fn each_iteration_waits_last(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    s[t + 128] = 0.0;
    let mut acc = 0.0;
    for q in 0..128 {
        acc += s[t + q];
        sync_threads();
    }
    if i < y.len() {
        y[i] = acc;
    }
}

/// As many iterations as the launch says: without one there is nothing to read, and the first reads element 0.
#[kernel(block = 128)]
fn as_many_reads_as_there_are(x: &[f32], y: &mut [f32], n: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 128]);
    s[t] = x[i % x.len().max(1)];
    let mut acc = 0.0;
    for q in 0..n.min(128) {
        acc += s[q]; //~ gpu_missing_barriers
    }
    if i < y.len() {
        y[i] = acc;
    }
}

/// A lane reads only what lanes of its own warp have written, which have met.
#[kernel(block = 128)]
fn each_warp_for_itself(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([[f32; 100]; 4]);
    for q in (t % 32..100).step_by(32) {
        s[t / 32][q] = x[(i + q) % x.len().max(1)];
    }
    sync_warp();
    let mut acc = 0.0;
    for q in 0..100 {
        acc += s[t / 32][q];
    }
    if i < y.len() {
        y[i] = acc;
    }
}

/// Every iteration writes the row of another buffer than it reads.
#[kernel(block = 64)]
fn two_buffers(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([[f32; 64]; 2]);
    s[0][t] = x[i % x.len().max(1)];
    sync_threads();
    for k in 0..100 {
        s[(k + 1) % 2][t] = 0.5 * s[k % 2][63 - t];
        sync_threads();
    }
    if i < y.len() {
        y[i] = s[0][t];
    }
}

/// The outer iterations of which the inner loop runs at all are not those of the store.
#[kernel(block = 128)]
fn a_triangle(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let s = shared!([f32; 256]);
    s[t] = x[i % x.len().max(1)];
    s[t + 128] = 0.0;
    let mut acc = 0.0;
    for a in 0..128 {
        for b in 128..128 + a {
            acc += s[b - 128 + t - t]; //~? gpu_missing_barriers
        }
    }
    if i < y.len() {
        y[i] = acc;
    }
}

crate::corpus![
    sixty_five_reads,
    bodies_in_a_while_without_a_barrier,
    bodies_without_a_barrier_behind_the_store,
    bodies_without_a_barrier_at_the_end,
    bodies_with_both_barriers,
    a_thousand_bodies,
    a_row_for_each_thread,
    the_row_of_a_neighbour,
    the_other_half,
    a_pivot_that_a_thread_still_writes,
    a_pivot_that_only_later_threads_subtract,
    a_pivot_in_every_iteration,
    each_iteration_waits_first,
    each_iteration_waits_last,
    as_many_reads_as_there_are,
    each_warp_for_itself,
    two_buffers,
    a_triangle,
];
