//! Global memory moves sectors of 32 bytes. Lanes of a warp that load neighbouring words share
//! them; lanes that do not pay for a sector each. The sectors expected are those that an NVIDIA
//! H200 moved.
use std::sync::atomic::Ordering;
use warpwise::{Simulator, counters::LaunchCounters, prelude::*};
use warpwise_examples::Table;

/// Lane `l` loads element `first + l * stride`.
#[kernel]
fn strided(first: usize, stride: usize, x: &[f32], out: &mut [f32]) {
    let lane = thread_idx_x();
    out[lane] = x[first + lane * stride];
}

fn strides() -> warpwise::Result<Table<1>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&[1.0f32; 1024])?;
    let mut out = device.zeros::<f32>(32)?;
    let expected = [
        ("the same for all lanes, as a constant is", 0, 0, 1),
        ("neighbours", 0, 1, 4),
        ("neighbours, from element 1 on", 1, 1, 5),
        ("every second", 0, 2, 8),
        ("every third", 0, 3, 12),
        ("every fourth", 0, 4, 16),
        ("every eighth", 0, 8, 32),
        ("every 32nd", 0, 32, 32),
    ];
    let mut table = Table::new("A load of 4 bytes a lane", ["sectors"]);
    for (what, first, stride, expected) in expected {
        strided::launch(&device, LaunchConfig::grid(1).block(32), first, stride, &x, &mut out)?;
        for launch in simulator.take_counters() {
            table.row(what, [expected], [launch.total.global_loads.sectors]);
        }
    }
    Ok(table)
}

// The norm of a vector, five times. Only the last three are what one should write.

/// Each thread adds up a chunk of its own.
#[kernel]
fn norm1(x: &[f32], partial: &mut [f64]) {
    let tid = thread_idx_x();
    let chunk = x.len() / block_dim_x();
    let mut sum = 0.0;
    for i in tid * chunk..(tid + 1) * chunk {
        sum += x[i] as f64 * x[i] as f64;
    }
    partial[tid] = sum;
}

/// Neighbouring threads add up neighbouring elements.
#[kernel]
fn norm2(x: &[f32], partial: &mut [f64]) {
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (tid..x.len()).step_by(block_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    partial[tid] = sum;
}

/// Many blocks; what the threads of one have is added up by the first of them.
#[kernel(block = 256)]
#[expect(gpu_serial_sections, reason = "it was published like this")]
fn norm3(x: &[f32], partial: &mut [f64]) {
    let sums = shared!([f64; 256]);
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(block_dim_x() * grid_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    sums[tid] = sum;
    sync_threads();
    if tid == 0 {
        let mut all = 0.0;
        for i in 0..256 {
            all += sums[i];
        }
        partial[block_idx_x()] = all;
    }
}

/// A reduction of the block, and one atomic addition of each block.
#[kernel(block = 256)]
fn norm4(x: &[f32], total: &[AtomicF32]) {
    let i = global_idx_x();
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = block::reduce_add(value * value);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// A reduction of each warp, and a tree over the warps of the block.
#[kernel(block = 256)]
fn norm5(x: &[f32], partial: &mut [f32]) {
    let sums = shared!([f32; 8]);
    let (tid, i) = (thread_idx_x(), global_idx_x());
    let value = if i < x.len() { x[i] } else { 0.0 };
    let sum = warp::reduce_add(value * value);
    if warp::lane_id() == 0 {
        sums[tid / 32] = sum;
    }
    sync_threads();
    let mut half = 4;
    while half > 0 {
        if tid < half {
            sums[tid] += sums[tid + half];
        }
        sync_threads();
        half /= 2;
    }
    if tid == 0 {
        partial[block_idx_x()] = sums[0];
    }
}

fn norms() -> warpwise::Result<Table<2>> {
    let n = 1 << 21;
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&vec![1.0f32; n])?;
    let mut partial = device.zeros::<f64>(8192)?;
    let mut total = device.zeros::<f32>(1)?;
    let mut of_blocks = device.zeros::<f32>(8192)?;
    let one = LaunchConfig::grid(1).block(256);
    norm1::launch(&device, one, &x, &mut partial)?;
    norm2::launch(&device, one, &x, &mut partial)?;
    norm3::launch(&device, LaunchConfig::grid(64), &x, &mut partial)?;
    norm3::launch(&device, LaunchConfig::grid(8192), &x, &mut partial)?;
    norm4::launch(&device, LaunchConfig::cover(n), &x, &mut total)?;
    norm5::launch(&device, LaunchConfig::cover(n), &x, &mut of_blocks)?;
    assert_eq!(partial.to_vec()?.iter().sum::<f64>(), n as f64);
    assert_eq!(total.to_vec()?, [n as f32]);
    assert_eq!(of_blocks.to_vec()?.iter().sum::<f32>(), n as f32);

    let expected = [
        ("norm1, 1 block: each thread a chunk", 2_097_152),
        ("norm2, 1 block: neighbours", 262_144),
        ("norm3, 64 blocks: shared partial sums", 262_144),
        ("norm3, 8192 blocks", 262_144),
        ("norm4, 8192 blocks: an atomic for each block", 262_144),
        ("norm5, 8192 blocks: warps, then a tree", 262_144),
    ];
    let mut table = Table::new("The norm of 2^21 numbers, its loads", ["sectors", "requests"]);
    for ((what, sectors), launch) in expected.into_iter().zip(simulator.take_counters()) {
        let LaunchCounters { total, .. } = launch;
        table.row(
            what,
            [sectors, 65_536],
            [total.global_loads.sectors, total.global_loads.requests],
        );
    }
    Ok(table)
}

/// Everything that this example prints.
pub(crate) fn tables() -> warpwise::Result<String> {
    Ok(format!("{}\n{}", strides()?, norms()?))
}

fn main() -> warpwise::Result<()> {
    print!("{}", tables()?);
    Ok(())
}
