//! A sum: each thread adds up a part, each warp adds its lanes with shuffles, the first warp
//! adds the warps' sums, and one atomic addition a block makes the total.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// Lane 0 gets the sum over the warp.
#[device]
fn warp_sum(value: f32) -> f32 {
    let mut sum = value;
    sum += warp::shfl_down(sum, 16);
    sum += warp::shfl_down(sum, 8);
    sum += warp::shfl_down(sum, 4);
    sum += warp::shfl_down(sum, 2);
    sum += warp::shfl_down(sum, 1);
    sum
}

#[kernel(block = 256)]
fn sum(values: &[f32], total: &[AtomicF32]) {
    let partial = shared!([f32; 8]);
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < values.len() {
        sum += values[i];
        i += stride;
    }

    sum = warp_sum(sum);
    if warp::lane_id() == 0 {
        partial[warp::warp_id()] = sum;
    }
    sync_threads();
    if warp::warp_id() == 0 {
        let lane = warp::lane_id();
        let block_sum = warp_sum(if lane < 8 { partial[lane] } else { 0.0 });
        if lane == 0 {
            total[0].fetch_add(block_sum, Ordering::Relaxed);
        }
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
