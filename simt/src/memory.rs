//! Memory that the threads of a launch share.
//!
//! A kernel may have data races, and no kernel may cause undefined behaviour, so
//! every access is an atomic one, relaxed unless the kernel asks for more. Rust
//! leaves racing atomics of *different sizes* undefined, hence a [`Memory`] is lent to
//! a launch for accesses of one size: launches of that
//! size share it, and others, as well as the host's own accesses, wait.
#![expect(unsafe_code, reason = "atomic views of one allocation in four sizes")]
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic::AtomicU64};

/// Bytes that threads of kernels read and write, zeroed or copied at first.
pub struct Memory {
    words: Box<[AtomicU64]>,
    len: usize,
    lent: Mutex<Lent>,
    returned: Condvar,
}

/// For accesses of which size a memory is lent, and how often.
#[derive(Default)]
struct Lent {
    size: u32,
    times: usize,
}

impl Memory {
    /// `len` zero bytes.
    pub fn zeroed(len: usize) -> Self {
        // SAFETY: all-zero bytes are a value of AtomicU64.
        let words = unsafe { Box::new_zeroed_slice(len.div_ceil(8)).assume_init() };
        Self { words, len, lent: Mutex::default(), returned: Condvar::new() }
    }

    /// A copy of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let memory = Self::zeroed(bytes.len());
        memory.write(0, bytes);
        memory
    }

    /// Number of bytes.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// True if there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies the bytes from `offset` on into `bytes`, once no launch uses this memory.
    ///
    /// # Panics
    /// If they do not lie inside.
    pub fn read_into(&self, offset: usize, bytes: &mut [u8]) {
        self.check(offset, bytes.len());
        let alone = self.alone();
        // SAFETY: in range by the check; nobody else has access while `alone` is held.
        unsafe {
            let from = self.words.as_ptr().cast::<u8>().add(offset);
            std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len());
        }
        drop(alone);
    }

    /// Copies `bytes` to the bytes from `offset` on, once no launch uses this memory.
    ///
    /// # Panics
    /// If they do not lie inside.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len());
        let alone = self.alone();
        // SAFETY: in range by the check; nobody else has access while `alone` is held,
        // and atomics may be written through a shared reference.
        unsafe {
            let to = self.words.as_ptr().cast::<u8>().cast_mut().add(offset);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        drop(alone);
    }

    fn check(&self, offset: usize, len: usize) {
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.len);
        assert!(inside, "{len} bytes from {offset} are outside a memory of {} bytes", self.len);
    }

    /// Waits until no launch uses this memory, and keeps it so while the guard lives.
    fn alone(&self) -> MutexGuard<'_, Lent> {
        let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        self.returned
            .wait_while(lent, |lent| lent.times > 0)
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.len)
    }
}
