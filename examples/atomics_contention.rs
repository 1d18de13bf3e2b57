//! Atomic updates of one word happen one after the other. The fewer lanes meet in a word, and the
//! fewer updates there are at all, the better: contention in shared and in global memory, and three
//! ways to add up a million numbers. What single updates cost is expected to be as on an NVIDIA
//! H200.
use std::sync::atomic::Ordering;
use warpwise::{Simulator, prelude::*};
use warpwise_examples::Table;

/// Each lane counts in one of the first `bins` of 32 counters in shared memory.
#[kernel(block = 32)]
fn count_shared(bins: usize, out: &mut [u32]) {
    let counts = shared!([AtomicU32; 32]);
    let lane = thread_idx_x();
    counts[lane].store(0, Ordering::Relaxed);
    sync_threads();
    counts[lane % bins].fetch_add(1, Ordering::Relaxed);
    sync_threads();
    out[lane] = counts[lane].load(Ordering::Relaxed);
}

/// The same in global memory.
#[kernel(block = 32)]
fn count_global(bins: usize, counts: &[AtomicU32]) {
    counts[thread_idx_x() % bins].fetch_add(1, Ordering::Relaxed);
}

fn contention() -> warpwise::Result<Table<2>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let title = "One warp counts: shared memory, and global memory";
    let mut table = Table::new(title, ["shared wavefronts", "global sectors"]);
    for (bins, expected) in
        [(1, [32, 32]), (2, [16, 16]), (4, [8, 8]), (8, [4, 4]), (16, [2, 4]), (32, [1, 4])]
    {
        let one = LaunchConfig::grid(1);
        count_shared::launch(&device, one, bins, &mut device.zeros(32)?)?;
        count_global::launch(&device, one, bins, &mut device.zeros(32)?)?;
        let counted = simulator.take_counters();
        let (shared, global) = (counted[0].total, counted[1].total);
        let counted = [shared.shared_atomics.wavefronts, global.global_reductions.sectors];
        table.row(format_args!("{bins} bins"), expected, counted);
    }
    Ok(table)
}

/// An atomic addition for each element.
#[kernel(block = 256)]
#[expect(gpu_contended_atomics, reason = "contention is what is counted")]
fn sum_by_threads(x: &[u32], total: &[AtomicU32]) {
    let i = global_idx_x();
    if i < x.len() {
        total[0].fetch_add(x[i], Ordering::Relaxed);
    }
}

/// One for each warp.
#[kernel(block = 256)]
fn sum_by_warps(x: &[u32], total: &[AtomicU32]) {
    let i = global_idx_x();
    let sum = warp::reduce_add(if i < x.len() { x[i] } else { 0 });
    if warp::lane_id() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// One for each block.
#[kernel(block = 256)]
fn sum_by_blocks(x: &[u32], total: &[AtomicU32]) {
    let i = global_idx_x();
    let sum = block::reduce_add(if i < x.len() { x[i] } else { 0 });
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn sums() -> warpwise::Result<Table<2>> {
    let n = 1 << 20;
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&vec![1u32; n])?;
    let mut total = device.zeros::<u32>(1)?;
    sum_by_threads::launch(&device, LaunchConfig::cover(n), &x, &mut total)?;
    sum_by_warps::launch(&device, LaunchConfig::cover(n), &x, &mut total)?;
    sum_by_blocks::launch(&device, LaunchConfig::cover(n), &x, &mut total)?;
    assert_eq!(total.to_vec()?, [3 * n as u32]);

    let title = "The sum of 2^20 numbers in one word, blocks of 256";
    let mut table = Table::new(title, ["atomic additions", "sectors of them"]);
    let expected =
        [("a thread adds", 1 << 20), ("a warp adds", 1 << 15), ("a block adds", 1 << 12)];
    for ((what, additions), launch) in expected.into_iter().zip(simulator.take_counters()) {
        let total = launch.total;
        table.row(what, [additions; 2], [total.atomics, total.global_reductions.sectors]);
    }
    Ok(table)
}

/// Everything that this example prints.
pub(crate) fn tables() -> warpwise::Result<String> {
    Ok(format!("{}\n{}", contention()?, sums()?))
}

fn main() -> warpwise::Result<()> {
    print!("{}", tables()?);
    Ok(())
}
