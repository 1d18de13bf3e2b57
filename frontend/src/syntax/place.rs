//! Where tokens are in the user's source.
use crate::syntax::raw_text;
use proc_macro2::Span;
use quote::quote;
use std::fmt;
use warpwise_compiler::places;

/// A file with a line and a column in it, both from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Place {
    /// Where `span` begins. Outside of rustc, where nobody knows, `<unknown>:0:0`.
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

/// A piece of the user's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: Place,
    /// Line and column behind it.
    pub(crate) end: (usize, usize),
}

impl Range {
    /// From the beginning of `first` to the end of `last`; of `first` only, if `last` is elsewhere, as it
    /// is when one of them comes out of a macro.
    pub(crate) fn of(first: Span, last: Span) -> Self {
        let (start, final_start) = (Place::of(first), Place::of(last));
        let end = if final_start.file == start.file { end(last) } else { end(first) };
        let from = (start.line, start.column);
        let end = if end < from { self::end(first) } else { end };
        Self { start, end }
    }
}

/// Line and column behind `span`.
fn end(span: Span) -> (usize, usize) {
    if !proc_macro::is_available() {
        return (0, 0);
    }
    let end = span.unwrap().end();
    (end.line(), end.column())
}

/// The expression `Places { .. }` for the places where `spans` begin.
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
