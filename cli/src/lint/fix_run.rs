//! `cargo warpwise lint --fix`: applies edits one by one, and keeps those that help.
//!
//! After each edit the project is checked again. An edit stays if the project builds, the finding
//! is gone, and there are neither more findings nor more errors; otherwise its file is restored.
use super::{
    fix::{self, Edit},
    report::{DeniedWarnings, Report, ReportedFinding},
};
use crate::{
    args,
    error::CommandError,
    project::{self, Printed, Project, Scope},
};
use std::{collections::HashSet, fs, io, path::Path};

/// Maximum number of edits that are tried.
const MAX_TRIED_EDITS: usize = 200;

/// Findings of a project, for comparison.
struct State {
    findings: usize,
    errors: usize,
    is_built: bool,
    /// The file, lint and message of each finding.
    keys: Vec<(String, String, String)>,
}

/// Applies what helps, and reports it.
pub(super) fn run(command: &args::Lint, denied: &DeniedWarnings) -> Result<(), CommandError> {
    let mut project = project::check_project(&command.build, Scope::Workspace)?;
    if !project.built {
        return Err(CommandError::new("the project does not build, so nothing is fixed"));
    }
    let mut tried = HashSet::new();
    let mut fixed = 0;
    for _ in 0..MAX_TRIED_EDITS {
        let Some((edit, key, title)) = next_edit(&project, denied, &mut tried) else { break };
        let before = state(&project, denied);
        let path = project.sources.file_path(edit.file).to_owned();
        let text = apply(&path, &edit).map_err(|error| cannot_write(&path, &error))?;
        let (changed, _) =
            project::check_and_print(&command.build, Scope::Workspace, Printed::Nothing)?;
        if is_better(&before, &state(&changed, denied), &key) {
            eprintln!("fixed {title}");
            fixed += 1;
            project = changed;
        } else {
            fs::write(&path, text).map_err(|error| cannot_write(&path, &error))?;
        }
    }
    let plural = if fixed == 1 { "" } else { "s" };
    eprintln!("{fixed} finding{plural} fixed");
    Ok(())
}

fn cannot_write(path: &Path, error: &io::Error) -> CommandError {
    CommandError::new(format!("cannot write {}: {error}", path.display()))
}

/// Returns the file, lint and message of a finding, which stay if its line moves.
fn key_of(project: &Project, found: &ReportedFinding<'_>) -> (String, String, String) {
    let finding = found.finding;
    let file = project.sources.display_path(finding.place).to_owned();
    (file, finding.code.clone(), finding.message.clone())
}

fn state(project: &Project, denied: &DeniedWarnings) -> State {
    let report = Report::new(project, denied, false);
    State {
        findings: report.visible_findings(false).count(),
        errors: report.error_count(),
        is_built: project.built,
        keys: report.visible_findings(false).map(|found| key_of(project, found)).collect(),
    }
}

fn is_better(before: &State, after: &State, key: &(String, String, String)) -> bool {
    let count = |state: &State| state.keys.iter().filter(|known| *known == key).count();
    after.is_built
        && count(after) < count(before)
        && after.findings < before.findings
        && after.errors <= before.errors
}

/// An edit, the key of its finding, and a line about it.
type NextEdit = (Edit, (String, String, String), String);

/// Returns the first edit that was not tried yet.
fn next_edit(
    project: &Project,
    denied: &DeniedWarnings,
    tried: &mut HashSet<((String, String, String), String)>,
) -> Option<NextEdit> {
    let report = Report::new(project, denied, false);
    for found in report.visible_findings(false) {
        let finding = found.finding;
        let key = key_of(project, found);
        // A path that is not shown relative to the workspace's root is in another project.
        if Path::new(&key.0).is_absolute() {
            continue;
        }
        for edit in fix::find_fixes(finding, &project.sources) {
            let text = project.sources.file_text(edit.file).unwrap_or_default();
            let context = text[..edit.range.start].rsplit('\n').next().unwrap_or_default();
            let after: String = text[edit.range.start..].chars().take(80).collect();
            if tried.insert((key.clone(), format!("{context}{}{after}", edit.text))) {
                let place = project.sources.display_place(finding.place);
                let help = finding.help.as_deref().unwrap_or_default();
                let title = format!("{} at {place}: {help}", finding.code);
                return Some((edit, key, title));
            }
        }
    }
    None
}

/// Applies an edit, and returns the text of the file before.
fn apply(path: &Path, edit: &Edit) -> io::Result<String> {
    let text = fs::read_to_string(path)?;
    let mut changed = text.clone();
    changed.replace_range(edit.range.clone(), &edit.text);
    fs::write(path, changed)?;
    Ok(text)
}
