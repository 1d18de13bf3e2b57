//! Random well-typed Rust kernels, and the program that runs them on every engine.
//!
//! [`kernel()`] generates one: a module with structs, enums, traits, device functions and a kernel,
//! over the whole language. Its results must be the same bits in rustc's own copy (which cannot run
//! if threads meet), on the interpreter before and after optimization, and on a GPU. [`batch`]
//! compiles many of them into one program together with `driver.rs`, which has the engines and
//! compares; [`shrink`] reduces a kernel on which they disagree; [`coverage`] counts the language
//! features in them.
//!
//! Kernels avoid by construction the results that Rust leaves unspecified: the bits of a float are
//! read only after `support` has replaced every NaN by one, and `min` and `max` get no -0.0.
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
