//! What hardware does, as formulas: pure functions of what a warp asks for.
//!
//! The lints, `explain` and the interpreter's counters all take their numbers from here, so that
//! what a message says is what a run counts. Every formula reproduces the measurements in
//! `tests/hardware` row by row.
pub mod occupancy;
