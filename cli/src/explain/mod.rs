//! `cargo warpwise explain`: a lint's page, or everything that is known of a kernel.
mod kernel;

use crate::{
    args::{Explain, When},
    color::Paint,
    fault::Fault,
    find, listing, pages,
};
use std::{io, process::ExitCode};

/// Runs the command.
pub(crate) fn run(command: &Explain, color: When) -> Result<ExitCode, Fault> {
    let subject = command.subject.as_str();
    if let Some(page) = pages::page(subject) {
        return listing::print(page);
    }
    if subject.starts_with("gpu_") {
        let near = pages::near(subject, pages::names());
        let fault = Fault::new(format!("there is no lint `{subject}`"));
        let did_you_mean = || format!("did you mean {}?", pages::listed(&near));
        return Err(if near.is_empty() { fault } else { fault.help(did_you_mean()) });
    }
    let paint = Paint::of(color, &io::stdout());
    let text = find::with_kernel(&command.build, subject, |project, found| {
        let ir = find::maybe_open(found, &command.bind)?;
        let explained = kernel::Explained::of(project, found, &ir);
        Ok(if command.json { explained.json() } else { explained.text(paint) })
    })?;
    listing::print(&text)
}
