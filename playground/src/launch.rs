//! Launches on the interpreter: results, faults, findings of the sanitizer, and counters.
//!
//! A launch runs twice, with equal contents of its buffers: with the sanitizer, on the kernel as
//! written, and with counters, on the optimized kernel. The buffers are those of the second run.
use crate::{
    compilation::{CompiledKernel, range_to_json},
    request::{Argument, Fill, LaunchRequest},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, num::NonZeroUsize};
use warpwise_compiler::{
    back::ptx,
    compile,
    drawing::request::{Request, draw_request},
    hardware::MAX_SHARED_BYTES,
    ir::{Access, Element, Kernel, Param, ParamKind, Passed, Scalar, Span, number},
};
use warpwise_frontend::source::TextRange;
use warpwise_simt::{
    Arg, BulkCopies, CheckedProgram, Checks, Counters, CountingProgram, Counts, FaultReport,
    Launch, MatrixProducts, Memory, Requests, Sectors, Stopped, Wavefronts, WorstRequest,
};

/// Steps after which a launch is stopped: some seconds in a browser.
const STEP_BUDGET: u64 = 1 << 25;

/// Limit on the bytes of all buffers of a launch.
const MAX_BUFFER_BYTES: u64 = 64 << 20;

/// Limit on the threads of a launch.
const MAX_THREADS: u64 = 1 << 24;

/// Limit on the threads of a block.
const MAX_BLOCK_THREADS: u64 = 1024;

/// Elements of a buffer that a response contains.
const HEAD_ELEMENTS: u64 = 256;

/// Runs the launch of one of `kernels`. A launch that is refused is described by an `error`.
pub(crate) fn run(kernels: &[CompiledKernel], launch: &LaunchRequest) -> Value {
    let result = || {
        let kernel = kernels.iter().find(|kernel| kernel.name() == launch.kernel);
        let kernel = kernel.ok_or_else(|| format!("there is no kernel `{}`", launch.kernel))?;
        let lowered = kernel.lowered().ok_or("the kernel does not compile")?;
        if !lowered.kernel.is_closed() {
            return Err("a generic kernel runs with `instances(..)` that name its types".to_owned());
        }
        let arguments = arguments(&lowered.kernel, &launch.args)?;
        check(&lowered.kernel, launch, &arguments)?;
        run_checked(kernel, &lowered.kernel, launch, &arguments)
    };
    result().unwrap_or_else(|error| json!({"error": error}))
}

/// An argument with its parameter.
enum PreparedArgument<'k> {
    Scalar { ty: Scalar, bits: u64 },
    Buffer { param: &'k Param, elem: &'k Element, len: u64, bytes: Vec<u8> },
}

impl PreparedArgument<'_> {
    /// Returns the number from which a launch computes sizes.
    fn number(&self) -> (Scalar, u64) {
        match self {
            Self::Scalar { ty, bits } => (*ty, *bits),
            Self::Buffer { len, .. } => (Scalar::U64, *len),
        }
    }
}

/// Matches arguments with the parameters of `kernel`.
fn arguments<'k>(
    kernel: &'k Kernel,
    given: &[Argument],
) -> Result<Vec<PreparedArgument<'k>>, String> {
    if given.len() != kernel.params.len() {
        let (takes, has) = (kernel.params.len(), given.len());
        return Err(format!("the kernel takes {takes} arguments, and the launch has {has}"));
    }
    let mut left = MAX_BUFFER_BYTES;
    let pairs = kernel.params.iter().zip(given);
    pairs.map(|((_, param), argument)| prepare(param, argument, &mut left)).collect()
}

fn prepare<'k>(
    param: &'k Param,
    argument: &Argument,
    left: &mut u64,
) -> Result<PreparedArgument<'k>, String> {
    let name = &param.name;
    match (&param.kind, argument) {
        (ParamKind::Scalar(ty), Argument::Scalar(value)) => {
            Ok(PreparedArgument::Scalar { ty: *ty, bits: scalar_bits(*ty, *value) })
        }
        (ParamKind::Scalar(_), Argument::Buffer { .. }) => Err(format!("`{name}` is a number")),
        (ParamKind::Slice { .. }, Argument::Scalar(_)) => Err(format!("`{name}` is a buffer")),
        (ParamKind::Slice { access: Access::Texture, .. }, _) => {
            Err(format!("`{name}` is a texture, which the playground cannot make"))
        }
        (ParamKind::Slice { elem, access }, Argument::Buffer { len, fill }) => {
            if let Access::Constant { max } = access
                && len > &u64::from(*max)
            {
                return Err(format!("`{name}` has at most {max} elements, and not {len}"));
            }
            let size =
                elem.size().ok_or_else(|| format!("`{name}` has elements of unknown size"))?;
            let bytes = len.checked_mul(size).filter(|bytes| bytes <= left).ok_or_else(|| {
                format!("the buffers of a launch have at most {} MiB", MAX_BUFFER_BYTES >> 20)
            })?;
            *left -= bytes;
            let bytes = contents(elem, *len, size, *fill);
            Ok(PreparedArgument::Buffer { param, elem, len: *len, bytes })
        }
    }
}

