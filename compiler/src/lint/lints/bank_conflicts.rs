//! `gpu_bank_conflicts`: lanes of a warp access different words of one bank of shared memory.
//!
//! ```text
//! let v = tile[lane][3];    // rows of 32 words: all lanes in one bank, 32 wavefronts instead of 1
//! ```
//! Fires at twice the necessary wavefronts, over all accesses of a block there. Silent where lanes
//! share a word, where a distance is unknown, and about accesses of 8 and 16 bytes, which are the
//! subject of `gpu_vector_bank_conflicts`.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, conflicts},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_bank_conflicts", group: LintGroup::Performance, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    conflicts::find_conflicts(kernel, analyses, false)
}
