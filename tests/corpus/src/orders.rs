//! Which order accesses have for others: fences, scopes of atomics, and stores of one value by many.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

// Announcements.

#[kernel(block = 128)]
fn the_last_block_reads_without_a_fence(
    x: &[f32],
    parts: &mut [f32],
    count: &[AtomicU32],
    y: &mut [f32],
) {
    let i = global_idx_x();
    let part = block::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if thread_idx_x() == 0 {
        parts[block_idx_x()] = part;
        let done = count[0].fetch_add(1, Ordering::Relaxed) as usize;
        if done + 1 == grid_dim_x() {
            let mut total = 0.0;
            for b in 0..grid_dim_x() {
                total += parts[b]; //~ gpu_missing_fences
            }
            y[0] = total;
        }
    }
}

#[kernel(block = 128)]
fn the_last_block_reads_what_no_block_wrote(
    parts: &mut [f32],
    count: &[AtomicU32],
    y: &mut [f32],
) {
    if thread_idx_x() == 0 {
        parts[2 * block_idx_x()] = 1.0;
        let done = count[0].fetch_add(1, Ordering::Relaxed) as usize;
        if done + 1 == grid_dim_x() {
            let mut total = 0.0;
            for b in 0..grid_dim_x() {
                total += parts[2 * b + 1];
            }
            y[0] = total;
        }
    }
}

#[kernel(block = 128)]
fn the_last_block_reads_behind_fences(
    x: &[f32],
    parts: &mut [f32],
    count: &[AtomicU32],
    y: &mut [f32],
) {
    let i = global_idx_x();
    let part = block::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if thread_idx_x() == 0 {
        parts[block_idx_x()] = part;
        thread_fence();
        let done = count[0].fetch_add(1, Ordering::Relaxed) as usize;
        if done + 1 == grid_dim_x() {
            thread_fence();
            let mut total = 0.0;
            for b in 0..grid_dim_x() {
                total += parts[b];
            }
            y[0] = total;
        }
    }
}

#[kernel(block = 128)]
fn the_last_block_reads_by_acquire_and_release(
    x: &[f32],
    parts: &mut [f32],
    count: &[AtomicU32],
    y: &mut [f32],
) {
    let i = global_idx_x();
    let part = block::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if thread_idx_x() == 0 {
        parts[block_idx_x()] = part;
        let done = count[0].fetch_add(1, Ordering::AcqRel) as usize;
        if done + 1 == grid_dim_x() {
            let mut total = 0.0;
            for b in 0..grid_dim_x() {
                total += parts[b];
            }
            y[0] = total;
        }
    }
}

// Scopes.

