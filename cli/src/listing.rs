//! `cargo warpwise ir`, `ptx` and `llvm-ir`: the compiled forms of a kernel as text.
use crate::{
    args::{Ir, LlvmIr, Ptx, When},
    code_lines::{self, LineTable},
    color::Paint,
    error::CommandError,
    find,
    project::Kernel,
};
use std::{
    io::{self, Write as _},
    process::ExitCode,
};
use warpwise_compiler::{
    analysis::checks,
    back::{self, Backend, ptx::Lines},
    compile::{self, CompileError, GpuCode},
    ir::{self, CoarseGrid},
    small_sizes::Sizes,
    target::Target,
};
use warpwise_llvm::Llvm;

/// Prints a kernel's IR.
pub(crate) fn print_ir(command: &Ir) -> Result<ExitCode, CommandError> {
    let text = find::with_kernel(&command.build, &command.kernel, &command.bind, |_, kernel| {
        if command.optimized {
            let (kernel, _) = find::bound_ir(kernel, &command.bind)?;
            return Ok(optimize(kernel)?.to_string());
        }
        Ok(find::bound_or_open_ir(kernel, &command.bind)?.0.to_string())
    })?;
    print_text(&text)
}

/// Prints a kernel's PTX.
pub(crate) fn print_ptx(command: &Ptx, color: When) -> Result<ExitCode, CommandError> {
    let text =
        find::with_kernel(&command.build, &command.kernel, &command.bind, |project, kernel| {
            let (closed, bindings) = find::bound_ir(kernel, &command.bind)?;
            let optimized = optimize_for_gpu(closed, command.launches.code())?;
            let backend = BackendChoice::new(kernel, &bindings, command.backend);
            if command.no_lines {
                return compile_ptx(&optimized, command.target, backend, None);
            }
            let table = LineTable::new(kernel);
            let lines = Some(table.for_emission());
            let ptx = compile_ptx(&optimized, command.target, backend, lines)?;
            let paint = Paint::for_stream(color, &io::stdout());
            Ok(table.interleave(&code_lines::parse_ptx(&ptx), &project.sources, paint))
        })?;
    print_text(&text)
}

/// Prints the LLVM IR of a kernel.
pub(crate) fn print_llvm_ir(command: &LlvmIr) -> Result<ExitCode, CommandError> {
    let text = find::with_kernel(&command.build, &command.kernel, &command.bind, |_, kernel| {
        let (closed, _) = find::bound_ir(kernel, &command.bind)?;
        let kernel = optimize_for_gpu(closed, command.launches.code())?;
        warpwise_llvm::lower(&kernel, command.target)
            .map_err(|error| CommandError::new(error.to_string()))
    })?;
    print_text(&text)
}

/// The back end of a listing.
#[derive(Clone, Copy)]
pub(crate) struct BackendChoice {
    backend: Backend,
    /// True if the user names it.
    is_explicit: bool,
}

impl BackendChoice {
    /// Returns the back end that `asked_for` names. Without it, users' builds decide: the back end
    /// of the build compiles what it embeds, if it is available, and the built-in back end what is
    /// compiled at a launch.
    pub(crate) fn new(kernel: &Kernel, bindings: &str, asked_for: Option<Backend>) -> Self {
        let users = if is_embedded(kernel, bindings) { kernel.backend } else { Backend::Builtin };
        Self { backend: asked_for.unwrap_or(users), is_explicit: asked_for.is_some() }
    }
}

/// Returns true if builds embed the code of `kernel` with these bindings.
fn is_embedded(kernel: &Kernel, bindings: &str) -> bool {
    bindings.is_empty() || kernel.precompiled.iter().any(|known| known == bindings)
}

/// Compiles a kernel to PTX for `target`, with the source lines of its instructions if they are
/// given.
pub(crate) fn compile_ptx(
    optimized: &ir::Kernel,
    target: Target,
    BackendChoice { backend, is_explicit }: BackendChoice,
    lines: Option<Lines<'_>>,
) -> Result<String, CommandError> {
    let llvm = match backend {
        Backend::Builtin => None,
        Backend::Llvm => match Llvm::find() {
            Ok(llvm) => Some(llvm),
            Err(_) if !is_explicit => None,
            Err(error) => {
                return Err(CommandError::new(format!("there is no LLVM to use: {error}")));
            }
        },
    };
    let ptx = match llvm {
        Some(llvm) => {
            let ptx = warpwise_llvm::emit_with_lines(llvm, optimized, target, lines);
            ptx.map_err(|error| error.to_string())
        }
        None => {
            back::ptx::emit_with_lines(optimized, target, lines).map_err(|error| error.to_string())
        }
    };
    ptx.map_err(CommandError::new)
}

