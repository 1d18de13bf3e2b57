//! `c = a * b` for square matrices. The threads of a block load a tile of each factor
//! into shared memory and use every element of it sixteen times.
use warpwise::prelude::*;
use warpwise_examples::{multiply_matrices, report, time, verify};

#[kernel(block = (16, 16))]
fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 16]; 16]);
    let tile_b = shared!([[f32; 16]; 16]);
    let tx = thread_idx_x();
    let ty = thread_idx_y();
    let column = global_idx_x();
    let row = global_idx_y();

    let mut sum = 0.0;
    for tile in 0..n.div_ceil(16) {
        let across = tile * 16 + tx;
        let down = tile * 16 + ty;
        tile_a[ty][tx] = if row < n && across < n { a[row * n + across] } else { 0.0 };
        tile_b[ty][tx] = if down < n && column < n { b[down * n + column] } else { 0.0 };
        sync_threads();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn main() -> warpwise::Result<()> {
    let n = 512;
    let host_a: Vec<f32> = (0..n * n).map(|i| ((i * 37) % 101) as f32 / 101.0 - 0.5).collect();
    let host_b: Vec<f32> = (0..n * n).map(|i| ((i * 53) % 97) as f32 / 97.0 - 0.5).collect();

    let device = Device::auto()?;
    let a = device.upload(&host_a)?;
    let b = device.upload(&host_b)?;
    let mut c = device.zeros::<f32>(n * n)?;
    let config = LaunchConfig::cover((n, n));
    let took = time(&device, || matmul::launch(&device, config, n, &a, &b, &mut c))?;

    verify(&c.to_vec()?, multiply_matrices(n, &host_a, &host_b));
    report("matmul_tiled", format_args!("{n} x {n} by {n} x {n}"), &device, took);
    Ok(())
}
