//! Cost formulas of hardware: pure functions of the addresses in a warp's request.
//!
//! The lints, `explain` and the interpreter's counters all take their numbers from here, so that
//! messages and runs agree. Every formula but those of constant and local memory reproduces the
//! measurements in `tests/hardware` row by row. [`time`] predicts times from counts, with the
//! parameters of [`gpu`]; its predictions are estimates, and say how uncertain they are.
pub mod constant;
pub mod global;
pub mod gpu;
pub mod local;
pub mod occupancy;
pub mod shared;
pub mod texture;
pub mod time;

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A read.
    Load,
    /// A write.
    Store,
    /// A read and write in one operation. The formula is measured for additions whose result is
    /// unused.
    Atomic,
}

impl Kind {
    /// Returns the name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
        }
    }
}

/// The shared memory of a block in bytes, on the GPU with the most.
pub const MAX_SHARED_BYTES: u64 = 227 << 10;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// Returns the lanes whose bit is set.
fn iter_lanes(active: u32) -> impl Iterator<Item = usize> {
    let mut left = active;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    })
}
