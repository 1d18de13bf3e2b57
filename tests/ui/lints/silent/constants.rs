//! Constant memory as it should be, and slices that are no candidates. Silent are `gpu_constant_candidates` and
//! `gpu_divergent_constant_reads`.
#![deny(warnings)]
use warpwise::prelude::*;

/// One element for all lanes, and two for a warp of two rows.
#[kernel(block = (16, 16))]
fn uniform(#[constant] taps: &[f32; 64], #[constant(max = 32)] rows: &[f32], y: &mut [f32]) {
    let mut sum = rows[thread_idx_y()];
    for k in 0..64 {
        sum += taps[k];
    }
    y[global_idx_y() * 512 + global_idx_x()] = sum;
}

/// Only the data decide which words the lanes read.
#[kernel(block = 256)]
fn by_data(#[constant] palette: &[u32; 256], x: &[u8], y: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = palette[x[i] as usize];
    }
}

/// Of unknown length, read by lane, small, and written.
#[kernel(block = 256, deny(gpu_constant_candidates))]
fn no_candidates(taps: &[f32], table: &[f32; 64], pair: &[f32; 2], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && !taps.is_empty() {
        y[i] = taps[0] + table[i % 64] + pair[1];
    }
}

fn main() {}
