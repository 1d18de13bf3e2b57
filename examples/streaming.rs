//! Colours of a long stream of samples, by a table of colours: each sample is read once and each
//! colour written once, with operators that keep both from displacing the table in the caches.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// The samples that are fetched to the second-level cache ahead of their use, for each thread.
#[device]
const DISTANCE: usize = 4;

#[kernel]
fn colour(samples: &[u16], table: &[u32], colours: &mut [u32]) {
    let threads = grid::size();
    for i in (global_idx_x()..samples.len()).step_by(threads) {
        let ahead = i + DISTANCE * threads;
        if ahead < samples.len() {
            cache::prefetch_l2(&samples[ahead]);
        }
        let sample = cache::load_cs(&samples[i]);
        let found = cache::load_ca(&table[sample as usize]);
        cache::store_cs(&mut colours[i], found);
    }
}

fn main() -> warpwise::Result<()> {
    let (n, entries) = (300_000, 4096);
    let samples: Vec<u16> = (0..n).map(|i| ((i * 7919) % entries) as u16).collect();
    let table: Vec<u32> = (0..entries).map(|i| (i as u32).wrapping_mul(0x9e37_79b9)).collect();

    let device = Device::auto()?;
    let (x, lookup) = (device.upload(&samples)?, device.upload(&table)?);
    let mut y = device.zeros::<u32>(n)?;
    let config = LaunchConfig::grid(64).block(256);
    let took = time(&device, || colour::launch(&device, config, &x, &lookup, &mut y))?;

    verify(&y.to_vec()?, samples.iter().map(|sample| table[usize::from(*sample)]));
    report("streaming", format_args!("{n} samples"), &device, took);
    Ok(())
}
