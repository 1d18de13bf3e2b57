//! Reports on launches: findings of checks, counters, traces, predictions, lints, and spans for
//! other tools.
pub(crate) mod bound_lints;
pub mod check;
pub mod counters;
pub(crate) mod launch_lints;
pub mod model;
pub(crate) mod output;
pub(crate) mod profile;
pub(crate) mod sanitizer;
pub(crate) mod source_lines;
pub(crate) mod spans;
pub mod stopped;
pub mod trace;
pub(crate) mod unoptimized;
