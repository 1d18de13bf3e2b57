//! `cargo warpwise explain`: the page of a lint, the row of a metric, or the verdicts on a kernel.
mod kernel;

use crate::{
    args::{Explain, When},
    color::Paint,
    error::CommandError,
    find, listing, pages,
};
use std::{io, process::ExitCode};
use warpwise::counters::metrics;

/// Runs the command.
pub(crate) fn run(command: &Explain, color: When) -> Result<ExitCode, CommandError> {
    let subject = command.subject.as_str();
    if let Some(page) = pages::find_page(subject) {
        return listing::print_text(page);
    }
    if let Some(metric) = metrics::find(subject) {
        return listing::print_text(&metric.to_string());
    }
    if subject.starts_with("gpu_") {
        let near = pages::similar_names(subject, pages::lint_page_names());
        let fault = CommandError::new(format!("there is no lint `{subject}`"));
        let did_you_mean = || format!("did you mean {}?", pages::quote_list(&near));
        return Err(if near.is_empty() { fault } else { fault.with_help(did_you_mean()) });
    }
    if pages::is_like_metric(subject) {
        return Err(pages::unknown_metric(subject));
    }
    let paint = Paint::for_stream(color, &io::stdout());
    let text = find::with_kernel(&command.build, subject, &command.bind, |project, found| {
        let (ir, bindings) = find::bound_or_open_ir(found, &command.bind)?;
        let explained = kernel::ExplainedKernel::new(project, found, &ir, bindings.as_deref());
        Ok(if command.json { explained.to_json() } else { explained.to_text(paint, command.bad) })
    });
    let text = text.map_err(|fault| match pages::similar_metrics(subject) {
        near if near.is_empty() => fault,
        near => fault.with_more_help(&format!("metrics are {}", pages::quote_list(&near))),
    })?;
    listing::print_text(&text)
}
