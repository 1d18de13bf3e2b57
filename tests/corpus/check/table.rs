//! Precision and recall, by lint: `docs/lints/evidence.md`.
use crate::{
    expected::{Expected, Origin},
    found::Found,
};
use libtest_mimic::Failed;
use std::{collections::BTreeMap, env, fs, path::Path};
use warpwise_compiler::lint;

/// What lints found and missed.
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

/// Of one lint.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Kernels and launches that must have a finding of it.
    bad: u32,
    /// Found, and so.
    right: u32,
    /// Found, and not so.
    wrong: u32,
    /// So, and not found.
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

    /// Counts a kernel that was held out: as it was labelled, and after adjudication.
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

    /// Counts a launch: the lints that must speak of it, and those that do.
    pub(crate) fn add_launch(&mut self, expected: &[&str], said: &[&str]) {
        self.launches += 1;
        self.clean_launches += u32::from(expected.is_empty());
        self.add_names(expected, said);
    }

    /// Counts a kernel that is given as IR, likewise.
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

    /// Compares this table and the one of the kernels that were held out with the page, or rewrites it.
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
            "# What the lints find, and what they miss\n\n\
             `tests/corpus` has {kernels} kernels, written to be right or wrong in known ways; {clean} of them are\n\
             clean: no lint of any level may say anything. The comments in the kernels say on which line what must be\n\
             found. Another {launches} are launches of such kernels on an H200, {clean_launches} of them clean.\n\
             *Precision* is how much of what a lint says is so, *recall* how much of what is so it says.\n\
             These kernels were written beside the lints, so the table shows that nothing got lost and not how well\n\
             the lints do on other kernels; [the second table](#kernels-that-the-lints-had-not-seen) does.\n\n"
        );
        let check =
            "`cargo test -p warpwise-corpus` compares both tables with what the lints find now.";
        text + &self.rows("kernels and launches with it") + &format!("\n{check}\n")
    }

    /// The part of the page about the kernels that were held out.
    fn held_out_text(&self) -> String {
        let Self { kernels, clean, adjudicated, same_faults, unlabelled, .. } = self;
        let faulty = kernels - clean;
        let text = format!(
            "\n## Kernels that the lints had not seen\n\n\
             `tests/corpus/src/held_out` has {kernels} kernels ported from textbooks, samples and articles, {clean} of them\n\
             without a fault and {faulty} with one. They were labelled before anybody looked at what the lints report for\n\
             them, and their labels are not changed to fit the lints. Lints were improved since, and for some of these\n\
             kernels, so the figures show what the lints do now. When this table was first published, they found 80 of the\n\
             102 labels (78.4 %), and 29 of their findings had none (73.4 % precision).\n\n\
             Before adjudication, where a finding counts only by the labelled lint on the labelled line and every other\n\
             finding of any level counts as wrong: {}.\n\n",
            sentence(self.total()),
        );
        let after = format!(
            "\n### After adjudication\n\n\
             Each label that was not found, and each finding that has no label, was looked at by hand, by those who write the\n\
             lints; marks of their own beside the labels say what came of it. A label counts as found if a finding reports the\n\
             same fault at its other end (the write of a race instead of the read, the `if` instead of the loop in it) or by\n\
             the lint that is about the cause (`gpu_swapped_axes` for an access that is uncoalesced because of them):\n\
             {same_faults} do. A finding without a label that states a fact, mostly of the lints that are allowed by default\n\
             and that nobody thought of when labelling, counts neither as found nor as wrong: {unlabelled} do. A label that\n\
             measurements refute does not count.\n\n\
             After adjudication: {}. What is left:\n\n",
            sentence(*adjudicated),
        );
        let reasons: String = self.reasons.iter().map(|reason| format!("- {reason}\n")).collect();
        text + &self.rows("kernels with it") + &after + &reasons
    }

    /// The sums over all lints.
    fn total(&self) -> Counts {
        self.lints.values().fold(Counts::default(), |sum, counts| Counts {
            bad: sum.bad + counts.bad,
            right: sum.right + counts.right,
            wrong: sum.wrong + counts.wrong,
            missed: sum.missed + counts.missed,
        })
    }

    /// The rows of the lints that are expected or found in some kernel.
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

/// What was found and missed, in words.
fn sentence(Counts { right, wrong, missed, .. }: Counts) -> String {
    let labels = right + missed;
    format!(
        "{right} of {labels} labels found ({}), {wrong} findings wrong ({} precision)",
        percent(right, labels),
        percent(right, right + wrong),
    )
}

/// How much `part` is of `whole`.
fn percent(part: u32, whole: u32) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1} %", 100.0 * f64::from(part) / f64::from(whole))
}
