//! Barriers: that not every thread of the block reaches, or not as often as the others, that are missing, and
//! that are not needed.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 256)]
fn only_the_first_half_waits(y: &mut [f32]) {
    let i = thread_idx_x();
    let tile = shared!([f32; 256]);
    tile[i] = 1.0;
    if i < 128 {
        sync_threads(); //~ gpu_barriers_in_divergent_flow "`sync_threads()` is not reached by every thread"
        y[block_idx_x() * 128 + i] = tile[i] + tile[i + 128];
    }
}

#[kernel(block = 256)]
fn everybody_waits_before_the_first_half_goes_on(y: &mut [f32]) {
    let i = thread_idx_x();
    let tile = shared!([f32; 256]);
    tile[i] = i as f32;
    sync_threads();
    if i < 128 && block_idx_x() * 128 + i < y.len() {
        y[block_idx_x() * 128 + i] = tile[i] + tile[i + 128];
    }
}

#[kernel(block = 256)]
fn only_the_first_warp_waits(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 32]);
    if t / 32 == 0 {
        tile[t] = x[t];
        sync_threads(); //~ gpu_barriers_in_divergent_flow
        y[t] = tile[31 - t];
    }
}

#[kernel(block = 256)]
fn the_guard_is_around_the_barrier(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    if i < x.len() && i < y.len() {
        tile[t] = x[i];
        sync_threads(); //~ gpu_barriers_in_divergent_flow
        y[i] = tile[255 - t];
    }
}

#[kernel(block = 256)]
fn the_guard_is_around_the_work(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    if i < y.len() {
        y[i] = tile[255 - t];
    }
}

#[kernel(block = 256)]
fn some_have_returned(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    if i >= x.len() || i >= y.len() {
        return;
    }
    tile[t] = x[i];
    sync_threads(); //~ gpu_barriers_after_divergent_returns
    y[i] = tile[t / 2];
}

#[kernel(block = 256)]
fn whole_blocks_return(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    if (block_idx_x() + 1) * 256 > x.len() {
        return;
    }
    tile[t] = x[i];
    sync_threads();
    if i < y.len() {
        y[i] = tile[255 - t];
    }
}

#[kernel(block = 128)]
fn both_sides_wait(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if t < 64 {
        tile[t] = x[t];
        sync_threads(); //~ gpu_mismatched_barriers
    } else {
        tile[t] = x[t] * 2.0;
        sync_threads();
    }
    y[t] = tile[127 - t];
}

#[kernel(block = 128)]
fn a_parameter_decides_who_waits(mode: u32, x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    if mode == 1 {
        tile[t] = x[t];
        sync_threads();
    } else {
        tile[t] = x[t] * 2.0;
        sync_threads();
    }
    if t < y.len() {
        y[t] = tile[127 - t];
    }
}

#[kernel(block = 128)]
fn as_often_as_the_thread_says(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[t];
    for k in 0..t {
        sync_threads(); //~ gpu_barriers_in_divergent_loops
        if k == 0 {
            tile[t] += 1.0;
        }
    }
    y[t] = tile[t];
}

#[kernel(block = 64)]
fn a_strided_loop_with_a_barrier(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    let mut sum = 0.0;
    for i in (t..100).step_by(64) {
        tile[t] = x[i]; //~ gpu_missing_barriers
        sync_threads(); //~ gpu_barriers_in_divergent_loops
        sum += tile[63 - t];
    }
    y[t] = sum;
}

#[kernel(block = 64)]
fn a_strided_loop_of_equal_length(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    let mut sum = 0.0;
    for i in (t..128).step_by(64) {
        tile[t] = x[i];
        sync_threads();
        sum += tile[63 - t];
        sync_threads();
    }
    if t < y.len() {
        y[t] = sum;
    }
}

#[kernel(block = 64)]
fn data_decides_when_to_stop(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    let mut v = x[t];
    while v < 100.0 {
        tile[t] = v;
        sync_threads(); //~ gpu_barriers_in_divergent_loops
        v += tile[63 - t] + 1.0;
    }
    y[t] = v;
}

#[kernel(block = 64)]
fn all_decide_together_when_to_stop(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 64]);
    let mut v = x[t];
    while sync_threads_or(v < 100.0) {
        tile[t] = v;
        sync_threads();
        v += tile[63 - t] + 1.0;
    }
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 256)]
fn a_side_effect_behind_and(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let count = shared!([AtomicU32; 1]);
    if t == 0 {
        count[0].store(0, Ordering::Relaxed);
    }
    let positive = x[t] > 0.0;
    if t < 128 && sync_threads_count(positive) > 3 { //~ gpu_barriers_in_divergent_flow
        count[0].fetch_add(1, Ordering::Relaxed); //~ gpu_contended_atomics
    }
    sync_threads();
    y[t] = count[0].load(Ordering::Relaxed) as f32;
}

// Missing and needless ones.

