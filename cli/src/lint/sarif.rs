//! Findings as SARIF 2.1.0, which code hosts and editors show.
//!
//! A lint is a rule. The labels of a finding are its related locations; they also are a code flow, read from
//! the last label, where a difference begins, to the finding itself.
use super::report::{Found, Report};
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

/// One log.
pub(crate) fn render(report: &Report<'_>, all: bool) -> String {
    let results: Vec<Value> =
        report.shown(all).map(|found| result(report.sources, found)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "cargo-warpwise",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": LINTS.iter().map(rule).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(lint: &Lint) -> Value {
    let level = match lint.level {
        diag::Level::Allow => "none",
        diag::Level::Warn => "warning",
        diag::Level::Deny => "error",
    };
    let page = pages::page(lint.name).unwrap_or(lint.name);
    json!({
        "id": lint.name,
        "shortDescription": {"text": pages::summary(page)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": [format!("{:?}", lint.group).to_lowercase()]},
    })
}

fn result(sources: &Sources, found: &Found<'_>) -> Value {
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
        let mut related = location(sources, *place, Some(label));
        related["id"] = json!(index);
        related
    });
    let mut result = json!({
        "ruleId": finding.code,
        "level": level,
        "message": {"text": text},
        "locations": [location(sources, finding.at, None)],
        "relatedLocations": related.collect::<Vec<_>>(),
    });
    if let Some(index) = LINTS.iter().position(|lint| lint.name == finding.code) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.labels.is_empty() {
        let causes = finding.labels.iter().rev();
        let causes = causes.map(|(place, label)| location(sources, *place, Some(label)));
        let end = location(sources, finding.at, Some(&finding.message));
        let steps: Vec<Value> =
            causes.chain([end]).map(|location| json!({"location": location})).collect();
        result["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
    }
    result
}

fn location(sources: &Sources, place: Place, message: Option<&str>) -> Value {
    let (path, shown) = (sources.path(place), sources.shown(place));
    let artifact = if path.is_absolute() && !std::path::Path::new(shown).is_absolute() {
        json!({"uri": encoded(shown), "uriBaseId": "%SRCROOT%"})
    } else {
        json!({"uri": format!("file://{}", encoded(shown))})
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

/// `path` as a part of a URI.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let bytes = path.bytes();
    bytes
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(encoded("src/a b/größe.rs"), "src/a%20b/gr%C3%B6%C3%9Fe.rs");
    }
}
