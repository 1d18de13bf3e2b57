//! A problem on the interpreter.
use crate::problem::{Arg, Buffers, Problem};
use warpwise_compiler::{ir::Kernel, optimize::unroll_as_back_ends_do};
use warpwise_simt::{Arg as SimtArg, CountingProgram, Launch, Memory, Outcome, Program, Requests};

/// Runs the kernel and returns the contents of all buffers.
///
/// # Errors
/// Fails if a check fails, or the launch does not end.
pub(crate) fn run(kernel: &Kernel, problem: &Problem) -> Result<Vec<Vec<u8>>, String> {
    let program = Program::new(kernel);
    contents_after(problem, |launch| program.run(launch))
}

/// Runs the kernel as the time model counts it, with loops unrolled and on a divided grid if its
/// threads are coarsened, and returns the contents of all buffers.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_counted(kernel: &Kernel, problem: &Problem) -> Result<Vec<Vec<u8>>, String> {
    let unrolled = unroll_as_back_ends_do(kernel.clone());
    let program = CountingProgram::new(&unrolled, Requests::Vectors);
    contents_after(problem, |launch| program.run(launch).0)
}

fn contents_after(
    problem: &Problem,
    run: impl FnOnce(&Launch<'_>) -> Outcome,
) -> Result<Vec<Vec<u8>>, String> {
    launch(problem, |launch, memories| {
        check(&run(launch))?;
        let contents = |memory: &Memory| {
            let mut bytes = vec![0; memory.len()];
            memory.read_into(0, &mut bytes);
            bytes
        };
        Ok(memories.iter().map(contents).collect())
    })
}

/// Calls `run` with the launch of a problem, on fresh memory.
pub(crate) fn launch<T>(problem: &Problem, run: impl FnOnce(&Launch<'_>, &[Memory]) -> T) -> T {
    let memories: Vec<Memory> =
        problem.buffers.iter().map(|buffer| Memory::from_bytes(&buffer.bytes)).collect();
    let lengths: Vec<u64> = problem.buffers.iter().map(|buffer| buffer.len() as u64).collect();
    let args: Vec<SimtArg<'_>> = problem
        .rust
        .iter()
        .map(|arg| match *arg {
            Arg::Bits(bits) => SimtArg::Scalar(bits),
            Arg::Buffer(id) => {
                let place = Buffers::place(id);
                SimtArg::Slice { memory: &memories[place], offset: 0, len: lengths[place] }
            }
        })
        .collect();
    let (grid, block) = (problem.grid, problem.block);
    run(&Launch { grid, block, args: &args, workers: None, steps: None }, &memories)
}

/// Checks that a launch ended without a fault.
///
/// # Errors
/// Fails if a check failed, or the launch does not end.
pub(crate) fn check(outcome: &Outcome) -> Result<(), String> {
    if let Some(stopped) = &outcome.stopped {
        return Err(format!("the launch does not end: {stopped:?}"));
    }
    if let Some(fault) = &outcome.fault {
        return Err(format!(
            "{:?} in block {:?}, thread {:?}, span {:?}: {:?}",
            fault.reason, fault.block, fault.thread, fault.span, fault.values
        ));
    }
    Ok(())
}