#[kernel(block = 256)]
fn counted_for_the_block_by_all_blocks(keys: &[u8], counts: &[AtomicU32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < keys.len() && keys[i] > 0 {
        counts[t].block().fetch_add(1, Ordering::Relaxed); //~ gpu_atomic_mixing
    }
}

#[kernel(block = 256)]
fn added_up_for_the_block_by_all_blocks(x: &[f32], sums: &[AtomicF32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < x.len() {
        sums[t].block().fetch_add(x[i], Ordering::Relaxed); //~ gpu_atomic_mixing
    }
}

#[kernel(block = 256)]
fn swapped_for_the_block_by_all_blocks(x: &[u32], last: &[AtomicU32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < x.len() {
        last[t].block().swap(x[i], Ordering::Relaxed); //~ gpu_atomic_mixing
    }
}

#[kernel(block = 256)]
fn counted_for_the_device(keys: &[u8], counts: &[AtomicU32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < keys.len() && keys[i] > 0 {
        counts[t].fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn the_largest_for_the_block_by_all_blocks(x: &[u32], best: &[AtomicU32]) {
    let i = global_idx_x();
    let v = block::reduce_max(if i < x.len() { x[i] } else { 0 });
    if thread_idx_x() == 0 {
        best[0].block().fetch_max(v, Ordering::Relaxed); //~ gpu_atomic_mixing
    }
}

#[kernel(block = 256)]
fn a_histogram_for_the_block_by_all_blocks(keys: &[u8], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        bins[keys[i] as usize].block().fetch_add(1, Ordering::Relaxed); //~ gpu_atomic_mixing
    }
}

#[kernel(block = 256)]
fn a_histogram_in_strides_for_the_block_by_all_blocks(keys: &[u8], bins: &[AtomicU32]) {
    let mut i = global_idx_x();
    while i < keys.len() {
        if keys[i] == 0 {
            i += block_dim_x() * grid_dim_x();
            continue;
        }
        bins[keys[i] as usize].block().fetch_add(1, Ordering::Relaxed); //~ gpu_atomic_mixing
        i += block_dim_x() * grid_dim_x();
    }
}

#[kernel(block = 256)]
fn counted_for_the_block_by_warps_of_all_blocks(keys: &[u8], counts: &[AtomicU32]) {
    let i = global_idx_x();
    let wanted = warp::ballot(i < keys.len() && keys[i] > 0);
    if warp::lane_id() == 0 && wanted != 0 {
        counts[0].block().fetch_add(wanted.count_ones(), Ordering::Relaxed); //~ gpu_atomic_mixing
    }
}

#[kernel(block = 256)]
fn a_histogram_of_each_block(keys: &[u8], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let bin = block_idx_x() * 256 + keys[i] as usize;
        bins[bin].block().fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn a_histogram_where_the_block_reads_it_is(keys: &[u8], places: &[u32], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let first = places[block_idx_x()] as usize * 256;
        bins[first + keys[i] as usize].block().fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn a_histogram_by_the_first_block(keys: &[u8], bins: &[AtomicU32]) {
    if block_idx_x() == 0 {
        for i in (thread_idx_x()..keys.len()).step_by(256) {
            bins[keys[i] as usize].block().fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[kernel(block = 256)]
fn a_histogram_by_the_block_that_comes_last(keys: &[u8], done: &[AtomicU32], bins: &[AtomicU32]) {
    let t = thread_idx_x();
    let ticket = shared!([u32; 1]);
    if t == 0 {
        ticket[0] = done[0].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    if ticket[0] as usize + 1 == grid_dim_x() {
        for i in (t..keys.len()).step_by(256) {
            bins[keys[i] as usize].block().fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[kernel(block = 256)]
fn a_cell_of_each_block(x: &[u32], best: &[AtomicU32]) {
    let i = global_idx_x();
    let v = warp::reduce_max(if i < x.len() { x[i] } else { 0 });
    if warp::lane_id() == 0 {
        best[block_idx_x()].block().fetch_max(v, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn counted_in_shared_memory_for_the_block(keys: &[u8], counts: &[AtomicU32]) {
    let bins = shared!([AtomicU32; 256]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    bins[t].store(0, Ordering::Relaxed);
    sync_threads();
    if i < keys.len() {
        bins[keys[i] as usize].block().fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    counts[t].fetch_add(bins[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

// The same value.

#[kernel(block = 128)]
fn all_mark_the_first_cell(done: &mut [u32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && !done.is_empty() {
        done[0] = 1; //~ gpu_same_value_races
        y[i] = 0.0;
    }
}

/// What threads 0 and 2 store is the same, and not what thread 1 stores.
#[kernel(block = 128)]
fn all_store_their_parity(last: &mut [usize], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && !last.is_empty() {
        last[0] = thread_idx_x() % 2; //~ gpu_global_races
        y[i] = 0.0;
    }
}

#[kernel(block = 128)]
fn one_thread_marks_the_first_cell(done: &mut [u32], y: &mut [f32]) {
    let i = global_idx_x();
    if i == 0 && !done.is_empty() {
        done[0] = 1;
    }
    if i < y.len() {
        y[i] = 0.0;
    }
}

#[kernel(block = 128)]
fn all_store_the_scale(scale: f32, x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let factor = shared!([f32; 1]);
    factor[0] = 2.0 * scale; //~ gpu_same_value_races
    sync_threads();
    if i < y.len() && i < x.len() {
        y[i] = factor[0] * x[i] + t as f32;
    }
}

#[kernel(block = 128)]
fn one_thread_stores_the_scale(scale: f32, x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let factor = shared!([f32; 1]);
    if t == 0 {
        factor[0] = 2.0 * scale;
    }
    sync_threads();
    if i < y.len() && i < x.len() {
        y[i] = factor[0] * x[i] + t as f32;
    }
}

#[kernel(block = 128)]
fn every_block_clears_all_counts(counts: &mut [u32], x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if t < counts.len() {
        counts[t] = 0; //~ gpu_same_value_races
    }
    if i < y.len() && i < x.len() {
        y[i] = x[i];
    }
}

crate::corpus![
    the_last_block_reads_without_a_fence,
    the_last_block_reads_what_no_block_wrote,
    the_last_block_reads_behind_fences,
    the_last_block_reads_by_acquire_and_release,
    counted_for_the_block_by_all_blocks,
    added_up_for_the_block_by_all_blocks,
    swapped_for_the_block_by_all_blocks,
    counted_for_the_device,
    the_largest_for_the_block_by_all_blocks,
    a_histogram_for_the_block_by_all_blocks,
    a_histogram_in_strides_for_the_block_by_all_blocks,
    counted_for_the_block_by_warps_of_all_blocks,
    a_histogram_of_each_block,
    a_histogram_where_the_block_reads_it_is,
    a_histogram_by_the_first_block,
    a_histogram_by_the_block_that_comes_last,
    a_cell_of_each_block,
    counted_in_shared_memory_for_the_block,
    all_mark_the_first_cell,
    all_store_their_parity,
    one_thread_marks_the_first_cell,
    all_store_the_scale,
    one_thread_stores_the_scale,
    every_block_clears_all_counts,
];
