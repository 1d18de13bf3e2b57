//! Writes the PTX of the kernels of `arms`, a file each, and `counted.csv` with the branches that the interpreter counts
//! of them:
//!
//! ```text
//! cargo run -p warpwise-corpus --bin arms -- target/arms
//! tests/ptxas/branches target/arms
//! ```
use std::{env, error::Error, fmt::Write as _, fs, path::Path};
use warpwise_compiler::{back::ptx, compile::optimized, ir::Kernel, target::Target};
use warpwise_corpus::{arms::KERNELS, run};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("name the folder to write to")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let mut lines = String::from("kernel,branches,divergent_branches\n");
    for source in KERNELS {
        let kernel = optimized(source.ir.parse::<Kernel>()?)?;
        let counters = run::count(&kernel).ok_or("a kernel faults")?.total();
        let ptx = ptx::emit(&kernel, Target::new(90))?;
        fs::write(folder.join(source.name).with_extension("ptx"), ptx)?;
        writeln!(lines, "{},{},{}", source.name, counters.branches, counters.divergent_branches)?;
    }
    fs::write(folder.join("counted.csv"), lines)?;
    Ok(())
}
