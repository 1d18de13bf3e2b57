//! Generated code: the embedded kernel, its launcher types, layouts, diagnostics and records.
pub(crate) mod attributes;
pub(crate) mod embed;
pub(crate) mod layout_derive;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod signature;
pub(crate) mod vectors;
