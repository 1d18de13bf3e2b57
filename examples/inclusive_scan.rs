//! Inclusive scan (running sums) over many blocks: each block scans its part and stores
//! its sum, the sums are scanned in the same way, and each block adds the sum of all parts before
//! it.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

const BLOCK: usize = 256;

/// Scans the part of each block, and stores the sum of each part.
#[kernel(block = 256)]
fn scan_parts(values: &mut [u32], sums: &mut [u32]) {
    let i = global_idx_x();
    let sum = block::inclusive_sum(if i < values.len() { values[i] } else { 0 });
    if i < values.len() {
        values[i] = sum;
    }
    if thread_idx_x() == block_dim_x() - 1 {
        sums[block_idx_x()] = sum;
    }
}

/// Adds to each block's part the sum over all parts before it.
#[kernel(block = 256)]
fn add_before(sums: &[u32], values: &mut [u32]) {
    let i = global_idx_x();
    if block_idx_x() > 0 && i < values.len() {
        values[i] += sums[block_idx_x() - 1];
    }
}

/// Replaces each value by the sum over the values up to it.
fn scan(device: &Device, values: &mut Buffer<u32>) -> warpwise::Result<()> {
    let parts = values.len().div_ceil(BLOCK);
    let config = LaunchConfig::grid(parts);
    let mut sums = device.zeros::<u32>(parts)?;
    scan_parts::launch(device, config, values, &mut sums)?;
    if parts > 1 {
        scan(device, &mut sums)?;
        add_before::launch(device, config, &sums, values)?;
    }
    Ok(())
}

fn main() -> warpwise::Result<()> {
    let n = 1_500_000;
    let host: Vec<u32> = (0..n).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 22).collect();

    let device = Device::auto()?;
    let mut values = device.upload(&host)?;
    let took = time(&device, || scan(&device, &mut values))?;

    let expected = host.iter().scan(0, |sum, value| {
        *sum += value;
        Some(*sum)
    });
    verify(&values.to_vec()?, expected);
    report("inclusive_scan", format_args!("{n} elements"), &device, took);
    Ok(())
}
