//! Flags, counters and fences: threads that tell each other what they have done.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 128)]
fn the_last_block_adds_up(x: &[f32], sums: &[AtomicF32], count: &[AtomicU32], y: &mut [f32]) {
    let is_last = shared!([u32; 1]);
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::reduce_add(v);
    if thread_idx_x() == 0 {
        sums[block_idx_x()].store(sum, Ordering::Relaxed);
        thread_fence();
        let before = count[0].fetch_add(1, Ordering::AcqRel);
        is_last[0] = (before as usize + 1 == grid_dim_x()) as u32;
    }
    sync_threads();
    if is_last[0] == 1 && thread_idx_x() == 0 && !y.is_empty() {
        let mut total = 0.0;
        for b in 0..grid_dim_x() {
            total += sums[b].load(Ordering::Relaxed);
        }
        y[0] = total;
    }
}

#[kernel(block = 256)]
fn a_counter_that_starts_at_zero(x: &[f32], y: &mut [u32]) {
    let positive = shared!([AtomicU32; 1]);
    let t = thread_idx_x();
    if t == 0 {
        positive[0].store(0, Ordering::Relaxed);
    }
    sync_threads();
    let i = global_idx_x();
    let found = i < x.len() && x[i] > 0.0;
    let of_warp = warp::ballot(found).count_ones();
    if warp::lane_id() == 0 {
        positive[0].fetch_add(of_warp, Ordering::Relaxed);
    }
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = positive[0].load(Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn a_flag_that_all_set_to_the_same(x: &[f32], found: &[AtomicBool]) {
    let i = global_idx_x();
    if i < x.len() && x[i] > 100.0 {
        found[0].store(true, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn breadth_first(starts: &[u32], targets: &[u32], depth: u32, depths: &[AtomicU32]) {
    let node = global_idx_x();
    if node + 1 < starts.len() && depths[node].load(Ordering::Relaxed) == depth {
        for edge in starts[node]..starts[node + 1] { //~ gpu_divergent_loops
            let target = targets[edge as usize] as usize;
            depths[target].fetch_min(depth + 1, Ordering::Relaxed);
        }
    }
}

#[kernel(block = 128)]
fn a_histogram_in_parts(keys: &[u32], counts: &[AtomicU32]) {
    let bins = shared!([AtomicU32; 128]);
    let t = thread_idx_x();
    bins[t].store(0, Ordering::Relaxed);
    sync_threads();
    for i in (global_idx_x()..keys.len()).step_by(128 * grid_dim_x()) {
        bins[keys[i] as usize % 128].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    counts[t].fetch_add(bins[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

#[kernel(block = 128)]
fn tickets_of_a_warp(x: &[f32], next: &[AtomicU32], y: &mut [f32]) {
    let i = global_idx_x();
    let keep = i < x.len() && x[i] > 0.0;
    let keepers = warp::ballot(keep);
    let lane = warp::lane_id();
    let mut first = 0;
    if lane == 0 {
        first = next[0].fetch_add(keepers.count_ones(), Ordering::Relaxed);
    }
    let first = warp::shfl(first, 0);
    let before = (keepers & ((1 << lane) - 1)).count_ones();
    let slot = (first + before) as usize;
    if keep && slot < y.len() {
        y[slot] = x[i];
    }
}

#[kernel(block = 256)]
fn the_largest_by_compare_and_swap(x: &[u32], best: &[AtomicU32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0 };
    let v = block::reduce_max(v);
    if thread_idx_x() == 0 {
        let mut known = best[0].load(Ordering::Relaxed);
        while v > known {
            match best[0].compare_exchange(known, v, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => known = now,
            }
        }
    }
}

crate::corpus![
    the_last_block_adds_up,
    a_counter_that_starts_at_zero,
    a_flag_that_all_set_to_the_same,
    breadth_first,
    a_histogram_in_parts,
    tickets_of_a_warp,
    the_largest_by_compare_and_swap,
];
