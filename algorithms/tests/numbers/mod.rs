//! Numbers for tests.

/// Returns a hash of a number.
pub(crate) fn scattered(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_761).rotate_left(7)
}
