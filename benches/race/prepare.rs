//! `race prepare`: everything that needs a Rust toolchain, done once, so that the other commands need none.
use crate::{
    Result, compare, compile,
    contest::{Contest, Contestant},
    interpret, tools,
};
use std::{fs, path::Path};
use warpwise_benches::Scale;

/// Verifies each kernel at the small scale on the interpreter, then writes its CUDA C++, its PTX by each
/// back end, and `nvcc`'s machine code where `nvcc` is found.
///
/// # Errors
/// If a kernel computes something else than plain Rust does, or a file cannot be written. A back end that
/// refuses a kernel is reported and left out.
pub(crate) fn prepare(folder: &Path, contests: &[&Contest]) -> Result<()> {
    fs::create_dir_all(folder)?;
    for contest in contests {
        write(folder, contest).map_err(|error| format!("`{}`: {error}", contest.name))?;
        println!("{}", contest.name);
    }
    Ok(())
}

fn write(folder: &Path, contest: &Contest) -> Result<()> {
    verify(contest)?;
    let kernel = compile::kernel(contest)?;
    for contestant in Contestant::OURS {
        match compile::ptx(contestant, &kernel) {
            Ok(text) => fs::write(contestant.file(folder, contest), text)?,
            Err(error) => println!("{} without {}: {error}", contest.name, contestant.name()),
        }
    }
    let source = contest.cuda_file(folder);
    fs::write(&source, contest.cuda)?;
    if let Some(built) = tools::nvcc(&source, &Contestant::Nvcc.file(folder, contest)) {
        built?;
    }
    Ok(())
}

/// Compares the kernel on the interpreter with plain Rust.
///
/// # Errors
/// The first difference, or the fault.
fn verify(contest: &Contest) -> Result<()> {
    let problem = (contest.problem)(Scale::Small);
    let found = interpret::run(&compile::kernel(contest)?, &problem)?;
    Ok(compare::outputs(&problem, &found, None)?)
}

#[cfg(test)]
mod tests {
    use super::verify;
    use crate::kernels;

    #[test]
    fn every_kernel_computes_what_plain_rust_does() {
        for contest in kernels::select(&[]).expect("no name is unknown") {
            verify(contest).unwrap_or_else(|error| panic!("{}: {error}", contest.name));
        }
    }
}
