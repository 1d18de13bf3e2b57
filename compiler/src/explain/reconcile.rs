//! Reconciliation with the lints: they decide which verdicts are bad, so that `explain` and the
//! build cannot differ.
//!
//! Each finding of each lint makes the verdict about the same thing bad, or becomes a verdict of
//! its own. Anything that no lint reports is not bad: facts that look bad make it unknown, such as
//! a branch that splits warps for two instructions.
use super::{Answer, FactVerdict, Subject, Verdict};
use crate::{
    analysis::Analyses,
    diag::Diagnostic,
    ir::{Kernel, Span},
    lint::{self, Levels},
};

/// The certainty of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// Its reports are facts.
    Proved,
    /// Its reports are facts only if other facts prove them as well.
    Suspected,
    /// Its reports are facts about something other than the verdict on the same thing: that all
    /// threads reach a barrier does not tell if they need it.
    Beside,
}

/// Returns the subject of a lint; `None` if `lint` is no lint, for the one about the assumption
/// that all verdicts rest on, and for the one about parameters that are as well where they are.
fn lint_subject(lint: &str) -> Option<(Subject, Claim)> {
    Some(match lint {
        "gpu_divergent_branches" | "gpu_divergent_matches" | "gpu_serial_sections" => {
            (Subject::Branch, Claim::Proved)
        }
        "gpu_divergent_loops" => (Subject::Branch, Claim::Suspected),
        "gpu_barriers_after_divergent_returns"
        | "gpu_barriers_in_divergent_flow"
        | "gpu_barriers_in_divergent_loops"
        | "gpu_mismatched_barriers" => (Subject::Barrier, Claim::Proved),
        "gpu_redundant_barriers" => (Subject::Barrier, Claim::Beside),
        "gpu_inactive_lane_shuffles" | "gpu_warp_mask_mismatches" => {
            (Subject::Meeting, Claim::Proved)
        }
        "gpu_aos_accesses"
        | "gpu_bank_conflicts"
        | "gpu_contended_atomics"
        | "gpu_divergent_constant_reads"
        | "gpu_misaligned_accesses"
        | "gpu_swapped_axes"
        | "gpu_uncoalesced_accesses"
        | "gpu_vector_bank_conflicts" => (Subject::Access, Claim::Proved),
        "gpu_local_arrays" => (Subject::Access, Claim::Suspected),
        "gpu_atomic_mixing"
        | "gpu_block_races"
        | "gpu_global_races"
        | "gpu_missing_barriers"
        | "gpu_missing_fences"
        | "gpu_missing_warp_syncs"
        | "gpu_same_value_races"
        | "gpu_shared_write_races"
        | "gpu_skipped_barriers"
        | "gpu_unwaited_copies" => (Subject::Race, Claim::Proved),
        // Only the data decide if two threads have the same key, or if the other block is this one.
        "gpu_missing_cluster_syncs" | "gpu_nonatomic_updates" => (Subject::Race, Claim::Suspected),
        "gpu_index_overflows"
        | "gpu_negative_indices"
        | "gpu_out_of_bounds_shared"
        | "gpu_unguarded_indices" => (Subject::Check, Claim::Proved),
        "gpu_uninit_shared_reads" | "gpu_unused_shared" => (Subject::Contents, Claim::Proved),
        "gpu_low_occupancy"
        | "gpu_moderate_occupancy"
        | "gpu_partial_warps"
        | "gpu_small_grids"
        | "gpu_tail_waves"
        | "gpu_tiny_launches"
        | "gpu_unlaunchable_kernels" => (Subject::Launch, Claim::Proved),
        _ => return None,
    })
}

/// Returns the noun for a thing without facts.
const fn subject_noun(subject: Subject) -> &'static str {
    match subject {
        Subject::Branch => "branch",
        Subject::Barrier => "barrier",
        Subject::Meeting => "warp function",
        Subject::Access => "access",
        Subject::Race => "races",
        Subject::Check => "index",
        Subject::Contents => "contents of shared memory",
        Subject::Launch => "launch",
    }
}

/// Merges the findings of lints about `kernel` into the `known` verdicts.
pub(super) fn merge_findings(
    kernel: &Kernel,
    analyses: &Analyses,
    known: Vec<FactVerdict>,
) -> Vec<Verdict> {
    let findings: Vec<(Diagnostic, Subject, Claim)> =
        lint::run_all(kernel, analyses, &Levels::default())
            .into_iter()
            .filter_map(|found| {
                lint_subject(found.code).map(|(subject, claim)| (found, subject, claim))
            })
            .collect();
    let mut matched = vec![false; findings.len()];
    let mut verdicts: Vec<Verdict> = Vec::new();
    for FactVerdict { verdict, places } in known {
        let mut is_reported = false;
        for ((found, subject, claim), matched) in findings.iter().zip(&mut matched) {
            let is_about = *subject == verdict.subject && *claim != Claim::Beside;
            if is_about && is_finding_about(found, *subject, &places) {
                (*matched, is_reported) = (true, true);
                add_verdict(&mut verdicts, bad_verdict(found, *claim, &verdict));
            }
        }
        if !is_reported {
            let answer = match verdict.answer {
                Answer::Bad | Answer::Unknown => Answer::Unknown,
                Answer::Good => Answer::Good,
            };
            add_verdict(&mut verdicts, Verdict { answer, ..verdict });
        }
    }
    let alone = findings.iter().zip(matched).filter(|(_, matched)| !matched);
    for ((found, subject, claim), _) in alone {
        add_verdict(&mut verdicts, self::lint_only_verdict(found, *subject, *claim));
    }
    verdicts
}

/// Adds a verdict unless it exists: a function that is called twice is in a kernel twice.
fn add_verdict(verdicts: &mut Vec<Verdict>, verdict: Verdict) {
    if !verdicts.contains(&verdict) {
        verdicts.push(verdict);
    }
}

/// Returns true if a finding is about the thing at these places. Races are reported at one access
/// or at several.
fn is_finding_about(found: &Diagnostic, subject: Subject, places: &[Span]) -> bool {
    places.contains(&found.span)
        || subject == Subject::Race && found.labels.iter().any(|(at, _)| places.contains(at))
}

/// Creates the verdict about something that a lint reports.
fn bad_verdict(found: &Diagnostic, claim: Claim, known: &Verdict) -> Verdict {
    let answer = match (claim, known.answer) {
        (Claim::Proved | Claim::Beside, _) | (Claim::Suspected, Answer::Bad) => Answer::Bad,
        (Claim::Suspected, Answer::Good | Answer::Unknown) => Answer::Unknown,
    };
    Verdict {
        span: known.span,
        what: known.what.clone(),
        answer,
        ..lint_only_verdict(found, known.subject, claim)
    }
}

/// Creates the verdict about something that only a lint knows of.
fn lint_only_verdict(found: &Diagnostic, subject: Subject, claim: Claim) -> Verdict {
    Verdict {
        span: found.span,
        subject,
        what: subject_noun(subject).to_owned(),
        answer: if claim == Claim::Suspected { Answer::Unknown } else { Answer::Bad },
        why: found.message.clone(),
        labels: found.labels.clone(),
        help: found.help.clone(),
        lint: Some(found.code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lint_is_about_something() {
        let unknown: Vec<_> = lint::names().filter(|name| lint_subject(name).is_none()).collect();
        assert_eq!(
            unknown,
            ["gpu_constant_candidates", "gpu_texture_candidates", "gpu_unknown_block_shape"]
        );
    }
}
