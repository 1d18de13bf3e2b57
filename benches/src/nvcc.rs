//! CUDA C++ for comparison: compiled by `nvcc` if it is found, and run.
use std::{
    collections::HashMap,
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// Returns the milliseconds of each kernel, by its name, of the CUDA C++ program that the command
/// line names: a folder with its source, `benches/cuda` by default, or the compiled program. `nvcc`
/// links it with `libraries`. If it cannot be built or run, prints the reason and returns an empty
/// map.
pub fn baseline(
    argument: Option<OsString>,
    source: &str,
    libraries: &[&str],
) -> HashMap<String, f64> {
    let path = argument.map(PathBuf::from);
    let path = path.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda"));
    let program = if path.is_dir() { build(&path.join(source), libraries) } else { Ok(path) };
    match program.and_then(|program| times(&program)) {
        Ok(times) => times,
        Err(error) => {
            println!("without `nvcc`: {error}");
            HashMap::new()
        }
    }
}

/// Compiles a program.
fn build(source: &Path, libraries: &[&str]) -> Result<PathBuf, Box<dyn Error>> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    let program = std::env::temp_dir().join(format!("warpwise-bench-{name}"));
    let nvcc = Command::new("nvcc")
        .args(["-O3", "-arch=native", "-o"])
        .arg(&program)
        .arg(source)
        .args(libraries.iter().map(|library| format!("-l{library}")))
        .output()?;
    if !nvcc.status.success() {
        return Err(String::from_utf8_lossy(&nvcc.stderr).into());
    }
    Ok(program)
}

/// Returns the milliseconds of each kernel of the CUDA C++ program, by its name.
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
