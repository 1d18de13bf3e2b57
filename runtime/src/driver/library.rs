//! Libraries that are found at run time.
use std::error::Error as _;

/// Returns the first of the libraries with these names that `open` takes, or how each failed.
pub(super) fn first_usable<T, F: From<String>>(
    names: &[&str],
    open: impl Fn(&str) -> Result<T, F>,
) -> Result<T, Vec<F>> {
    let mut tried = Vec::new();
    for name in names {
        match open(name) {
            Ok(library) => return Ok(library),
            Err(failure) => tried.push(failure),
        }
    }
    if names.is_empty() {
        tried.push(format!("there is none for {}", std::env::consts::OS).into());
    }
    Err(tried)
}

/// Formats an error of the dynamic loader, with the name of the library once.
pub(super) fn describe_load_error(name: &str, error: &libloading::Error) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    if text.contains(name) { text } else { format!("{name}: {text}") }
}
