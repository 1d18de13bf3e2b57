//! What comments say must be found.
use crate::found::Found;
use std::fmt;

/// A finding that must be made.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// The line it must stand on.
    pub(crate) line: u32,
    /// The lint.
    pub(crate) lint: String,
    /// What its message must have in it.
    pub(crate) text: String,
    /// Whether it is known to be missed.
    pub(crate) is_missed: bool,
}

impl Expected {
    /// Whether `found` is what must be found.
    pub(crate) fn is(&self, found: &Found) -> bool {
        self.line == found.line && self.lint == found.lint && found.message.contains(&self.text)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {} {:?}", self.line, self.lint, self.text)
    }
}

/// The kernels of a file, by name, with their labels.
pub(crate) fn expected(text: &str) -> Vec<(String, Vec<Expected>)> {
    let mut kernels: Vec<(String, Vec<Expected>)> = Vec::new();
    let mut is_kernel = false;
    // Labels of attributes and signature, which stand before the name.
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

/// What stands behind `//~`.
fn parse(label: &str, line: u32) -> Expected {
    let rest = label.trim_start_matches('^');
    let up = u32::try_from(label.len() - rest.len()).expect("labels are short");
    let (is_missed, rest) = rest.strip_prefix('?').map_or((false, rest), |rest| (true, rest));
    let (lint, text) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
    let text = text.trim().trim_matches('"').to_owned();
    Expected { line: line - up, lint: lint.to_owned(), text, is_missed }
}
