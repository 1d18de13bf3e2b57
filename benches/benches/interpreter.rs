//! The interpreter beside plain Rust: milliseconds a launch, on all cores, and on one core for Rust.
//!
//! `cargo bench -p warpwise-benches --bench interpreter`
use warpwise::Device;
use warpwise_benches::{Scale, kernels::WORKLOADS};

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let cores = device.info().multiprocessors;
    println!("{} on {cores} cores; plain Rust on one; medians", device.name());
    println!("{:14} {:>24} {:>12} {:>12} {:>8}", "kernel", "size", "kernel ms", "Rust ms", "ratio");
    for workload in WORKLOADS {
        let measured = workload(&device, Scale::Small)?;
        let kernel = measured.launch.as_secs_f64() * 1e3;
        let plain = measured.plain.expect("small inputs are computed in full").as_secs_f64() * 1e3;
        let (name, size, ratio) = (measured.name, measured.size, kernel / plain);
        println!("{name:14} {size:>24} {kernel:>12.3} {plain:>12.3} {ratio:>8.1}");
    }
    Ok(())
}
