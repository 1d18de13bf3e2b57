//! `gpu_moderate_occupancy`: between a quarter and four fifths of the possible warps run at the
//! same time.
//!
//! For tuning: Nsight Compute begins to mention occupancy at this point. Many fast kernels are in
//! this range, because values that a thread keeps in registers need no loads. For less, see
//! `gpu_low_occupancy`.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, launch::Launch, residency},
};
use std::ops::Range;

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_moderate_occupancy",
    group: LintGroup::Performance,
    level: Level::Allow,
    check,
};

/// The occupancy that is reported, in percent.
const REPORTED_OCCUPANCY_PERCENT: Range<u32> = 25..80;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    residency::check_built(kernel, analyses, REPORTED_OCCUPANCY_PERCENT)
}

pub(in crate::lint) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    residency::check_launched(launch, REPORTED_OCCUPANCY_PERCENT)
}
