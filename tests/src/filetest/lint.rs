//! `lint`: every diagnostic, below the kernel: level and code, message, place, notes and help.
//! `; with gpu_..` enables a lint that is allowed by default.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{
    analysis::Analyses,
    diag::{Diagnostic, Level},
    ir::Span,
    lint::{self, Levels, Setting},
};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel = case.kernel()?;
    let asked = lint::names().filter(|name| case.options.contains(name));
    let settings = asked.map(|name| Setting::everywhere(name, Level::Warn)).collect();
    let diagnostics = lint::run(&kernel, &Analyses::for_kernel(&kernel), &Levels { settings });
    Ok(Outcome::below(diagnostics.0.iter().map(text).collect()))
}

fn text(diagnostic: &Diagnostic) -> String {
    let Diagnostic { code, level, message, span, labels, notes, help } = diagnostic;
    let level = match level {
        Level::Allow => "allow",
        Level::Warn => "warn",
        Level::Deny => "deny",
    };
    let at = if *span == Span::KERNEL { "(kernel)".into() } else { span.to_string() };
    let mut text = format!("{level} {code}: {message} {at}\n");
    for (span, label) in labels {
        text += &format!("  note: {label} {span}\n");
    }
    for note in notes {
        text += &format!("  note: {note}\n");
    }
    if let Some(help) = help {
        text += &format!("  help: {help}\n");
    }
    text
}
