//! Bitonic sort of 32-bit keys. Comparisons within a tile of 1024 keys run in shared memory;
//! those over larger distances run in global memory, one launch each.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

const TILE: usize = 1024;
const THREADS: usize = TILE / 2;

/// The two keys that comparison `i` is about: `distance` apart, the lower one first.
#[device]
fn pair(i: usize, distance: usize) -> (usize, usize) {
    let low = i / distance * (2 * distance) + i % distance;
    (low, low + distance)
}

/// Sorts the pair, upwards in the even runs of `run` keys and downwards in the odd ones.
#[device]
fn sorted(low: u32, high: u32, upwards: bool) -> (u32, u32) {
    if (low > high) == upwards { (high, low) } else { (low, high) }
}

/// Merges within the tile, for runs of `run` keys, from `distance` down.
#[device]
fn merge(tile: &mut [u32; 1024], offset: usize, run: usize, from: usize) {
    let mut distance = from;
    while distance > 0 {
        let (low, high) = pair(thread_idx_x(), distance);
        let upwards = (offset + low) / run % 2 == 0;
        (tile[low], tile[high]) = sorted(tile[low], tile[high], upwards);
        sync_threads();
        distance /= 2;
    }
}

/// Sorts each tile, alternating upwards and downwards.
#[kernel(block = 512)]
fn sort_tiles(keys: &mut [u32]) {
    let tile = shared!([u32; 1024]);
    let t = thread_idx_x();
    let offset = block_idx_x() * 1024;
    tile[t] = keys[offset + t];
    tile[t + 512] = keys[offset + t + 512];
    sync_threads();
    let mut run = 2;
    while run <= 1024 {
        merge(tile, offset, run, run / 2);
        run *= 2;
    }
    keys[offset + t] = tile[t];
    keys[offset + t + 512] = tile[t + 512];
}

/// Does the comparisons of runs of `run` keys that stay within a tile.
#[kernel(block = 512)]
fn merge_tiles(run: usize, keys: &mut [u32]) {
    let tile = shared!([u32; 1024]);
    let t = thread_idx_x();
    let offset = block_idx_x() * 1024;
    tile[t] = keys[offset + t];
    tile[t + 512] = keys[offset + t + 512];
    sync_threads();
    merge(tile, offset, run, 512);
    keys[offset + t] = tile[t];
    keys[offset + t + 512] = tile[t + 512];
}

/// Does the comparisons of runs of `run` keys that are `distance` apart.
#[kernel]
fn compare(run: usize, distance: usize, keys: &mut [u32]) {
    let (low, high) = pair(global_idx_x(), distance);
    if high < keys.len() {
        (keys[low], keys[high]) = sorted(keys[low], keys[high], low / run % 2 == 0);
    }
}

/// Sorts a buffer whose length is a power of two and at least a tile.
fn sort(device: &Device, keys: &mut Buffer<u32>) -> warpwise::Result<()> {
    let tiles = LaunchConfig::grid(keys.len() / TILE).block(THREADS);
    let pairs = LaunchConfig::cover(keys.len() / 2);
    sort_tiles::launch(device, tiles, keys)?;
    let mut run = 2 * TILE;
    while run <= keys.len() {
        let mut distance = run / 2;
        while distance >= TILE {
            compare::launch(device, pairs, run, distance, keys)?;
            distance /= 2;
        }
        merge_tiles::launch(device, tiles, run, keys)?;
        run *= 2;
    }
    Ok(())
}

fn main() -> warpwise::Result<()> {
    let n = 1 << 17;
    let mut host: Vec<u32> = (0..n).map(|i: u32| i.wrapping_mul(2_654_435_761) ^ i << 7).collect();

    let device = Device::auto()?;
    let mut keys = device.upload(&host)?;
    let took = time(&device, || sort(&device, &mut keys))?;

    host.sort_unstable();
    verify(&keys.to_vec()?, host);
    report("bitonic_sort", format_args!("{n} keys"), &device, took);
    Ok(())
}
