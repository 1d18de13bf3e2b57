//! `gpu_partial_warps`: blocks whose size is not a whole number of warps.
//!
//! ```text
//! #[kernel(block = 100)]               // 4 warps, and 28 lanes of the last have no thread
//! ```
//! The hardware runs warps of 32 lanes; lanes without a thread take part, and do nothing. Reported
//! when the kernel is built, if it declares its block, and otherwise when it is launched.
use crate::{
    analysis::Analyses,
    diag::Level,
    hardware::occupancy::{MAX_BLOCK_THREADS, WARP_THREADS},
    ir::{Kernel, Span},
    lint::{Finding, Lint, LintGroup, launch::Launch},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_partial_warps", group: LintGroup::Performance, level: Level::Warn, check };

fn check(_: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let shape = analyses.trace.shape;
    let threads = u32::try_from(shape.thread_count()).unwrap_or(u32::MAX);
    let found = shape.declared.then(|| finding(threads)).flatten();
    found.into_iter().collect()
}

pub(in crate::lint) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    match launch.kernel.block {
        Some(_) => None,
        None => finding(launch.threads_per_block()),
    }
}

fn finding(threads: u32) -> Option<Finding> {
    if threads.is_multiple_of(WARP_THREADS) || threads > MAX_BLOCK_THREADS {
        return None;
    }
    let above = threads.next_multiple_of(WARP_THREADS);
    let idle = above - threads;
    let lanes = if idle == 1 { "1 lane" } else { &format!("{idle} lanes") };
    let below = above - WARP_THREADS;
    let sizes = if below == 0 { above.to_string() } else { format!("{below} or {above}") };
    Some(Finding {
        message: format!("blocks of {threads} threads leave {lanes} of their last warp idle"),
        span: Span::KERNEL,
        labels: Vec::new(),
        notes: Vec::new(),
        help: format!("let blocks have {sizes} threads: a multiple of {WARP_THREADS}"),
    })
}
