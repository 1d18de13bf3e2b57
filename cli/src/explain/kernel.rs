//! Source of a kernel with the verdicts below each line.
use crate::{
    color::Paint,
    find,
    lint::place_to_json,
    listing,
    project::{Kernel, Project},
    sources::{Place, Sources},
};
use annotate_snippets::renderer::AnsiColor;
use serde_json::json;
use std::collections::BTreeMap;
use warpwise_compiler::{
    explain::{Answer, Verdict, assumption, verdicts},
    id::Id as _,
    ir,
};

/// Kernel with its verdicts.
pub(crate) struct ExplainedKernel<'p> {
    sources: &'p Sources,
    kernel: &'p Kernel,
    /// Verdicts without duplicates, in source order.
    verdicts: Vec<(Place, Verdict)>,
    /// Assumption behind the verdicts.
    assumption: Option<String>,
    /// Description of the back end that produces the PTX.
    producer: String,
    /// Descriptions of the launches that have code of their own.
    launches: Vec<String>,
}

impl<'p> ExplainedKernel<'p> {
    /// Collects the verdicts on `kernel`, whose IR is `ir`.
    pub(crate) fn new(
        project: &'p Project,
        kernel: &'p Kernel,
        ir: &ir::Kernel,
        bindings: Option<&str>,
    ) -> Self {
        let sources = &project.sources;
        let mut verdicts: Vec<(Place, Verdict)> = Vec::new();
        for verdict in self::verdicts(ir) {
            let place =
                kernel.spans.get(verdict.span.index()).copied().unwrap_or(kernel.name_place);
            // A function that is called twice has the same verdicts twice.
            let same = |(at, known): &(Place, Verdict)| {
                *at == place
                    && (&known.what, known.answer, &known.why)
                        == (&verdict.what, verdict.answer, &verdict.why)
            };
            if !verdicts.iter().any(same) {
                verdicts.push((place, verdict));
            }
        }
        verdicts.sort_by(|(a, _), (b, _)| sources.sort_key(*a).cmp(&sources.sort_key(*b)));
        let producer = listing::describe_producer(kernel, bindings);
        let (assumption, launches) = (assumption(ir), listing::describe_launches(ir));
        Self { sources, kernel, verdicts, assumption, producer, launches }
    }

    /// Renders the verdicts as text; `only_bad` leaves out the others, and lines without any.
    pub(crate) fn to_text(&self, paint: Paint, only_bad: bool) -> String {
        let mut text = format!("kernel `{}`{}", self.kernel.name, self.render_worst(paint));
        let mut files: BTreeMap<(bool, &str), Vec<&(Place, Verdict)>> = BTreeMap::new();
        let is_shown = |(_, found): &&(Place, Verdict)| !only_bad || found.answer == Answer::Bad;
        for found in self.verdicts.iter().filter(is_shown) {
            let elsewhere = !Sources::are_in_one_file(found.0, self.kernel.name_place);
            files.entry((elsewhere, self.sources.display_path(found.0))).or_default().push(found);
        }
        if only_bad && files.is_empty() {
            return format!("{text}\nnothing is proved bad\n\n{}", self.render_summary(paint));
        }
        files.entry((false, self.sources.display_path(self.kernel.name_place))).or_default();
        for ((elsewhere, shown), found) in &files {
            text.push_str(&format!("\n --> {shown}"));
            if !elsewhere {
                let (line, column) = self.kernel.name_place.start;
                text.push_str(&format!(":{line}:{column}"));
            }
            text.push('\n');
            text.push_str(&self.render_file(*elsewhere || only_bad, found, paint));
        }
        text + "\n" + &self.render_summary(paint)
    }

    /// Renders the verdicts that are bad and those that are unknown, a line each, the worst first,
    /// as a list of places to look at before the whole kernel.
    fn render_worst(&self, paint: Paint) -> String {
        let worst = [Answer::Bad, Answer::Unknown].into_iter().flat_map(|answer| {
            self.verdicts.iter().filter(move |(_, verdict)| verdict.answer == answer)
        });
        let lines = worst.map(|(place, verdict)| {
            let (color, answer) = answer_style(verdict.answer);
            let (answer, place) = (paint.bold(color, answer), self.short_place(*place));
            format!("\n  {answer}: {}: {} ({place})", verdict.what, verdict.why)
        });
        lines.collect()
    }

    /// Renders the lines of one file with the verdicts below each: all lines of the kernel, and the
    /// lines with verdicts of the functions that it calls.
    fn render_file(&self, elsewhere: bool, found: &[&(Place, Verdict)], paint: Paint) -> String {
        let kernel = self.kernel.name_place.start.0..=find::last_line(self.kernel);
        let mut below: BTreeMap<usize, Vec<&(Place, Verdict)>> = BTreeMap::new();
        // The kernel's own lines are shown even without verdicts.
        if !elsewhere {
            kernel.for_each(|line| {
                below.entry(line).or_default();
            });
        }
        for verdict in found {
            below.entry(verdict.0.start.0).or_default().push(verdict);
        }
        let width = below.keys().next_back().map_or(1, |line| line.to_string().len());
        let any = found.first().map_or(self.kernel.name_place, |found| found.0);
        let source: Vec<&str> = self.sources.file_text(any).unwrap_or_default().lines().collect();
        let mut text = String::new();
        let mut last = None;
        for (line, verdicts) in below {
            if last.is_some_and(|last| last + 1 < line) {
                text.push_str("...\n");
            }
            last = Some(line);
            let content = source.get(line - 1).copied().unwrap_or_default().replace('\t', "    ");
            text.push_str(format!("{line:width$} | {content}").trim_end());
            text.push('\n');
            for (place, verdict) in verdicts {
                text.push_str(&self.render_verdict(*place, verdict, width, paint));
            }
        }
        text
    }

