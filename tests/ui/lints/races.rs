//! Threads that access the same place at one time, or in no order.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 128)]
fn without_a_barrier(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let tile = shared!([f32; 128]);
    tile[t] = x[t];
    y[global_idx_x()] = tile[127 - t];
}

#[kernel(block = 128)]
fn one_cell_for_all(x: &[f32], y: &mut [f32]) {
    let last = shared!([f32; 1]);
    last[0] = x[thread_idx_x()];
    sync_threads();
    y[global_idx_x()] = last[0];
}

#[kernel(block = 128)]
fn the_same_value(scale: f32, y: &mut [f32]) {
    let factor = shared!([f32; 1]);
    factor[0] = 2.0 * scale;
    sync_threads();
    y[global_idx_x()] = factor[0];
}

#[kernel(block = 64)]
fn lanes_do_not_wait(x: &[f32], y: &mut [f32]) {
    let (warp, lane) = (thread_idx_x() / 32, warp::lane_id());
    let cells = shared!([[f32; 32]; 2]);
    cells[warp][lane] = x[thread_idx_x()];
    y[global_idx_x()] = cells[warp][31 - lane];
}

#[kernel(block = 256)]
fn half_a_buffer_of_cells(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i / 2 < y.len() {
        y[i / 2] = x[i];
    }
}

#[kernel(block = 256)]
fn the_same_cells_for_every_block(x: &[f32], y: &mut [f32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < x.len() && t < y.len() {
        y[t] = x[i];
    }
}

#[kernel(block = 256)]
fn atomic_in_one_block_only(x: &[f32], sums: &[AtomicF32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    if i < x.len() {
        sums[t].block().fetch_add(x[i], Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn atomic_in_one_block_where_data_say_so(keys: &[u8], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        bins[keys[i] as usize].block().fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 128)]
fn announced_without_a_fence(parts: &mut [f32], count: &[AtomicU32], y: &mut [f32]) {
    if thread_idx_x() == 0 {
        parts[block_idx_x()] = 1.0;
        if count[0].fetch_add(1, Ordering::Relaxed) as usize + 1 == grid_dim_x() {
            let mut total = 0.0;
            for b in 0..grid_dim_x() {
                total += parts[b];
            }
            y[0] = total;
        }
    }
}

#[kernel(block = 64)]
fn half_is_never_written(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 128]);
    cells[t] = x[t];
    sync_threads();
    y[global_idx_x()] = cells[t + 64];
}

#[device]
struct Slot {
    key: AtomicU32,
    value: u32,
}

#[kernel(block = 64)]
fn beside_an_atomic(slots: &mut [Slot]) {
    slots[0].key.fetch_max(thread_idx_x() as u32, Ordering::Relaxed);
    slots[0].value = thread_idx_x() as u32;
}

fn main() {}
