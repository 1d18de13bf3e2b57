//! Races between the threads of a block and between blocks, and kernels that only look racy.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

// Shared memory.

#[kernel(block = 128)]
fn all_threads_write_one_cell(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let last = shared!([f32; 1]);
    last[0] = x[t]; //~ gpu_shared_write_races "128 threads"
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = last[0];
    }
}

#[kernel(block = 128)]
fn everybody_writes_the_same(flag: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let found = shared!([u32; 1]);
    if t == 0 {
        found[0] = 0;
    }
    sync_threads();
    if flag[t] > 7 {
        found[0] = 1;
    }
    sync_threads();
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = found[0];
    }
}

#[kernel(block = 128)]
fn two_threads_share_a_cell(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let pairs = shared!([f32; 64]);
    pairs[t / 2] = x[t]; //~ gpu_shared_write_races
    sync_threads();
    if t < 64 && t < y.len() {
        y[t] = pairs[63 - t];
    }
}

#[kernel(block = 128)]
fn one_of_two_writes(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let pairs = shared!([f32; 64]);
    if t % 2 == 0 {
        pairs[t / 2] = x[t];
    }
    sync_threads();
    if t < 64 && t < y.len() {
        y[t] = pairs[63 - t];
    }
}

#[kernel(block = 128)]
fn modulo_a_power_of_two_of_the_block(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let bins = shared!([f32; 32]);
    bins[t % 32] = x[t]; //~ gpu_shared_write_races
    sync_threads();
    if t < 32 && t < y.len() {
        y[t] = bins[31 - t];
    }
}

#[kernel(block = 128)]
fn a_permutation(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 128]);
    cells[(t * 5 + 3) % 128] = x[t];
    sync_threads();
    if t < y.len() {
        y[t] = cells[t];
    }
}

