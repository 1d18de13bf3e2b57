//! Findings of lints.
use std::fmt;
use warpwise::__private::Source;
use warpwise_compiler::{
    analysis::Analyses,
    diag::Diagnostic,
    id::Id,
    ir::Kernel,
    lint::{self, Levels},
};

/// A finding.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The line of its place.
    pub(crate) line: u32,
    /// The lint.
    pub(crate) lint: &'static str,
    /// The message.
    pub(crate) message: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} {:?}", self.line, self.lint, self.message)
    }
}

/// Returns the lints with a finding in a kernel in text form.
pub(crate) fn in_text(text: &str) -> Vec<&'static str> {
    let kernel: Kernel = text.parse().expect("it is well formed");
    let diagnostics = lint::run_all(&kernel, &Analyses::for_kernel(&kernel), &Levels::default());
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Returns the findings of all lints in a kernel, whatever their levels.
pub(crate) fn found(source: &Source) -> Vec<Found> {
    let kernel: Kernel = source.ir.parse().expect("the macro has made it");
    let diagnostics = lint::run_all(&kernel, &Analyses::for_kernel(&kernel), &Levels::default());
    // A finding about the kernel as a whole has the place of its name.
    let line = |diagnostic: &Diagnostic| source.place(diagnostic.span.index()).line;
    let mut found: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| {
            let Diagnostic { code, message, .. } = diagnostic;
            Found { line: line(diagnostic), lint: code, message: message.clone() }
        })
        .collect();
    found.sort_by(|a, b| (a.line, a.lint).cmp(&(b.line, b.lint)));
    found
}
