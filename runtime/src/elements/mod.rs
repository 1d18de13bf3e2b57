//! The types that buffers hold and kernels compute with: numbers, vectors of them, and structs of
//! both.
pub(crate) mod element;
pub(crate) mod num;
pub(crate) mod plain;
pub mod vector;
