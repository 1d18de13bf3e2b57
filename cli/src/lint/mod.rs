//! `cargo warpwise lint` and `check`: the findings in all kernels, without duplicates.
mod fix;
mod fix_run;
mod human;
mod json;
mod report;
mod rustc_json;
mod sarif;

use crate::{
    args::{self, Format, MessageFormat, When},
    color::Paint,
    error::CommandError,
    pages,
    project::{self, Printed, Scope},
};
pub(crate) use json::place_to_json;
use report::{DeniedWarnings, Report};
use std::{
    io::{self, Write as _},
    process::ExitCode,
};
use warpwise_compiler::lint;

/// Runs the command.
pub(crate) fn run(command: &args::Lint, color: When) -> Result<ExitCode, CommandError> {
    let denied = parse_denied(&command.deny)?;
    if command.fix {
        fix_run::run(command, &denied)?;
    }
    let scope = if command.deps { Scope::Dependencies } else { Scope::Workspace };
    let project = project::check_project(&command.build, scope)?;
    let report = Report::new(&project, &denied, command.deps);
    let text = match command.chosen_format() {
        Format::Human => {
            human::render(&report, command.all, Paint::for_stream(color, &io::stdout()))
        }
        Format::Json => json::render(&report, command.all),
        Format::Sarif => sarif::render(&report, command.all),
    };
    print(&text)?;
    if !project.built {
        let text = "the project does not build, so kernels may be missing above";
        return Err(CommandError::new(text));
    }
    print_hint(command, &report);
    Ok(ExitCode::from(u8::from(report.error_count() > 0)))
}

/// Runs `cargo warpwise check`.
pub(crate) fn check(command: &args::Check, color: When) -> Result<ExitCode, CommandError> {
    let denied = parse_denied(&command.deny)?;
    let is_json = command.message_format == MessageFormat::Json;
    let printed = if is_json { Printed::Nothing } else { Printed::All };
    let (project, cargo) = project::check_and_print(&command.build, Scope::Workspace, printed)?;
    let report = Report::new(&project, &denied, false);
    let is_good = project.built && report.error_count() == 0;
    let text = if is_json {
        let messages: String = cargo.lines.iter().map(|line| format!("{line}\n")).collect();
        let findings = rustc_json::render(&cargo, &report);
        format!("{messages}{findings}{{\"reason\":\"build-finished\",\"success\":{is_good}}}\n")
    } else {
        human::render(&report, false, Paint::for_stream(color, &io::stdout()))
    };
    print(&text)?;
    Ok(ExitCode::from(u8::from(!is_good)))
}

/// Prints `text`.
fn print(text: &str) -> Result<(), CommandError> {
    match io::stdout().write_all(text.as_bytes()) {
        // The reader, such as `head`, has closed the pipe on purpose.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| CommandError::new(format!("cannot print: {error}"))),
    }
}

/// Suggests other targets if there are no kernels.
fn print_hint(command: &args::Lint, report: &Report<'_>) {
    if report.kernels == 0 && !command.build.names_targets() && !command.build.quiet {
        eprintln!("note: `--all-targets` looks at examples, tests and benchmarks, too");
    }
}

/// Parses the values of `--deny`: lints, groups of lints, or `warnings`.
fn parse_denied(names: &[String]) -> Result<DeniedWarnings, CommandError> {
    let mut denied = DeniedWarnings::default();
    for name in names {
        let group = lint::lints_named(name).unwrap_or_default();
        if name == "warnings" {
            denied.all = true;
        } else if let Some(lint) = pages::find_lint(name) {
            denied.lints.push(lint.name);
        } else if !group.is_empty() {
            denied.lints.extend(group);
        } else {
            let groups = lint::GROUPS.iter().map(|(name, _)| *name);
            let near = pages::similar_names(name, lint::names().chain(groups).chain(["warnings"]));
            let fault = CommandError::new(format!("there is no lint `{name}`"));
            let did_you_mean = || format!("did you mean {}?", pages::quote_list(&near));
            return Err(if near.is_empty() { fault } else { fault.with_help(did_you_mean()) });
        }
    }
    Ok(denied)
}
