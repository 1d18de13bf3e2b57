//! Lint findings in a kernel of Rust source, with the source text of each finding.
use crate::source::Source;
use warpwise_compiler::{
    analysis::Analyses,
    diag::{Diagnostic, Level},
    id::Id as _,
    lint,
    verify::verify,
};

/// Finding with its source text.
#[derive(Clone, Debug)]
pub(crate) struct LintedSource {
    /// Diagnostic.
    pub(crate) diagnostic: Diagnostic,
    /// Source text at its place.
    pub(crate) about: String,
}

/// Returns all warnings and errors that lints find in the only kernel of `text`.
pub(crate) fn lint_text(text: &str) -> Vec<LintedSource> {
    let source = Source::parse(text).unwrap();
    let lowered = source.lower(&source.kernels[0]);
    let lowered = lowered.unwrap_or_else(|_| panic!("a kernel is rejected:\n{text}"));
    let kernel = &lowered.kernel;
    verify(kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let found = lint::run_all(kernel, &Analyses::for_kernel(kernel), &lowered.levels);
    let shown = found.into_iter().filter(|found| found.level > Level::Allow);
    let linted = shown.map(|diagnostic| {
        let at = lowered.spans.get(diagnostic.span.index());
        let about = at.map_or(String::new(), |at| slice(text, at.first.start(), at.last.end()));
        LintedSource { diagnostic, about }
    });
    linted.collect()
}

/// Returns the part of `text` between two positions.
fn slice(text: &str, from: proc_macro2::LineColumn, to: proc_macro2::LineColumn) -> String {
    let at = |place: proc_macro2::LineColumn| {
        let before = text.lines().take(place.line - 1).map(|line| line.len() + 1);
        before.sum::<usize>() + place.column
    };
    text[at(from)..at(to)].to_owned()
}
