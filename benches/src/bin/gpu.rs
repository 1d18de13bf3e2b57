//! The workloads on a GPU, beside `nvcc -O3` where it is found.
//!
//! `cargo run --release -p warpwise-benches --bin gpu [PATH]`: the folder with the CUDA C++
//! kernels, `benches/cuda` by default, or a program that `nvcc` made of its `main.cu`. Both sides
//! run the same number of launches in a row on the same sizes in the same minute; ratios are
//! meaningful, times depend on the machine.
use std::error::Error;
use warpwise::Device;
use warpwise_benches::{Scale, kernels::WORKLOADS, nvcc::baseline};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::cuda(0)?;
    println!("{}; medians; every result was verified before it was timed", device.name());
    let nvcc = baseline(std::env::args_os().nth(1), "main.cu", &[]);
    println!("{:14} {:>24} {:>12} {:>12} {:>10}", "kernel", "size", "ms", "nvcc ms", "nvcc/ours");
    let mut ratios = Vec::new();
    for workload in WORKLOADS {
        let measured = workload(&device, Scale::Large)?;
        let ours = measured.launch.as_secs_f64() * 1e3;
        print!("{:14} {:>24} {ours:>12.4}", measured.name, measured.size);
        match nvcc.get(measured.name) {
            Some(theirs) => {
                println!(" {theirs:>12.4} {:>10.3}", theirs / ours);
                ratios.push(theirs / ours);
            }
            None => println!(),
        }
    }
    if !ratios.is_empty() {
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        println!("geometric mean of nvcc/ours: {:.3} (above 1 is faster than nvcc)", mean.exp());
    }
    Ok(())
}
