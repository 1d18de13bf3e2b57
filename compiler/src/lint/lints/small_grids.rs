//! `gpu_small_grids`: a launch of fewer blocks than the GPU has multiprocessors.
//!
//! ```text
//! sum::launch(&device, LaunchConfig::grid(1).block(256), ..)   // 131 of 132 multiprocessors idle
//! ```
//! If blocks wait at barriers, the limit is twice the number: with one block on a multiprocessor
//! nothing runs there while its threads wait for each other. (Nsight Compute's launch rules look
//! for both.) Silent about barriers where no two blocks fit on a multiprocessor anyway.
use crate::{
    diag::Level,
    ir::Span,
    lint::{
        Finding, Lint, LintGroup,
        launch::{Launch, check_nothing, count_of, has_barriers},
    },
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_small_grids",
    group: LintGroup::Performance,
    level: Level::Warn,
    check: check_nothing,
};

pub(in crate::lint) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    let gpu = launch.gpu.as_ref()?;
    let (blocks, all) = (launch.block_count(), gpu.multiprocessors);
    let two_fit = || launch.occupancy(gpu).is_some_and(|occupancy| occupancy.blocks >= 2);
    let (message, wanted) = if blocks < all {
        let message = format!(
            "a grid of {} leaves {} of {all} multiprocessors idle",
            count_of(blocks, "block"),
            all - blocks
        );
        (message, all)
    } else if blocks < 2 * all && has_barriers(launch.kernel) && two_fit() {
        let alone = 2 * all - blocks;
        let have = if alone == 1 { "has" } else { "have" };
        let message = format!(
            "{alone} of {all} multiprocessors {have} one block of this grid of {blocks}, and nothing to \
             do while it waits at a barrier"
        );
        (message, 2 * all)
    } else {
        return None;
    };
    Some(Finding {
        message,
        span: Span::KERNEL,
        labels: Vec::new(),
        notes: Vec::new(),
        help: format!(
            "let at least {wanted} blocks share the work: fewer threads in each, or less work a thread"
        ),
    })
}
