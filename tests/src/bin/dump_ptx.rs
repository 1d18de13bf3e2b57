//! Writes the PTX of random kernels, plain and optimized, one kernel a file.
//!
//! ```text
//! cargo run -p warpwise-tests --bin dump_ptx -- target/ptx 200
//! tests/ptxas/check target/ptx
//! ```
//!
//! `WARPWISE_SEED` is the first seed. A third argument is the compute capability of the target GPU,
//! as 90; without it, the target is the oldest GPU that can run the kernel. A fourth is the maximum
//! number of statements of a kernel, as `--statements` of `fuzz_gpu`.
use std::{env, error::Error, fs, path::Path};
use warpwise_compiler::{back::ptx, ir::Kernel, optimize::optimize_and_coarsen, target::Target};
use warpwise_tests::random_ir::{random_kernel_within, seeds};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let directory = arguments.next().ok_or("which directory?")?;
    let count = arguments.next().ok_or("how many kernels?")?.parse()?;
    let target = arguments.next().map(|sm| sm.parse().map(Target::new)).transpose()?;
    let max_statements = arguments.next().map_or(Ok(u32::MAX), |count| count.parse())?;
    let directory = Path::new(&directory);
    fs::create_dir_all(directory)?;
    for seed in seeds(count) {
        let kernel = random_kernel_within(seed, max_statements).kernel;
        let kernels = optimize_and_coarsen(kernel.clone());
        write(directory, &format!("{seed}-optimized"), &kernels.plain, target)?;
        if let Some(coarsened) = &kernels.coarsened {
            write(directory, &format!("{seed}-coarsened"), coarsened, target)?;
        }
        write(directory, &seed.to_string(), &kernel, target)?;
    }
    Ok(())
}

fn write(
    directory: &Path,
    name: &str,
    kernel: &Kernel,
    target: Option<Target>,
) -> Result<(), Box<dyn Error>> {
    let target = target.unwrap_or_else(|| ptx::oldest(kernel));
    let ptx = ptx::emit(kernel, target)?;
    Ok(fs::write(directory.join(name).with_extension("ptx"), ptx)?)
}
