//! `c = a * b` for square matrices, as in `matmul_tiled`, without waiting for memory: while a block
//! multiplies two tiles, the next ones are on their way to shared memory.
use warpwise::prelude::*;
use warpwise_examples::{multiply_matrices, report, time, verify};

/// The tiles of each factor in shared memory: one that is multiplied, and two on their way.
#[device]
const STAGES: usize = 3;

/// Begins to copy a tile of a matrix, of which each thread copies the element at `row` and
/// `column`; beyond the edges there are zeros.
#[device]
fn fetch(tile: &mut [[f32; 16]; 16], matrix: &[f32], n: usize, row: usize, column: usize) {
    let element = &mut tile[thread_idx_y()][thread_idx_x()];
    if row < n && column < n {
        async_copy::copy(element, &matrix[row * n + column]);
    } else {
        *element = 0.0;
    }
}

#[kernel(block = (16, 16))]
fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tiles_a = shared!([[[f32; 16]; 16]; STAGES]);
    let tiles_b = shared!([[[f32; 16]; 16]; STAGES]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());

    for tile in 0..STAGES - 1 {
        fetch(&mut tiles_a[tile], a, n, row, tile * 16 + tx);
        fetch(&mut tiles_b[tile], b, n, tile * 16 + ty, column);
        async_copy::commit();
    }
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(16) {
        // This thread's elements of the tiles are there, and behind the barrier those of all
        // threads. All are done with the tiles before, whose place the next ones take.
        async_copy::wait::<{ STAGES - 2 }>();
        sync_threads();
        let next = tile + STAGES - 1;
        fetch(&mut tiles_a[next % STAGES], a, n, row, next * 16 + tx);
        fetch(&mut tiles_b[next % STAGES], b, n, next * 16 + ty, column);
        async_copy::commit();
        let stage = tile % STAGES;
        for k in 0..16 {
            sum += tiles_a[stage][ty][k] * tiles_b[stage][k][tx];
        }
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn main() -> warpwise::Result<()> {
    let n = 200;
    let host_a: Vec<f32> = (0..n * n).map(|i| ((i * 37) % 101) as f32 / 101.0 - 0.5).collect();
    let host_b: Vec<f32> = (0..n * n).map(|i| ((i * 53) % 97) as f32 / 97.0 - 0.5).collect();

    let device = Device::auto()?;
    let a = device.upload(&host_a)?;
    let b = device.upload(&host_b)?;
    let mut c = device.zeros::<f32>(n * n)?;
    let config = LaunchConfig::cover((n, n));
    let took = time(&device, || matmul::launch(&device, config, n, &a, &b, &mut c))?;

    verify(&c.to_vec()?, multiply_matrices(n, &host_a, &host_b));
    report("async_copy", format_args!("{n} x {n} by {n} x {n}"), &device, took);
    Ok(())
}
