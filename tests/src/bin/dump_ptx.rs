//! Writes the PTX of random kernels, as they are and optimized, one a file.
//!
//! ```text
//! cargo run -p warpwise-tests --bin dump_ptx -- target/ptx 200
//! tests/ptxas/check target/ptx
//! ```
//!
//! `WARPWISE_SEED` is the first seed.
use std::{env, error::Error, fs, path::Path};
use warpwise_compiler::{back::ptx, ir::Kernel, optimize::optimize, target::Target};
use warpwise_tests::random_ir::{random_kernel, seeds};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let directory = arguments.next().ok_or("which directory?")?;
    let count = arguments.next().ok_or("how many kernels?")?.parse()?;
    let directory = Path::new(&directory);
    fs::create_dir_all(directory)?;
    for seed in seeds(count) {
        let kernel = random_kernel(seed).kernel;
        write(directory, &format!("{seed}-optimized"), &optimize(kernel.clone()))?;
        write(directory, &seed.to_string(), &kernel)?;
    }
    Ok(())
}

fn write(directory: &Path, name: &str, kernel: &Kernel) -> Result<(), Box<dyn Error>> {
    let ptx = ptx::emit(kernel, Target::OLDEST)?;
    Ok(fs::write(directory.join(name).with_extension("ptx"), ptx)?)
}
