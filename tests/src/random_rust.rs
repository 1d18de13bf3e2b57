//! Random well-typed Rust kernels, and the program that runs them on every engine.
//!
//! [`kernel()`] writes one: a module with structs, enums, traits, device functions and a kernel,
//! over the whole language. What it computes must be the same bits in rustc's own copy (where that
//! can run: not if threads meet), on the interpreter before and after optimizing, and on a GPU.
//! [`batch`] compiles many of them into one program beside `driver.rs`, which has the engines and
//! compares; [`shrink`] makes a kernel on which they disagree smaller; [`coverage`] says what of
//! the language is in them.
//!
//! The exceptions that rustc leaves open are kept out by construction: bits of a float are only
//! looked at where a NaN has become the one of `support`, and `min` and `max` see no -0.0.
//!
//! A kernel is text with one statement a line, and depends on its seed alone:
//!
//! ```
//! use warpwise_tests::random_rust::kernel;
//! assert_eq!(kernel(7).source, kernel(7).source);
//! assert_ne!(kernel(7).source, kernel(8).source);
//! ```
pub mod batch;
mod calls;
mod choices;
mod composites;
pub mod coverage;
mod faults;
mod floats;
mod generator;
mod generics;
mod halves;
mod inside;
mod items;
mod iterators;
mod kept;
mod kernel;
mod loops;
mod matching;
mod numbers;
mod own;
mod paths;
mod pointers;
mod ranks;
mod results;
pub mod shrink;
mod slices;
mod statements;
mod threads;
mod together;
mod types;
mod vectors;
mod views;

pub use generator::{Kernel, kernel};
