//! Findings for tools: an object a line, as `docs/cli.md` describes them.
use super::report::{Found, Report};
use crate::sources::{Place, Sources};
use serde_json::{Value, json};

/// Counts up when something that was there changes; what is added does not.
const SCHEMA: u32 = 1;

/// A line for each finding, and one that sums up.
pub(crate) fn render(report: &Report<'_>, all: bool) -> String {
    let findings = report.shown(all).map(|found| finding(report.sources, found));
    let summary = json!({
        "schema": SCHEMA,
        "kind": "summary",
        "packages": report.packages,
        "kernels": report.kernels,
        "errors": report.errors(),
        "warnings": report.warnings(),
        "allowed": report.allowed(),
    });
    findings.chain([summary]).map(|line| format!("{line}\n")).collect()
}

fn finding(sources: &Sources, found: &Found<'_>) -> Value {
    let finding = found.finding;
    let labels = finding.labels.iter().map(|(place, text)| {
        let mut label = span(sources, *place);
        label["text"] = json!(text);
        label
    });
    let kernels = found.kernels.iter().map(|(krate, name)| json!({"crate": krate, "name": name}));
    json!({
        "schema": SCHEMA,
        "kind": "finding",
        "lint": finding.code,
        "level": found.level,
        "message": finding.message,
        "span": span(sources, finding.at),
        "labels": labels.collect::<Vec<_>>(),
        "notes": finding.notes,
        "help": finding.help,
        "kernels": kernels.collect::<Vec<_>>(),
    })
}

/// A place.
pub(crate) fn span(sources: &Sources, place: Place) -> Value {
    json!({
        "file": sources.shown(place),
        "line": place.start.0,
        "column": place.start.1,
        "end_line": place.end.0,
        "end_column": place.end.1,
    })
}
