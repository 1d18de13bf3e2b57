//! Precision and recall, by lint: `docs/lints/evidence.md`.
use crate::{
    expected::{Expected, Origin},
    found::Found,
};
use libtest_mimic::Failed;
use std::{collections::BTreeMap, env, fs, path::Path};
use warpwise_compiler::lint;

/// The findings and misses of lints.
#[derive(Default)]
pub(crate) struct Table {
    kernels: u32,
    clean: u32,
    launches: u32,
    clean_launches: u32,
    lints: BTreeMap<String, Counts>,
    /// The totals after adjudication, and its reasons.
    adjudicated: Counts,
    same_faults: u32,
    unlabelled: u32,
    reasons: Vec<String>,
}

/// The counts of one lint.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Kernels and launches for which a finding is expected.
    bad: u32,
    /// True findings.
    right: u32,
    /// False findings.
    wrong: u32,
    /// Missed findings.
    missed: u32,
}

impl Table {
    /// Counts a kernel.
    pub(crate) fn add(&mut self, expected: &[Expected], found: &[Found]) {
        self.kernels += 1;
        self.clean += u32::from(expected.is_empty());
        for lint in lint::names() {
            let of: Vec<_> = expected.iter().filter(|label| label.lint == lint).collect();
            let said: Vec<_> = found.iter().filter(|found| found.lint == lint).collect();
            let counts = self.lints.entry(lint.to_owned()).or_default();
            counts.bad += u32::from(!of.is_empty());
            for label in &of {
                let is_found = said.iter().any(|found| label.is(found));
                *(if is_found { &mut counts.right } else { &mut counts.missed }) += 1;
            }
            counts.wrong += said
                .iter()
                .map(|found| u32::from(!of.iter().any(|label| label.is(found))))
                .sum::<u32>();
        }
    }

    /// Counts a held-out kernel: as labelled, and after adjudication.
    pub(crate) fn add_held_out(&mut self, kernel: &str, expected: &[Expected], found: &[Found]) {
        let is_label = |of: &&Expected| of.origin == Origin::Label;
        let labels: Vec<Expected> = expected.iter().filter(is_label).cloned().collect();
        self.add(&labels, found);
        let is_there = |of: &Expected| found.iter().any(|found| of.is(found));
        let mut same: Vec<&Expected> = expected
            .iter()
            .filter(|of| matches!(of.origin, Origin::SameFault(_)) && is_there(of))
            .collect();
        for label in &labels {
            let about = expected.iter().find_map(|of| match &of.origin {
                Origin::Refuted(why) if of.lint == label.lint && of.line == label.line => {
                    Some((true, why))
                }
                Origin::Missed(why) if of.lint == label.lint && of.line == label.line => {
                    Some((false, why))
                }
                _ => None,
            });
            let is_same = |of: &&Expected| of.origin == Origin::SameFault(label.lint.clone());
            let other = same.iter().position(is_same);
            if is_there(label) {
                self.adjudicated.right += 1;
            } else if let Some(other) = other {
                same.remove(other);
                self.adjudicated.right += 1;
                self.same_faults += 1;
            } else if let Some((true, why)) = about {
                self.reasons.push(format!("`{kernel}`, {}: the label is wrong, {why}", label.lint));
            } else {
                self.adjudicated.missed += 1;
                let why = about.map_or("", |(_, why)| why.as_str());
                self.reasons.push(format!("`{kernel}`, {}: missed, {why}", label.lint));
            }
        }
        let is_known = |found: &&Found| {
            expected.iter().any(|of| match of.origin {
                Origin::Label | Origin::SameFault(_) | Origin::Unlabelled => of.is(found),
                Origin::Refuted(_) | Origin::Missed(_) => false,
            })
        };
        let is_fact = |found: &&Found| {
            expected.iter().any(|of| of.origin == Origin::Unlabelled && of.is(found))
                && !labels.iter().any(|label| label.is(found))
        };
        self.unlabelled += found.iter().filter(is_fact).map(|_| 1).sum::<u32>();
        for wrong in found.iter().filter(|found| !is_known(found)) {
            self.adjudicated.wrong += 1;
            self.reasons.push(format!("`{kernel}`, {}: a false report", wrong.lint));
        }
    }

    /// Counts a launch, with the expected lints and those that have a finding.
    pub(crate) fn add_launch(&mut self, expected: &[&str], said: &[&str]) {
        self.launches += 1;
        self.clean_launches += u32::from(expected.is_empty());
        self.add_names(expected, said);
    }

    /// Counts a kernel in text form, likewise.
    pub(crate) fn add_text(&mut self, expected: &[&str], said: &[&str]) {
        self.kernels += 1;
        self.clean += u32::from(expected.is_empty());
        self.add_names(expected, said);
    }

    fn add_names(&mut self, expected: &[&str], said: &[&str]) {
        for lint in lint::names() {
            let counts = self.lints.entry(lint.to_owned()).or_default();
            let (is_so, is_said) = (expected.contains(&lint), said.contains(&lint));
            counts.bad += u32::from(is_so);
            counts.right += u32::from(is_so && is_said);
            counts.wrong += u32::from(!is_so && is_said);
            counts.missed += u32::from(is_so && !is_said);
        }
    }

