//! Lints that explain the excess work of a line.
use super::report::{ExcessKind, KernelProfile};
use crate::{
    find,
    project::{Finding, Project},
};
use std::collections::BTreeMap;
use warpwise::model::Gpu;
use warpwise_compiler::{
    diag::Diagnostic,
    explain::{Answer, Subject, verdicts},
    id::Id as _,
    ir::Kernel,
    lint::{Levels, launch},
};

/// Lint with a reason in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    pub(crate) lint: &'static str,
    pub(crate) reason: String,
    /// True if the lint found the cause in the source; otherwise the reason is a general one.
    pub(crate) found: bool,
}

/// Returns the lints about an excess; the first one applies if none has a finding.
const fn candidate_lints(kind: ExcessKind) -> &'static [&'static str] {
    match kind {
        ExcessKind::Sectors => &[
            "gpu_uncoalesced_accesses",
            "gpu_aos_accesses",
            "gpu_swapped_axes",
            "gpu_misaligned_accesses",
        ],
        ExcessKind::Updates | ExcessKind::SharedUpdates => &["gpu_contended_atomics"],
        ExcessKind::Wavefronts => &["gpu_bank_conflicts", "gpu_vector_bank_conflicts"],
        ExcessKind::Constants => &["gpu_divergent_constant_reads"],
        ExcessKind::Divergence => &[
            "gpu_divergent_branches",
            "gpu_divergent_loops",
            "gpu_divergent_matches",
            "gpu_serial_sections",
        ],
    }
}

/// Returns the general cause of an excess, for lines without a finding.
const fn general_reason(kind: ExcessKind) -> &'static str {
    match kind {
        ExcessKind::Sectors => {
            "what the lanes of a warp want does not fill the sectors that it is in"
        }
        ExcessKind::Updates | ExcessKind::SharedUpdates => {
            "lanes of a warp update the same memory, one after the other"
        }
        ExcessKind::Wavefronts => "lanes of a warp want different words of one bank",
        ExcessKind::Constants => "lanes of a warp read different words of constant memory",
        ExcessKind::Divergence => "lanes of a warp go different ways",
    }
}

/// Verdicts on the branches of a kernel's lines: true if all branches of a line are fine, as
/// `explain` decides. Fine are guards, a lane that works for its warp, and bodies so short that
/// they run under a predicate.
#[derive(Debug, Default)]
pub(crate) struct BranchVerdicts(BTreeMap<(String, usize), bool>);

impl BranchVerdicts {
    /// Collects the branches of the kernel of this name; a kernel with unreadable IR has none.
    pub(crate) fn new(project: &Project, kernel: &str) -> Self {
        let mut lines = BTreeMap::new();
        for known in project.kernels.iter().filter(|known| known.name == kernel) {
            let Ok(ir) = find::parse_ir(known) else { continue };
            for verdict in verdicts(&ir) {
                let Some(&place) = known.spans.get(verdict.span.index()) else { continue };
                if verdict.subject == Subject::Branch {
                    let line = (project.sources.display_path(place).to_owned(), place.start.0);
                    *lines.entry(line).or_insert(true) &= verdict.answer == Answer::Good;
                }
            }
        }
        Self(lines)
    }

    fn are_fine(&self, (file, line): (&str, usize)) -> bool {
        self.0.get(&(file.to_owned(), line)).copied().unwrap_or(false)
    }
}

/// Explains an excess of a line; `None` for branches that are fine.
pub(crate) fn explain_excess(
    project: &Project,
    branches: &BranchVerdicts,
    kernel: &str,
    at: (&str, usize),
    kind: ExcessKind,
) -> Option<Explanation> {
    let names = candidate_lints(kind);
    let (file, line) = at;
    let is_here = |finding: &Finding| {
        let lines = finding.place.start.0..=finding.place.end.0;
        lines.contains(&line) && project.sources.display_path(finding.place) == file
    };
    let kernels = project.kernels.iter().filter(|known| known.name == kernel);
    let findings: Vec<&Finding> =
        kernels.flat_map(|known| &known.findings).filter(|finding| is_here(finding)).collect();
    let found = names.iter().find_map(|name| {
        let finding = findings.iter().find(|finding| finding.code == *name)?;
        Some(Explanation { lint: name, reason: finding.message.clone(), found: true })
    });
    if found.is_none() && kind == ExcessKind::Divergence && branches.are_fine(at) {
        return None;
    }
    Some(found.unwrap_or_else(|| {
        let lint = names[0];
        Explanation { lint, reason: general_reason(kind).to_owned(), found: false }
    }))
}

/// The lints on launches that a report repeats: they need no registers to be right.
const SIZE_LINTS: [&str; 2] = ["gpu_small_grids", "gpu_tail_waves"];

/// The most blocks of a launch that is judged.
const MAX_BLOCKS: u64 = 1 << 40;

/// Returns the findings about the number of blocks of a kernel whose optimized IR is `ir`, as on a
/// GPU.
pub(crate) fn judge_launch(
    profile: &KernelProfile,
    ir: Option<&str>,
    gpu: &Gpu,
) -> Vec<Diagnostic> {
    let kernel = ir.and_then(|ir| ir.parse::<Kernel>().ok());
    let blocks = profile.blocks();
    let (Some(kernel), 1..=MAX_BLOCKS) = (kernel, blocks) else { return Vec::new() };
    let resources = profile.block_resources();
    let launched = launch::Launch {
        kernel: &kernel,
        grid: profile.launches.grid,
        block: profile.launches.block,
        count: 1,
        gpu: Some(launch::Gpu {
            target: gpu.target,
            multiprocessors: gpu.multiprocessors.into(),
            registers: resources.registers.unwrap_or(0),
            shared: resources.shared,
        }),
    };
    let mut found = launch::launched(&launched, &Levels::default());
    found.retain(|diagnostic| SIZE_LINTS.contains(&diagnostic.code));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lint_that_explains_something_exists() {
        for kind in [
            ExcessKind::Sectors,
            ExcessKind::Updates,
            ExcessKind::Wavefronts,
            ExcessKind::SharedUpdates,
            ExcessKind::Constants,
            ExcessKind::Divergence,
        ] {
            for name in candidate_lints(kind) {
                assert!(crate::pages::find_lint(name).is_some(), "{name}");
            }
        }
    }
}
