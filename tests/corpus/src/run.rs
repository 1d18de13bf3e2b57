//! Runs of the corpus's kernels, whatever their purpose: on buffers of zeros, in a grid of a few
//! blocks.
use warpwise_compiler::{
    analysis,
    ir::{Kernel, Param, ParamId, ParamKind},
};
use warpwise_simt::{Arg, Counters, CountingProgram, Launch, Memory, Requests};

/// The length of each buffer.
pub const ELEMENTS: usize = 1 << 17;
/// The value of integer arguments: widths and the like.
pub const NUMBER: u64 = 64;

/// Returns the blocks and threads of a launch: the block that the kernel declares, and along each
/// axis enough blocks for [`NUMBER`] threads, but at least two. `None` for a kernel that declares
/// no block.
pub fn geometry(kernel: &Kernel) -> Option<([u32; 3], [u32; 3])> {
    let [x, y, z] = kernel.block.as_ref()?.each_ref().map(|dim| u32::try_from(dim.known()?).ok());
    let block = [x?, y?, z?];
    let blocks = |dim: u32| u32::try_from(NUMBER).unwrap_or(u32::MAX).checked_div(dim).unwrap_or(0);
    Some((block.map(|dim| if dim == 1 { 1 } else { blocks(dim).max(2) }), block))
}

/// Returns the argument for a scalar: `number`, or the nearest value that the kernel's contracts
/// permit.
pub fn passed(kernel: &Kernel, param: ParamId, number: u64) -> u64 {
    let allowed = analysis::launch::LaunchRanges::for_kernel(kernel).param(param);
    let nearest = i128::from(number).max(allowed.min).min(allowed.max);
    if allowed.is_empty() { number } else { u64::try_from(nearest).unwrap_or(number) }
}

/// Returns the counters of a run of a kernel; `None` if a thread faults or does not end.
pub fn count(kernel: &Kernel) -> Option<Counters> {
    let (grid, block) = geometry(kernel)?;
    let memories: Vec<Memory> =
        kernel.params.iter().map(|(_, param)| Memory::zeroed(bytes(param))).collect();
    let args: Vec<Arg<'_>> = kernel
        .params
        .iter()
        .zip(&memories)
        .map(|((id, param), memory)| match param.kind {
            ParamKind::Slice { .. } => Arg::Slice { memory, offset: 0, len: ELEMENTS as u64 },
            ParamKind::Scalar(scalar) if scalar.is_int() => Arg::Scalar(passed(kernel, id, NUMBER)),
            ParamKind::Scalar(_) => Arg::Scalar(0),
        })
        .collect();
    let launch = Launch { grid, block, args: &args, workers: None, steps: Some(10_000_000) };
    let (outcome, counters) = CountingProgram::new(kernel, Requests::Vectors).run(&launch);
    (outcome.stopped.is_none() && outcome.fault.is_none()).then_some(counters)
}

fn bytes(param: &Param) -> usize {
    match &param.kind {
        ParamKind::Scalar(_) => 0,
        ParamKind::Slice { elem, .. } => {
            ELEMENTS * usize::try_from(elem.size().unwrap_or(1)).expect("elements are small")
        }
    }
}
