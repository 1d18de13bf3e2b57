//! Findings in rustc's style, with all places of a file in one snippet.
use super::report::{Report, ReportedFinding};
use crate::{
    color::Paint,
    records::Level as Severity,
    sources::{Place, Sources},
};
use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::AnsiColor,
};
use std::collections::BTreeSet;

/// Renders all findings and a summary line.
pub(crate) fn render(report: &Report<'_>, all: bool, paint: Paint) -> String {
    let renderer = paint.renderer();
    let mut text = String::new();
    let mut explained = BTreeSet::new();
    for found in report.visible_findings(all) {
        let first = explained.insert(found.finding.code.as_str());
        text.push_str(&render_finding(report.sources, found, first, &renderer));
        text.push_str("\n\n");
    }
    text + &render_summary(report, all, paint)
}

/// Renders one finding.
pub(crate) fn render_finding(
    sources: &Sources,
    found: &ReportedFinding<'_>,
    first: bool,
    renderer: &Renderer,
) -> String {
    let finding = found.finding;
    let level = match found.level {
        Severity::Deny => Level::ERROR,
        Severity::Warn => Level::WARNING,
        Severity::Allow => Level::INFO.with_name("allowed"),
    };
    let title = level.primary_title(&*finding.message).id(&*finding.code);
    let mut group = Group::with_title(title);
    for file in group_by_file(finding.place, &finding.labels) {
        group = add_snippet(group, sources, finding.place, file);
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

/// Place of a finding, or of a label with its text.
type LabeledPlace<'f> = (Place, Option<&'f str>);

/// Groups the places of a finding by file, with the finding's own file and place first.
fn group_by_file(at: Place, labels: &[(Place, String)]) -> Vec<Vec<LabeledPlace<'_>>> {
    let mut files: Vec<Vec<LabeledPlace<'_>>> = vec![vec![(at, None)]];
    for (place, text) in labels {
        let spot = (*place, Some(text.as_str()));
        match files.iter_mut().find(|file| Sources::are_in_one_file(file[0].0, *place)) {
            Some(file) => file.push(spot),
            None => files.push(vec![spot]),
        }
    }
    files
}

/// Adds a snippet with the places in one file; if the file cannot be read, only their locations.
fn add_snippet<'f>(
    group: Group<'f>,
    sources: &'f Sources,
    at: Place,
    spots: Vec<LabeledPlace<'f>>,
) -> Group<'f> {
    let known: Option<Vec<_>> =
        spots.iter().map(|(place, label)| Some((sources.byte_range(*place)?, *label))).collect();
    let text = sources.file_text(spots[0].0);
    if let (Some(known), Some(text)) = (known, text) {
        let is_primary = Sources::are_in_one_file(spots[0].0, at);
        let annotations = known.into_iter().enumerate().map(|(index, (bytes, label))| {
            let primary = is_primary && index == 0;
            let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(bytes).label(label)
        });
        let snippet = Snippet::source(text).path(sources.display_path(spots[0].0));
        return group.element(snippet.annotations(annotations));
    }
    spots.into_iter().fold(group, |group, (place, label)| {
        let (line, column) = place.start;
        let group =
            group.element(Origin::path(sources.display_path(place)).line(line).char_column(column));
        match label {
            Some(label) => group.element(Level::NOTE.message(label)),
            None => group,
        }
    })
}

/// Renders `warpwise: 12 kernels in 2 packages: 1 error, 3 warnings`.
fn render_summary(report: &Report<'_>, all: bool, paint: Paint) -> String {
    let count = |number: usize, thing: &str| match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    };
    let kernels = count(report.kernels, "kernel");
    let packages = match report.packages[..] {
        [only] => format!("package `{only}`"),
        _ => count(report.packages.len(), "package"),
    };
    let (errors, warnings) = (report.error_count(), report.warning_count());
    let (color, mut result) = match (errors, warnings) {
        (0, 0) => (AnsiColor::BrightGreen, "nothing found".to_owned()),
        (0, _) => (AnsiColor::BrightYellow, count(warnings, "warning")),
        (_, 0) => (AnsiColor::BrightRed, count(errors, "error")),
        _ => {
            let both = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
            (AnsiColor::BrightRed, both)
        }
    };
    let allowed = report.allowed_count();
    if allowed > 0 && !all {
        result.push_str(&format!(" ({allowed} allowed: `--all` shows them)"));
    } else if allowed > 0 {
        result.push_str(&format!(", {allowed} allowed"));
    }
    format!("{}: {kernels} in {packages}: {result}\n", paint.bold(color, "warpwise"))
}
