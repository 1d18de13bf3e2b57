//! Lints: read the IR and the facts, report, rewrite nothing. One file each.
use crate::{analysis::Analyses, diag::{Diagnostics, Level}, ir::{Kernel, Span}};

/// The user's levels; what is not named has the lint's own.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// For the whole kernel, later entries over earlier ones.
    pub kernel: Vec<(String, Level)>,
    /// For the statements whose instructions have one of these spans; over the kernel's.
    pub spans: Vec<(Vec<Span>, String, Level)>,
}

/// Runs every lint.
pub fn run(_kernel: &Kernel, _analyses: &Analyses, _levels: &Levels) -> Diagnostics {
    Diagnostics::default()
}
