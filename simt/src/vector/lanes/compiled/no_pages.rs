//! The substitute for executable memory where no programs are compiled.
use super::Cell;

/// Executable memory; no value exists.
#[derive(Debug)]
pub(super) enum Pages {}

/// Returns true if this machine runs compiled programs.
pub(crate) fn is_available() -> bool {
    false
}

impl Pages {
    pub(super) fn new(_code: &[u8]) -> Option<Self> {
        None
    }

    /// Calls nothing: no value of this type exists.
    ///
    /// # Safety
    /// There are no conditions.
    pub(super) unsafe fn call(
        &self,
        _cells: &mut [Cell],
        _lanes: *mut u8,
        _rounds: usize,
        _mask: u16,
    ) {
        match *self {}
    }
}
