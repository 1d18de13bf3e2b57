//! Drawings as SVG text, for pages that show the memory accesses of kernels.
pub mod request;
pub mod svg;

/// Style sheet of the drawings' classes. A page defines its colors: `--text`, `--soft`, `--back`,
/// `--line`, `--calm`, `--busy` and `--edge`.
pub const STYLE: &str = include_str!("style.css");
