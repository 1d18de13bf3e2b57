//! Prefix sums and their uses: Hillis and Steele, Blelloch, compaction, and histograms of 64 and of
//! 256 bins.
use super::noise;
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![
    hillis_steele: THREADS_MEET, blelloch: THREADS_MEET, compaction: THREADS_MEET,
    histogram_64: THREADS_MEET, histogram_256: THREADS_MEET,
];

/// An inclusive scan, between two buffers.
#[kernel(block = 128)]
fn double_buffered(x: &[i32], out: &mut [i32]) {
    let buffers = shared!([[i32; 128]; 2]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let (mut from, mut to) = (0, 1);
    buffers[from][t] = x[i];
    sync_threads();
    let mut offset = 1;
    while offset < block_dim_x() {
        buffers[to][t] = buffers[from][t];
        if t >= offset {
            buffers[to][t] += buffers[from][t - offset];
        }
        std::mem::swap(&mut from, &mut to);
        sync_threads();
        offset *= 2;
    }
    out[i] = buffers[from][t];
}

fn hillis_steele(on: &Engine) -> Check {
    let x: Vec<i32> = noise(512).iter().map(|v| *v as i32 % 1000).collect();
    let mut out = vec![0; 512];
    launch!(on, double_buffered(read x, write out), LaunchConfig::cover(512))?;
    let mut want = Vec::new();
    for block in x.chunks(128) {
        want.extend(block.iter().scan(0, |sum, v| {
            *sum += v;
            Some(*sum)
        }));
    }
    same("out", &out, &want)
}

/// Returns the place of an element, such that neighbours in a tree are in different banks.
#[device]
fn spread(i: usize) -> usize {
    i + i / 32
}

/// An exclusive and work-efficient scan: two elements per thread, up and down a tree.
#[kernel(block = 64)]
fn work_efficient(x: &[u32], out: &mut [u32], totals: &mut [u32]) {
    let tree = shared!([u32; 132]);
    let (t, n) = (thread_idx_x(), 2 * block_dim_x());
    let first = block_idx_x() * n;
    tree[spread(t)] = x[first + t];
    tree[spread(t + n / 2)] = x[first + t + n / 2];
    let mut offset = 1;
    let mut d = n / 2;
    while d > 0 {
        sync_threads();
        if t < d {
            let (low, high) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
            tree[spread(high)] += tree[spread(low)];
        }
        offset *= 2;
        d /= 2;
    }
    if t == 0 {
        totals[block_idx_x()] = std::mem::take(&mut tree[spread(n - 1)]);
    }
    let mut d = 1;
    while d < n {
        offset /= 2;
        sync_threads();
        if t < d {
            let (low, high) = (spread(offset * (2 * t + 1) - 1), spread(offset * (2 * t + 2) - 1));
            (tree[low], tree[high]) = (tree[high], tree[low] + tree[high]);
        }
        d *= 2;
    }
    sync_threads();
    for k in [t, t + n / 2] {
        out[first + k] = tree[spread(k)];
    }
}

fn blelloch(on: &Engine) -> Check {
    let x: Vec<u32> = noise(128 * 5).iter().map(|v| v % 77).collect();
    let (mut out, mut totals) = (vec![0; x.len()], vec![0; 5]);
    launch!(on, work_efficient(read x, write out, write totals), LaunchConfig::grid(5))?;
    let mut want = Vec::new();
    let mut want_totals = Vec::new();
    for block in x.chunks(128) {
        let mut sum = 0;
        for v in block {
            want.push(sum);
            sum += v;
        }
        want_totals.push(sum);
    }
    same("out", &out, &want)?;
    same("totals", &totals, &want_totals)
}

/// Keeps the elements for which a predicate holds: a warp reserves its places at once.
#[device]
fn compact<F: Fn(u32) -> bool>(x: &[u32], keep: F, out: &mut [u32], count: &AtomicU32) {
    let i = global_idx_x();
    let value = if i < x.len() { Some(x[i]) } else { None };
    let kept = value.is_some_and(|v| keep(v));
    let mask = warp::ballot(kept);
    let lane = warp::lane_id();
    let before = mask & ((1 << lane) - 1);
    let mut base = 0;
    if lane == 0 {
        base = count.fetch_add(mask.count_ones(), Ordering::Relaxed);
    }
    base = warp::shfl(base, 0);
    if kept && let Some(v) = value {
        out[(base + before.count_ones()) as usize] = v;
    }
}

#[kernel]
fn kept(above: u32, x: &[u32], out: &mut [u32], count: &[AtomicU32]) {
    compact(x, |v| v > above && v % 3 != 0, out, &count[0]);
}

fn compaction(on: &Engine) -> Check {
    let x = noise(3000);
    let above = 1 << 30;
    let (mut out, mut count) = (vec![0; 3000], vec![0]);
    let config = LaunchConfig::cover(3000);
    launch!(on, kept(value above, read x, write out, atomic count), config)?;
    let mut want: Vec<u32> = x.into_iter().filter(|v| *v > above && v % 3 != 0).collect();
    same("count", &count, &[want.len() as u32])?;
    want.sort_unstable();
    out.truncate(want.len());
    out.sort_unstable();
    same("out", &out, &want)
}

/// Each thread counts its own data, in bytes; then each sums a bin.
#[kernel(block = 64)]
fn bytes_of_counts(data: &[u32], partial: &mut [[u32; 64]]) {
    let counts = shared!([[u8; 64]; 64]);
    let t = thread_idx_x();
    for bin in 0..64 {
        counts[bin][t] = 0;
    }
    for i in (global_idx_x()..data.len()).step_by(block_dim_x() * grid_dim_x()) {
        for shift in [2, 10, 18, 26] {
            counts[(data[i] >> shift & 63) as usize][t] += 1;
        }
    }
    sync_threads();
    let mut sum = 0;
    for k in 0..64 {
        sum += counts[t][(k + t) % 64] as u32; // no bank twice
    }
    partial[block_idx_x()][t] = sum;
}

#[kernel]
fn merged(partial: &[[u32; 64]], histogram: &mut [u32]) {
    let bin = global_idx_x();
    if bin < histogram.len() {
        histogram[bin] = partial.iter().map(|counts| counts[bin]).sum();
    }
}

fn histogram_64(on: &Engine) -> Check {
    let data = noise(6000);
    let mut partial = vec![[0; 64]; 4];
    launch!(on, bytes_of_counts(read data, write partial), LaunchConfig::grid(4))?;
    let mut histogram = vec![0; 64];
    launch!(on, merged(read partial, write histogram), LaunchConfig::cover(64))?;
    let mut want = vec![0; 64];
    for byte in data.iter().flat_map(|v| v.to_le_bytes()) {
        want[byte as usize >> 2] += 1;
    }
    same("histogram", &histogram, &want)
}

/// A histogram for each warp.
#[kernel(block = 192)]
fn warps_histograms(data: &[[u8; 4]], histogram: &[AtomicU32]) {
    let counts = shared!([[AtomicU32; 256]; 6]);
    let t = thread_idx_x();
    for own in counts.iter() {
        for bin in (t..256).step_by(block_dim_x()) {
            own[bin].store(0, Ordering::Relaxed);
        }
    }
    sync_threads();
    let own = &counts[warp::warp_id()];
    for i in (global_idx_x()..data.len()).step_by(block_dim_x() * grid_dim_x()) {
        for byte in data[i] {
            own[byte as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
    sync_threads();
    for bin in (t..256).step_by(block_dim_x()) {
        let sum = counts.iter().map(|counts| counts[bin].load(Ordering::Relaxed)).sum();
        histogram[bin].fetch_add(sum, Ordering::Relaxed);
    }
}

fn histogram_256(on: &Engine) -> Check {
    let data: Vec<[u8; 4]> = noise(5000).iter().map(|v| v.to_le_bytes()).collect();
    let mut histogram = vec![0; 256];
    launch!(on, warps_histograms(read data, atomic histogram), LaunchConfig::grid(3))?;
    let mut want = vec![0; 256];
    for byte in data.iter().flatten() {
        want[*byte as usize] += 1;
    }
    same("histogram", &histogram, &want)
}
