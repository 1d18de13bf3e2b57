//! A grid-stride loop: a fixed number of threads walks over any number of elements.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// `x^3 - 2x + 1` of each element.
#[kernel]
fn polynomial(x: &[f64], y: &mut [f64]) {
    let stride = grid_dim_x() * block_dim_x();
    let mut i = global_idx_x();
    while i < x.len() {
        let v = x[i];
        y[i] = (v * v - 2.0).mul_add(v, 1.0);
        i += stride;
    }
}

fn main() -> warpwise::Result<()> {
    let n = (1 << 21) + 17;
    let host_x: Vec<f64> = (0..n).map(|i| i as f64 / n as f64).collect();

    let device = Device::auto()?;
    let x = device.upload(&host_x)?;
    let mut y = device.zeros::<f64>(n)?;
    let config = LaunchConfig::grid(128).block(256);
    let took = time(&device, || polynomial::launch(&device, config, &x, &mut y))?;

    // `v * v - 2.0` is fused, too.
    verify(&y.to_vec()?, host_x.iter().map(|v| v.mul_add(*v, -2.0).mul_add(*v, 1.0)));
    report("grid_stride", format_args!("{n} elements, {} threads", 128 * 256), &device, took);
    Ok(())
}
