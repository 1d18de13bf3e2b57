//! `race prepare`: everything that needs a Rust toolchain, done once, so that the other commands
//! need none.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compare, compile, interpret, tools,
};
use std::{fs, path::Path};
use warpwise_benches::Scale;
use warpwise_compiler::compile::GpuCode;

/// Verifies each kernel at the small scale on the interpreter, then writes its CUDA C++, its PTX by
/// each back end, and `nvcc`'s machine code and PTX where `nvcc` is found.
///
/// # Errors
/// Fails if the results of a kernel differ from those of plain Rust, or a file cannot be written. A
/// back end that refuses a kernel is reported and left out.
pub(crate) fn prepare(folder: &Path, benchmarks: &[&Benchmark]) -> Result<()> {
    fs::create_dir_all(folder)?;
    for benchmark in benchmarks {
        write(folder, benchmark).map_err(|error| format!("`{}`: {error}", benchmark.name))?;
        println!("{}", benchmark.name);
    }
    Ok(())
}

fn write(folder: &Path, benchmark: &Benchmark) -> Result<()> {
    verify(benchmark)?;
    let GpuCode { plain, coarsened } = compile::kernels(benchmark)?;
    for compiler in Compiler::OURS {
        let coarsened_file = compiler.coarsened_file(folder, benchmark);
        // A file of an earlier build.
        if coarsened_file.exists() {
            fs::remove_file(&coarsened_file)?;
        }
        let codes = [
            (Some(&plain), compiler.file(folder, benchmark)),
            (coarsened.as_ref().map(|(_, kernel)| kernel), coarsened_file),
        ];
        for (kernel, file) in codes {
            let Some(kernel) = kernel else { continue };
            match compile::ptx(compiler, kernel) {
                Ok(text) => fs::write(file, text)?,
                Err(error) => println!("{} without {}: {error}", benchmark.name, compiler.name()),
            }
        }
    }
    let source = benchmark.cuda_file(folder);
    fs::write(&source, benchmark.cuda)?;
    let nvcc = Compiler::Nvcc;
    for file in [nvcc.file(folder, benchmark), nvcc.ptx_file(folder, benchmark)] {
        if let Some(built) = tools::nvcc(&source, &file) {
            built?;
        }
    }
    Ok(())
}

/// Compares both codes of the kernel on the interpreter with plain Rust.
///
/// # Errors
/// Returns the first difference, or the fault.
fn verify(benchmark: &Benchmark) -> Result<()> {
    let problem = (benchmark.problem)(Scale::Small);
    for kernel in compile::kernels(benchmark)?.iter() {
        let found = interpret::run(kernel, &problem)?;
        compare::outputs(&problem, &found, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::kernels;

    #[test]
    fn every_kernel_computes_what_plain_rust_does() {
        for benchmark in kernels::select(&[]).expect("no name is unknown") {
            verify(benchmark).unwrap_or_else(|error| panic!("{}: {error}", benchmark.name));
        }
    }
}
