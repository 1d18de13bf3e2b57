//! Locations of tokens in the user's source files.
use crate::syntax::raw_text;
use proc_macro2::Span;
use quote::quote;
use std::fmt;
use warpwise_compiler::places;

/// A file, line and column; the latter two start at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceLocation {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl SourceLocation {
    /// Returns the start of `span`. Outside of rustc there are no locations: `<unknown>:0:0`.
    pub(crate) fn start_of(span: Span) -> Self {
        if !proc_macro::is_available() {
            return Self { file: "<unknown>".into(), line: 0, column: 0 };
        }
        let span = span.unwrap();
        Self { file: span.file(), line: span.line(), column: span.column() }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A range of the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceRange {
    pub(crate) start: SourceLocation,
    /// Line and column after the last character.
    pub(crate) end: (usize, usize),
}

impl SourceRange {
    /// Returns the range from the start of `first` to the end of `last`. If they are in different
    /// files, because one comes from a macro, the range covers `first` only.
    pub(crate) fn spanning(first: Span, last: Span) -> Self {
        let (start, final_start) =
            (SourceLocation::start_of(first), SourceLocation::start_of(last));
        let end = if final_start.file == start.file { end_of(last) } else { end_of(first) };
        let from = (start.line, start.column);
        let end = if end < from { self::end_of(first) } else { end };
        Self { start, end }
    }
}

/// Returns line and column after `span`.
fn end_of(span: Span) -> (usize, usize) {
    if !proc_macro::is_available() {
        return (0, 0);
    }
    let end = span.unwrap().end();
    (end.line(), end.column())
}

/// Returns the expression `Places { .. }` with the start of every span.
pub(crate) fn locations_table(spans: impl IntoIterator<Item = Span>) -> proc_macro2::TokenStream {
    let mut files: Vec<String> = Vec::new();
    let mut rows = String::new();
    for span in spans {
        let SourceLocation { file, line, column } = SourceLocation::start_of(span);
        let index = files.iter().position(|known| *known == file).unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        });
        places::push(&mut rows, [index, line, column]);
    }
    let rows = raw_text::text_literal(&rows);
    quote!(::warpwise::__private::Places { files: &[#(#files),*], rows: #rows })
}
