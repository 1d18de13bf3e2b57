//! Tokens and syntax: reading items, spans, and the expansion of macros, before names have a
//! meaning.
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
