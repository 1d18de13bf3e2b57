//! Slices that each warp reads one element at a time, and that are small.
use warpwise::prelude::*;

#[kernel(block = 256, deny(gpu_constant_candidates))]
fn filter(taps: &[f32; 64], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i + 64 <= x.len() {
        let mut sum = 0.0;
        for k in 0..64 {
            sum += taps[k] * x[i + k];
        }
        y[i] = sum;
    }
}

#[kernel(block = 256, requires(taps.len() <= 1024), deny(gpu_constant_candidates))]
fn bounded(taps: &[f64], y: &mut [f64]) {
    let i = global_idx_x();
    if i < y.len() {
        let mut sum = 0.0;
        for tap in taps {
            sum += *tap;
        }
        y[i] = sum;
    }
}

fn main() {}
