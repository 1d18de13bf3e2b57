//! Findings of checked launches, compared with the labels about races.
//!
//! Each kernel is launched unoptimized and optimized, on ascending numbers, in three blocks, or in
//! one if all blocks do the same. A kernel without a label about races must be clean, and one with
//! such a label must race.
use crate::expected::Expected;
use libtest_mimic::Failed;
use warpwise::__private::Source;
use warpwise_compiler::{
    analysis::Analyses,
    compile::optimized,
    ir::{Access, Builtin, Kernel, Op, ParamKind, Scalar},
};
use warpwise_corpus::run::passed;
use warpwise_simt::{Arg, CheckedProgram, Checks, Finding, Launch, Memory, Problem, Severity};

/// The length of each buffer.
const BUFFER_LEN: u64 = 1 << 16;
/// The value of each scalar argument: the length of a row, for example.
const SCALAR_ARGUMENT: u64 = 256;

/// Lints whose labels state a race.
const RACES: &[&str] = &[
    "gpu_atomic_mixing",
    "gpu_block_races",
    "gpu_global_races",
    "gpu_missing_barriers",
    "gpu_missing_fences",
    "gpu_missing_warp_syncs",
    "gpu_same_value_races",
    "gpu_shared_write_races",
];

/// Lints whose labels state a race for some data or parameters, which may differ from those of the
/// launch.
const RACES_OF_SOME_DATA: &[&str] = &["gpu_nonatomic_updates", "gpu_skipped_barriers", COPIES];

/// The lint whose labels state that the data of a copy are used before the wait for it.
const COPIES: &str = "gpu_unwaited_copies";

/// The lint whose labels state a read of unwritten memory.
const UNDEFINED: &str = "gpu_uninit_shared_reads";

/// Lints whose labels state that threads wait at different barriers.
const BARRIERS: &[&str] = &[
    "gpu_barriers_after_divergent_returns",
    "gpu_barriers_in_divergent_flow",
    "gpu_barriers_in_divergent_loops",
    "gpu_mismatched_barriers",
];

/// Lints whose labels state that lanes are missing, or unexpectedly present.
const MASKS: &[&str] = &["gpu_inactive_lane_shuffles", "gpu_warp_mask_mismatches"];

/// Kernels that have a race besides the faults of their labels.
const ALSO_RACY: &[&str] = &[
    // Each iteration writes values that the previous one reads, with one barrier in between where
    // two are needed.
    "data_decides_when_to_stop",
    // Threads have slots of their own only if `next` holds the start of each group; here it holds
    // zeros.
    "a_slot_of_its_own",
];

/// Compares all kernels, given with their labels.
pub(crate) fn compare<'s>(
    kernels: impl Iterator<Item = (&'s Source, Vec<Expected>)>,
) -> Result<(), Failed> {
    let (mut wrong, mut clean, mut racy) = (Vec::new(), 0, 0);
    for (source, labels) in kernels {
        let kernel: Kernel = source.ir.parse().expect("the macro has made it");
        let dims = Analyses::for_kernel(&kernel).trace.shape.dims;
        let Some(found) = check(&kernel, dims) else { continue };
        let has_label = |lint: &str| labels.iter().any(|label| label.lint == lint);
        let is_racy = ALSO_RACY.contains(&source.name) || RACES.iter().any(|lint| has_label(lint));
        let may_race = is_racy || RACES_OF_SOME_DATA.iter().any(|lint| has_label(lint));
        if is_racy {
            racy += 1;
            // A fault that no lint proves may need other data to occur.
            let may_be_silent = labels.iter().any(|label| label.is_missed);
            if !may_be_silent
                && !found.iter().any(|finding| matches!(finding.problem, Problem::Race(_)))
            {
                wrong.push(format!("{}: no race is found", source.name));
            }
        } else if !may_race {
            clean += 1;
        }
        let is_labelled = |finding: &Finding| match finding.problem {
            Problem::Race(_) => may_race,
            // A read that races with the first store may come before it.
            Problem::Uninitialized(_) => has_label(UNDEFINED) || is_racy,
            Problem::EarlyAccess(_) => has_label(COPIES),
            Problem::Barrier(_) => BARRIERS.iter().any(|lint| has_label(lint)),
            Problem::Mask(_) => MASKS.iter().any(|lint| has_label(lint)),
            _ => false,
        };
        let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
        for finding in errors.filter(|finding| !is_labelled(finding)) {
            wrong.push(format!("{}: {finding}", source.name));
        }
    }
    println!("{clean} clean and {racy} racy kernels compared");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Returns the findings in a kernel; `None` if it cannot be run in this way.
fn check(kernel: &Kernel, block: [u32; 3]) -> Option<Vec<Finding>> {
    if !kernel.is_closed() {
        return None;
    }
    let mut found = run(kernel, block)?;
    let optimized = optimized(kernel.clone()).expect("it is well formed");
    found.extend(run(&optimized, block)?);
    Some(found)
}

fn run(kernel: &Kernel, block: [u32; 3]) -> Option<Vec<Finding>> {
    let memories: Option<Vec<Memory>> =
        kernel.params.iter().map(|(_, param)| make_memory(&param.kind)).collect();
    let memories = memories?;
    let args: Vec<Arg<'_>> = (kernel.params.iter().zip(&memories))
        .map(|((id, param), memory)| match param.kind {
            ParamKind::Scalar(_) => Arg::Scalar(passed(kernel, id, SCALAR_ARGUMENT)),
            ParamKind::Slice { .. } => Arg::Slice { memory, offset: 0, len: BUFFER_LEN },
        })
        .collect();
    // Blocks that do not read their index all do the same, in the same places.
    let blocks = if reads_block_index(kernel) { 3 } else { 1 };
    let (grid, steps) = ([blocks, 1, 1], Some(20_000_000));
    let launch = Launch { grid, block, args: &args, workers: None, steps };
    let (outcome, found) = CheckedProgram::new(kernel).run(&launch, Checks::ALL);
    (outcome.stopped.is_none() && outcome.fault.is_none()).then_some(found)
}

/// Returns true if a kernel reads the index of its block.
fn reads_block_index(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|(_, inst)| {
        matches!(inst.op, Op::Builtin(Builtin::BlockIdx(_) | Builtin::GlobalIdx(_)))
    })
}

/// Returns ascending numbers for a slice that is only read, and zeros for others.
fn make_memory(kind: &ParamKind) -> Option<Memory> {
    let ParamKind::Slice { elem, access } = kind else { return Some(Memory::zeroed(0)) };
    let size = elem.size()?;
    let bytes: Vec<u8> = (0..BUFFER_LEN)
        .flat_map(|number| {
            let bytes = match elem.scalar() {
                Some(Scalar::F32) => u64::from((number as f32).to_bits()).to_le_bytes(),
                Some(Scalar::F64) => (number as f64).to_bits().to_le_bytes(),
                Some(_) | None => number.to_le_bytes(),
            };
            (0..size).map(move |byte| bytes.get(byte as usize).copied().unwrap_or(0))
        })
        .collect();
    Some(match access {
        Access::Texture | Access::TensorRead | Access::TensorWrite => return None,
        Access::Read | Access::SurfaceRead(_) | Access::Constant { .. } => {
            Memory::from_bytes(&bytes)
        }
        Access::Write | Access::SurfaceWrite(_) | Access::Atomic => Memory::zeroed(bytes.len()),
    })
}
