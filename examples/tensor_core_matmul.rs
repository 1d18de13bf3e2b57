//! `c = a * b` for square matrices of `bf16` on tensor cores. A block loads tiles of both factors
//! into shared memory, and each of its four warps computes 32 by 32 elements of the result.
use warpwise::{mma, prelude::*};
use warpwise_examples::{report, time, verify};

/// Rows and columns of the result for each block.
#[device]
const TILE: usize = 64;
/// The length of the sums that one step adds to the result.
#[device]
const DEPTH: usize = 32;

/// `a` is stored row by row, `b` column by column. `n` is a multiple of 64.
#[kernel(block = 128)]
fn matmul(n: usize, a: &[bf16], b: &[bf16], c: &mut [f32]) {
    // Rows of 80 bytes, so that the lanes of a warp read from different banks.
    let tile_a = shared!([[bf16; DEPTH + 8]; TILE]);
    let tile_b = shared!([[bf16; DEPTH + 8]; TILE]);
    let (thread, warp) = (thread_idx_x(), warp::warp_id());
    let (first_row, first_column) = (block_idx_y() * TILE, block_idx_x() * TILE);
    // The part of this warp.
    let (row, column) = (warp / 2 * 32, warp % 2 * 32);

    let mut sums = [[mma::Accumulator::<f32, 16, 8>::zero(); 4]; 2];
    for at in (0..n).step_by(DEPTH) {
        for round in 0..TILE * DEPTH / 128 {
            let (i, k) = ((round * 128 + thread) / DEPTH, thread % DEPTH);
            tile_a[i][k] = a[(first_row + i) * n + at + k];
            tile_b[i][k] = b[(first_column + i) * n + at + k];
        }
        sync_threads();
        let (tile_a, tile_b) = (tile_a.as_flattened(), tile_b.as_flattened());
        let pitch = DEPTH + 8;
        for k in (0..DEPTH).step_by(16) {
            let upper = mma::A::<bf16, 16, 16>::load_matrix(tile_a, row * pitch + k, pitch);
            let lower = mma::A::<bf16, 16, 16>::load_matrix(tile_a, (row + 16) * pitch + k, pitch);
            for j in 0..2 {
                let start = (column + j * 16) * pitch + k;
                let columns = mma::B::<bf16, 16, 8>::load_matrices_transposed(tile_b, start, pitch);
                for i in 0..2 {
                    sums[0][j * 2 + i].multiply_add(upper, columns[i]);
                    sums[1][j * 2 + i].multiply_add(lower, columns[i]);
                }
            }
        }
        sync_threads();
    }
    for i in 0..2 {
        for j in 0..4 {
            let start = (first_row + row + i * 16) * n + first_column + column + j * 8;
            sums[i][j].store(c, start, n);
        }
    }
}

/// Small integers, whose sums are exact in any order.
fn reference(n: usize, a: &[bf16], b: &[bf16]) -> Vec<f32> {
    let [a, b] = [a, b].map(|x| x.iter().map(|x| x.to_f32()).collect::<Vec<_>>());
    let rows = a.chunks_exact(n);
    rows.flat_map(|row| {
        let columns = b.chunks_exact(n);
        columns.map(move |column| row.iter().zip(column).map(|(a, b)| a * b).sum())
    })
    .collect()
}

fn main() -> warpwise::Result<()> {
    let n = 128;
    let host_a: Vec<bf16> =
        (0..n * n).map(|i| bf16::from_f32((i * 37 % 17) as f32 - 8.0)).collect();
    let host_b: Vec<bf16> =
        (0..n * n).map(|i| bf16::from_f32((i * 53 % 13) as f32 - 6.0)).collect();

    let device = Device::auto()?;
    let a = device.upload(&host_a)?;
    let b = device.upload(&host_b)?;
    let mut c = device.zeros::<f32>(n * n)?;
    let config = LaunchConfig::grid((n / TILE, n / TILE));
    let took = time(&device, || matmul::launch(&device, config, n, &a, &b, &mut c))?;

    verify(&c.to_vec()?, reference(n, &host_a, &host_b));
    report("tensor_core_matmul", format_args!("{n} x {n} by {n} x {n}"), &device, took);
    Ok(())
}
