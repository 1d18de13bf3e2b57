//! Algorithms for whole arrays, written as Warpwise kernels.
mod error;
mod look_back;
mod operator;
mod reduce;
mod scan;
mod sort;

pub use error::{Error, Result};
pub use operator::Operator;
pub use reduce::{reduce, reduce_into};
pub use scan::{exclusive_scan, inclusive_scan};
pub use sort::{RadixSort, SortKey, sort, sort_by_key};
