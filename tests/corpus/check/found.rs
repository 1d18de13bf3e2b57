//! What lints find.
use std::fmt;
use warpwise::__private::Source;
use warpwise_compiler::{
    analysis::Analyses,
    diag::{Diagnostic, Level},
    id::Id,
    ir::Kernel,
    lint::{self, Levels},
};

/// A finding.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Where it stands.
    pub(crate) line: u32,
    /// The lint.
    pub(crate) lint: &'static str,
    /// What it says.
    pub(crate) message: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} {:?}", self.line, self.lint, self.message)
    }
}

/// What every lint, whatever its level, finds in a kernel.
pub(crate) fn found(source: &Source) -> Vec<Found> {
    let kernel: Kernel = source.ir.parse().expect("the macro has made it");
    let warn = lint::names().map(|name| (name.to_owned(), Level::Warn));
    let levels = Levels { kernel: warn.collect(), spans: Vec::new() };
    let diagnostics = lint::run(&kernel, &Analyses::of(&kernel), &levels);
    let line = |diagnostic: &Diagnostic| source.places[diagnostic.span.index()].line;
    let mut found: Vec<_> = diagnostics
        .0
        .iter()
        .map(|diagnostic| {
            let Diagnostic { code, message, .. } = diagnostic;
            Found { line: line(diagnostic), lint: code, message: message.clone() }
        })
        .collect();
    found.sort_by(|a, b| (a.line, a.lint).cmp(&(b.line, b.lint)));
    found
}
