//! Wording of the occupancy lints: the number of resident warps, the limiting resource, and the
//! reduction that would allow more.
use super::{
    Finding,
    launch::{Launch, barrier_count, count_of, shared_bytes},
};
use crate::{
    analysis::Analyses,
    hardware::occupancy::{
        Block, Limiter, MAX_BLOCK_THREADS, MULTIPROCESSORS, Multiprocessor, Occupancy, WARP_THREADS,
    },
    ir::{Kernel, Span},
    target::Target,
};
use std::ops::Range;

/// Reports a kernel with a declared block whose best occupancy over all architectures is in
/// `percent`, because of its shared memory.
pub(super) fn check_built(
    kernel: &Kernel,
    analyses: &Analyses,
    percent: Range<u32>,
) -> Vec<Finding> {
    let shape = analyses.trace.shape;
    let Some(shared) = shared_bytes(kernel).filter(|_| shape.declared) else {
        return Vec::new();
    };
    let block = Block {
        threads: u32::try_from(shape.thread_count()).unwrap_or(u32::MAX),
        registers: None,
        shared,
        barriers: barrier_count(kernel),
    };
    let Some((row, occupancy)) = best_architecture(&block) else { return Vec::new() };
    // Small blocks run as few warps without it.
    let without = best_architecture(&Block { shared: 0, ..block });
    if without
        .is_none_or(|(_, without)| occupancy_percent(&without) <= occupancy_percent(&occupancy))
    {
        return Vec::new();
    }
    let found = finding(row, &block, &occupancy, percent);
    let note = |mut finding: Finding| {
        finding
            .notes
            .push("registers are not counted; on no architecture is the share larger".to_owned());
        finding
    };
    found.map(note).into_iter().collect()
}

/// Returns the architecture with the highest occupancy.
fn best_architecture(block: &Block) -> Option<(&'static Multiprocessor, Occupancy)> {
    let supported = MULTIPROCESSORS.iter().filter(|row| row.target >= Target::OLDEST);
    let ran = supported.filter_map(|row| Some((row, row.occupancy(block).ok()?)));
    ran.reduce(
        |best, next| {
            if occupancy_percent(&next.1) > occupancy_percent(&best.1) { next } else { best }
        },
    )
}

/// Reports a launch with an occupancy in `percent`.
pub(super) fn check_launched(launch: &Launch<'_>, percent: Range<u32>) -> Option<Finding> {
    let gpu = launch.gpu.as_ref()?;
    let row = Multiprocessor::of(gpu.target)?;
    let block = launch.block_resources(gpu);
    finding(row, &block, &row.occupancy(&block).ok()?, percent)
}

/// Returns the occupancy in percent.
fn occupancy_percent(occupancy: &Occupancy) -> u32 {
    occupancy.warps * 100 / occupancy.most_warps
}

fn finding(
    row: &Multiprocessor,
    block: &Block,
    occupancy: &Occupancy,
    percent: Range<u32>,
) -> Option<Finding> {
    let Occupancy { blocks, warps, most_warps, .. } = *occupancy;
    let share = occupancy_percent(occupancy);
    if !percent.contains(&share) {
        return None;
    }
    let most = if occupancy.registers_known { "" } else { "at most " };
    let run = if blocks == 1 { "runs" } else { "run" };
    Some(Finding {
        message: format!(
            "{most}{} of {} threads {run} on a multiprocessor of {} at the same time: {warps} of its \
             {most_warps} warps ({share} %), limited by {}",
            count_of(blocks.into(), "block"),
            block.threads,
            row.target,
            occupancy.limited_by(),
        ),
        span: Span::KERNEL,
        labels: Vec::new(),
        notes: Vec::new(),
        help: occupancy_help(row, block, occupancy),
    })
}

/// Returns the resource to reduce, or to increase, for more resident warps; the first that helps.
fn occupancy_help(row: &Multiprocessor, block: &Block, occupancy: &Occupancy) -> String {
    let better = |changed: &Block| {
        let changed = row.occupancy(changed).ok()?;
        (changed.warps > occupancy.warps).then_some(changed)
    };
    for limiter in occupancy.limiters.iter().rev() {
        let found = match limiter {
            Limiter::SharedMemory => less_shared(row, block, occupancy),
            Limiter::Registers => fewer_registers(row, block, occupancy),
            Limiter::Warps | Limiter::Blocks => other_threads(block, better),
            Limiter::Barriers => None,
        };
        if let Some(found) = found {
            return found;
        }
    }
    "let blocks take less of what limits them".to_owned()
}

/// Returns the most shared memory with which twice as many blocks run, or one more.
fn less_shared(row: &Multiprocessor, block: &Block, occupancy: &Occupancy) -> Option<String> {
    [2 * occupancy.blocks, occupancy.blocks + 1].into_iter().find_map(|wanted| {
        let each = row.shared / u64::from(wanted) / row.granularity * row.granularity;
        let shared = each.checked_sub(row.reserved)?.min(row.block_shared);
        let changed = row.occupancy(&Block { shared, ..*block }).ok()?;
        (changed.blocks > occupancy.blocks).then(|| {
            format!(
                "with {shared} bytes of shared memory a block or fewer ({} now), {} would run; or let more \
                 threads share them",
                block.shared,
                count_of(changed.blocks.into(), "block"),
            )
        })
    })
}

/// Returns the most registers with which twice as many blocks run, or one more.
fn fewer_registers(row: &Multiprocessor, block: &Block, occupancy: &Occupancy) -> Option<String> {
    let registers = block.registers?;
    let with = |registers| row.occupancy(&Block { registers: Some(registers), ..*block }).ok();
    [2 * occupancy.blocks, occupancy.blocks + 1].into_iter().find_map(|wanted| {
        let enough = (1..registers).rev().find_map(|registers| {
            let changed = with(registers)?;
            (changed.blocks >= wanted).then_some((registers, changed))
        });
        let (registers, changed) = enough?;
        Some(format!(
            "with {registers} registers a thread or fewer, {} would run: keep fewer values at a time, or \
             smaller arrays",
            count_of(changed.blocks.into(), "block"),
        ))
    })
}

/// Returns the number of threads, in whole warps, with the most resident warps.
fn other_threads(block: &Block, better: impl Fn(&Block) -> Option<Occupancy>) -> Option<String> {
    let sizes = (1..=MAX_BLOCK_THREADS / WARP_THREADS).map(|warps| warps * WARP_THREADS);
    let tried = sizes.filter_map(|threads| Some((threads, better(&Block { threads, ..*block })?)));
    let best = tried.reduce(|best, next| if next.1.warps > best.1.warps { next } else { best });
    best.map(|(threads, occupancy)| {
        format!("with {threads} threads a block, {} warps would run", occupancy.warps)
    })
}
