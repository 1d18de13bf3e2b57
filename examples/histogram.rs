//! A histogram of bytes: each block counts in shared memory, and adds its counts to the global ones
//! at the end.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[kernel(block = 256)]
fn histogram(bytes: &[u8], bins: &[AtomicU32]) {
    let counts = shared!([AtomicU32; 256]);
    let t = thread_idx_x();
    counts[t].store(0, Ordering::Relaxed);
    sync_threads();

    let stride = grid_dim_x() * block_dim_x();
    let mut i = global_idx_x();
    while i < bytes.len() {
        counts[bytes[i] as usize].fetch_add(1, Ordering::Relaxed);
        i += stride;
    }
    sync_threads();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

fn main() -> warpwise::Result<()> {
    let n = 1 << 23;
    let mut state = 1u32;
    let host: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // The minimum of two draws: not all bytes are equally frequent.
        (state >> 24).min(state >> 16 & 0xff) as u8
    })
    .take(n)
    .collect();

    let device = Device::auto()?;
    let bytes = device.upload(&host)?;
    let mut bins = device.zeros::<u32>(256)?;
    let config = LaunchConfig::grid(256).block(256);
    let took = time(&device, || histogram::launch(&device, config, &bytes, &mut bins))?;

    let mut expected = [0u32; 256];
    for byte in host {
        expected[usize::from(byte)] += 1;
    }
    verify(&bins.to_vec()?, expected);
    report("histogram", format_args!("{n} bytes, 256 bins"), &device, took);
    Ok(())
}
