//! `race prepare`: everything that needs a Rust toolchain, done once, so that the other commands
//! need none.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compare,
    compile::{self, LaunchContract},
    interpret, tools,
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
    let GpuCode { plain, assumed, coarsened } = compile::kernels(benchmark)?;
    for compiler in Compiler::OURS {
        let codes = [
            (Some(&plain), compiler.file(folder, benchmark)),
            (assumed.as_ref().map(|(_, kernel)| kernel), compiler.assumed_file(folder, benchmark)),
            (
                coarsened.as_ref().map(|(_, kernel)| kernel),
                compiler.coarsened_file(folder, benchmark),
            ),
        ];
        for (kernel, file) in codes {
            // A file of an earlier build.
            if file.exists() {
                fs::remove_file(&file)?;
            }
            let Some(kernel) = kernel else { continue };
            match compile::ptx(compiler, kernel) {
                Ok(text) => fs::write(file, text)?,
                Err(error) => println!("{} without {}: {error}", benchmark.name, compiler.name()),
            }
        }
    }
    let Some(cuda) = benchmark.cuda else { return Ok(()) };
    let source = benchmark.cuda_file(folder);
    fs::write(&source, cuda)?;
    let nvcc = Compiler::Nvcc;
    for file in [nvcc.file(folder, benchmark), nvcc.ptx_file(folder, benchmark)] {
        if let Some(built) = tools::nvcc(&source, &file) {
            built?;
        }
    }
    Ok(())
}

/// Compares all codes of the kernel that its launch may run with plain Rust, on the interpreter.
///
/// # Errors
/// Returns the first difference, or the fault.
fn verify(benchmark: &Benchmark) -> Result<()> {
    let problem = (benchmark.problem)(Scale::Small);
    let mut codes = compile::kernels(benchmark)?;
    if let Some((contract, kernel)) = &codes.assumed
        && !LaunchContract::new(contract.clone(), kernel).holds(&problem)
    {
        let conditions = contract.spell(kernel).join(", ");
        println!("{}: its launch does not fulfil `{conditions}`", benchmark.name);
        // The coarsened code relies on it, too.
        (codes.assumed, codes.coarsened) = (None, None);
    }
    for kernel in codes.iter() {
        let found = interpret::run(kernel, &problem)?;
        compare::outputs(&problem, &found, None)?;
        compare::outputs(&problem, &interpret::run_counted(kernel, &problem)?, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::kernels::{self, Variants};

    #[test]
    fn every_kernel_computes_what_plain_rust_does() {
        for benchmark in kernels::select(&[], Variants::Included).expect("no name is unknown") {
            verify(benchmark).unwrap_or_else(|error| panic!("{}: {error}", benchmark.name));
        }
    }
}
