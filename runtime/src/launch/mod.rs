//! Launches: from the call of a kernel's `launch` to the engine.
//!
//! `config.rs` has the size of a launch, `source.rs` the kernel as the macro embeds it,
//! `bound_kernel.rs` the same with its generic parameters bound, `parameter.rs` its arguments.
//! `checks.rs` checks all of them, the same on every device, before anything is enqueued.
pub(crate) mod autotune;
pub(crate) mod axis;
pub(crate) mod bound_kernel;
mod by_name;
pub(crate) mod checks;
pub(crate) mod config;
pub mod occupancy;
pub mod parameter;
pub(crate) mod prepared;
pub(crate) mod resident;
pub(crate) mod source;

pub use by_name::LaunchedByDevice;
