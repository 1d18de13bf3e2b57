//! Memory that the threads of a launch share.
//!
//! A kernel may have data races, and no kernel may cause undefined behaviour, so every access is
//! atomic, and relaxed unless the kernel asks for more. Rust leaves racing atomics of *different
//! sizes* undefined. Hence a [`Memory`] is lent ([`Loan`]) to a launch in one [`AccessMode`]:
//! launches with equal modes share it; other launches, and the host's own accesses, wait.
//!
//! [`Cells`] is the view that instructions get: some bytes of a memory, which begin anywhere. Its
//! safe methods check each access against these bytes; an access out of bounds is `None` and does
//! not take place.
#![expect(unsafe_code, reason = "atomic views of one allocation in four sizes")]
use std::{
    hash::Hasher,
    marker::PhantomData,
    ops::Range,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{
            AtomicU8, AtomicU16, AtomicU32, AtomicU64,
            Ordering::{Relaxed, SeqCst},
        },
    },
};

/// Bytes in a line of the host's caches.
const CACHE_LINE: usize = 64;

/// Bytes that the threads of kernels read and write, initially zeroed or copied from the host.
pub struct Memory {
    words: Box<[AtomicU64]>,
    /// The number of words before the first byte, which is aligned to a line of the host's caches.
    skipped: usize,
    len: usize,
    lent: Mutex<LoanState>,
    returned: Condvar,
}

/// The access mode of a memory that is lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessMode {
    /// Accesses by words of this many bytes.
    Words(u32),
    /// Reads only, by words of any size.
    Reads,
    /// Accesses by words of any size, by a single launch, which ensures that none of its host
    /// threads accesses a byte in another size than the others at the same time.
    Alone,
}

impl AccessMode {
    /// Returns true if launches with the same mode may share a memory.
    const fn is_shared(self) -> bool {
        match self {
            Self::Words(_) | Self::Reads => true,
            Self::Alone => false,
        }
    }

    /// Returns the sizes of the words that may be accessed.
    const fn word_sizes(self) -> WordSizes {
        match self {
            Self::Words(size) => WordSizes(size as u8),
            Self::Reads | Self::Alone => WordSizes::ALL,
        }
    }
}

/// A set of word sizes, the sum of its members: 1, 2, 4 and 8 bytes.
#[derive(Clone, Copy, Debug)]
struct WordSizes(u8);

impl WordSizes {
    const ALL: Self = Self(1 + 2 + 4 + 8);

    /// Returns true if the set contains a size.
    #[inline(always)]
    const fn contains(self, size: usize) -> bool {
        self.0 as usize & size != 0
    }

    /// Returns the sizes that divide an offset.
    const fn dividing(self, offset: u64) -> Self {
        // The sizes up to the lowest bit of the offset.
        let lowest = offset & offset.wrapping_neg();
        Self(self.0 & (lowest | lowest.wrapping_sub(1)) as u8)
    }

    /// Returns the sizes in both sets.
    const fn intersect(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// The mode of the current loans, and their number.
struct LoanState {
    mode: AccessMode,
    loans: usize,
}

impl Default for LoanState {
    fn default() -> Self {
        Self { mode: AccessMode::Alone, loans: 0 }
    }
}

impl Memory {
    /// Creates a memory of `len` zero bytes.
    pub fn zeroed(len: usize) -> Self {
        // SAFETY: all-zero bytes are a value of AtomicU64.
        let words: Box<[AtomicU64]> =
            unsafe { Box::new_zeroed_slice(len.div_ceil(8) + CACHE_LINE / 8 - 1).assume_init() };
        let skipped = words.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE / 8 - 1);
        Self { words, skipped, len, lent: Mutex::default(), returned: Condvar::new() }
    }

    /// Creates a copy of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let memory = Self::zeroed(bytes.len());
        memory.write(0, bytes);
        memory
    }

