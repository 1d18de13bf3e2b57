//! The benchmarks' workloads: kernels, their inputs, and plain Rust that says what must come out.
//!
//! `cargo bench -p warpwise-benches --bench interpreter` times them on the interpreter beside the
//! plain Rust; the program `gpu` times them on a GPU, beside CUDA C++ in `cuda/` where `nvcc` is
//! found. Every result is verified before it is timed. The program `race`, in `race/`, compares each
//! back end with `nvcc` on more kernels (`docs/race.md`). `peers/run` compares the interpreter with what
//! else runs kernels on CPUs.
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

pub use measure::{Measured, Scale, median};
