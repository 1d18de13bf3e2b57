//! Precision and recall, by lint: `docs/lints/evidence.md`.
use crate::{expected::Expected, found::Found};
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
        let Self { kernels, clean, .. } = self;
        let faulty = kernels - clean;
        let all = self.total();
        let text = format!(
            "\n## Kernels that the lints had not seen\n\n\
             `tests/corpus/src/held_out` has {kernels} kernels ported from textbooks, samples and articles, {clean} of them\n\
             without a fault and {faulty} with one. They were labelled before anybody looked at what the lints report for\n\
             them, and their labels are not changed to fit the lints. A finding counts only on the labelled line, and every\n\
             other finding of any level counts as wrong.\n\
             Together: {} of {} labels found ({}), {} findings wrong ({} precision).\n\n",
            all.right,
            all.right + all.missed,
            percent(all.right, all.right + all.missed),
            all.wrong,
            percent(all.right, all.right + all.wrong),
        );
        text + &self.rows("kernels with it")
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

/// How much `part` is of `whole`.
fn percent(part: u32, whole: u32) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1} %", 100.0 * f64::from(part) / f64::from(whole))
}
