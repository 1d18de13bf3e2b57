//! `c = a * b` for square matrices, by specialized warps: two producer warps copy tiles of the
//! factors to shared memory, and eight consumer warps multiply them. There are two stages, so that
//! one is filled while the other is read; named barriers pass them between the warps.
use warpwise::prelude::*;
use warpwise_examples::{multiply_matrices, report, time, verify};

/// The threads of the producer warps.
#[device]
const PRODUCERS: usize = 64;
/// The threads of the consumer warps, one for each element of a tile of the product.
#[device]
const CONSUMERS: usize = 256;
/// All threads: of each barrier, some arrive and the others wait.
#[device]
const THREADS: usize = PRODUCERS + CONSUMERS;
/// The barriers of stages that are full, and of stages that are empty again.
#[device]
const FULL: usize = 1;
#[device]
const EMPTY: usize = 3;

/// Copies a tile of each factor; beyond the edges there are zeros.
#[device]
fn fill(stage: &mut [[[f32; 16]; 16]; 2], a: &[f32], b: &[f32], n: usize, tile: usize) {
    for i in (thread_idx_x() - CONSUMERS..256).step_by(PRODUCERS) {
        let (y, x) = (i / 16, i % 16);
        let (row, column) = (block_idx_y() * 16 + y, block_idx_x() * 16 + x);
        let (across, down) = (tile * 16 + x, tile * 16 + y);
        // No check may fail before a named barrier, where it would leave the other warps waiting.
        let left = if across < n { a.get(row * n + across) } else { None };
        let right = if column < n { b.get(down * n + column) } else { None };
        stage[0][y][x] = left.copied().unwrap_or(0.0);
        stage[1][y][x] = right.copied().unwrap_or(0.0);
    }
}

/// Adds the products of a row and a column of two tiles.
#[device]
fn multiply(stage: &[[[f32; 16]; 16]; 2], mut sum: f32) -> f32 {
    let (y, x) = (thread_idx_x() / 16 % 16, thread_idx_x() % 16);
    for k in 0..16 {
        sum += stage[0][y][k] * stage[1][k][x];
    }
    sum
}

#[kernel(block = THREADS)]
fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let stages = shared!([[[[f32; 16]; 16]; 2]; 2]);
    let tiles = n.div_ceil(16);
    if warp::warp_id() >= CONSUMERS / 32 {
        for pair in 0..tiles.div_ceil(2) {
            if pair > 0 {
                named_barrier::sync::<EMPTY, THREADS>();
            }
            fill(&mut stages[0], a, b, n, 2 * pair);
            named_barrier::arrive::<FULL, THREADS>();
            if pair > 0 {
                named_barrier::sync::<{ EMPTY + 1 }, THREADS>();
            }
            fill(&mut stages[1], a, b, n, 2 * pair + 1);
            named_barrier::arrive::<{ FULL + 1 }, THREADS>();
        }
        return;
    }
    let mut sum = 0.0;
    for pair in 0..tiles.div_ceil(2) {
        let is_last = pair + 1 == tiles.div_ceil(2);
        named_barrier::sync::<FULL, THREADS>();
        sum = multiply(&stages[0], sum);
        if !is_last {
            named_barrier::arrive::<EMPTY, THREADS>();
        }
        named_barrier::sync::<{ FULL + 1 }, THREADS>();
        sum = multiply(&stages[1], sum);
        if !is_last {
            named_barrier::arrive::<{ EMPTY + 1 }, THREADS>();
        }
    }
    let t = thread_idx_x();
    let (row, column) = (block_idx_y() * 16 + t / 16, block_idx_x() * 16 + t % 16);
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn main() -> warpwise::Result<()> {
    let n = 150;
    let host_a: Vec<f32> = (0..n * n).map(|i| ((i * 37) % 101) as f32 / 101.0 - 0.5).collect();
    let host_b: Vec<f32> = (0..n * n).map(|i| ((i * 53) % 97) as f32 / 97.0 - 0.5).collect();

    let device = Device::auto()?;
    let a = device.upload(&host_a)?;
    let b = device.upload(&host_b)?;
    let mut c = device.zeros::<f32>(n * n)?;
    let blocks = n.div_ceil(16);
    let config = LaunchConfig::grid((blocks, blocks));
    let took = time(&device, || matmul::launch(&device, config, n, &a, &b, &mut c))?;

    verify(&c.to_vec()?, multiply_matrices(n, &host_a, &host_b));
    report("warp_specialization", format_args!("{n} x {n} by {n} x {n}"), &device, took);
    Ok(())
}
