//! Sizes and indices of other integer types than `usize`, as in CUDA.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn sizes_i32(width: i32, height: i32, x: &[f32], y: &mut [f32]) {
    let col = (block_idx_x() * block_dim_x() + thread_idx_x()) as i32;
    let row = (block_idx_y() * block_dim_y() + thread_idx_y()) as i32;
    if col < width && row < height {
        let i = row * width + col;
        y[i] = 2.0 * x[i];
    }
}

#[kernel]
fn sizes_i32_beside_usize(width: i32, height: i32, x: &[f32], y: &mut [f32]) {
    let (row, col) = (global_idx_y(), global_idx_x());
    if col < width && row < height {
        y[row * width + col] = x[row * width + col];
    }
}

#[kernel]
fn loop_over_i32(n: i32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (row, col) = (global_idx_y() as i32, global_idx_x() as i32);
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + col];
    }
    c[row * n + col] = sum;
}

#[kernel]
fn grid_stride_i32(n: i32, y: &mut [f32]) {
    let mut i: i32 = global_idx_x();
    let stride = grid_dim_x() * block_dim_x();
    while i < n {
        y[i] = 1.0;
        i += stride;
    }
}

#[kernel]
fn shared_index_u32(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (row, col) = (thread_idx_y() as u32, thread_idx_x() as u32);
    tile[row][col] = x[row * 32 + col];
    sync_threads();
    y[(row * 32 + col) as usize] = tile[col][row];
}

#[kernel]
fn index_from_memory(order: &[i32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[order[i]];
    }
}

#[kernel]
fn part_up_to_i32(n: i32, x: &[f32], y: &mut [f32]) {
    y[global_idx_x()] = x[..n].iter().sum();
}

#[device]
fn index_parameter(x: &[f32], i: i32) -> f32 {
    x[i.clamp(0, x.len() - 1)]
}

fn main() {}