#[kernel(block = (16, 16))]
fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (tile_a, tile_b) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for k in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + k * 16 + tx];
        tile_b[ty][tx] = b[(k * 16 + ty) * n + column];
        sync_threads();
        for j in 0..16 {
            sum += tile_a[ty][j] * tile_b[j][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[kernel(block = (16, 16))]
fn matmul_without_the_first_barrier(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (tile_a, tile_b) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for k in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + k * 16 + tx];
        tile_b[ty][tx] = b[(k * 16 + ty) * n + column];
        for j in 0..16 {
            sum += tile_a[ty][j] * tile_b[j][tx]; //~ gpu_missing_barriers
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[kernel(block = (16, 16))]
fn matmul_without_the_second_barrier(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (tile_a, tile_b) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for k in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + k * 16 + tx];
        tile_b[ty][tx] = b[(k * 16 + ty) * n + column]; //~ gpu_missing_barriers
        sync_threads();
        for j in 0..16 {
            sum += tile_a[ty][j] * tile_b[j][tx];
        }
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

#[kernel(block = 256)]
fn neighbours_without_a_barrier(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 257]);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    if t == 0 {
        tile[256] = 0.0;
    }
    let v = tile[t + 1]; //~ gpu_missing_barriers
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn neighbours_with_a_barrier(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 257]);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    if t == 0 {
        tile[256] = 0.0;
    }
    sync_threads();
    let v = tile[t + 1];
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn written_again_too_early(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let v = tile[255 - t];
    tile[t] = v * 2.0; //~ gpu_missing_barriers
    sync_threads();
    if i < y.len() {
        y[i] = tile[(t + 1) % 256];
    }
}

#[kernel(block = 256)]
fn each_thread_its_own_cell(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    if i < x.len() && i < y.len() {
        tile[t] = x[i];
        tile[t] += 1.0;
        y[i] = tile[t];
    }
}

#[kernel(block = 256)]
fn a_barrier_for_nothing(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let v = tile[255 - t];
    sync_threads(); //~ gpu_redundant_barriers
    if i < y.len() {
        y[i] = v;
    }
}

#[kernel(block = 256)]
fn two_barriers_in_a_row(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([f32; 256]);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    sync_threads(); //~ gpu_redundant_barriers
    if i < y.len() {
        y[i] = tile[255 - t];
    }
}

#[kernel(block = 256)]
fn scan_with_two_buffers(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let buffers = shared!([[u32; 256]; 2]);
    let i = global_idx_x();
    buffers[0][t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut from = 0;
    let mut step = 1;
    while step < 256 {
        let mut sum = buffers[from][t];
        if t >= step {
            sum += buffers[from][t - step];
        }
        buffers[1 - from][t] = sum;
        from = 1 - from;
        step *= 2;
        sync_threads();
    }
    if i < y.len() {
        y[i] = buffers[from][t];
    }
}

#[kernel(block = 256)]
fn scan_with_one_buffer(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let sums = shared!([u32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut step = 1;
    while step < 256 {
        let before = if t >= step { sums[t - step] } else { 0 };
        sync_threads();
        sums[t] += before;
        sync_threads();
        step *= 2;
    }
    if i < y.len() {
        y[i] = sums[t];
    }
}

#[kernel(block = 256)]
fn scan_with_half_its_barriers(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let sums = shared!([u32; 256]);
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut step = 1;
    while step < 256 {
        let before = if t >= step { sums[t - step] } else { 0 };
        sums[t] += before; //~ gpu_missing_barriers
        sync_threads();
        step *= 2;
    }
    if i < y.len() {
        y[i] = sums[t];
    }
}

#[kernel(block = 256)]
fn bitonic(keys: &mut [u32]) {
    let t = thread_idx_x();
    let sorted = shared!([u32; 256]);
    let i = global_idx_x();
    sorted[t] = if i < keys.len() { keys[i] } else { u32::MAX };
    sync_threads();
    let mut size = 2;
    while size <= 256 {
        let mut stride = size / 2;
        while stride > 0 {
            let other = t ^ stride;
            if other > t {
                let (a, b) = (sorted[t], sorted[other]);
                if (a > b) == (t & size == 0) {
                    sorted[t] = b;
                    sorted[other] = a;
                }
            }
            sync_threads();
            stride /= 2;
        }
        size *= 2;
    }
    if i < keys.len() {
        keys[i] = sorted[t];
    }
}

crate::corpus![
    only_the_first_half_waits,
    everybody_waits_before_the_first_half_goes_on,
    only_the_first_warp_waits,
    the_guard_is_around_the_barrier,
    the_guard_is_around_the_work,
    some_have_returned,
    whole_blocks_return,
    both_sides_wait,
    a_parameter_decides_who_waits,
    as_often_as_the_thread_says,
    a_strided_loop_with_a_barrier,
    a_strided_loop_of_equal_length,
    data_decides_when_to_stop,
    all_decide_together_when_to_stop,
    a_side_effect_behind_and,
    matmul,
    matmul_without_the_first_barrier,
    matmul_without_the_second_barrier,
    neighbours_without_a_barrier,
    neighbours_with_a_barrier,
    written_again_too_early,
    each_thread_its_own_cell,
    a_barrier_for_nothing,
    two_barriers_in_a_row,
    scan_with_two_buffers,
    scan_with_one_buffer,
    scan_with_half_its_barriers,
    bitonic,
];
