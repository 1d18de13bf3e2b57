//! CUDA's command-line tools, if they are on the path.
use crate::Result;
use std::{
    io::ErrorKind,
    path::Path,
    process::{Command, Output},
};

/// Compiles CUDA C++ to a `cubin` or to `ptx`, according to the extension of `file`. `None` if
/// there is no `nvcc`.
pub(crate) fn nvcc(source: &Path, file: &Path) -> Option<Result<()>> {
    let is_ptx = file.extension().is_some_and(|extension| extension == "ptx");
    let mut command = Command::new("nvcc");
    command.args(["-O3", "-arch=sm_90", if is_ptx { "-ptx" } else { "-cubin" }, "-o"]);
    command.arg(file).arg(source);
    match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        done => Some(done.map_err(Into::into).and_then(checked).map(drop)),
    }
}

/// Compiles PTX to machine code.
///
/// # Errors
/// Returns the errors of `ptxas`.
pub(crate) fn ptxas(ptx: &Path, cubin: &Path) -> Result<()> {
    checked(Command::new("ptxas").args(["-arch=sm_90", "-o"]).arg(cubin).arg(ptx).output()?)?;
    Ok(())
}

/// Returns the registers of a thread of the kernel in a file of PTX.
///
/// # Errors
/// Fails if `ptxas` is missing, or reports no registers.
pub(crate) fn registers(ptx: &Path) -> Result<u32> {
    let output =
        Command::new("ptxas").args(["-v", "-arch=sm_90", "-o", "/dev/null"]).arg(ptx).output()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let number = report.split_once("Used ").and_then(|(_, rest)| rest.split_once(" registers"));
    Ok(number.ok_or("`ptxas` reports no registers")?.0.parse()?)
}

/// Disassembles machine code.
///
/// # Errors
/// Fails if `nvdisasm` is missing or refuses the file.
pub(crate) fn disassemble(cubin: &Path) -> Result<String> {
    checked(Command::new("nvdisasm").arg("-c").arg(cubin).output()?)
}

/// Returns the resources that machine code uses, as `cuobjdump` prints them: `REG:32 STACK:0 ...`.
///
/// # Errors
/// Fails if `cuobjdump` is missing or refuses the file.
pub(crate) fn resources(cubin: &Path) -> Result<String> {
    checked(Command::new("cuobjdump").arg("-res-usage").arg(cubin).output()?)
}

fn checked(output: Output) -> Result<String> {
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
