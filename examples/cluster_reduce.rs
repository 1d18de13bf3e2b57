//! Sums of rows, each by a cluster of blocks: every block adds a part of its row, and the blocks of
//! the cluster add their sums through each other's shared memory, without a second kernel and
//! without atomics.
//!
//! On a GPU it needs compute capability 9.0.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// The blocks that share a row.
const BLOCKS: usize = 4;

/// The sum of each row of `columns` numbers.
#[kernel(block = 256, cluster = 4)]
fn sum_rows(columns: usize, x: &[f32], sums: &mut [f32]) {
    let part = shared!([f32; 1]);
    let (row, rank) = (cluster::idx_x(), cluster::block_rank());
    let width = cluster::size() * block_dim_x();

    let mut sum = 0.0;
    let first = rank * block_dim_x() + thread_idx_x();
    for column in (first..columns).step_by(width) {
        sum += x[row * columns + column];
    }
    let sum = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        part[0] = sum;
    }
    // The sums of all blocks are there.
    cluster::sync();
    if rank == 0 && thread_idx_x() == 0 {
        let mut all = 0.0;
        for rank in 0..cluster::size() {
            all += cluster::map_shared_rank(part, rank)[0];
        }
        sums[row] = all;
    }
    // No block ends while the first one reads its sum.
    cluster::sync();
}

fn main() -> warpwise::Result<()> {
    let (rows, columns) = (64, 10_000);
    // Numbers of few bits, whose sums are exact in any order.
    let host: Vec<f32> = (0..rows * columns).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();

    let device = Device::auto()?;
    let x = device.upload(&host)?;
    let mut sums = device.zeros::<f32>(rows)?;
    let config = LaunchConfig::grid(BLOCKS * rows);
    let took = time(&device, || sum_rows::launch(&device, config, columns, &x, &mut sums))?;

    let expected: Vec<f32> = host.chunks(columns).map(|row| row.iter().sum()).collect();
    verify(&sums.to_vec()?, expected);
    report("cluster_reduce", format_args!("{rows} rows of {columns}"), &device, took);
    Ok(())
}
