//! Reports on launches: findings of checks, counters, traces, predictions, lints, and spans for
//! other tools.
pub(crate) mod advice;
pub mod check;
pub(crate) mod checking;
pub mod counters;
pub(crate) mod lint;
pub mod model;
pub(crate) mod output;
pub(crate) mod profile;
pub(crate) mod source_lines;
pub(crate) mod spans;
pub mod stopped;
pub mod trace;
pub(crate) mod unoptimized;