/// Returns the initial contents of a buffer; structs begin as zeros.
fn contents(elem: &Element, len: u64, size: u64, fill: Fill) -> Vec<u8> {
    let Some(scalar) = elem.scalar() else { return vec![0; (len * size) as usize] };
    let mut bytes = Vec::with_capacity((len * size) as usize);
    let mut seed = 1u32;
    for index in 0..len {
        let value = match fill {
            Fill::Index(None) => index as f64,
            Fill::Index(Some(divisor)) => (index % divisor) as f64,
            Fill::Constant(value) => value,
            Fill::Random => {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let drawn = seed >> 8;
                if scalar.is_float() {
                    f64::from(drawn) / 16_777_216.0
                } else {
                    f64::from(drawn >> 16)
                }
            }
        };
        bytes.extend(&scalar_bits(scalar, value).to_le_bytes()[..size as usize]);
    }
    bytes
}

/// Returns the bits of a number as a value of type `scalar`; integers saturate.
fn scalar_bits(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::Bool => u64::from(value != 0.0),
        Scalar::I8 => u64::from(value as i8 as u8),
        Scalar::I16 => u64::from(value as i16 as u16),
        Scalar::I32 => u64::from(value as i32 as u32),
        Scalar::I64 => value as i64 as u64,
        Scalar::U8 => u64::from(value as u8),
        Scalar::U16 => u64::from(value as u16),
        Scalar::U32 => u64::from(value as u32),
        Scalar::U64 => value as u64,
        Scalar::F32 => u64::from((value as f32).to_bits()),
        Scalar::F64 => value.to_bits(),
        Scalar::F16 | Scalar::BF16 => {
            scalar.half().map_or(0, |format| u64::from(format.round_f64(value)))
        }
        // A kernel that runs has no generic parameters.
        Scalar::Generic(_) => 0,
    }
}