#[kernel(block = 256)]
fn counting_without_atomics(keys: &[u8], counts: &[AtomicU32]) {
    let t = thread_idx_x();
    let bins = shared!([u32; 1]);
    if t == 0 {
        bins[0] = 0;
    }
    sync_threads();
    let i = global_idx_x();
    if i < keys.len() {
        bins[0] += 1; //~ gpu_shared_write_races
    }
    sync_threads();
    if t == 0 {
        counts[0].fetch_add(bins[0], Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn histogram(keys: &[u8], counts: &[AtomicU32]) {
    let t = thread_idx_x();
    let bins = shared!([AtomicU32; 256]);
    bins[t].store(0, Ordering::Relaxed);
    sync_threads();
    for i in (global_idx_x()..keys.len()).step_by(256 * grid_dim_x()) {
        bins[keys[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    counts[t].fetch_add(bins[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

#[kernel(block = 64)]
fn lanes_exchange_without_waiting(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let (warp, lane) = (t / 32, t % 32);
    let cells = shared!([[f32; 32]; 2]);
    cells[warp][lane] = x[t];
    let v = cells[warp][31 - lane]; //~ gpu_missing_warp_syncs
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn lanes_exchange(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let (warp, lane) = (t / 32, t % 32);
    let cells = shared!([[f32; 32]; 2]);
    cells[warp][lane] = x[t];
    sync_warp();
    let v = cells[warp][31 - lane];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn lanes_shuffle(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let v = warp::shfl(x[t], 31 - t % 32);
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn warps_exchange_after_a_warp_sync(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 64]);
    cells[t] = x[t];
    sync_warp();
    let v = cells[63 - t]; //~ gpu_missing_barriers
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn half_of_it_is_never_written(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 128]);
    cells[t] = x[t];
    sync_threads();
    let v = cells[t + 64]; //~ gpu_uninit_shared_reads
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn both_halves_are_written(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 128]);
    cells[t] = x[t];
    cells[t + 64] = 0.0;
    sync_threads();
    let v = cells[127 - t];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn no_thread_reads_it(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 64]); //~ gpu_unused_shared
    cells[t] = x[t];
    if t < y.len() {
        y[t] = x[t] + 1.0;
    }
}

#[kernel(block = 64)]
fn one_past_the_end(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 64]);
    cells[t] = x[t];
    sync_threads();
    let v = cells[t + 1]; //~ gpu_out_of_bounds_shared "64"
    if t < y.len() {
        y[t] = v;
    }
}

// Global memory.

#[kernel(block = 256)]
fn every_block_writes_the_same_cells(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < x.len() && t < y.len() {
        y[t] = x[i]; //~ gpu_block_races
    }
}

#[kernel(block = 256)]
fn every_thread_writes_its_own_cell(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = 2.0 * x[i];
    }
}

#[kernel(block = 256)]
fn all_add_to_one_cell(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && !y.is_empty() {
        y[0] += x[i]; //~ gpu_global_races
    }
}

#[kernel(block = 256)]
fn all_add_atomically(x: &[f32], y: &[AtomicF32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::reduce_add(v);
    if thread_idx_x() == 0 {
        y[0].fetch_add(sum, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn shifted_in_place(y: &mut [f32]) {
    let i = global_idx_x();
    if i + 1 < y.len() {
        y[i] = y[i + 1]; //~ gpu_global_races
        //~^ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn shifted_into_another(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i + 1 < x.len() && i < y.len() {
        let next = x[i + 1]; //~ gpu_misaligned_accesses
        y[i] = next - x[i];
    }
}

#[kernel(block = 256)]
fn both_neighbours_are_written(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i + 1 < y.len() {
        y[i] = x[i];
        y[i + 1] = -x[i]; //~ gpu_global_races
        //~^ gpu_misaligned_accesses
    }
}

#[kernel(block = 256)]
fn two_cells_of_its_own(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && 2 * i + 1 < y.len() {
        y[2 * i] = x[i];
        y[2 * i + 1] = -x[i];
    }
}

#[kernel(block = 256)]
fn two_threads_share_a_global_cell(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i / 2 < y.len() {
        y[i / 2] = x[i]; //~ gpu_global_races
    }
}

#[kernel(block = 256)]
fn scattered_by_data(places: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < places.len() {
        let place = places[i] as usize;
        if place < y.len() {
            y[place] = x[i];
        }
    }
}

#[kernel(block = 256)]
fn slots_are_claimed(x: &[f32], next: &[AtomicU32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] > 0.0 {
        let slot = next[0].fetch_add(1, Ordering::Relaxed) as usize; //~ gpu_contended_atomics
        if slot < y.len() {
            y[slot] = x[i];
        }
    }
}

#[kernel(block = 256)]
fn a_stride_that_is_too_short(x: &[f32], y: &mut [f32]) {
    let (b, t) = (block_idx_x(), thread_idx_x());
    let i = b * 128 + t;
    if i < x.len() && i < y.len() {
        y[i] = x[i] + b as f32; //~ gpu_block_races
    }
}

#[kernel(block = 256)]
fn one_result_a_block(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    let best = block::reduce_max(v);
    if thread_idx_x() == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = best;
    }
}

#[kernel(block = 256)]
fn every_thread_writes_the_cell_of_its_block(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let v = if i < x.len() { x[i] } else { 0.0 };
    if block_idx_x() < y.len() {
        y[block_idx_x()] = v; //~ gpu_global_races
    }
}

#[kernel(block = 256)]
fn smoothed_in_place(y: &mut [f32]) {
    let i = global_idx_x();
    if i > 0 && i + 1 < y.len() {
        y[i] = 0.25 * y[i - 1] + 0.5 * y[i] + 0.25 * y[i + 1]; //~ gpu_global_races
        //~^ gpu_misaligned_accesses
    }
}

#[kernel(block = 256, cooperative)]
fn in_place_with_the_grid_waiting(y: &mut [f32]) {
    let i = grid::thread_rank();
    let n = y.len();
    let mut next = 0.0;
    if i + 1 < n {
        next = y[i + 1]; //~ gpu_misaligned_accesses
    }
    grid::sync();
    if i < n {
        y[i] = next;
    }
}

crate::corpus![
    all_threads_write_one_cell,
    everybody_writes_the_same,
    two_threads_share_a_cell,
    one_of_two_writes,
    modulo_a_power_of_two_of_the_block,
    a_permutation,
    counting_without_atomics,
    histogram,
    lanes_exchange_without_waiting,
    lanes_exchange,
    lanes_shuffle,
    warps_exchange_after_a_warp_sync,
    half_of_it_is_never_written,
    both_halves_are_written,
    no_thread_reads_it,
    one_past_the_end,
    every_block_writes_the_same_cells,
    every_thread_writes_its_own_cell,
    all_add_to_one_cell,
    all_add_atomically,
    shifted_in_place,
    shifted_into_another,
    both_neighbours_are_written,
    two_cells_of_its_own,
    two_threads_share_a_global_cell,
    scattered_by_data,
    slots_are_claimed,
    a_stride_that_is_too_short,
    one_result_a_block,
    every_thread_writes_the_cell_of_its_block,
    smoothed_in_place,
    in_place_with_the_grid_waiting,
];
