//! The lint that explains what a line does more often than it needs.
use super::report::Of;
use crate::{
    check::{Finding, Project},
    find,
};
use std::collections::BTreeMap;
use warpwise_compiler::{
    explain::{Answer, Subject, verdicts},
    id::Id as _,
};

/// A lint and its reason, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    pub(crate) lint: &'static str,
    pub(crate) reason: String,
    /// Whether the lint found it in the source; otherwise the reason is what the lint is about.
    pub(crate) found: bool,
}

/// The lints about something, first the one that fits where none found it.
const fn candidates(of: Of) -> &'static [&'static str] {
    match of {
        Of::Sectors => &[
            "gpu_uncoalesced_accesses",
            "gpu_aos_accesses",
            "gpu_swapped_axes",
            "gpu_misaligned_accesses",
        ],
        Of::Updates | Of::SharedUpdates => &["gpu_contended_atomics"],
        Of::Wavefronts => &["gpu_bank_conflicts", "gpu_vector_bank_conflicts"],
        Of::Divergence => &[
            "gpu_divergent_branches",
            "gpu_divergent_loops",
            "gpu_divergent_matches",
            "gpu_serial_sections",
        ],
    }
}

/// What the cause is where no lint found one in the source.
const fn about(of: Of) -> &'static str {
    match of {
        Of::Sectors => "what the lanes of a warp want does not fill the sectors that it is in",
        Of::Updates | Of::SharedUpdates => {
            "lanes of a warp update the same memory, one after the other"
        }
        Of::Wavefronts => "lanes of a warp want different words of one bank",
        Of::Divergence => "lanes of a warp go different ways",
    }
}

/// The lines of a kernel at whose branches there is nothing to gain, as `explain` says: guards, a lane that works for its
/// warp, and what is so short that it may run under a predicate.
#[derive(Debug, Default)]
pub(crate) struct Branches(BTreeMap<(String, usize), bool>);

impl Branches {
    /// Those of the kernel of this name; nothing is known of one whose IR cannot be read.
    pub(crate) fn of(project: &Project, kernel: &str) -> Self {
        let mut lines = BTreeMap::new();
        for known in project.kernels.iter().filter(|known| known.name == kernel) {
            let Ok(ir) = find::ir(known) else { continue };
            for verdict in verdicts(&ir) {
                let Some(&place) = known.spans.get(verdict.span.index()) else { continue };
                if verdict.subject == Subject::Branch {
                    let line = (project.sources.shown(place).to_owned(), place.start.0);
                    let is_fine = verdict.answer == Answer::Good
                        || verdict.answer == Answer::Unknown && verdict.is_short;
                    *lines.entry(line).or_insert(true) &= is_fine;
                }
            }
        }
        Self(lines)
    }

    fn are_fine(&self, (file, line): (&str, usize)) -> bool {
        self.0.get(&(file.to_owned(), line)).copied().unwrap_or(false)
    }
}

/// Why a line of a kernel does too much of something; `None` of branches that are as they should be.
pub(crate) fn explain(
    project: &Project,
    branches: &Branches,
    kernel: &str,
    at: (&str, usize),
    of: Of,
) -> Option<Explanation> {
    let names = candidates(of);
    let (file, line) = at;
    let is_here = |finding: &Finding| {
        let lines = finding.at.start.0..=finding.at.end.0;
        lines.contains(&line) && project.sources.shown(finding.at) == file
    };
    let kernels = project.kernels.iter().filter(|known| known.name == kernel);
    let findings: Vec<&Finding> =
        kernels.flat_map(|known| &known.findings).filter(|finding| is_here(finding)).collect();
    let found = names.iter().find_map(|name| {
        let finding = findings.iter().find(|finding| finding.code == *name)?;
        Some(Explanation { lint: name, reason: finding.message.clone(), found: true })
    });
    if found.is_none() && of == Of::Divergence && branches.are_fine(at) {
        return None;
    }
    Some(found.unwrap_or_else(|| {
        let lint = names[0];
        Explanation { lint, reason: about(of).to_owned(), found: false }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lint_that_explains_something_exists() {
        for of in [Of::Sectors, Of::Updates, Of::Wavefronts, Of::SharedUpdates, Of::Divergence] {
            for name in candidates(of) {
                assert!(crate::pages::lint(name).is_some(), "{name}");
            }
        }
    }
}
