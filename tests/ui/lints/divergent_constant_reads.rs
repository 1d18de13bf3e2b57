//! Lanes that read different words of constant memory.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 256)]
fn by_lane(#[constant] taps: &[f32; 64], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] * taps[i % 64];
    }
}

#[kernel(block = (16, 16))]
fn by_column(#[constant] rows: &[[f32; 16]; 8], y: &mut [f32]) {
    let mut sum = 0.0;
    for k in 0..8 {
        sum += rows[k][thread_idx_x()];
    }
    y[global_idx_y() * 512 + global_idx_x()] = sum;
}

fn main() {}
