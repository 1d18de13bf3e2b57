//! `gpu_tail_waves`: a grid whose last blocks run while most of the GPU is idle.
//!
//! ```text
//! 132 multiprocessors, 8 blocks on each, a grid of 1100: 1056 run, and then 44
//! ```
//! A wave is the set of blocks that run at the same time. Fires where there is at least one whole
//! wave, the waves are few enough for the last to be a fifth of the time (Nsight Compute's
//! threshold), and a fifth of the GPU's capacity in that time is lost. This assumes that all blocks
//! take the same time.
use crate::{
    diag::Level,
    ir::Span,
    lint::{
        Finding, Lint, LintGroup,
        launch::{Launch, check_nothing, count_of},
    },
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_tail_waves",
    group: LintGroup::Performance,
    level: Level::Warn,
    check: check_nothing,
};

pub(in crate::lint) fn launched(launch: &Launch<'_>) -> Option<Finding> {
    let gpu = launch.gpu.as_ref()?;
    let (blocks, all) = (launch.block_count(), gpu.multiprocessors);
    let each = u64::from(launch.occupancy(gpu)?.blocks);
    let wave = each * all;
    let (whole, last) = (blocks.checked_div(wave)?, blocks % wave);
    let slots = (whole + 1) * wave;
    let lost = slots - blocks;
    if whole == 0 || last == 0 || 5 < whole + 1 || lost * 5 < slots {
        return None;
    }
    let hundredths = blocks * 100 / wave;
    let waves = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    let idle = (wave - last) * 100 / wave;
    Some(Finding {
        message: format!(
            "a grid of {blocks} blocks is {waves} waves of {wave} ({all} multiprocessors with {} each): \
             the last wave leaves {idle} % of the device idle",
            count_of(each, "block"),
        ),
        span: Span::KERNEL,
        labels: Vec::new(),
        notes: vec!["if all blocks take as long as each other".to_owned()],
        help: format!(
            "launch {wave} blocks that loop over the work in steps of the grid, or many more and \
             smaller ones"
        ),
    })
}
