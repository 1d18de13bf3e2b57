//! The kernels of `docs/making-it-fast.md`: counters and predictions of each, and on a GPU times.
//!
//! `cargo run --release -p warpwise-benches --bin making_it_fast`: counts on the interpreter and
//! predicts times of an H200; with a GPU, it also measures them there. Every sum is verified.
use std::sync::atomic::Ordering;
use std::{error::Error, time::Duration};
use warpwise::{Simulator, U32x4, model::Gpu, prelude::*};
use warpwise_benches::measure::launches;

/// The number of elements that are summed.
const ELEMENTS: usize = 1 << 26;
/// The number of blocks, each of which sums 64 elements in each of 256 threads.
const BLOCKS: usize = ELEMENTS / (64 * 256);

/// One thread sums all elements.
#[kernel(block = 256)]
fn serial(x: &[u32], total: &[AtomicU32]) {
    if global_idx_x() == 0 {
        let mut sum = 0;
        for i in 0..x.len() {
            sum += x[i];
        }
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// Each thread sums 64 neighbouring elements.
#[kernel(block = 256)]
fn chunks(x: &[u32], total: &[AtomicU32]) {
    let first = global_idx_x() * 64;
    let mut sum = 0;
    for k in 0..64 {
        if first + k < x.len() {
            sum += x[first + k];
        }
    }
    total[0].fetch_add(sum, Ordering::Relaxed);
}

/// Neighbouring threads sum neighbouring elements.
#[kernel(block = 256)]
fn side_by_side(x: &[u32], total: &[AtomicU32]) {
    let first = block_idx_x() * 256 * 64 + thread_idx_x();
    let mut sum = 0;
    for k in 0..64 {
        if first + k * 256 < x.len() {
            sum += x[first + k * 256];
        }
    }
    total[0].fetch_add(sum, Ordering::Relaxed);
}

/// One thread of each block updates the total.
#[kernel(block = 256)]
fn per_block(x: &[u32], total: &[AtomicU32]) {
    let first = block_idx_x() * 256 * 64 + thread_idx_x();
    let mut sum = 0;
    for k in 0..64 {
        if first + k * 256 < x.len() {
            sum += x[first + k * 256];
        }
    }
    let sum = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// Each load takes four elements.
#[kernel(block = 256)]
fn vectors(x: &[U32x4], total: &[AtomicU32]) {
    let first = block_idx_x() * 256 * 16 + thread_idx_x();
    let mut sum = U32x4::ZERO;
    for k in 0..16 {
        if first + k * 256 < x.len() {
            sum += x[first + k * 256];
        }
    }
    let sum = block::reduce_add(sum.x + sum.y + sum.z + sum.w);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

/// The buffers of a device.
struct Sum {
    device: Device,
    x: Buffer<u32>,
    total: Buffer<u32>,
    expected: u32,
}

/// Launches one of the kernels.
type Step = fn(&mut Sum) -> warpwise::Result<()>;

/// The steps of the page, in order.
const STEPS: [(&str, Step); 5] = [
    ("serial", |sum| serial::launch(&sum.device, LaunchConfig::grid(1), &sum.x, &mut sum.total)),
    ("chunks", |sum| {
        chunks::launch(&sum.device, LaunchConfig::grid(BLOCKS), &sum.x, &mut sum.total)
    }),
    ("side_by_side", |sum| {
        side_by_side::launch(&sum.device, LaunchConfig::grid(BLOCKS), &sum.x, &mut sum.total)
    }),
    ("per_block", |sum| {
        per_block::launch(&sum.device, LaunchConfig::grid(BLOCKS), &sum.x, &mut sum.total)
    }),
    ("vectors", |sum| {
        let x = sum.x.as_vectors::<U32x4>()?;
        vectors::launch(&sum.device, LaunchConfig::grid(BLOCKS), &x, &mut sum.total)
    }),
];

impl Sum {
    fn new(device: Device) -> warpwise::Result<Self> {
        let host: Vec<u32> = (0..ELEMENTS as u32).map(|i| i % 7).collect();
        let x = device.upload(&host)?;
        let total = device.zeros(1)?;
        Ok(Self { device, x, total, expected: host.iter().sum() })
    }

    /// Runs a step once and compares the sum with plain Rust's.
    fn verify(&mut self, name: &str, step: Step) -> Result<(), Box<dyn Error>> {
        self.total.fill(0)?;
        step(self)?;
        let total = self.total.to_vec()?[0];
        if total != self.expected {
            return Err(format!("`{name}`: {total} instead of {}", self.expected).into());
        }
        Ok(())
    }

    /// Returns the median time of a launch.
    fn time(&mut self, step: Step) -> warpwise::Result<Duration> {
        let device = self.device.clone();
        launches(&device, || step(self))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::named("H200").ok_or("the H200 has a row")?;
    let simulator = Simulator::new().caches(gpu);
    let mut counted = Sum::new(simulator.device())?;
    let device = Device::auto()?;
    let mut timed = if device.is_gpu() { Some(Sum::new(device)?) } else { None };
    if let Some(timed) = &timed {
        println!("measured on {}", timed.device.name());
    }
    println!(
        "| step | instructions | loads | sectors | atomics | predicted on {} | bound by | measured | GB/s |",
        gpu.name
    );
    println!("|---|---:|---:|---:|---:|---:|---|---:|---:|");
    for (name, step) in STEPS {
        counted.verify(name, step)?;
        let counters = simulator.take_counters();
        let launch = counters.first().ok_or("the launch was counted")?;
        let (total, prediction) = (&launch.total, launch.predict(gpu, Some(32))?);
        print!(
            "| `{name}` | {} | {} | {} | {} | {:.0} us | {} |",
            total.warp_instructions,
            total.global_loads.requests,
            total.global_loads.sectors,
            total.atomics,
            prediction.seconds * 1e6,
            prediction.bound_by,
        );
        match &mut timed {
            Some(timed) => {
                timed.verify(name, step)?;
                let seconds = timed.time(step)?.as_secs_f64();
                let bytes = (ELEMENTS * size_of::<u32>()) as f64;
                println!(" {:.1} us | {:.0} |", seconds * 1e6, bytes / seconds / 1e9);
            }
            None => println!(" | |"),
        }
    }
    Ok(())
}
