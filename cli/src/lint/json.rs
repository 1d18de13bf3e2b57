//! Findings as JSON, one object per line, as `docs/cli.md` describes them.
use super::report::{Report, ReportedFinding};
use crate::sources::{Place, Sources};
use serde_json::{Value, json};

/// Version of the format: it increases when a field changes, but not when one is added.
const SCHEMA: u32 = 1;

/// Renders one line for each finding, and a summary line.
pub(crate) fn render(report: &Report<'_>, all: bool) -> String {
    let findings = report.visible_findings(all).map(|found| finding_to_json(report.sources, found));
    let summary = json!({
        "schema": SCHEMA,
        "kind": "summary",
        "packages": report.packages,
        "kernels": report.kernels,
        "errors": report.error_count(),
        "warnings": report.warning_count(),
        "allowed": report.allowed_count(),
    });
    findings.chain([summary]).map(|line| format!("{line}\n")).collect()
}

fn finding_to_json(sources: &Sources, found: &ReportedFinding<'_>) -> Value {
    let finding = found.finding;
    let labels = finding.labels.iter().map(|(place, text)| {
        let mut label = place_to_json(sources, *place);
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
        "span": place_to_json(sources, finding.place),
        "labels": labels.collect::<Vec<_>>(),
        "notes": finding.notes,
        "help": finding.help,
        "kernels": kernels.collect::<Vec<_>>(),
    })
}

/// Converts a place to JSON.
pub(crate) fn place_to_json(sources: &Sources, place: Place) -> Value {
    json!({
        "file": sources.display_path(place),
        "line": place.start.0,
        "column": place.start.1,
        "end_line": place.end.0,
        "end_column": place.end.1,
    })
}
