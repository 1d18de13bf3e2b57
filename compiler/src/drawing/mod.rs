//! Drawings as SVG text, for pages that show the memory accesses of kernels.
pub mod request;
pub mod svg;
