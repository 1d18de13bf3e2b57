//! Parameters that cannot be in constant memory, and attributes that are wrong.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel]
fn by_value(#[constant] taps: [f32; 4], y: &mut [f32]) {
    y[0] = taps[0];
}

#[kernel]
fn written(#[constant] y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn unbounded(#[constant] taps: &[f32], y: &mut [f32]) {
    y[0] = taps[0];
}

#[kernel]
fn bound_of_an_array(#[constant(max = 4)] taps: &[f32; 4], y: &mut [f32]) {
    y[0] = taps[0];
}

#[kernel]
fn forms(
    #[constant(64)] a: &[f32],
    #[constant(max = N)] b: &[f32],
    #[constant = 64] c: &[f32],
    #[constant(max = 0)] d: &[f32],
    #[constant(max = 100000)] e: &[f32],
    #[constant] #[constant] f: &f32,
    y: &mut [f32],
) {
    y[0] = a[0] + b[0] + c[0] + d[0] + e[0] + *f;
}

#[kernel]
fn too_large(#[constant] a: &[f32; 10000], #[constant(max = 4096)] b: &[f64], y: &mut [f32]) {
    y[0] = a[0] + b[0] as f32;
}

#[kernel]
fn atomics(#[constant(max = 4)] counts: &[AtomicU32]) {
    counts[0].fetch_add(1, Ordering::Relaxed);
}

#[kernel]
fn two_memories(#[constant(max = 4)] a: &[f32], b: &[f32], y: &mut [f32]) {
    let x = if y.len() > 3 { a } else { b };
    y[0] = x[0];
}

#[device]
fn of_a_device_function(#[constant] taps: &[f32; 4]) -> f32 {
    taps[0]
}

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let _ = device.constant(&vec![1.0f32; 4])?;
    let taps = device.constant(&[1.0f32; 3])?;
    let mut y = device.zeros::<f32>(1)?;
    right::launch(&device, LaunchConfig::grid(1), &taps, &mut y)
}

#[kernel]
fn right(#[constant] taps: &[f32; 4], y: &mut [f32]) {
    y[0] = taps[0];
}
