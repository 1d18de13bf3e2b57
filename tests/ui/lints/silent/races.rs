//! Threads that access the same memory, in order. Silent are `gpu_atomic_mixing`, `gpu_block_races`, `gpu_global_races`,
//! `gpu_missing_barriers`, `gpu_missing_fences`, `gpu_missing_warp_syncs`, `gpu_same_value_races`, `gpu_shared_write_races` and
//! `gpu_uninit_shared_reads`.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy, PartialEq)]
enum Event {
    Nothing,
    Move(u8, f32),
}

#[kernel(block = 128)]
fn with_a_barrier(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[t];
    sync_threads();
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 128)]
fn one_thread_for_one_cell(x: &[f32], y: &mut [f32]) {
    let last = shared!([f32; 1]);
    if thread_idx_x() == 127 {
        last[0] = x[127];
    }
    sync_threads();
    y[global_idx_x()] = last[0];
}

#[kernel(block = 64)]
fn lanes_wait(x: &[f32], y: &mut [f32]) {
    let (warp, lane) = (thread_idx_x() / 32, warp::lane_id());
    let cells = shared!([[f32; 32]; 2]);
    cells[warp][lane] = x[thread_idx_x()];
    sync_warp();
    y[global_idx_x()] = cells[warp][31 - lane];
}

#[kernel(block = 256)]
fn two_cells_a_thread(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && 2 * i + 1 < y.len() {
        y[2 * i] = x[i];
        y[2 * i + 1] = -x[i];
    }
}

#[kernel(block = (32, 8))]
fn a_row_of_any_width(width: u32, height: u32, x: &[f32], y: &mut [f32]) {
    let (width, height) = (width as usize, height as usize);
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row < height {
        y[row * width + column] = 2.0 * x[row * width + column];
    }
}

#[kernel(block = 256)]
fn where_data_say_so(places: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < places.len() {
        y[places[i] as usize] = x[i];
    }
}

#[kernel(block = 256)]
fn atomic_in_the_device(x: &[f32], sums: &[AtomicF32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < x.len() {
        sums[t].fetch_add(x[i], Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn bins_of_each_block(keys: &[u8], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let bin = block_idx_x() * 256 + keys[i] as usize;
        bins[bin].block().fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 128)]
fn announced_behind_a_fence(parts: &mut [f32], count: &[AtomicU32], y: &mut [f32]) {
    if thread_idx_x() == 0 {
        parts[block_idx_x()] = 1.0;
        thread_fence();
        if count[0].fetch_add(1, Ordering::Relaxed) as usize + 1 == grid_dim_x() {
            thread_fence();
            let mut total = 0.0;
            for b in 0..grid_dim_x() {
                total += parts[b];
            }
            y[0] = total;
        }
    }
}

#[device]
struct Slot {
    key: AtomicU32,
    value: AtomicU32,
    weight: u32,
}

#[kernel(block = 64)]
fn atomics_in_structs(keys: &[u32], table: &[Slot], rows: &[[AtomicU32; 4]]) {
    let t = thread_idx_x();
    let tile = shared!([Slot; 64]);
    tile[t].key.store(0, Ordering::Relaxed);
    tile[t].weight = 2;
    sync_threads();
    if let Some(&key) = keys.get(global_idx_x()) {
        let slot = &table[key as usize % table.len()];
        if slot.key.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            slot.value.store(slot.weight, Ordering::Relaxed);
        }
        tile[key as usize % 64].key.fetch_add(tile[63 - t].weight, Ordering::Relaxed);
        rows[key as usize % rows.len()][t % 4].fetch_add(1, Ordering::Relaxed);
    }
}

/// What another variant has in these bytes, no thread has written.
#[kernel(block = 64)]
#[allow(gpu_bank_conflicts)]
fn options(x: &[Option<u32>], y: &mut [Option<(u32, Event)>]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let found = shared!([Option<u32>; 64]);
    let events = shared!([Event; 64]);
    found[t] = if i < x.len() { x[i] } else { None };
    events[t] = if t % 2 == 0 { Event::Nothing } else { Event::Move(t as u8, 0.5) };
    sync_threads();
    let (value, event) = (found[63 - t], events[t ^ 1]);
    let same = found[t] == value && events[t] == event;
    if i < y.len() {
        y[i] = if same { None } else { value.map(|value| (value, event)) };
    }
}

fn main() {}
