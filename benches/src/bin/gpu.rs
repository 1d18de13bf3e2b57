//! The workloads on a GPU, beside `nvcc -O3` where it is found.
//!
//! `cargo run --release -p warpwise-benches --bin gpu [PATH]`: the folder with the CUDA C++
//! kernels, `benches/cuda` by default, or a program that `nvcc` made of its `main.cu`. Both sides run the same number of launches in a row on the
//! same sizes in the same minute; ratios mean something, times depend on the machine.
use std::{
    collections::HashMap,
    error::Error,
    path::{Path, PathBuf},
    process::Command,
};
use warpwise::Device;
use warpwise_benches::{Scale, kernels::WORKLOADS};

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::cuda(0)?;
    println!("{}; medians; every result was verified before it was timed", device.name());
    let path = std::env::args_os().nth(1).map(PathBuf::from);
    let path = path.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda"));
    let program = if path.is_dir() { build(&path) } else { Ok(path) };
    let nvcc = match program.and_then(|program| times(&program)) {
        Ok(times) => times,
        Err(error) => {
            println!("without `nvcc`: {error}");
            HashMap::new()
        }
    };
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

/// Compiles `main.cu` in `folder`.
fn build(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::temp_dir().join("warpwise-bench-cuda");
    let nvcc = Command::new("nvcc")
        .args(["-O3", "-arch=native", "-o"])
        .arg(&program)
        .arg(folder.join("main.cu"))
        .output()?;
    if !nvcc.status.success() {
        return Err(String::from_utf8_lossy(&nvcc.stderr).into());
    }
    Ok(program)
}

/// Milliseconds of each kernel of the CUDA C++ program, by its name.
fn times(program: &Path) -> Result<HashMap<String, f64>, Box<dyn Error>> {
    let run = Command::new(program).output()?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into());
    }
    let mut times = HashMap::new();
    for line in String::from_utf8(run.stdout)?.lines() {
        let (name, time) = line.split_once(' ').ok_or("a line is a name and milliseconds")?;
        times.insert(name.to_owned(), time.parse()?);
    }
    Ok(times)
}