    /// Returns the number of bytes.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no bytes.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Waits until no launch uses this memory, then copies the bytes from `offset` on into `bytes`.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn read_into(&self, offset: usize, bytes: &mut [u8]) {
        self.check_range(offset, bytes.len());
        let unused = self.wait_until_unused();
        // SAFETY: in range by the check; no other thread has access while `unused` is held.
        unsafe {
            let from = self.first().add(offset);
            std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len());
        }
        drop(unused);
    }

    /// Waits until no launch uses this memory, then copies `bytes` to the bytes from `offset` on.
    ///
    /// # Panics
    /// If the range is out of bounds.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        self.check_range(offset, bytes.len());
        let unused = self.wait_until_unused();
        // SAFETY: in range by the check; no other thread has access while `unused` is held, and
        // atomics may be written through a shared reference.
        unsafe {
            let to = self.first().cast_mut().add(offset);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        drop(unused);
    }

    fn check_range(&self, offset: usize, len: usize) {
        let inside = offset.checked_add(len).is_some_and(|end| end <= self.len);
        assert!(inside, "{len} bytes from {offset} are outside a memory of {} bytes", self.len);
    }

    /// Waits until no launch uses this memory. No launch can borrow it while the guard lives.
    fn wait_until_unused(&self) -> MutexGuard<'_, LoanState> {
        self.wait_until(|lent| lent.loans == 0)
    }

    fn wait_until(&self, ready: impl Fn(&LoanState) -> bool) -> MutexGuard<'_, LoanState> {
        let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        self.returned.wait_while(lent, |lent| !ready(lent)).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the memory is lent in no other mode than `mode`, and lends it. To lend several
    /// memories, lend them in the order of [`address`](Self::address); other orders may deadlock.
    pub(crate) fn lend(&self, mode: AccessMode) -> Loan<'_> {
        let mut lent =
            self.wait_until(|lent| lent.loans == 0 || (lent.mode == mode && lent.mode.is_shared()));
        lent.mode = mode;
        lent.loans += 1;
        Loan { memory: self, mode }
    }

    /// Returns all bytes, for accesses in `mode`, if no other host thread has access.
    pub(crate) fn cells(&self, mode: AccessMode) -> Cells<'_> {
        let (base, len, word_sizes) = (self.first(), self.len as u64, mode.word_sizes());
        let is_constant = mode == AccessMode::Reads;
        Cells { base, len, word_sizes, is_constant, is_exclusive: true, of: PhantomData }
    }

    /// Returns a pointer to the first byte.
    fn first(&self) -> *const u8 {
        self.words[self.skipped..].as_ptr().cast()
    }

    /// Sets every bit.
    pub(crate) fn fill_with_ones(&mut self) {
        // SAFETY: every bit pattern is an AtomicU64, and the borrow is exclusive.
        unsafe { std::ptr::write_bytes(self.words.as_mut_ptr(), 0xff, self.words.len()) };
    }

    /// Feeds all bytes to a hasher. No other host thread may have access.
    pub(crate) fn hash_words(&self, hasher: &mut impl Hasher) {
        for word in &self.words {
            hasher.write_u64(word.load(Relaxed));
        }
    }

    /// Returns the address of this object, which identifies the memory and orders memories.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.len)
    }
}

/// A memory that is accessed in one mode only while the loan lives.
pub(crate) struct Loan<'a> {
    memory: &'a Memory,
    mode: AccessMode,
}

impl Loan<'_> {
    pub(crate) fn is_of(&self, memory: &Memory) -> bool {
        self.memory.address() == memory.address()
    }

    /// Returns the `len` bytes from `offset` on, or fewer where the memory ends, for accesses by
    /// those words of `mode` that the loan permits and that are aligned at `offset`.
    pub(crate) fn cells(&self, (offset, len): (u64, u64), mode: AccessMode) -> Cells<'_> {
        let all = self.memory.cells(mode);
        let offset = offset.min(all.len);
        // SAFETY: inside, or one past the last byte.
        let base = unsafe { all.base.add(offset as usize) };
        let word_sizes = all.word_sizes.intersect(self.mode.word_sizes()).dividing(offset);
        Cells { base, len: len.min(all.len - offset), word_sizes, is_exclusive: false, ..all }
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut lent = self.memory.lent.lock().unwrap_or_else(PoisonError::into_inner);
        lent.loans -= 1;
        if lent.loans == 0 {
            self.memory.returned.notify_all();
        }
    }
}

