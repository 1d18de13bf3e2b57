//! Tokens and syntax before name resolution: parsing of items, spans, limits.
pub(crate) mod error;
pub(crate) mod item;
pub(crate) mod limits;
pub(crate) mod parse;
pub(crate) mod place;
pub(crate) mod raw_text;
pub(crate) mod span;
pub(crate) mod spell;
pub(crate) mod suggest;
pub(crate) mod tokens;
pub(crate) mod ungroup;
