//! The functions of `math` on a GPU, beside `nvcc`'s where it is found.
//!
//! `cargo run --release -p warpwise-benches --bin math [PATH]`: the folder with the CUDA C++,
//! `benches/cuda` by default, or a program that `nvcc` made of its `math.cu`. Both sides run the
//! same kernel on the same numbers in the same minute; [`warpwise_benches::math`] defines a round.
use std::error::Error;
use warpwise::Device;
use warpwise_benches::{math, nvcc::baseline};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::cuda(0)?;
    println!("{}; medians; results were verified before they were timed", device.name());
    let nvcc = baseline(std::env::args_os().nth(1), "math.cu", &[]);
    for rounds in [1, 64] {
        println!(
            "{:12} {:>12} {:>12} {:>10}   {rounds} rounds",
            "function", "ms", "nvcc ms", "ours/nvcc"
        );
        let mut ratios = Vec::new();
        for function in math::F32.iter().chain(math::F64) {
            let ours = (function.time)(&device, rounds)?.as_secs_f64() * 1e3;
            print!("{:12} {ours:>12.4}", function.name);
            match nvcc.get(&format!("{}_{rounds}", function.name)) {
                Some(theirs) => {
                    println!(" {theirs:>12.4} {:>10.3}", ours / theirs);
                    ratios.push(ours / theirs);
                }
                None => println!(),
            }
        }
        summary(&mut ratios);
    }
    Ok(())
}

/// Prints the number of functions that are as fast as `nvcc`'s, and the worst ratio.
fn summary(ratios: &mut [f64]) {
    ratios.sort_by(f64::total_cmp);
    if let Some(worst) = ratios.last() {
        let as_fast = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
        println!(
            "{as_fast} of {} as fast as nvcc's or faster; the worst takes {worst:.2} times as long",
            ratios.len()
        );
    }
}