/// Bytes that a launch accesses by words, each at a multiple of its size.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    /// Aligned to every one of `word_sizes`.
    base: *const u8,
    len: u64,
    word_sizes: WordSizes,
    /// True if the bytes never change.
    is_constant: bool,
    /// True if no other host thread has access, so that an update need not be atomic.
    is_exclusive: bool,
    of: PhantomData<&'a [AtomicU64]>,
}

// SAFETY: a view of atomics.
unsafe impl Send for Cells<'_> {}
// SAFETY: a view of atomics.
unsafe impl Sync for Cells<'_> {}

impl<'a> Cells<'a> {
    /// Returns the bytes from `offset` on, if that is a multiple of `size`, so that words of that
    /// size stay aligned.
    #[inline(always)]
    pub(crate) fn starting_at(self, offset: u64, size: usize) -> Option<Cells<'a>> {
        let len = self.len.checked_sub(offset)?;
        // SAFETY: inside, or one past the last byte.
        let base = unsafe { self.base.add(offset as usize) };
        offset.is_multiple_of(size as u64).then_some(Cells { base, len, ..self })
    }

    /// Returns the number of bytes.
    pub(crate) fn len(self) -> u64 {
        self.len
    }

    /// Feeds the bytes to a hasher, unless they never change.
    pub(crate) fn hash_words(self, hasher: &mut impl Hasher) {
        if self.is_constant {
            return;
        }
        // Each byte is part of a word of any size in the set.
        match 1_usize.checked_shl(self.word_sizes.0.trailing_zeros()) {
            Some(8) => self.hash_words_as::<u64>(hasher),
            Some(4) => self.hash_words_as::<u32>(hasher),
            Some(2) => self.hash_words_as::<u16>(hasher),
            Some(_) | None => self.hash_words_as::<u8>(hasher),
        }
    }

    fn hash_words_as<W: Word>(self, hasher: &mut impl Hasher) {
        for at in (0..self.len).step_by(size_of::<W>()) {
            if let Some(word) = self.load::<W>(at, false) {
                hasher.write_u64(word.bits());
            }
        }
    }

    /// Returns a pointer to the first byte.
    #[inline(always)]
    pub(crate) fn first(self) -> *const u8 {
        self.base
    }

    /// Returns true if no other host thread has access.
    #[inline(always)]
    pub(crate) fn is_exclusive(self) -> bool {
        self.is_exclusive
    }

    /// Returns true if words of `size` bytes may be accessed.
    #[inline(always)]
    pub(crate) fn allows(self, size: usize) -> bool {
        self.word_sizes.contains(size)
    }

    /// Prefetches these bytes into the host's caches, as far as they are inside.
    #[inline(always)]
    pub(crate) fn prefetch(self, bytes: Range<u64>) {
        #[cfg(target_arch = "x86_64")]
        for at in (bytes.start..bytes.end.min(self.len)).step_by(CACHE_LINE) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a hint, which is no access.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.base.wrapping_add(at as usize).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bytes;
    }

    /// Returns a pointer to the byte at `offset`.
    ///
    /// # Safety
    /// The byte is inside.
    #[inline(always)]
    pub(crate) unsafe fn byte_ptr(self, offset: u64) -> *const u8 {
        // SAFETY: guaranteed by the caller.
        unsafe { self.base.add(offset as usize) }
    }

    /// Returns true if `count` words from `offset` on may be accessed.
    #[inline(always)]
    pub(crate) fn covers<W: Word>(self, offset: u64, count: u64) -> bool {
        let bytes = count * size_of::<W>() as u64;
        self.word_sizes.contains(size_of::<W>())
            && offset.is_multiple_of(size_of::<W>() as u64)
            && self.len >= bytes
            && offset <= self.len - bytes
    }

    /// Loads the word at `offset`, relaxed.
    ///
    /// # Safety
    /// The word is covered.
    #[inline(always)]
    pub(crate) unsafe fn load_covered<W: Word>(self, offset: u64) -> W {
        // SAFETY: inside and aligned, because covered; atomics live as long as `self`.
        unsafe { W::load(self.base.add(offset as usize), false) }
    }

    /// Stores the word at `offset`, relaxed.
    ///
    /// # Safety
    /// The word is covered.
    #[inline(always)]
    pub(crate) unsafe fn store_covered<W: Word>(self, offset: u64, value: W) {
        // SAFETY: inside and aligned, because covered; atomics live as long as `self`.
        unsafe { W::store(self.base.add(offset as usize), value, false) };
    }

    /// Adds to the word at `offset`, relaxed and modulo its range; returns the old value.
    ///
    /// # Safety
    /// The word is covered.
    #[inline(always)]
    pub(crate) unsafe fn add_covered<W: Word>(self, offset: u64, by: W) -> W {
        // SAFETY: inside and aligned, because covered; atomics live as long as `self`.
        unsafe {
            let at = self.base.add(offset as usize);
            if !self.is_exclusive {
                return W::add(at, by);
            }
            let old = W::load(at, false);
            W::store(at, W::of_bits(old.bits().wrapping_add(by.bits())), false);
            old
        }
    }

    /// Loads the word at `offset`; sequentially consistent or relaxed.
    pub(crate) fn load<W: Word>(self, offset: u64, ordered: bool) -> Option<W> {
        // SAFETY: inside and aligned, because covered.
        self.covers::<W>(offset, 1)
            .then(|| unsafe { W::load(self.base.add(offset as usize), ordered) })
    }

    /// Stores the word at `offset`; sequentially consistent or relaxed.
    pub(crate) fn store<W: Word>(self, offset: u64, value: W, ordered: bool) -> Option<()> {
        self.covers::<W>(offset, 1).then(|| {
            // SAFETY: inside and aligned, because covered.
            unsafe { W::store(self.base.add(offset as usize), value, ordered) }
        })
    }

    /// Replaces the word at `offset` by a function of it, atomically, unless that returns `None`;
    /// returns the old value.
    #[inline(always)]
    pub(crate) fn update<W: Word>(
        self,
        offset: u64,
        ordered: bool,
        change: impl Fn(W) -> Option<W>,
    ) -> Option<W> {
        self.covers::<W>(offset, 1).then(|| {
            // SAFETY: inside and aligned, because covered.
            let at = unsafe { self.base.add(offset as usize) };
            if ordered || !self.is_exclusive {
                // SAFETY: as above.
                return unsafe { W::update(at, ordered, change) };
            }
            // SAFETY: as above.
            let old = unsafe { W::load(at, false) };
            if let Some(new) = change(old) {
                // SAFETY: as above.
                unsafe { W::store(at, new, false) };
            }
            old
        })
    }
}