/// Describes the back end that produces the PTX of a kernel; `bindings` is `None` for a kernel that
/// is left open.
pub(crate) fn describe_producer(kernel: &Kernel, bindings: Option<&str>) -> String {
    const BUILTIN: &str = "the built-in back end";
    let of_build = || match kernel.backend {
        Backend::Builtin => BUILTIN.to_owned(),
        Backend::Llvm => match Llvm::find() {
            Ok(llvm) => llvm.to_string(),
            Err(error) => format!("{BUILTIN}, as there is no LLVM to use: {error}"),
        },
    };
    if bindings.is_some_and(|bindings| is_embedded(kernel, bindings)) {
        return of_build();
    }
    let at_launch = format!("{BUILTIN}, when it is first launched with its parameters bound");
    if bindings.is_some() || kernel.precompiled.is_empty() {
        return at_launch;
    }
    let instances = kernel.precompiled.join("; ");
    format!("{} for the parameters {instances}; for others {at_launch}", of_build())
}

/// Describes the launches for which a kernel has code of its own: those that fulfil a contract, and
/// those whose threads are coarsened.
pub(crate) fn describe_launches(kernel: &ir::Kernel) -> Vec<String> {
    if !kernel.is_closed() {
        return Vec::new();
    }
    let Ok(code) = optimize_for_gpu_launches(kernel.clone()) else { return Vec::new() };
    let contract = code.assumed.map(|(contract, assumed)| {
        let conditions = contract.spell(kernel).join("`, `");
        let left = match checks::has_checks(&assumed) {
            true => "fewer checks",
            false => "no checks",
        };
        format!("in launches that fulfil `{conditions}`, the code for a GPU has {left}")
    });
    let coarsening = code.coarsened.map(|(CoarseGrid { axis, factor }, _)| {
        let axis = axis.name();
        format!(
            "in launches that fill a GPU {factor} times, each thread does the work of {factor}, from neighbouring blocks along {axis}; \
             `#[kernel(coarsen = false)]` turns that off"
        )
    });
    contract.into_iter().chain(coarsening).collect()
}

fn optimize(kernel: ir::Kernel) -> Result<ir::Kernel, CommandError> {
    compile::optimized(kernel).map_err(|error| CommandError::new(error.to_string()))
}

/// The code of a kernel for a GPU, by the launches that run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaunchedCode {
    /// Of launches that fulfil the contract, if there is one.
    Usual,
    /// Of large ones of these, with coarsened threads.
    Large,
    /// Of all launches.
    AsWritten,
}

/// Optimizes a kernel for a GPU.
///
/// # Errors
/// If coarsened threads are asked for, and the kernel has none.
pub(crate) fn optimize_for_gpu(
    kernel: ir::Kernel,
    launched: LaunchedCode,
) -> Result<ir::Kernel, CommandError> {
    let GpuCode { plain, assumed, coarsened } = optimize_for_gpu_launches(kernel)?;
    match launched {
        LaunchedCode::AsWritten => Ok(plain),
        LaunchedCode::Usual => Ok(assumed.map_or(plain, |(_, kernel)| kernel)),
        LaunchedCode::Large => {
            let (_, kernel) = coarsened.ok_or_else(|| {
                let name = &plain.name;
                CommandError::new(format!("large launches of `{name}` run the same code"))
            })?;
            Ok(kernel)
        }
    }
}

/// Optimizes a kernel for launches of all sizes on a GPU.
fn optimize_for_gpu_launches(kernel: ir::Kernel) -> Result<GpuCode<ir::Kernel>, CommandError> {
    compile::compile(kernel, Sizes::Small, Ok::<_, CompileError>)
        .map_err(|error| CommandError::new(error.to_string()))
}

/// Prints `text`, with a final line break if it has none.
pub(crate) fn print_text(text: &str) -> Result<ExitCode, CommandError> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(io::stdout(), "{text}{end}") {
        // The reader, such as `head`, has closed the pipe on purpose.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        done => done
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| CommandError::new(format!("cannot print: {error}"))),
    }
}
