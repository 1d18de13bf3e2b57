//! Typed kernel IR and everything that reads or rewrites it.
//!
//! Read [`compile`] first: it is the pipeline as a few short functions. [`ir`] defines the meaning
//! of kernels.
//!
//! The crate is pure: it has no IO, no `unsafe` and no dependency, and knows neither proc macros
//! nor CUDA nor LLVM. Analyses never mutate, lints never rewrite, passes never speak to the user.
pub mod analysis;
pub mod back;
pub mod checks;
pub mod compile;
pub mod contract;
pub mod diag;
pub mod drawing;
pub mod explain;
pub mod fault;
pub mod half;
pub mod hardware;
pub mod id;
pub mod ir;
pub mod library;
pub mod lint;
pub mod message;
pub mod optimize;
pub mod output;
pub mod places;
pub mod small_sizes;
pub mod specialize;
pub mod target;
pub mod tensor_cores;
pub mod texture;
pub mod verify;
