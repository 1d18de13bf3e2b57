//! A sum: each thread adds up a part, each block adds what its threads have, and one atomic
//! addition a block makes the total.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[kernel(block = 256)]
fn sum(values: &[f32], total: &[AtomicF32]) {
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < values.len() {
        sum += values[i];
        i += stride;
    }

    let of_block = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        total[0].fetch_add(of_block, Ordering::Relaxed);
    }
}

fn main() -> warpwise::Result<()> {
    let n = 1 << 22;
    // Small whole numbers: every partial sum is exact, so the order of the additions, which
    // the atomic ones leave open, does not show.
    let host: Vec<f32> = (0..n).map(|i| (i % 7) as f32 - 2.0).collect();

    let device = Device::auto()?;
    let values = device.upload(&host)?;
    let mut total = device.zeros::<f32>(1)?;
    let config = LaunchConfig::grid(256).block(256);
    let took = time(&device, || sum::launch(&device, config, &values, &mut total))?;

    verify(&total.to_vec()?, [host.iter().sum::<f32>()]);
    report("reduce", format_args!("{n} elements"), &device, took);
    Ok(())
}
