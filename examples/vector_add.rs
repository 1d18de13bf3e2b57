//! `c = a + b` on integers that wrap. No index is checked on the device: launches are.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[kernel(block = 256, requires(a.len() >= c.len(), b.len() >= c.len()), deny_checks)]
fn vector_add(a: &[i32], b: &[i32], c: &mut [i32]) {
    let i = global_idx_x();
    if i < c.len() {
        c[i] = a[i] + b[i];
    }
}

fn main() -> warpwise::Result<()> {
    let n = 1 << 22;
    let host_a: Vec<i32> =
        (0..n).map(|i| (i as i32).wrapping_mul(0x9e37_79b9_u32 as i32)).collect();
    let host_b: Vec<i32> = host_a.iter().rev().copied().collect();

    let device = Device::auto()?;
    let a = device.upload(&host_a)?;
    let b = device.upload(&host_b)?;
    let mut c = device.zeros::<i32>(n)?;
    let took =
        time(&device, || vector_add::launch(&device, LaunchConfig::cover(n), &a, &b, &mut c))?;

    verify(&c.to_vec()?, host_a.iter().zip(&host_b).map(|(a, b)| a.wrapping_add(*b)));
    report("vector_add", format_args!("{n} elements"), &device, took);
    Ok(())
}
