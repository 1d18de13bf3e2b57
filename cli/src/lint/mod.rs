//! `cargo warpwise lint`: every finding in every kernel, once.
mod human;
mod json;
mod report;
mod sarif;

use crate::{
    args::{self, Format, When},
    check,
    color::Paint,
    fault::Fault,
    pages,
};
pub(crate) use json::span;
use report::{Denied, Report};
use std::{
    io::{self, Write as _},
    process::ExitCode,
};
use warpwise_compiler::lint;

/// Runs the command.
pub(crate) fn run(command: &args::Lint, color: When) -> Result<ExitCode, Fault> {
    let denied = denied(&command.deny)?;
    let project = check::project(&command.build)?;
    let report = Report::of(&project, &denied, command.deps);
    let text = match command.format() {
        Format::Human => human::render(&report, command.all, Paint::of(color, &io::stdout())),
        Format::Json => json::render(&report, command.all),
        Format::Sarif => sarif::render(&report, command.all),
    };
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever reads this has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        done => done.map_err(|error| Fault::new(format!("cannot print: {error}")))?,
    }
    if !project.built {
        let text = "the project does not build, so kernels may be missing above";
        return Err(Fault::new(text));
    }
    hint(command, &report);
    Ok(ExitCode::from(u8::from(report.errors() > 0)))
}

/// Says where kernels may be, if there are none.
fn hint(command: &args::Lint, report: &Report<'_>) {
    if report.kernels == 0 && !command.build.names_targets() && !command.build.quiet {
        eprintln!("note: `--all-targets` looks at examples, tests and benchmarks, too");
    }
}

/// What `--deny` names: lints, groups of them, or `warnings`.
fn denied(names: &[String]) -> Result<Denied, Fault> {
    let mut denied = Denied::default();
    for name in names {
        let group = lint::lints_named(name).unwrap_or_default();
        if name == "warnings" {
            denied.all = true;
        } else if let Some(lint) = pages::lint(name) {
            denied.lints.push(lint.name);
        } else if !group.is_empty() {
            denied.lints.extend(group);
        } else {
            let groups = lint::GROUPS.iter().map(|(name, _)| *name);
            let near = pages::near(name, lint::names().chain(groups).chain(["warnings"]));
            let fault = Fault::new(format!("there is no lint `{name}`"));
            let did_you_mean = || format!("did you mean {}?", pages::listed(&near));
            return Err(if near.is_empty() { fault } else { fault.help(did_you_mean()) });
        }
    }
    Ok(denied)
}
