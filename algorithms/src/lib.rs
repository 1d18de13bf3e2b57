//! Algorithms for whole arrays on GPUs, written as Warpwise kernels.
//!
//! Reductions, scans, radix sorts, selections, histograms, transposes, matrix products, attention
//! and norms are functions on [slices](warpwise::Slice) of a device. The first argument is a
//! [`Device`](warpwise::Device) or a [`Stream`](warpwise::Stream), whose queue the call joins.
//! Results have the same bits on every device, the SIMT interpreter included; of products of
//! halves, tf32 and floats of 8 bits, [`mma`](warpwise::mma) states on which.
//!
//! ```
//! use warpwise::prelude::*;
//! use warpwise_algorithms::{Operator, inclusive_scan, reduce, sort};
//!
//! let device = Device::auto()?;
//! let mut x = device.upload(&[3.0f32, -1.0, 2.0])?;
//! assert_eq!(reduce(&device, Operator::Sum, &x)?, 4.0);
//! sort(&device, &mut x)?;
//! let mut sums = device.zeros::<f32>(3)?;
//! inclusive_scan(&device, Operator::Sum, &x, &mut sums)?;
//! assert_eq!(sums.to_vec()?, [-1.0, 1.0, 4.0]);
//! # Ok::<(), warpwise_algorithms::Error>(())
//! ```
//!
//! # Memory
//!
//! Scans and selections need a word for each tile of 8192 elements, reductions one element for each
//! of up to 1024 blocks. They allocate it in the order of the stream, which takes no
//! synchronization. [`RadixSort`] keeps the memory of sorts, which have a second copy of keys and
//! values.
//!
//! # Tuning
//!
//! Calls measure nothing. [`Gemm::tune`] chooses a tile by an [`Autotuner`](warpwise::Autotuner),
//! which serves other kernels, too.
#![warn(missing_debug_implementations)]
// The warnings of kernels are rustc's lint `deprecated`: examples have none by accident.
#![doc(test(attr(deny(deprecated))))]

mod attention;
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

pub use attention::{Attention, AttentionElement};
pub use error::{Error, Result};
pub use gemm::{Activation, Float8Element, Gemm, GemmTile, HalfElement, IntegerElement};
pub use histogram::{bin_count, histogram};
pub use norm::{layer_norm, softmax};
pub use operator::Operator;
pub use reduce::{reduce, reduce_into};
pub use scan::{exclusive_scan, inclusive_scan};
pub use segments::segmented_reduce;
pub use select::{select, select_into};
pub use sort::{RadixSort, SortKey, SortValue, sort, sort_by_key};
pub use transpose::transpose;
