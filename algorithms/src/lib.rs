//! Algorithms for whole arrays, written as Warpwise kernels.
mod error;
mod gemm;
mod histogram;
mod look_back;
mod norm;
mod operator;
mod reduce;
mod scan;
mod segments;
mod select;
mod sort;
mod transpose;

pub use error::{Error, Result};
pub use gemm::{Activation, Gemm, HalfElement};
pub use histogram::{bin_count, histogram};
pub use norm::{layer_norm, softmax};
pub use operator::Operator;
pub use reduce::{reduce, reduce_into};
pub use scan::{exclusive_scan, inclusive_scan};
pub use segments::segmented_reduce;
pub use select::{select, select_into};
pub use sort::{RadixSort, SortKey, sort, sort_by_key};
pub use transpose::transpose;
