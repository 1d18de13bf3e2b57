//! `cargo warpwise ir` and `ptx`: what becomes of a kernel, as text.
use crate::{
    args::{Ir, Ptx},
    check::Kernel,
    fault::Fault,
    find,
};
use std::{
    io::{self, Write as _},
    process::ExitCode,
};
use warpwise_compiler::{back, compile, ir, target::Target};

/// Prints a kernel's IR.
pub(crate) fn ir(command: &Ir) -> Result<ExitCode, Fault> {
    let text = find::with_kernel(&command.build, &command.kernel, |_, kernel| {
        if command.optimized {
            let kernel = find::closed(kernel, &command.bind)?;
            return Ok(optimized(kernel)?.to_string());
        }
        Ok(find::maybe_open(kernel, &command.bind)?.to_string())
    })?;
    print(&text)
}

/// Prints a kernel's PTX.
pub(crate) fn ptx(command: &Ptx) -> Result<ExitCode, Fault> {
    let text = find::with_kernel(&command.build, &command.kernel, |_, kernel| {
        ptx_of(kernel, &command.bind, command.target)
    })?;
    print(&text)
}

/// The PTX of a kernel, for `target`.
pub(crate) fn ptx_of(
    kernel: &Kernel,
    bind: &crate::args::Bind,
    target: Target,
) -> Result<String, Fault> {
    let kernel = optimized(find::closed(kernel, bind)?)?;
    back::ptx::emit(&kernel, target).map_err(|error| Fault::new(error.to_string()))
}

fn optimized(kernel: ir::Kernel) -> Result<ir::Kernel, Fault> {
    compile::optimized(kernel).map_err(|error| Fault::new(error.to_string()))
}

/// Prints `text`, which ends the line it is in.
pub(crate) fn print(text: &str) -> Result<ExitCode, Fault> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(io::stdout(), "{text}{end}") {
        // Whoever reads this has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        done => done
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| Fault::new(format!("cannot print: {error}"))),
    }
}
