//! Radix sort of key-value pairs, four bits a pass. In a pass each block counts its digits, a scan
//! over the counts says where each block's keys of each digit go, and each thread moves its pair
//! there. Equal digits keep their order, which makes the passes a sort.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

const BLOCK: usize = 256;
const BITS: u32 = 4;
const DIGITS: usize = 16;

#[device]
fn digit(key: u32, shift: u32) -> usize {
    (key >> shift & 15) as usize
}

/// The lanes of the warp whose digit is this lane's.
#[device]
fn lanes_with(digit: usize) -> u32 {
    let mut lanes = u32::MAX;
    for bit in 0..4 {
        let set = digit >> bit & 1 == 1;
        let voters = warp::ballot(set);
        lanes &= if set { voters } else { !voters };
    }
    lanes
}

/// How many of a block's keys have each digit: `counts[digit * blocks + block]`.
#[kernel(block = 256)]
fn count_digits(shift: u32, keys: &[u32], counts: &mut [u32]) {
    let bins = shared!([AtomicU32; 16]);
    let t = thread_idx_x();
    if t < 16 {
        bins[t].store(0, Ordering::Relaxed);
    }
    sync_threads();
    bins[digit(keys[global_idx_x()], shift)].fetch_add(1, Ordering::Relaxed);
    sync_threads();
    if t < 16 {
        counts[t * grid_dim_x() + block_idx_x()] = bins[t].load(Ordering::Relaxed);
    }
}

/// Replaces each count by the sum over those before it. One block does it, each thread a piece.
#[kernel(block = 256)]
fn scan_counts(counts: &mut [u32]) {
    let sums = shared!([u32; 256]);
    let t = thread_idx_x();
    let piece = counts.len().div_ceil(256);
    let (start, end) = ((t * piece).min(counts.len()), ((t + 1) * piece).min(counts.len()));

    let mut sum = 0;
    for i in start..end {
        sum += counts[i];
    }
    sums[t] = sum;
    sync_threads();

    let mut before = 0;
    for other in 0..t {
        before += sums[other];
    }
    for i in start..end {
        let count = counts[i];
        counts[i] = before;
        before += count;
    }
}

/// Moves each pair to its place among all pairs.
#[kernel(block = 256)]
fn scatter(
    shift: u32,
    keys: &[u32],
    values: &[u32],
    places: &[u32],
    to_keys: &mut [u32],
    to_values: &mut [u32],
) {
    // How many keys of each digit each warp has.
    let counts = shared!([[u32; 16]; 8]);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let i = global_idx_x();
    let key = keys[i];
    let digit = digit(key, shift);

    if lane < 16 {
        counts[warp][lane] = 0;
    }
    sync_threads();
    let lanes = lanes_with(digit);
    let in_warp = (lanes & ((1 << lane) - 1)).count_ones();
    if in_warp == 0 {
        counts[warp][digit] = lanes.count_ones();
    }
    sync_threads();

    let mut place = places[digit * grid_dim_x() + block_idx_x()] + in_warp;
    for other in 0..warp {
        place += counts[other][digit];
    }
    to_keys[place as usize] = key;
    to_values[place as usize] = values[i];
}

/// Pairs of keys and values.
struct Pairs {
    keys: Buffer<u32>,
    values: Buffer<u32>,
}

/// Sorts `pairs`, with `other` as the place to move them to.
fn sort(device: &Device, pairs: &mut Pairs, other: &mut Pairs) -> warpwise::Result<()> {
    let blocks = pairs.keys.len() / BLOCK;
    let config = LaunchConfig::grid(blocks);
    let mut counts = device.zeros::<u32>(DIGITS * blocks)?;
    for shift in (0..u32::BITS).step_by(BITS as usize) {
        count_digits::launch(device, config, shift, &pairs.keys, &mut counts)?;
        scan_counts::launch(device, LaunchConfig::grid(1), &mut counts)?;
        scatter::launch(
            device,
            config,
            shift,
            &pairs.keys,
            &pairs.values,
            &counts,
            &mut other.keys,
            &mut other.values,
        )?;
        std::mem::swap(pairs, other);
    }
    Ok(())
}

fn main() -> warpwise::Result<()> {
    let n: u32 = 1 << 17;
    // Each key occurs about four times, so that the order of equal ones shows.
    let keys: Vec<u32> =
        (0..n).map(|i| (i / 4).wrapping_mul(2_654_435_761).rotate_left(i)).collect();
    let values: Vec<u32> = (0..n).collect();

    let device = Device::auto()?;
    let mut pairs = Pairs { keys: device.upload(&keys)?, values: device.upload(&values)? };
    let mut other = Pairs { keys: device.upload(&keys)?, values: device.upload(&values)? };
    let took = time(&device, || sort(&device, &mut pairs, &mut other))?;

    let mut expected: Vec<(u32, u32)> = keys.into_iter().zip(values).collect();
    expected.sort_by_key(|(key, _)| *key);
    verify(&pairs.keys.to_vec()?, expected.iter().map(|(key, _)| *key));
    verify(&pairs.values.to_vec()?, expected.iter().map(|(_, value)| *value));
    report("radix_sort", format_args!("{n} pairs"), &device, took);
    Ok(())
}
