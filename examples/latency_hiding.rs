//! Latency hiding by Little's law: `parallelism in flight = latency * throughput`.
//!
//! First the textbook exercises as arithmetic, then a kernel in three launches, from too few blocks
//! to enough, with what the time model predicts for an H200.
use warpwise::{
    Simulator,
    model::{BoundBy, Gpu, needed_parallelism},
    prelude::*,
};

/// Each thread adds up elements a grid apart: a chain of loads that wait for memory.
#[kernel(block = 256)]
fn sums(x: &[f32], out: &mut [f32]) {
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(block_dim_x() * grid_dim_x()) {
        sum += x[i];
    }
    out[global_idx_x()] = sum;
}

fn main() -> warpwise::Result<()> {
    let warps = needed_parallelism(5.0, 6.0);
    println!("5 cycles of latency, 6 warps a cycle: {warps} warps in flight");
    let threads = needed_parallelism(20.0, 32.0);
    println!("20 cycles of latency, 32 lanes: {threads} threads in flight");
    assert_eq!((warps, threads), (30.0, 640.0));

    let h200 = Gpu::named("H200").expect("it is known");
    println!(
        "{}: {:.0} threads of a multiprocessor for arithmetic, {:.0} warps to hide a load of {} cycles \
         behind 20 other instructions, {:.0} KB in flight for its memory bandwidth",
        h200.name,
        h200.threads_for_arithmetic(),
        h200.warps_to_hide(h200.latencies.memory.into(), 20.0),
        h200.latencies.memory,
        h200.bytes_in_flight() / 1e3,
    );

    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let n = 1 << 20;
    let x = device.upload(&vec![1.0f32; n])?;
    let mut predictions = Vec::new();
    for blocks in [1, 132, 1056] {
        let mut out = device.zeros::<f32>(blocks * 256)?;
        sums::launch(&device, LaunchConfig::grid(blocks), &x, &mut out)?;
        assert_eq!(out.to_vec()?.iter().sum::<f32>(), n as f32);
        let counters = simulator.take_counters();
        let prediction = counters[0].predict(h200, Some(32)).expect("a block fits");
        println!(
            "{blocks} blocks: predicted {:.1} us, bound by {}, achieved occupancy {:.1} %",
            1e6 * prediction.seconds,
            prediction.bound_by,
            100.0 * prediction.achieved_occupancy,
        );
        predictions.push(prediction);
    }
    // One block leaves 131 multiprocessors idle, and 8 warps wait for their loads.
    assert_eq!(predictions[0].bound_by, BoundBy::Latency);
    assert!(predictions[0].seconds > 5.0 * predictions[1].seconds);
    Ok(())
}
