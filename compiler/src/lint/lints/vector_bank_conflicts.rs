//! `gpu_vector_bank_conflicts`: 8- and 16-byte accesses to shared memory in which lanes of a group
//! that is served together access different words of one bank.
//!
//! ```text
//! let v = tile[lane][k];    // rows of 8 `F32x4`: 32 wavefronts instead of 4
//! ```
//! Like `gpu_bank_conflicts`, by the rule for groups: such an access takes a wavefront for each
//! half or quarter of a warp, which is no conflict. Neighbouring loads of a thread that form one
//! request are judged as that request.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{Finding, Lint, LintGroup, conflicts},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_vector_bank_conflicts",
    group: LintGroup::Performance,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    conflicts::find_conflicts(kernel, analyses, true)
}
