//! `y = a * x + y`: one thread an element.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn main() -> warpwise::Result<()> {
    let n = 1 << 22;
    let a = 2.5;
    let host_x: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
    let host_y: Vec<f32> = (0..n).map(|i| 1.0 / (i + 1) as f32).collect();

    let device = Device::auto()?;
    let x = device.upload(&host_x)?;
    let mut y = device.upload(&host_y)?;
    let took = time(&device, || saxpy::launch(&device, LaunchConfig::cover(n), a, &x, &mut y))?;

    // In a kernel `a * x + y` is one operation with one rounding, on every device.
    verify(&y.to_vec()?, host_x.iter().zip(&host_y).map(|(x, y)| a.mul_add(*x, *y)));
    report("saxpy", format_args!("{n} elements"), &device, took);
    Ok(())
}
