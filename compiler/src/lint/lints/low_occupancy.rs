//! `gpu_low_occupancy`: fewer than a quarter of the possible warps run at the same time.
//!
//! ```text
//! #[kernel(block = 64)]
//! fn k(..) { let tile = shared!([f32; 25600]); .. }    // 100 KiB: 2 blocks of 2 warps, of 64
//! ```
//! A multiprocessor hides the latency of memory by running other warps. Reported when the kernel is
//! built, if it declares its block and the occupancy is low on every architecture, registers not
//! counted; otherwise when it is launched, with the registers that the driver's compiler assigned.
//! `gpu_moderate_occupancy` is the same for more than a quarter.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, launch::Launch, residency},
};
use std::ops::Range;

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_low_occupancy", group: LintGroup::Performance, level: Level::Warn, check };

/// The occupancy that is reported, in percent.
const REPORTED_OCCUPANCY_PERCENT: Range<u32> = 0..25;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    residency::check_built(kernel, analyses, REPORTED_OCCUPANCY_PERCENT)
}

pub(in crate::lint) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    residency::check_launched(launch, REPORTED_OCCUPANCY_PERCENT)
}
