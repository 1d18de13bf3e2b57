//! Findings as rustc prints its own, with every place in one picture.
//!
//! ```text
//! error[gpu_barriers_in_divergent_flow]: `sync_threads()` is not reached by every thread of the block
//!  --> src/lib.rs:7:9
//!   |
//! 5 |     let i = thread_idx_x();
//!   |             -------------- `thread_idx_x()` differs between the threads of a block
//! 6 |     if i < 16 {
//!   |        ------ control flow depends on this condition
//! 7 |         sync_threads();
//!   |         ^^^^^^^^^^^^^^
//!   = help: ..
//! ```
use super::report::{Found, Report};
use crate::{
    color::Paint,
    records::Level as Severity,
    sources::{Place, Sources},
};
use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::AnsiColor,
};
use std::collections::BTreeSet;

/// Everything that was found, and a line that sums it up.
pub(crate) fn render(report: &Report<'_>, all: bool, paint: Paint) -> String {
    let renderer = paint.renderer();
    let mut text = String::new();
    let mut explained = BTreeSet::new();
    for found in report.shown(all) {
        let first = explained.insert(found.finding.code.as_str());
        text.push_str(&finding(report.sources, found, first, &renderer));
        text.push_str("\n\n");
    }
    text + &summary(report, all, paint)
}

fn finding(sources: &Sources, found: &Found<'_>, first: bool, renderer: &Renderer) -> String {
    let finding = found.finding;
    let level = match found.level {
        Severity::Deny => Level::ERROR,
        Severity::Warn => Level::WARNING,
        Severity::Allow => Level::INFO.with_name("allowed"),
    };
    let title = level.primary_title(&*finding.message).id(&*finding.code);
    let mut group = Group::with_title(title);
    for file in files(finding.at, &finding.labels) {
        group = places(group, sources, finding.at, file);
    }
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    if found.kernels.len() > 1 {
        let names = found.kernels.iter().map(|(krate, name)| format!("`{krate}::{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        group = group.element(Level::NOTE.message(format!("in the kernels {names}")));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(&**help));
    }
    if first {
        let text = format!("`cargo warpwise explain {}` says more", finding.code);
        group = group.element(Level::NOTE.message(text));
    }
    renderer.render(&[group])
}

/// The place, if it is the one a finding is at, or a label.
type Spot<'f> = (Place, Option<&'f str>);

/// All places of a finding, those in one file together, that of the finding itself first.
fn files(at: Place, labels: &[(Place, String)]) -> Vec<Vec<Spot<'_>>> {
    let mut files: Vec<Vec<Spot<'_>>> = vec![vec![(at, None)]];
    for (place, text) in labels {
        let spot = (*place, Some(text.as_str()));
        match files.iter_mut().find(|file| Sources::are_together(file[0].0, *place)) {
            Some(file) => file.push(spot),
            None => files.push(vec![spot]),
        }
    }
    files
}

/// Adds a picture of places in one file; if it cannot be read, only where they are.
fn places<'f>(
    group: Group<'f>,
    sources: &'f Sources,
    at: Place,
    spots: Vec<Spot<'f>>,
) -> Group<'f> {
    let known: Option<Vec<_>> =
        spots.iter().map(|(place, label)| Some((sources.bytes(*place)?, *label))).collect();
    let text = sources.text(spots[0].0);
    if let (Some(known), Some(text)) = (known, text) {
        let is_primary = Sources::are_together(spots[0].0, at);
        let annotations = known.into_iter().enumerate().map(|(index, (bytes, label))| {
            let primary = is_primary && index == 0;
            let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(bytes).label(label)
        });
        let snippet = Snippet::source(text).path(sources.shown(spots[0].0));
        return group.element(snippet.annotations(annotations));
    }
    spots.into_iter().fold(group, |group, (place, label)| {
        let (line, column) = place.start;
        let group =
            group.element(Origin::path(sources.shown(place)).line(line).char_column(column));
        match label {
            Some(label) => group.element(Level::NOTE.message(label)),
            None => group,
        }
    })
}

/// `warpwise: 12 kernels in 2 packages: 1 error, 3 warnings`
fn summary(report: &Report<'_>, all: bool, paint: Paint) -> String {
    let count = |number: usize, thing: &str| match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    };
    let kernels = count(report.kernels, "kernel");
    let packages = match report.packages[..] {
        [only] => format!("package `{only}`"),
        _ => count(report.packages.len(), "package"),
    };
    let (errors, warnings) = (report.errors(), report.warnings());
    let (color, mut result) = match (errors, warnings) {
        (0, 0) => (AnsiColor::BrightGreen, "nothing found".to_owned()),
        (0, _) => (AnsiColor::BrightYellow, count(warnings, "warning")),
        (_, 0) => (AnsiColor::BrightRed, count(errors, "error")),
        _ => {
            let both = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
            (AnsiColor::BrightRed, both)
        }
    };
    let allowed = report.allowed();
    if allowed > 0 && !all {
        result.push_str(&format!(" ({allowed} allowed: `--all` shows them)"));
    } else if allowed > 0 {
        result.push_str(&format!(", {allowed} allowed"));
    }
    format!("{}: {kernels} in {packages}: {result}\n", paint.bold(color, "warpwise"))
}
