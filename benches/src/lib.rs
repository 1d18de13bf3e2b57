//! The benchmarks' workloads: kernels, their inputs, and plain Rust that says what must come out.
//!
//! `cargo bench -p warpwise-benches --bench interpreter` times them on the interpreter beside the
//! plain Rust; the program `gpu` times them on a GPU, beside CUDA C++ in `cuda/` where `nvcc` is
//! found. Every result is verified before it is timed.
pub mod kernels;
pub mod math;
mod measure;
pub mod nvcc;

pub use measure::{Measured, Scale, median};
