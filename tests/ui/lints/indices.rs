//! Indices that leave their arrays.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 64)]
fn past_the_end(y: &mut [f32]) {
    let t = thread_idx_x();
    let cells = shared!([f32; 64]);
    cells[t] = 1.0;
    sync_threads();
    y[global_idx_x()] = cells[t + 1];
}

#[kernel(block = 256, allow(gpu_global_races))]
fn behind_the_guard(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = x[i + 8];
    }
}

#[kernel(block = (32, 8))]
fn wrapped(y: &mut [f32]) {
    let (column, row) = (global_idx_x() as u32, global_idx_y() as u32);
    if column < 70_000 && row < 70_000 {
        y[(row * 70_000 + column) as usize] = 0.0;
    }
}

fn main() {}
