//! Indices and layouts that are right. Silent are `gpu_aos_accesses`, `gpu_bank_conflicts`, `gpu_contended_atomics`,
//! `gpu_index_overflows`, `gpu_local_arrays`, `gpu_misaligned_accesses`, `gpu_out_of_bounds_shared`, `gpu_swapped_axes`,
//! `gpu_uncoalesced_accesses`, `gpu_unguarded_indices` and `gpu_vector_bank_conflicts`.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::{F32x2, prelude::*};

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[kernel(block = (32, 32))]
fn a_padded_tile(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty];
}

#[kernel(block = 32)]
fn pairs_side_by_side(y: &mut [f32]) {
    let table = shared!([F32x2; 32]);
    let l = thread_idx_x();
    table[l] = F32x2::splat(1.0);
    sync_warp();
    let v = table[31 - l];
    y[global_idx_x()] = v.x + v.y;
}

#[kernel(block = 256)]
fn both_fields(points: &[Point], y: &mut [f32]) {
    let i = global_idx_x();
    let point = points[i];
    y[i] = point.x * point.y;
}

#[kernel(block = (32, 8))]
fn rows(pitch: usize, x: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < pitch {
        x[row * pitch + column] = 1.0;
    }
}

#[kernel(block = 256, warn(gpu_misaligned_accesses))]
fn a_warp_further(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[i + 32];
}

#[kernel(block = 256)]
fn reduced_first(x: &[u32], total: &[AtomicU32]) {
    let sum = block::reduce_add(x[global_idx_x()]);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

#[kernel(block = 256)]
fn constant_places(x: &[u32], y: &mut [u32]) {
    let mut sums = [0; 4];
    for k in 0..4 {
        sums[k] += x[k];
    }
    y[global_idx_x()] = sums[0] + sums[3];
}

#[kernel(block = (32, 8))]
fn computed_wide(y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < 70_000 && row < 70_000 {
        y[row * 70_000 + column] = 0.0;
    }
}

#[kernel(block = 256)]
fn behind_a_guard_of_its_own(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i + 8 < x.len() {
        y[i] = x[i + 8];
    }
}

#[kernel(block = 64)]
fn up_to_the_end(y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 65]);
    cells[t] = 1.0;
    if t == 0 {
        cells[64] = 1.0;
    }
    sync_threads();
    y[global_idx_x()] = cells[t + 1];
}

fn main() {}