    /// Renders a verdict as lines below its source line.
    fn render_verdict(
        &self,
        place: Place,
        verdict: &Verdict,
        width: usize,
        paint: Paint,
    ) -> String {
        let indent = self.indentation(place);
        let carets = if place.start.0 == place.end.0 {
            "^".repeat(place.end.1.saturating_sub(place.start.1).max(1))
        } else {
            "^".to_owned()
        };
        let (color, answer) = answer_style(verdict.answer);
        let answer = paint.bold(color, &format!("{carets} {answer}"));
        let mut text =
            format!("{:width$} | {indent}{answer}: {}: {}", "", verdict.what, verdict.why);
        if let Some(lint) = verdict.lint {
            text.push_str(&format!(" ({lint})"));
        }
        let inner = " ".repeat(carets.chars().count() + 1);
        let before = format!("\n{:width$} | {indent}{inner}", "");
        for (span, label) in &verdict.labels {
            if let Some(at) = self.kernel.spans.get(span.index()) {
                text.push_str(&format!("{before}because {label} ({})", self.short_place(*at)));
            }
        }
        if let Some(help) = &verdict.help {
            text.push_str(&format!("{before}help: {help}"));
        }
        text + "\n"
    }

    /// Returns the whitespace that aligns text with a place in its line.
    fn indentation(&self, place: Place) -> String {
        let line =
            self.sources.file_text(place).and_then(|text| text.lines().nth(place.start.0 - 1));
        let before = line.unwrap_or_default().chars().take(place.start.1.saturating_sub(1));
        before.map(|character| if character == '\t' { "    " } else { " " }).collect()
    }

    /// Formats a place, as a mere line number if it is in the kernel's file.
    fn short_place(&self, place: Place) -> String {
        if Sources::are_in_one_file(place, self.kernel.name_place) {
            format!("line {}", place.start.0)
        } else {
            self.sources.display_place(place)
        }
    }

    /// Renders the numbers of verdicts.
    fn render_summary(&self, paint: Paint) -> String {
        let counts = [Answer::Good, Answer::Bad, Answer::Unknown].map(|answer| {
            let (color, name) = answer_style(answer);
            format!("{} {}", self.count_answers(answer), paint.bold(color, name))
        });
        let assumption = self.assumption.iter().map(|text| format!("note: {text}\n"));
        let assumption: String = assumption.collect();
        let (producer, name) = (&self.producer, &self.kernel.name);
        let launches = self.launches.iter().map(|text| format!("note: {text}\n"));
        let launches: String = launches.collect();
        format!(
            "{assumption}note: its PTX is made by {producer}\n{launches}{name}: {}\n",
            counts.join(", ")
        )
    }

    fn count_answers(&self, answer: Answer) -> usize {
        self.verdicts.iter().filter(|(_, found)| found.answer == answer).count()
    }

    /// Renders the verdicts as JSON, one object per line.
    pub(crate) fn to_json(&self) -> String {
        let lines = self.verdicts.iter().map(|(place, verdict)| {
            let labels = verdict.labels.iter().filter_map(|(at, text)| {
                let mut label = place_to_json(self.sources, *self.kernel.spans.get(at.index())?);
                label["text"] = json!(text);
                Some(label)
            });
            json!({
                "schema": 1,
                "kind": "verdict",
                "kernel": {"crate": self.kernel.krate, "name": self.kernel.name},
                "subject": verdict.subject.name(),
                "what": verdict.what,
                "answer": verdict.answer.name(),
                "why": verdict.why,
                "lint": verdict.lint,
                "span": place_to_json(self.sources, *place),
                "labels": labels.collect::<Vec<_>>(),
                "help": verdict.help,
            })
        });
        let summary = json!({
            "schema": 1,
            "kind": "summary",
            "kernel": {"crate": self.kernel.krate, "name": self.kernel.name},
            "good": self.count_answers(Answer::Good),
            "bad": self.count_answers(Answer::Bad),
            "unknown": self.count_answers(Answer::Unknown),
            "assumption": self.assumption,
            "backend": self.kernel.backend.name(),
        });
        lines.chain([summary]).map(|line| format!("{line}\n")).collect()
    }
}

/// Returns the color and the words of an answer.
const fn answer_style(answer: Answer) -> (AnsiColor, &'static str) {
    match answer {
        Answer::Good => (AnsiColor::BrightGreen, "proved good"),
        Answer::Bad => (AnsiColor::BrightRed, "proved bad"),
        Answer::Unknown => (AnsiColor::BrightYellow, "cannot tell"),
    }
}
