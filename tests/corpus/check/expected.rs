//! Expected findings, from comments.
use crate::found::Found;
use std::fmt;

/// The reason for an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A label.
    Label,
    /// The fault of the kernel's label with this lint, by another lint or at another place
    /// (`//~= lint for label`).
    SameFault(String),
    /// A fact without a label (`//~+ lint`).
    Unlabelled,
    /// A label that is wrong, and why (`//~- lint why`).
    Refuted(String),
    /// A label that no lint finds, and why (`//~! lint why`).
    Missed(String),
}

/// An expected finding.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// Its line.
    pub(crate) line: u32,
    /// The lint.
    pub(crate) lint: String,
    /// A part of its message.
    pub(crate) text: String,
    /// True if the lint is known to miss it.
    pub(crate) is_missed: bool,
    /// The reason for it.
    pub(crate) origin: Origin,
}

impl Expected {
    /// Returns true if `found` is the expected finding.
    pub(crate) fn is(&self, found: &Found) -> bool {
        self.line == found.line && self.lint == found.lint && found.message.contains(&self.text)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} {:?}", self.line, self.lint, self.text)
    }
}

/// Returns the kernels of a file, by name, with their labels.
pub(crate) fn expected(text: &str) -> Vec<(String, Vec<Expected>)> {
    let mut kernels: Vec<(String, Vec<Expected>)> = Vec::new();
    let mut is_kernel = false;
    // Labels of attributes and signature, which precede the name.
    let mut before = Vec::new();
    let mut is_inside = false;
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with("#[kernel") {
            (is_kernel, is_inside) = (true, false);
        }
        let function = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("fn ");
        if let (true, Some(rest)) = (is_kernel, function) {
            let end = rest.find(['(', '<']).expect("functions have parameters");
            kernels.push((rest[..end].to_owned(), std::mem::take(&mut before)));
            (is_kernel, is_inside) = (false, true);
        }
        if let Some((_, label)) = line.split_once("//~") {
            let label = parse(label, number);
            match kernels.last_mut().filter(|_| is_inside) {
                Some((_, labels)) => labels.push(label),
                None => before.push(label),
            }
        }
    }
    kernels
}

/// Parses the text after `//~`.
fn parse(label: &str, line: u32) -> Expected {
    let rest = label.trim_start_matches('^');
    let up = u32::try_from(label.len() - rest.len()).expect("labels are short");
    let kind = rest.chars().next().filter(|kind| "?=+-!".contains(*kind));
    let rest = if kind.is_some() { &rest[1..] } else { rest };
    let (lint, text) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let words = text.trim().to_owned();
    let origin = match kind {
        Some('=') => {
            let of = words.strip_prefix("for ").expect("it says for which label it stands");
            Origin::SameFault(of.to_owned())
        }
        Some('+') => Origin::Unlabelled,
        Some('-') => Origin::Refuted(words),
        Some('!') => Origin::Missed(words),
        Some(_) | None => {
            let text = words.trim_matches('"').to_owned();
            let (lint, is_missed) = (lint.to_owned(), kind.is_some());
            return Expected { line: line - up, lint, text, is_missed, origin: Origin::Label };
        }
    };
    let (lint, text) = (lint.to_owned(), String::new());
    Expected { line: line - up, lint, text, is_missed: false, origin }
}