/// Checks a launch as the launcher of the runtime does.
fn check(
    kernel: &Kernel,
    launch: &LaunchRequest,
    arguments: &[PreparedArgument<'_>],
) -> Result<(), String> {
    let &LaunchRequest { grid, block, .. } = launch;
    let threads: u64 = block.iter().map(|dim| u64::from(*dim)).product();
    if !(1..=MAX_BLOCK_THREADS).contains(&threads) {
        return Err(format!("a block has 1 to {MAX_BLOCK_THREADS} threads, and not {threads}"));
    }
    let all = grid.iter().fold(threads, |all, dim| all.saturating_mul(u64::from(*dim)));
    if all > MAX_THREADS {
        return Err(format!("a launch of the playground has at most {MAX_THREADS} threads"));
    }
    if let Some(cluster) = kernel.cluster
        && grid.iter().zip(cluster).any(|(blocks, dim)| blocks % dim != 0)
    {
        return Err("the grid consists of whole clusters".to_owned());
    }
    if let Some(declared) = &kernel.block
        && declared.iter().zip(block).any(|(dim, given)| dim.known() != Some(u64::from(given)))
    {
        let [x, y, z] = declared;
        return Err(format!("the kernel declares blocks of {x} x {y} x {z} threads"));
    }
    let params: Vec<_> = arguments.iter().map(PreparedArgument::number).collect();
    let passed = Passed { params: &params, block, grid };
    for requirement in &kernel.requires {
        requirement
            .check(kernel, &passed)
            .map_err(|refusal| format!("the kernel requires `{}`: {refusal}", requirement.text))?;
    }
    let shared = ptx::shared_memory(kernel, &passed).map_err(|(array, error)| {
        format!("the length of `{}` {error}", kernel.shared[array].name)
    })?;
    if shared.bytes > MAX_SHARED_BYTES {
        let bytes = shared.bytes;
        return Err(format!(
            "a block has at most {MAX_SHARED_BYTES} bytes of shared memory, and not {bytes}"
        ));
    }
    Ok(())
}

/// Runs a launch that was checked.
fn run_checked(
    source: &CompiledKernel,
    kernel: &Kernel,
    launch: &LaunchRequest,
    arguments: &[PreparedArgument<'_>],
) -> Result<Value, String> {
    let optimized = compile::optimized(kernel.clone()).map_err(|error| error.to_string())?;
    let checked = CheckedProgram::new(kernel);
    let (_, findings) = with_memory(arguments, launch, |launch| checked.run(launch, Checks::ALL)).0;
    let counting = CountingProgram::new(&optimized, Requests::Vectors);
    let ((outcome, counters), memories) =
        with_memory(arguments, launch, |launch| counting.run(launch));
    let findings = findings.into_iter().map(|finding| {
        let mut first = None;
        let severity = finding.severity.name();
        let text = finding.map_places(|span| {
            let place = source.place(span);
            first.get_or_insert(place);
            format!("line {}", place.start.0)
        });
        let text = text.to_string();
        json!({"severity": severity, "text": text, "span": first.map(range_to_json)})
    });
    let buffers = arguments.iter().zip(&memories).filter_map(|(argument, memory)| {
        let PreparedArgument::Buffer { param, elem, len, .. } = argument else { return None };
        Some(buffer_to_json(param, elem, *len, memory))
    });
    let printed = outcome.printed.iter();
    let printed = printed.map(|printed| kernel.message_text(printed.message, &printed.values));
    Ok(json!({
        "kernel": source.name(),
        "fault": outcome.fault.map(|fault| fault_to_json(source, kernel, &fault)),
        "stopped": outcome.stopped.as_ref().map(|stopped| describe_stop(source, stopped)),
        "findings": findings.collect::<Vec<_>>(),
        "printed": printed.collect::<String>(),
        "buffers": buffers.collect::<Vec<_>>(),
        "total": counts_to_json(&counters.total()),
        "lines": lines_to_json(source, &optimized, &counters),
        "accesses": accesses_to_json(source, &optimized, &counters),
    }))
}

/// Calls `run` with new buffers; returns the result, and the buffers of all arguments.
fn with_memory<T>(
    arguments: &[PreparedArgument<'_>],
    request: &LaunchRequest,
    run: impl FnOnce(&Launch<'_>) -> T,
) -> (T, Vec<Memory>) {
    let memory = |argument: &PreparedArgument<'_>| match argument {
        PreparedArgument::Scalar { .. } => Memory::zeroed(0),
        PreparedArgument::Buffer { bytes, .. } => Memory::from_bytes(bytes),
    };
    let memories: Vec<Memory> = arguments.iter().map(memory).collect();
    let args = arguments.iter().zip(&memories).map(|(argument, memory)| match *argument {
        PreparedArgument::Scalar { bits, .. } => Arg::Scalar(bits),
        PreparedArgument::Buffer { len, .. } => Arg::Slice { memory, offset: 0, len },
    });
    let args: Vec<Arg<'_>> = args.collect();
    let &LaunchRequest { grid, block, .. } = request;
    let workers = Some(NonZeroUsize::MIN);
    let result = run(&Launch { grid, block, args: &args, workers, steps: Some(STEP_BUDGET) });
    (result, memories)
}

fn buffer_to_json(param: &Param, elem: &Element, len: u64, memory: &Memory) -> Value {
    let size = elem.scalar().and_then(Scalar::size).unwrap_or(4);
    let scalar = elem.scalar().unwrap_or(Scalar::U32);
    let mut bytes = vec![0; memory.len()];
    memory.read_into(0, &mut bytes);
    let head = bytes.chunks_exact(size as usize).take(HEAD_ELEMENTS as usize);
    let head = head.map(|bytes| {
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        number(scalar, bits).to_string()
    });
    let is_written = match param.kind {
        ParamKind::Slice { access, .. } => !access.is_read_only(),
        ParamKind::Scalar(_) => false,
    };
    json!({
        "name": param.name,
        "type": scalar.to_string(),
        "len": len,
        "written": is_written,
        "head": head.collect::<Vec<_>>(),
    })
}

fn fault_to_json(source: &CompiledKernel, kernel: &Kernel, fault: &FaultReport) -> Value {
    let FaultReport { reason, span, values, block, thread, count } = fault;
    json!({
        "message": reason.text(kernel, values),
        "span": range_to_json(source.place(*span)),
        "block": block,
        "thread": thread,
        "count": count,
    })
}

/// Describes the reason for which a launch did not end.
fn describe_stop(source: &CompiledKernel, stopped: &Stopped) -> Value {
    let line = |span: Span| source.place(span).start.0;
    let (text, span) = match stopped {
        Stopped::Deadlock { block, waiting } => {
            let waiting: Vec<String> = waiting
                .iter()
                .map(|waiting| {
                    let (lanes, warp, at) = (waiting.lanes, waiting.warp, waiting.at.name());
                    format!(
                        "lanes {lanes:#010x} of warp {warp} wait at a {at} (line {})",
                        line(waiting.span)
                    )
                })
                .collect();
            (format!("deadlock in block {block:?}: {}", waiting.join("; ")), None)
        }
        Stopped::Livelock { block, spinning, blocks, .. } => {
            let first = spinning.first();
            let threads: u32 = spinning.iter().map(|spinning| spinning.threads).sum();
            let text = format!(
                "livelock: {threads} threads of block {block:?} repeat a loop forever, and so do threads of {} more blocks",
                blocks - 1
            );
            (text, first.map(|first| first.span))
        }
        Stopped::StepBudget { .. } => {
            let text =
                "the launch takes too long for the playground: make it smaller, or end its loops";
            (text.to_owned(), None)
        }
        Stopped::Halted { .. } => ("the launch was stopped".to_owned(), None),
        Stopped::Malformed { message, span } => (message.clone(), *span),
    };
    json!({"text": text, "span": span.map(|span| range_to_json(source.place(span)))})
}

/// Returns the counts of each line, in order.
fn lines_to_json(source: &CompiledKernel, kernel: &Kernel, counters: &Counters) -> Vec<Value> {
    let mut lines: BTreeMap<usize, Counts> = BTreeMap::new();
    for (id, counts) in counters.iter().filter(|(_, counts)| *counts != Counts::default()) {
        let line = source.place(kernel.insts[id].span).start.0;
        *lines.entry(line).or_default() += counts;
    }
    let line =
        |(line, counts): (usize, Counts)| json!({"line": line, "counts": counts_to_json(&counts)});
    lines.into_iter().map(line).collect()
}

fn counts_to_json(counts: &Counts) -> Value {
    json!({
        "warp_instructions": counts.warp_instructions,
        "thread_instructions": counts.thread_instructions,
        "branches": counts.branches,
        "divergent_branches": counts.divergent_branches,
        "global": sectors_to_json(counts.global()),
        "local": sectors_to_json(counts.local()),
        "texture_reads": sectors_to_json(counts.texture_reads),
        "shared": wavefronts_to_json(counts.shared()),
        "constant": wavefronts_to_json(counts.constant_loads),
        "barriers": counts.barriers,
        "atomics": counts.atomics,
        "bulk": bulk_copies_to_json(counts.bulk()),
        "matrix_products": matrix_products_to_json(counts.matrix_products),
    })
}

fn bulk_copies_to_json(BulkCopies { copies, bytes, sectors }: BulkCopies) -> Value {
    json!({"copies": copies, "bytes": bytes, "sectors": sectors})
}

fn matrix_products_to_json(products: MatrixProducts) -> Value {
    let MatrixProducts { instructions, multiply_adds, shared_bytes } = products;
    json!({
        "instructions": instructions, "multiply_adds": multiply_adds, "shared_bytes": shared_bytes,
    })
}

fn sectors_to_json(Sectors { requests, sectors, ideal }: Sectors) -> Value {
    json!({"requests": requests, "sectors": sectors, "ideal": ideal})
}

fn wavefronts_to_json(Wavefronts { requests, wavefronts, ideal }: Wavefronts) -> Value {
    json!({"requests": requests, "wavefronts": wavefronts, "ideal": ideal})
}

/// Returns the accesses with a drawing of their worst request, those with the most to gain first.
fn accesses_to_json(source: &CompiledKernel, kernel: &Kernel, counters: &Counters) -> Vec<Value> {
    let mut accesses: Vec<(u64, TextRange, Value)> = Vec::new();
    for (id, worst) in counters.worst() {
        let counts = counters.get(*id);
        let (shared, global, constant) = (counts.shared(), counts.global(), counts.constant_loads);
        let taken = shared.wavefronts + global.sectors + constant.wavefronts;
        let ideal = shared.ideal + global.ideal + constant.ideal;
        let place = source.place(kernel.insts[*id].span);
        let described = json!({
            "span": range_to_json(place),
            "memory": kernel.memory_name(worst.memory),
            "space": worst.space.name(),
            "access": worst.kind.name(),
            "bytes": worst.bytes,
            "requests": shared.requests + global.requests + constant.requests,
            "taken": taken,
            "ideal": ideal,
            "block": worst.block,
            "warp": worst.warp,
            "drawing": draw(worst),
        });
        accesses.push((taken.saturating_sub(ideal), place, described));
    }
    accesses.sort_by_key(|(excess, place, _)| (std::cmp::Reverse(*excess), place.start));
    accesses.into_iter().map(|(_, _, described)| described).collect()
}

fn draw(worst: &WorstRequest) -> String {
    let WorstRequest { space, kind, bytes, active, taken, ideal, ref offsets, .. } = *worst;
    draw_request(&Request { space, kind, bytes, active, taken, ideal, offsets })
}
