//! What a block does together waits for all of its threads, and what a warp does for its lanes.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn half(x: &[f32], y: &mut [f32]) {
    let i = thread_idx_x();
    if i < 16 {
        y[i] = block::reduce_add(x[i]);
    }
}

#[kernel(block = 256)]
fn strided(x: &[u32], y: &mut [u32]) {
    let mut i = global_idx_x();
    while i < x.len() {
        y[i] = block::exclusive_scan(x[i], 0, |a, b| a.max(b));
        i += 1000;
    }
}

fn main() {
    let device = Device::cpu();
    let x = device.zeros::<f32>(10).unwrap();
    let mut y = device.zeros::<f32>(10).unwrap();
    half::launch(&device, LaunchConfig::cover(10), &x, &mut y).unwrap();
}
