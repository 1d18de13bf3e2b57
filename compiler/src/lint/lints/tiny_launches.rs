//! `gpu_tiny_launches`: many launches, each of too few threads to be worth it.
//!
//! ```text
//! for row in 0..1000 { scale::launch(&device, LaunchConfig::cover(64), ..)?; }
//! ```
//! A launch takes about 3 us however little it does (an empty kernel on an H200, back to back: 3.1
//! us), and a multiprocessor has four schedulers, each of which issues for its own warps. Fires at
//! the hundredth launch of a kernel with fewer warps than the GPU has schedulers: some were idle a
//! hundred times. A single small launch, such as the end of a reduction, is fine.
use crate::{
    diag::Level,
    hardware::occupancy::WARP_THREADS,
    ir::Span,
    lint::{
        Finding, Lint, LintGroup,
        launch::{Launch, MANY_LAUNCHES, check_nothing},
    },
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_tiny_launches",
    group: LintGroup::Performance,
    level: Level::Warn,
    check: check_nothing,
};

/// Schedulers per multiprocessor, since Volta.
const SCHEDULERS_PER_MULTIPROCESSOR: u64 = 4;

pub(in crate::lint) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    let gpu = launch.gpu.as_ref()?;
    let warps = launch.block_count() * u64::from(launch.threads_per_block().div_ceil(WARP_THREADS));
    let schedulers = SCHEDULERS_PER_MULTIPROCESSOR * gpu.multiprocessors;
    if warps >= schedulers || launch.count != MANY_LAUNCHES {
        return None;
    }
    Some(Finding {
        message: format!(
            "{MANY_LAUNCHES} launches of {warps} warps each, on a device with {schedulers} warp schedulers"
        ),
        span: Span::KERNEL,
        labels: Vec::new(),
        notes: vec!["a launch takes about 3 us, however little it does".to_owned()],
        help:
            "let one launch do the work of many: over a larger array, or with an axis of the grid \
               for what the host loops over"
                .to_owned(),
    })
}
