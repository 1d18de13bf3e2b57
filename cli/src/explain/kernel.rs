//! The source of a kernel, with what is known below each line.
//!
//! ```text
//! 4 | fn half(x: &mut [u32]) {
//! 5 |     let i = thread_idx_x();
//! 6 |     if i % 2 == 0 {
//!   |     ^^^^^^^^^^^^^ proved bad: branch: 8 of 8 warps split: 16 of 32 lanes go one way
//!   |                   because `thread_idx_x()` differs between the threads of a block (line 5)
//! ```
use crate::{
    check::{Kernel, Project},
    color::Paint,
    find,
    lint::span,
    listing,
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

/// A kernel and what is known of it.
pub(crate) struct Explained<'p> {
    sources: &'p Sources,
    kernel: &'p Kernel,
    /// Each once, in the order of the sources.
    verdicts: Vec<(Place, Verdict)>,
    /// What they take for granted.
    assumption: Option<String>,
    /// What makes its PTX.
    maker: String,
    /// The coarsening of its threads, in words.
    coarsening: Option<String>,
}

impl<'p> Explained<'p> {
    /// What is known of `kernel`, whose IR is `ir`.
    pub(crate) fn of(project: &'p Project, kernel: &'p Kernel, ir: &ir::Kernel) -> Self {
        let sources = &project.sources;
        let mut verdicts: Vec<(Place, Verdict)> = Vec::new();
        for verdict in self::verdicts(ir) {
            let place = kernel.spans.get(verdict.span.index()).copied().unwrap_or(kernel.at);
            // A function that is called twice is there twice.
            let same = |(at, known): &(Place, Verdict)| {
                *at == place
                    && (&known.what, known.answer, &known.why)
                        == (&verdict.what, verdict.answer, &verdict.why)
            };
            if !verdicts.iter().any(same) {
                verdicts.push((place, verdict));
            }
        }
        verdicts.sort_by(|(a, _), (b, _)| sources.order(*a).cmp(&sources.order(*b)));
        let maker = listing::maker(kernel, !ir.is_closed());
        let (assumption, coarsening) = (assumption(ir), listing::coarsening(ir));
        Self { sources, kernel, verdicts, assumption, maker, coarsening }
    }

    /// For people.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut text = format!("kernel `{}`", self.kernel.name);
        let mut files: BTreeMap<(bool, &str), Vec<&(Place, Verdict)>> = BTreeMap::new();
        for found in &self.verdicts {
            let elsewhere = !Sources::are_together(found.0, self.kernel.at);
            files.entry((elsewhere, self.sources.shown(found.0))).or_default().push(found);
        }
        files.entry((false, self.sources.shown(self.kernel.at))).or_default();
        for ((elsewhere, shown), found) in &files {
            text.push_str(&format!("\n --> {shown}"));
            if !elsewhere {
                let (line, column) = self.kernel.at.start;
                text.push_str(&format!(":{line}:{column}"));
            }
            text.push('\n');
            text.push_str(&self.file(*elsewhere, found, paint));
        }
        text + "\n" + &self.summary(paint)
    }

    /// The lines of one file, with what is known below each: all lines of the kernel, and of functions that it
    /// calls those of which something is known.
    fn file(&self, elsewhere: bool, found: &[&(Place, Verdict)], paint: Paint) -> String {
        let kernel = self.kernel.at.start.0..=find::last_line(self.kernel);
        let mut below: BTreeMap<usize, Vec<&(Place, Verdict)>> = BTreeMap::new();
        if !elsewhere {
            kernel.for_each(|line| {
                below.entry(line).or_default();
            });
        }
        for verdict in found {
            below.entry(verdict.0.start.0).or_default().push(verdict);
        }
        let width = below.keys().next_back().map_or(1, |line| line.to_string().len());
        let any = found.first().map_or(self.kernel.at, |found| found.0);
        let source: Vec<&str> = self.sources.text(any).unwrap_or_default().lines().collect();
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
                text.push_str(&self.below(*place, verdict, width, paint));
            }
        }
        text
    }

    /// The line below a line of source: what is known of something in it.
    fn below(&self, place: Place, verdict: &Verdict, width: usize, paint: Paint) -> String {
        let indent = self.indent(place);
        let carets = match place.start.0 == place.end.0 {
            true => "^".repeat(place.end.1.saturating_sub(place.start.1).max(1)),
            false => "^".to_owned(),
        };
        let (color, answer) = shown(verdict.answer);
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
                text.push_str(&format!("{before}because {label} ({})", self.near(*at)));
            }
        }
        if let Some(help) = &verdict.help {
            text.push_str(&format!("{before}help: {help}"));
        }
        text + "\n"
    }

    /// As much space as there is before a place in its line.
    fn indent(&self, place: Place) -> String {
        let line = self.sources.text(place).and_then(|text| text.lines().nth(place.start.0 - 1));
        let before = line.unwrap_or_default().chars().take(place.start.1.saturating_sub(1));
        before.map(|character| if character == '\t' { "    " } else { " " }).collect()
    }

    /// A place, as short as it can be said beside the kernel.
    fn near(&self, place: Place) -> String {
        match Sources::are_together(place, self.kernel.at) {
            true => format!("line {}", place.start.0),
            false => self.sources.spot(place),
        }
    }

    /// How many there are of each.
    fn summary(&self, paint: Paint) -> String {
        let counts = [Answer::Good, Answer::Bad, Answer::Unknown].map(|answer| {
            let (color, name) = shown(answer);
            format!("{} {}", self.count(answer), paint.bold(color, name))
        });
        let assumption = self.assumption.iter().map(|text| format!("note: {text}\n"));
        let assumption: String = assumption.collect();
        let (maker, name) = (&self.maker, &self.kernel.name);
        let coarsening = self.coarsening.iter().map(|text| format!("note: {text}\n"));
        let coarsening: String = coarsening.collect();
        format!(
            "{assumption}note: its PTX is made by {maker}\n{coarsening}{name}: {}\n",
            counts.join(", ")
        )
    }

    fn count(&self, answer: Answer) -> usize {
        self.verdicts.iter().filter(|(_, found)| found.answer == answer).count()
    }

    /// For tools: an object a line.
    pub(crate) fn json(&self) -> String {
        let lines = self.verdicts.iter().map(|(place, verdict)| {
            let labels = verdict.labels.iter().filter_map(|(at, text)| {
                let mut label = span(self.sources, *self.kernel.spans.get(at.index())?);
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
                "span": span(self.sources, *place),
                "labels": labels.collect::<Vec<_>>(),
                "help": verdict.help,
            })
        });
        let summary = json!({
            "schema": 1,
            "kind": "summary",
            "kernel": {"crate": self.kernel.krate, "name": self.kernel.name},
            "good": self.count(Answer::Good),
            "bad": self.count(Answer::Bad),
            "unknown": self.count(Answer::Unknown),
            "assumption": self.assumption,
            "backend": self.kernel.backend.name(),
        });
        lines.chain([summary]).map(|line| format!("{line}\n")).collect()
    }
}

/// The color and the words of an answer.
const fn shown(answer: Answer) -> (AnsiColor, &'static str) {
    match answer {
        Answer::Good => (AnsiColor::BrightGreen, "proved good"),
        Answer::Bad => (AnsiColor::BrightRed, "proved bad"),
        Answer::Unknown => (AnsiColor::BrightYellow, "cannot tell"),
    }
}
