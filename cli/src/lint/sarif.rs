//! Findings as SARIF 2.1.0, a format of code hosts and editors.
//!
//! A lint is a rule. The labels of a finding are its related locations. They also form a code flow,
//! from the last label, the origin of a difference, to the finding itself.
use super::report::{Report, ReportedFinding};
use crate::{
    pages,
    records::Level,
    sources::{Place, Sources},
};
use serde_json::{Value, json};
use warpwise_compiler::{
    diag,
    lint::{LINTS, Lint},
};

/// Renders one log.
pub(crate) fn render(report: &Report<'_>, all: bool) -> String {
    let results: Vec<Value> =
        report.visible_findings(all).map(|found| result_to_json(report.sources, found)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "cargo-warpwise",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": LINTS.iter().map(rule_to_json).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule_to_json(lint: &Lint) -> Value {
    let level = match lint.level {
        diag::Level::Allow => "none",
        diag::Level::Warn => "warning",
        diag::Level::Deny => "error",
    };
    let page = pages::find_page(lint.name).unwrap_or(lint.name);
    json!({
        "id": lint.name,
        "shortDescription": {"text": pages::first_paragraph(page)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": [format!("{:?}", lint.group).to_lowercase()]},
    })
}

fn result_to_json(sources: &Sources, found: &ReportedFinding<'_>) -> Value {
    let finding = found.finding;
    let level = match found.level {
        Level::Allow => "note",
        Level::Warn => "warning",
        Level::Deny => "error",
    };
    let mut text = finding.message.clone();
    for note in &finding.notes {
        text.push_str(&format!("\nnote: {note}"));
    }
    if let Some(help) = &finding.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    let related = finding.labels.iter().enumerate().map(|(index, (place, label))| {
        let mut related = location_to_json(sources, *place, Some(label));
        related["id"] = json!(index);
        related
    });
    let mut result = json!({
        "ruleId": finding.code,
        "level": level,
        "message": {"text": text},
        "locations": [location_to_json(sources, finding.place, None)],
        "relatedLocations": related.collect::<Vec<_>>(),
    });
    if let Some(index) = LINTS.iter().position(|lint| lint.name == finding.code) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.labels.is_empty() {
        let causes = finding.labels.iter().rev();
        let causes = causes.map(|(place, label)| location_to_json(sources, *place, Some(label)));
        let end = location_to_json(sources, finding.place, Some(&finding.message));
        let steps: Vec<Value> =
            causes.chain([end]).map(|location| json!({"location": location})).collect();
        result["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
    }
    result
}

fn location_to_json(sources: &Sources, place: Place, message: Option<&str>) -> Value {
    let (path, shown) = (sources.file_path(place), sources.display_path(place));
    let artifact = if path.is_absolute() && !std::path::Path::new(shown).is_absolute() {
        json!({"uri": percent_encode(shown), "uriBaseId": "%SRCROOT%"})
    } else {
        json!({"uri": format!("file://{}", percent_encode(shown))})
    };
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": artifact,
            "region": {
                "startLine": place.start.0,
                "startColumn": place.start.1,
                "endLine": place.end.0,
                "endColumn": place.end.1,
            },
        },
    });
    if let Some(message) = message {
        location["message"] = json!({"text": message});
    }
    location
}

/// Percent-encodes `path` for a URI.
fn percent_encode(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let bytes = path.bytes();
    bytes
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(percent_encode("src/a b/größe.rs"), "src/a%20b/gr%C3%B6%C3%9Fe.rs");
    }
}
