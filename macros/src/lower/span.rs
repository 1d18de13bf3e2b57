//! Where something stands in the source.
use proc_macro2::Span;

/// From the first token of something to its last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanRange {
    /// The first token's.
    pub(crate) first: Span,
    /// The last token's.
    pub(crate) last: Span,
}
