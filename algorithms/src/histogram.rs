//! Histograms of integers and of floats.
use crate::error::Result;
use std::sync::atomic::Ordering;
use warpwise::{Slice, prelude::*};

/// Blocks of a grid.
const MAX_BLOCKS: usize = 1024;
/// Elements that a block counts before there is another one.
const MIN_BLOCK_ELEMENTS: usize = TILE;

/// Elements that a thread counts at a time.
#[device]
const ITEMS: usize = 16;
/// Elements that a block counts at a time.
#[device]
const TILE: usize = 256 * ITEMS;

/// Counts in the bins of the block, which has `BINS`, or in those of the grid.
#[device]
fn count<const BINS: usize>(bins: &[AtomicU32; BINS], counts: &[AtomicU32], bin: usize) {
    if bin < counts.len() {
        if BINS > 1 {
            bins[bin].fetch_add(1, Ordering::Relaxed);
        } else {
            counts[bin].fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[device]
fn clear<const BINS: usize>(bins: &[AtomicU32; BINS]) {
    for bin in (thread_idx_x()..BINS).step_by(256) {
        bins[bin].store(0, Ordering::Relaxed);
    }
    sync_threads();
}

/// Adds the counts of the block to those of the grid.
#[device]
fn add_counts<const BINS: usize>(bins: &[AtomicU32; BINS], counts: &[AtomicU32]) {
    sync_threads();
    if BINS > 1 {
        for bin in (thread_idx_x()..counts.len()).step_by(256) {
            counts[bin].fetch_add(bins[bin].load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// Counts each integer in the bin of its value.
#[kernel(block = 256, requires(BINS == 1 || counts.len() <= BINS))]
fn count_integers<T: Int, const BINS: usize>(x: &[T], counts: &[AtomicU32]) {
    let bins = shared!([AtomicU32; BINS]);
    clear::<BINS>(bins);
    let tiles = x.len() / TILE;
    for tile in (block_idx_x()..tiles).step_by(grid_dim_x()) {
        let mut values = [T::ZERO; ITEMS];
        for k in 0..ITEMS {
            values[k] = x[tile * TILE + k / 4 * 1024 + thread_idx_x() * 4 + k % 4];
        }
        for k in 0..ITEMS {
            count::<BINS>(bins, counts, values[k].as_usize());
        }
    }
    for i in (tiles * TILE + global_idx_x()..x.len()).step_by(grid_dim_x() * 256) {
        count::<BINS>(bins, counts, x[i].as_usize());
    }
    add_counts::<BINS>(bins, counts);
}

/// Counts each float from `lower` on in the bin that is `scale` times its distance from there.
#[kernel(block = 256, requires(BINS == 1 || counts.len() <= BINS))]
fn count_floats<T: Float, const BINS: usize>(
    x: &[T],
    lower: T,
    upper: T,
    scale: T,
    counts: &[AtomicU32],
) {
    let bins = shared!([AtomicU32; BINS]);
    clear::<BINS>(bins);
    for i in (global_idx_x()..x.len()).step_by(grid_dim_x() * 256) {
        if x[i] >= lower && x[i] < upper {
            // The product may round up to the number of bins.
            let bin = ((x[i] - lower) * scale).as_usize().min(counts.len() - 1);
            count::<BINS>(bins, counts, bin);
        }
    }
    add_counts::<BINS>(bins, counts);
}

/// Launches the instance whose blocks have enough bins.
macro_rules! launch_with_bins {
    ($kernel:ident::<$T:ty>($device:expr, $x:expr, $($arg:expr,)* ; $counts:expr)) => {{
        let (x, counts) = ($x, $counts);
        let blocks = x.len().div_ceil(MIN_BLOCK_ELEMENTS).min(MAX_BLOCKS);
        let config = LaunchConfig::grid(blocks);
        match counts.len() {
            0..=256 => $kernel::<$T, 256>::launch($device, config, x, $($arg,)* counts),
            257..=8192 => $kernel::<$T, 8192>::launch($device, config, x, $($arg,)* counts),
            _ => $kernel::<$T, 1>::launch($device, config, x, $($arg,)* counts),
        }
    }};
}

/// Counts in `counts[value]` how often each value occurs in `x`. Values that are negative, or for
/// which there is no bin, are not counted.
///
/// # Errors
/// Those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::bin_count;
///
/// let device = Device::cpu();
/// let x = device.upload(&[2u8, 0, 2, 9])?;
/// let mut counts = device.zeros::<u32>(4)?;
/// bin_count(&device, &x, &mut counts)?;
/// assert_eq!(counts.to_vec()?, [1, 0, 2, 0]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn bin_count<T: Int>(device: &Device, x: &Slice<T>, counts: &mut Slice<u32>) -> Result<()> {
    device.fill(counts, 0)?;
    if !x.is_empty() && !counts.is_empty() {
        launch_with_bins!(count_integers::<T>(device, x, ; counts))?;
    }
    Ok(())
}

/// Counts the elements of `x` in bins of equal width from `lower`, inclusive, to `upper`,
/// exclusive. There are as many bins as `counts` has elements. Elements outside and NaNs are not
/// counted.
///
/// # Errors
/// Those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::histogram;
///
/// let device = Device::cpu();
/// let x = device.upload(&[0.0f32, 0.3, 0.4, 0.9, 1.0])?;
/// let mut counts = device.zeros::<u32>(4)?;
/// histogram(&device, &x, 0.0, 1.0, &mut counts)?;
/// assert_eq!(counts.to_vec()?, [1, 2, 0, 1]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn histogram<T: Float>(
    device: &Device,
    x: &Slice<T>,
    lower: T,
    upper: T,
    counts: &mut Slice<u32>,
) -> Result<()> {
    device.fill(counts, 0)?;
    if !x.is_empty() && !counts.is_empty() {
        let scale = T::from_f64(counts.len() as f64 / (upper.as_f64() - lower.as_f64()));
        launch_with_bins!(count_floats::<T>(device, x, lower, upper, scale, ; counts))?;
    }
    Ok(())
}
