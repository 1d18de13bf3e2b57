//! Private arrays, of which each lane has one.
use super::{Reg, Registers, read_word};
use crate::vector::{
    lanes::scan,
    mask::{Mask, Run},
};

/// A private array of each lane, among the registers.
///
/// If each byte is accessed by words of one size only, the array is like a register for each word:
/// the lanes of a word are adjacent. If not, the bytes of a lane are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    /// The place in bytes per lane, a multiple of 8.
    pub(crate) place: u32,
    /// The bytes per lane, a multiple of 8.
    pub(crate) bytes: u32,
    /// True if the lanes of a word are adjacent.
    pub(crate) is_word_major: bool,
}

impl Array {
    /// Returns true if `size` bytes at `offset` may be accessed.
    #[inline(always)]
    fn covers(self, offset: u64, size: usize) -> bool {
        offset.is_multiple_of(size as u64) && offset < u64::from(self.bytes)
    }

    /// Returns the offset in the file of a lane's bytes at `offset`, among `lanes` lanes.
    #[inline(always)]
    fn place(self, offset: u64, size: usize, lane: usize, lanes: usize) -> usize {
        let first = self.place as usize * lanes;
        if self.is_word_major {
            first + offset as usize * lanes + lane * size
        } else {
            first + lane * self.bytes as usize + offset as usize
        }
    }
}

impl Registers {
    /// Returns a pointer to a lane's word of an array; `None` if there is no such word.
    #[inline(always)]
    fn word_ptr(&self, array: Array, offset: u64, size: usize, lane: usize) -> Option<*const u8> {
        let byte = array.place(offset, size, lane, self.lanes);
        debug_assert!(lane < self.lanes);
        // SAFETY: translation made the file large enough for its arrays, and the word is covered.
        array.covers(offset, size).then(|| unsafe { self.lines.as_ptr().cast::<u8>().add(byte) })
    }

    /// Returns the bits of a word of an array, zero-extended.
    #[inline(always)]
    pub(crate) fn get_from_array(
        &self,
        array: Array,
        offset: u64,
        size: usize,
        lane: usize,
    ) -> Option<u64> {
        // SAFETY: a word of that size is there.
        self.word_ptr(array, offset, size, lane).map(|at| unsafe { read_word(at, size) })
    }

    /// Sets a word of an array.
    #[inline(always)]
    pub(crate) fn set_in_array(
        &mut self,
        array: Array,
        offset: u64,
        size: usize,
        lane: usize,
        bits: u64,
    ) -> Option<()> {
        let byte = array.place(offset, size, lane, self.lanes);
        array.covers(offset, size).then(|| {
            // SAFETY: a word of that size is there, as for `word_ptr`.
            unsafe { scan::splat(self.lines.as_mut_ptr().cast::<u8>().add(byte), size, 1, bits) }
        })
    }

    /// Loads one word of an array in the lanes of a run; returns false if there is no such word.
    pub(crate) fn load_array(&mut self, array: Array, offset: u64, to: Reg, run: Run) -> bool {
        let size = to.size();
        if array.is_word_major {
            let Some(from) = self.word_ptr(array, offset, size, run.first) else { return false };
            // SAFETY: the lanes of a run are inside; arrays and registers do not overlap.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    from,
                    self.lane_ptr_mut(to, run.first),
                    run.len * size,
                );
            }
            return true;
        }
        (run.first..run.first + run.len).all(|lane| {
            let bits = self.get_from_array(array, offset, size, lane);
            bits.map(|bits| self.set(to, lane, bits)).is_some()
        })
    }

    /// Stores one word of an array in the active lanes of a run; returns false if there is no such
    /// word.
    pub(crate) fn store_array(
        &mut self,
        array: Array,
        offset: u64,
        from: Reg,
        active: Mask,
        run: Run,
    ) -> bool {
        if !array.covers(offset, from.size()) {
            return false;
        }
        if array.is_word_major {
            let word = Reg::new(array.place + offset as u32, from.size());
            self.masked_copy(word, from, active, &[run]);
            return true;
        }
        let is_active = |lane: &usize| active.contains(*lane);
        (run.first..run.first + run.len).filter(is_active).all(|lane| {
            let bits = self.get(from, lane);
            self.set_in_array(array, offset, from.size(), lane, bits).is_some()
        })
    }
}
