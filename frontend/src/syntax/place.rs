//! Locations of tokens in the user's source files.
use crate::syntax::raw_text;
use proc_macro2::Span;
use quote::quote;
use std::fmt;
use warpwise_compiler::places;

/// A file, line and column; the latter two start at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    /// Returns the start of `span`. Outside of rustc there are no locations: `<unknown>:0:0`.
    pub(crate) fn of(span: Span) -> Self {
        if !proc_macro::is_available() {
            return Self { file: "<unknown>".into(), line: 0, column: 0 };
        }
        let span = span.unwrap();
        Self { file: span.file(), line: span.line(), column: span.column() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A range of the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: Place,
    /// Line and column after the last character.
    pub(crate) end: (usize, usize),
}

impl Range {
    /// Returns the range from the start of `first` to the end of `last`. If they are in different
    /// files, because one comes from a macro, the range covers `first` only.
    pub(crate) fn of(first: Span, last: Span) -> Self {
        let (start, final_start) = (Place::of(first), Place::of(last));
        let end = if final_start.file == start.file { end(last) } else { end(first) };
        let from = (start.line, start.column);
        let end = if end < from { self::end(first) } else { end };
        Self { start, end }
    }
}

/// Returns line and column after `span`.
fn end(span: Span) -> (usize, usize) {
    if !proc_macro::is_available() {
        return (0, 0);
    }
    let end = span.unwrap().end();
    (end.line(), end.column())
}

/// Returns the expression `Places { .. }` with the start of every span.
pub(crate) fn table(spans: impl IntoIterator<Item = Span>) -> proc_macro2::TokenStream {
    let mut files: Vec<String> = Vec::new();
    let mut rows = String::new();
    for span in spans {
        let Place { file, line, column } = Place::of(span);
        let index = files.iter().position(|known| *known == file).unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        });
        places::push(&mut rows, [index, line, column]);
    }
    let rows = raw_text::literal(&rows);
    quote!(::warpwise::__private::Places { files: &[#(#files),*], rows: #rows })
}
