//! Pages of the operating system for machine code: written first, then executable and never written
//! again.
use super::Cell;
use std::ffi::{c_int, c_void};

#[expect(non_camel_case_types, reason = "its name in C")]
type off_t = i64;

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        len: usize,
        access: c_int,
        flags: c_int,
        file: c_int,
        from: off_t,
    ) -> *mut c_void;
    fn mprotect(at: *mut c_void, len: usize, access: c_int) -> c_int;
    fn munmap(at: *mut c_void, len: usize) -> c_int;
}

const READ: c_int = 1;
const WRITE: c_int = 2;
const EXECUTE: c_int = 4;
/// `MAP_PRIVATE | MAP_ANONYMOUS`.
const OWN: c_int = 0x22;

/// Returns true if this machine runs compiled programs.
pub(crate) fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
}

/// Executable memory.
#[derive(Debug)]
pub(super) struct Pages {
    first: *mut c_void,
    len: usize,
}

// SAFETY: the memory is never written, and any thread may unmap it.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// Copies machine code; `None` where the system grants no executable memory.
    pub(super) fn new(code: &[u8]) -> Option<Self> {
        let len = code.len();
        // SAFETY: the memory is new and not shared. A failed call returns -1.
        unsafe {
            let first = mmap(std::ptr::null_mut(), len, READ | WRITE, OWN, -1, 0);
            if first.addr() == usize::MAX {
                return None;
            }
            let pages = Self { first, len };
            std::ptr::copy_nonoverlapping(code.as_ptr(), first.cast(), len);
            (mprotect(first, len, READ | EXECUTE) == 0).then_some(pages)
        }
    }

    /// Calls the code, with a mask of lanes.
    ///
    /// # Safety
    /// The code is a function of these arguments; the caller guarantees its accesses.
    pub(super) unsafe fn call(&self, cells: &mut [Cell], lanes: *mut u8, rounds: usize, mask: u16) {
        type Entry = unsafe extern "sysv64" fn(*mut Cell, *mut u8, usize, u32);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let entry: Entry = std::mem::transmute(self.first);
            entry(cells.as_mut_ptr(), lanes, rounds, mask.into());
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`; the code no longer runs when this is dropped.
        unsafe { munmap(self.first, self.len) };
    }
}
