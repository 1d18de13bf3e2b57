//! The functions and types that kernels call, and their meaning when a kernel runs as a Rust
//! function on the host.
//!
//! The compiler has an operation for most of them: `frontend/src/std_lib` maps their names to it.
//! `host.rs` calls kernels on the host; a function that needs other threads panics there.
pub mod async_copy;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub mod bits;
pub mod block;
pub mod bulk_store;
pub mod cache;
pub mod cluster;
pub mod directed;
pub mod fast;
pub mod grid;
pub mod host;
pub(crate) mod inline_ptx;
pub mod math;
pub mod mbarrier;
pub mod mma;
pub mod named_barrier;
pub(crate) mod pipeline;
pub mod warp;
pub mod wgmma;