    /// Compares this table and the one of the held-out kernels with the page, or rewrites the page.
    pub(crate) fn check(&self, held_out: &Self) -> Result<(), Failed> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints/evidence.md");
        let text = self.text() + &held_out.held_out_text();
        if env::var_os("BLESS").is_some() {
            fs::write(path, text)?;
            return Ok(());
        }
        let written = fs::read_to_string(path).unwrap_or_default();
        if written == text {
            return Ok(());
        }
        let diff = similar::TextDiff::from_lines(&written, &text);
        let diff = diff.unified_diff().to_string();
        Err(format!("{diff}\nBLESS=1 cargo test -p warpwise-corpus rewrites it").into())
    }

    fn text(&self) -> String {
        let Self { kernels, clean, launches, clean_launches, .. } = self;
        let text = format!(
            "# Precision and recall of the lints\n\n\
             `tests/corpus` has {kernels} kernels with and without known defects. {clean} of them are clean: a finding\n\
             of any level is wrong. Comments in the kernels mark the line of each expected finding. Another {launches}\n\
             entries are launches of such kernels on an H200, {clean_launches} of them clean. *Precision* is the share of findings\n\
             that are right, *recall* the share of defects that are found. These kernels were written together with\n\
             the lints, so the table detects regressions but does not show how the lints perform on other kernels;\n\
             [the second table](#held-out-kernels) does.\n\n"
        );
        let check =
            "`cargo test -p warpwise-corpus` compares both tables with the current findings.";
        text + &self.rows("kernels and launches with it") + &format!("\n{check}\n")
    }

    /// Returns the part of the page about the held-out kernels.
    fn held_out_text(&self) -> String {
        let Self { kernels, clean, adjudicated, same_faults, unlabelled, .. } = self;
        let faulty = kernels - clean;
        let text = format!(
            "\n## Held-out kernels\n\n\
             `tests/corpus/src/held_out` has {kernels} kernels ported from textbooks, samples and articles, {clean} of them\n\
             without a defect and {faulty} with one. They were labelled before anyone had seen the findings for them, and the\n\
             labels are not changed to fit the lints. Lints were improved since then, some because of these kernels, so the\n\
             figures describe the lints of today. When this table was first published, they found 80 of the 102 labels (78.4 %),\n\
             and 29 of their findings had no label (73.4 % precision).\n\n\
             Before adjudication, only a finding of the labelled lint on the labelled line counts as right, and every\n\
             other finding of any level counts as wrong: {}.\n\n",
            sentence(self.total()),
        );
        let after = format!(
            "\n### After adjudication\n\n\
             The authors of the lints examined each missed label and each finding without a label by hand, and recorded the\n\
             result in marks beside the labels. A label counts as found if a finding reports the same defect at its other end\n\
             (the write of a race instead of the read, the `if` instead of the loop in it) or by the lint for the cause\n\
             (`gpu_swapped_axes` for an access that is uncoalesced for that reason): {same_faults} labels. A finding without a\n\
             label that states a fact, mostly of lints that are silent by default and were not considered when labelling,\n\
             counts neither as right nor as wrong: {unlabelled} findings. A label that measurements refute does not count.\n\n\
             After adjudication: {}. The rest:\n\n",
            sentence(*adjudicated),
        );
        let reasons: String = self.reasons.iter().map(|reason| format!("- {reason}\n")).collect();
        text + &self.rows("kernels with it") + &after + &reasons
    }

    /// Returns the sums over all lints.
    fn total(&self) -> Counts {
        self.lints.values().fold(Counts::default(), |sum, counts| Counts {
            bad: sum.bad + counts.bad,
            right: sum.right + counts.right,
            wrong: sum.wrong + counts.wrong,
            missed: sum.missed + counts.missed,
        })
    }

    /// Returns the rows of the lints that are expected or found in some kernel.
    fn rows(&self, of: &str) -> String {
        let mut text = format!(
            "| lint | {of} | found | wrong | missed | precision | recall |\n\
             |---|---|---|---|---|---|---|\n"
        );
        for (lint, counts) in &self.lints {
            let Counts { bad, right, wrong, missed } = *counts;
            if bad + wrong == 0 {
                continue;
            }
            let precision = percent(right, right + wrong);
            let recall = percent(right, right + missed);
            text += &format!(
                "| [`{lint}`]({lint}.md) | {bad} | {right} | {wrong} | {missed} | {precision} | {recall} |\n"
            );
        }
        text
    }
}

/// Returns a sentence about found and missed labels.
fn sentence(Counts { right, wrong, missed, .. }: Counts) -> String {
    let labels = right + missed;
    format!(
        "{right} of {labels} labels found ({}), {wrong} findings wrong ({} precision)",
        percent(right, labels),
        percent(right, right + wrong),
    )
}

/// Returns `part` as a percentage of `whole`.
fn percent(part: u32, whole: u32) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1} %", 100.0 * f64::from(part) / f64::from(whole))
}
