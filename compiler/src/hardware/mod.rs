//! What hardware does, as formulas: pure functions of what a warp asks for.
//!
//! The lints, `explain` and the interpreter's counters all take their numbers from here, so that
//! what a message says is what a run counts. Every formula reproduces the measurements in
//! `tests/hardware` row by row.
pub mod global;
pub mod occupancy;
pub mod shared;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes as one. What was measured are additions whose result nobody uses.
    Atomic,
}

/// Lanes of a warp.
pub const LANES: usize = 32;

/// The lanes whose bit is set.
fn lanes(active: u32) -> impl Iterator<Item = usize> {
    let mut left = active;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    })
}