/// An unsigned integer that memory and registers hold.
pub(crate) trait Word: Copy + Default + PartialOrd {
    /// Returns the bits, zero-extended.
    fn bits(self) -> u64;
    /// Returns the value of the truncated bits.
    fn of_bits(bits: u64) -> Self;
    /// Loads a word.
    ///
    /// # Safety
    /// `at` points to an atomic of this size that is alive and not accessed in any other way.
    unsafe fn load(at: *const u8, ordered: bool) -> Self;
    /// Stores a word.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn store(at: *const u8, value: Self, ordered: bool);
    /// Replaces a word, unless `change` returns `None`; returns the old value.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn update(at: *const u8, ordered: bool, change: impl Fn(Self) -> Option<Self>) -> Self;
    /// Adds to a word; returns the old value.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn add(at: *const u8, by: Self) -> Self;
}

macro_rules! words {
    ($($word:ty, $atomic:ty;)*) => {$(
        impl Word for $word {
            #[inline(always)]
            fn bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn of_bits(bits: u64) -> Self {
                bits as $word
            }
            #[inline(always)]
            unsafe fn load(at: *const u8, ordered: bool) -> Self {
                // SAFETY: guaranteed by the caller.
                let atomic = unsafe { &*at.cast::<$atomic>() };
                if ordered { atomic.load(SeqCst) } else { atomic.load(Relaxed) }
            }
            #[inline(always)]
            unsafe fn store(at: *const u8, value: Self, ordered: bool) {
                // SAFETY: guaranteed by the caller.
                let atomic = unsafe { &*at.cast::<$atomic>() };
                if ordered { atomic.store(value, SeqCst) } else { atomic.store(value, Relaxed) }
            }
            #[inline(always)]
            unsafe fn add(at: *const u8, by: Self) -> Self {
                // SAFETY: guaranteed by the caller.
                let atomic = unsafe { &*at.cast::<$atomic>() };
                atomic.fetch_add(by, Relaxed)
            }
            unsafe fn update(
                at: *const u8,
                ordered: bool,
                change: impl Fn(Self) -> Option<Self>,
            ) -> Self {
                // SAFETY: guaranteed by the caller.
                let atomic = unsafe { &*at.cast::<$atomic>() };
                let (set, fetch) = if ordered { (SeqCst, SeqCst) } else { (Relaxed, Relaxed) };
                match atomic.fetch_update(set, fetch, change) {
                    Ok(old) | Err(old) => old,
                }
            }
        }
    )*};
}
words! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_bytes_are_read_again() {
        let memory = Memory::from_bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        memory.write(3, &[40, 50]);
        let mut bytes = [0; 7];
        memory.read_into(2, &mut bytes);
        assert_eq!(bytes, [3, 40, 50, 6, 7, 8, 9]);
    }

    #[test]
    fn accesses_outside_or_misaligned_are_refused() {
        let memory = Memory::zeroed(10);
        let mode = AccessMode::Words(4);
        let loan = memory.lend(mode);
        let cells = loan.cells((0, 10), mode);
        assert_eq!(cells.load::<u32>(4, false), Some(0));
        assert_eq!(cells.load::<u32>(8, false), None, "two of its bytes are outside");
        assert_eq!(cells.load::<u32>(2, false), None, "misaligned");
        assert_eq!(cells.load::<u32>(u64::MAX - 3, true), None);
        assert_eq!(cells.load::<u16>(0, false), None, "lent for another size");
        assert_eq!(cells.store::<u32>(8, 1, true), None);
        assert_eq!(cells.update::<u32>(12, true, |_| Some(1)), None);
        assert_eq!(loan.cells((0, 3), mode).load::<u32>(0, false), None);
    }

    #[test]
    fn cells_begin_anywhere_and_end_with_the_memory() {
        let memory = Memory::from_bytes(&(0..16).collect::<Vec<_>>());
        let loan = memory.lend(AccessMode::Alone);
        let cells = loan.cells((6, 4), AccessMode::Alone);
        assert_eq!((cells.len(), cells.load::<u8>(3, false)), (4, Some(9)));
        assert_eq!(cells.load::<u16>(2, false), Some(0x0908));
        assert_eq!(cells.load::<u16>(4, false), None, "outside");
        assert_eq!(cells.load::<u32>(0, false), None, "misaligned in the memory");
        let words = loan.cells((8, 100), AccessMode::Words(4));
        assert_eq!((words.len(), words.load::<u32>(4, false)), (8, Some(0x0f0e_0d0c)));
        assert_eq!(words.load::<u64>(0, false), None, "another size than the slice's");
        assert_eq!(loan.cells((20, 4), AccessMode::Alone).len(), 0);
    }

    #[test]
    fn updates_return_the_old_value() {
        let memory = Memory::zeroed(8);
        let loan = memory.lend(AccessMode::Words(2));
        let cells = loan.cells((0, 8), AccessMode::Words(2));
        assert_eq!(cells.update::<u16>(2, true, |old| Some(old + 7)), Some(0));
        assert_eq!(cells.update::<u16>(2, false, |_| None), Some(7));
        assert_eq!(cells.load::<u16>(2, true), Some(7));
    }

    #[test]
    #[should_panic(expected = "2 bytes from 7 are outside a memory of 8 bytes")]
    fn host_reads_outside_panic() {
        Memory::zeroed(8).read_into(7, &mut [0; 2]);
    }
}
