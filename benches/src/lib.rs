//! The benchmarks' workloads: kernels, their inputs, and plain Rust for the expected results.
//!
//! `cargo bench -p warpwise-benches --bench interpreter` times them on the interpreter and compares
//! with plain Rust; the program `gpu` times them on a GPU, and CUDA C++ in `cuda/` as well if
//! `nvcc` is found. Every result is verified before it is timed. The program `race`, in `race/`,
//! compares each back end with `nvcc` on more kernels (`docs/race.md`). `peers/run` compares the
//! interpreter with other engines that run kernels on CPUs.
mod black_scholes;
pub mod kernels;
pub mod long_kernel;
pub mod math;
pub mod measure;
mod nbody;
pub mod nvcc;
pub mod peers;
pub mod shapes;
mod stencil;

pub use measure::{Measured, Scale, median, median_number};
