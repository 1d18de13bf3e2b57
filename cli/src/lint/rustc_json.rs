//! Findings as messages of cargo and rustc, which editors show as they show rustc's own.
//!
//! A finding has the lint's name as its code. Its labels are secondary spans, which editors show as
//! related places; notes and help are children, and a computed edit is a suggestion.
use super::{
    fix,
    report::{Report, ReportedFinding},
};
use crate::{
    color::Paint,
    project::CargoMessages,
    records::Level,
    sources::{Place, Sources},
};
use serde_json::{Value, json};
use std::ops::Range;

/// Renders a `compiler-message` for each finding.
pub(crate) fn render(cargo: &CargoMessages, report: &Report<'_>) -> String {
    let lines = report.visible_findings(false).map(|found| {
        let target = cargo.target_of(found.kernel);
        let message = json!({
            "reason": "compiler-message",
            "package_id": target.map_or(Value::Null, |target| target.package_id.clone()),
            "manifest_path": found.kernel.manifest.join("Cargo.toml"),
            "target": target.map_or(Value::Null, |target| target.target.clone()),
            "message": message_to_json(report.sources, found),
        });
        format!("{message}\n")
    });
    lines.collect()
}

fn message_to_json(sources: &Sources, found: &ReportedFinding<'_>) -> Value {
    let finding = found.finding;
    let level = match found.level {
        Level::Deny => "error",
        Level::Warn | Level::Allow => "warning",
    };
    let primary = span_to_json(sources, finding.place, (true, None), None);
    let labels = finding
        .labels
        .iter()
        .map(|(place, text)| span_to_json(sources, *place, (false, Some(text)), None));
    let spans: Vec<Value> = [primary].into_iter().chain(labels).collect();
    let notes = finding.notes.iter().map(|note| child("note", note, Vec::new()));
    let mut children: Vec<Value> = notes.collect();
    if let Some(help) = &finding.help {
        let edit = fix::find_fixes(finding, sources).into_iter().next();
        let suggested = edit.map(|edit| {
            // A barrier may have to stand elsewhere.
            let is_certain = !finding.code.starts_with("gpu_missing_");
            let applicability = if is_certain { "MachineApplicable" } else { "MaybeIncorrect" };
            let suggestion = (edit.text.as_str(), applicability, edit.range);
            span_to_json(sources, edit.file, (true, None), Some(suggestion))
        });
        children.push(child("help", help, suggested.into_iter().collect()));
    }
    children.push(child(
        "note",
        &format!(
            "`#[allow({0})]` on the statement or the kernel silences it; `cargo warpwise explain {0}` says more",
            finding.code
        ),
        Vec::new(),
    ));
    let rendered = super::human::render_finding(sources, found, true, &Paint::PLAIN.renderer());
    json!({
        "$message_type": "diagnostic",
        "message": finding.message,
        "code": {"code": finding.code, "explanation": null},
        "level": level,
        "spans": spans,
        "children": children,
        "rendered": format!("{rendered}\n\n"),
    })
}

fn child(level: &str, message: &str, spans: Vec<Value>) -> Value {
    json!({
        "$message_type": "diagnostic",
        "message": message,
        "code": null,
        "level": level,
        "spans": spans,
        "children": [],
        "rendered": null,
    })
}

/// Converts a place to a span; a suggestion has its own bytes.
fn span_to_json(
    sources: &Sources,
    place: Place,
    (is_primary, label): (bool, Option<&str>),
    suggestion: Option<(&str, &str, Range<usize>)>,
) -> Value {
    let text = sources.file_text(place).unwrap_or_default();
    let bytes = match &suggestion {
        Some((_, _, range)) => range.clone(),
        None => sources.byte_range(place).unwrap_or_default(),
    };
    let (start, end) = match &suggestion {
        Some(_) => (position_of(text, bytes.start), position_of(text, bytes.end)),
        None => (place.start, place.end),
    };
    let lines = (start.0..=end.0).map(|number| {
        let line = text.lines().nth(number - 1).unwrap_or_default();
        let first = if number == start.0 { start.1 } else { 1 };
        let last = if number == end.0 { end.1 } else { line.chars().count() + 1 };
        json!({"text": line, "highlight_start": first, "highlight_end": last})
    });
    json!({
        "file_name": sources.display_path(place),
        "byte_start": bytes.start,
        "byte_end": bytes.end,
        "line_start": start.0,
        "line_end": end.0,
        "column_start": start.1,
        "column_end": end.1,
        "is_primary": is_primary,
        "text": lines.collect::<Vec<_>>(),
        "label": label,
        "suggested_replacement": suggestion.as_ref().map(|(text, ..)| *text),
        "suggestion_applicability": suggestion.as_ref().map(|(_, applicability, _)| *applicability),
        "expansion": null,
    })
}

/// Returns the line and the column of an offset.
fn position_of(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
}
