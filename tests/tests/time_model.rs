//! The time model: hit rates of the simulated caches, and predictions, of published kernels.
use warpwise::{
    Simulator,
    counters::LaunchCounters,
    model::{BoundBy, Gpu, Prediction},
    prelude::*,
};

/// The number of elements of the vector whose norm is computed.
const NUMBERS: usize = 1 << 21;

/// Each thread processes its own chunk.
#[kernel(block = 256)]
fn norm1(x: &[f32], out: &mut [f64]) {
    let tid = thread_idx_x();
    let chunk = x.len() / block_dim_x();
    let mut sum = 0.0;
    for i in tid * chunk..(tid + 1) * chunk {
        sum += x[i] as f64 * x[i] as f64;
    }
    out[tid] = sum;
}

/// Neighbouring threads process neighbouring elements.
#[kernel(block = 256)]
fn norm2(x: &[f32], out: &mut [f64]) {
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (tid..x.len()).step_by(block_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    out[tid] = sum;
}

/// Many blocks; the first thread of each sums its partial results.
#[kernel(block = 256)]
fn norm3(x: &[f32], out: &mut [f64]) {
    let partial = shared!([f64; 256]);
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(grid_dim_x() * block_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    partial[tid] = sum;
    sync_threads();
    if tid == 0 {
        let mut all = 0.0;
        for i in 0..256 {
            all += partial[i];
        }
        out[block_idx_x()] = all;
    }
}

fn h200() -> &'static Gpu {
    Gpu::named("h200").unwrap()
}

fn predict(counters: &LaunchCounters) -> Prediction {
    counters.predict(h200(), Some(32)).unwrap()
}

/// Returns the counters of each norm.
fn norms() -> [LaunchCounters; 3] {
    let simulator = Simulator::new().caches(h200());
    let device = simulator.device();
    let x = device.upload(&vec![1.0f32; NUMBERS]).unwrap();
    let mut out = device.zeros::<f64>(256).unwrap();
    norm1::launch(&device, LaunchConfig::grid(1), &x, &mut out).unwrap();
    norm2::launch(&device, LaunchConfig::grid(1), &x, &mut out).unwrap();
    norm3::launch(&device, LaunchConfig::grid(64), &x, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap()[..64].iter().sum::<f64>(), NUMBERS as f64);
    simulator.take_counters().try_into().unwrap()
}

#[test]
fn coalesced_loads_lower_the_hit_rate_of_the_second_level_cache() {
    // Nsight Compute on an H200: 35.2 % and 3.5 %.
    let [scattered, coalesced, _] = norms().map(|norm| norm.work.caches.unwrap());
    let rate = scattered.l2_hit_rate().unwrap();
    assert!((0.30..0.40).contains(&rate), "{rate}");
    let rate = coalesced.l2_hit_rate().unwrap();
    assert!(rate < 0.05, "{rate}");
    assert!(scattered.l1_hit_rate().unwrap() > 0.8);
}

#[test]
fn one_block_does_not_fill_a_gpu() {
    let [first, second, third] = norms().map(|norm| predict(&norm));
    for prediction in [&first, &second] {
        assert_eq!(prediction.achieved_occupancy, 0.125);
        assert_eq!(prediction.busy_multiprocessors, 1);
        assert!(prediction.idle_share > 0.99);
    }
    assert_eq!(second.bound_by, BoundBy::Latency);
    assert!(second.eligible_warps < 0.5, "{}", second.eligible_warps);
    assert!(second.slowdown > 10.0, "{}", second.slowdown);
    let faster = second.seconds / third.seconds;
    assert!(faster > 10.0, "{faster}");
}

/// A launch of one and a half waves.
#[kernel(block = 256)]
fn double(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= 2.0;
    }
}

#[test]
fn the_last_wave_leaves_a_part_of_the_gpu_idle() {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let mut x = device.zeros::<f32>(1584 * 256).unwrap();
    double::launch(&device, LaunchConfig::grid(1584), &mut x).unwrap();
    let prediction = predict(&simulator.take_counters()[0]);
    assert_eq!(prediction.waves, 1.5);
    assert_eq!(prediction.busy_multiprocessors, 132);
    assert!((prediction.idle_share - 0.25).abs() < 1e-9, "{}", prediction.idle_share);
}
