//! Prints the LLVM IR and the PTX of a kernel in the IR's text form.
//!
//! ```text
//! cargo run -p warpwise-llvm --example llvm_ptx -- tests/filetests/ptx/saxpy.ir sm_90
//! ```
use std::{env, error::Error, fs};
use warpwise_compiler::{compile::optimized, ir::Kernel, target::Target, verify::verify};
use warpwise_llvm::{Llvm, emit, lower};

#[expect(clippy::print_stdout, reason = "a program that prints")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().ok_or("usage: llvm_ptx FILE.ir [sm_NN]")?;
    let target = match arguments.next() {
        Some(target) => Target::new(target.trim_start_matches("sm_").parse()?),
        None => Target::OLDEST,
    };
    // A file test has cases, of which this is the first.
    let text = fs::read_to_string(path)?;
    let first = text.split("\n;===").find(|case| case.contains("kernel")).unwrap_or(&text);
    let kernel: Kernel = first.parse()?;
    verify(&kernel)?;
    let kernel = optimized(kernel)?;
    let llvm = Llvm::find()?;
    let [major, minor, patch] = llvm.version();
    println!("; LLVM {major}.{minor}.{patch}, {}", llvm.path().display());
    println!("{}\n{}", lower(&kernel, target)?, emit(llvm, &kernel, target)?);
    Ok(())
}
