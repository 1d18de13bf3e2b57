//! `gpu_moderate_occupancy`: fewer than four fifths of the warps that could run at the same time do, and
//! more than a quarter.
//!
//! For those who tune: it is where Nsight Compute begins to mention occupancy, and many fast kernels are there, because what a
//! thread keeps in registers it need not load. For less, see `gpu_low_occupancy`.
use super::{Finding, Group, Lint, launch::Launch, residency};
use crate::{analysis::Analyses, diag::Level, ir::Kernel};
use std::ops::Range;

pub(super) const LINT: Lint =
    Lint { name: "gpu_moderate_occupancy", group: Group::Performance, level: Level::Allow, check };

/// The share of warps at which it is said, in percent.
const PERCENT: Range<u32> = 25..80;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    residency::built(kernel, analyses, PERCENT)
}

pub(super) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    residency::launched(launch, PERCENT)
}
