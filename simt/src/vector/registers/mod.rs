//! The registers of a group.
//!
//! A lane vector is a [`Reg`]: all lanes of one value are adjacent, so that an instruction passes
//! through memory once. Every register has a fixed place and size, whatever lanes an instruction
//! covers: the strands of one group share the register file and write their own lanes only. A value
//! that is the same in all lanes of a strand is a [`Uniform`], held once by the strand.
#![expect(unsafe_code, reason = "one buffer holds lanes of every size")]
mod array;

use crate::vector::{
    lanes::{
        LaneFn, OperandPosition,
        add::{self, Summand},
        compiled::Rounds,
        copy::CopyWords,
        lane_offsets::LaneOffsets,
        memory_products::Products,
        scan::{self, AllBelow, ElementAddresses, Transfer},
        words::{MapWords, Words},
    },
    mask::{Mask, Run, WARPS},
    memory::{Cells, Word},
};
pub(crate) use array::Array;
use std::{hash::Hasher, ops::Range};

/// A lane vector: its place in bytes per lane, and the size of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reg(u32);

/// A uniform value: its slot, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Uniform(u32);

/// The maximum values of 1, 2, 4 and 8 bytes.
const MAX_VALUES: [u64; 4] = [u8::MAX as u64, u16::MAX as u64, u32::MAX as u64, u64::MAX];

impl Reg {
    /// Creates a register; `size` is 1, 2, 4 or 8, and `place` a multiple of it.
    pub(crate) fn new(place: u32, size: usize) -> Self {
        Self(place << 2 | size.trailing_zeros())
    }
    #[inline(always)]
    fn place(self) -> usize {
        (self.0 >> 2) as usize
    }
    /// Returns the bytes in a lane.
    #[inline(always)]
    pub(crate) fn size(self) -> usize {
        1 << (self.0 & 3)
    }
    /// Returns true if the two have a byte in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        let ends = |reg: Self| reg.place() + reg.size();
        self.place() < ends(other) && other.place() < ends(self)
    }
}

impl Uniform {
    /// Creates a uniform value; `size` is 1, 2, 4 or 8.
    pub(crate) fn new(slot: u32, size: usize) -> Self {
        Self(slot << 2 | size.trailing_zeros())
    }
    /// Returns the index among the uniform values.
    #[inline(always)]
    pub(crate) fn slot(self) -> usize {
        (self.0 >> 2) as usize
    }
    /// Returns the bytes in the value.
    #[inline(always)]
    pub(crate) fn size(self) -> usize {
        1 << (self.0 & 3)
    }
    /// Returns the maximum value of this size.
    #[inline(always)]
    pub(crate) fn max_value(self) -> u64 {
        MAX_VALUES[(self.0 & 3) as usize]
    }
    /// Returns the bits, zero-extended.
    #[inline(always)]
    pub(crate) fn get(self, uniforms: &[u64]) -> u64 {
        uniforms[self.slot()] & self.max_value()
    }
    /// Sets the bits.
    #[inline(always)]
    pub(crate) fn set(self, uniforms: &mut [u64], bits: u64) {
        uniforms[self.slot()] = bits;
    }
}

/// An affine value: a uniform base plus, for each thread, a multiple of its index in the block,
/// modulo the range of the type. See [`crate::bytecode::Slope`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    /// The common part of all lanes.
    pub(crate) base: Uniform,
    /// The number of the slope that determines the part of each lane.
    pub(crate) slope: u16,
    /// The parts of the lanes.
    pub(crate) lanes: Reg,
}

impl Affine {
    /// Returns the bits of one lane, zero-extended.
    #[inline(always)]
    pub(crate) fn get(self, registers: &Registers, uniforms: &[u64], lane: usize) -> u64 {
        let bits = self.base.get(uniforms).wrapping_add(registers.get(self.lanes, lane));
        bits & self.base.max_value()
    }
}

/// Computes a uniform value from others.
pub(crate) fn map_uniform(f: LaneFn, uniforms: &mut [u64], [d, a, b, c]: [Uniform; 4]) {
    let slots = uniforms.len();
    let inside = d.slot() < slots && a.slot() < slots && b.slot() < slots && c.slot() < slots;
    assert!(inside, "lowering numbered the uniform values");
    let base = uniforms.as_mut_ptr();
    // SAFETY: the slots are inside, by the check, and have 8 bytes, which hold a lane of any type.
    unsafe {
        f.call(
            base.wrapping_add(d.slot()).cast(),
            base.wrapping_add(a.slot()).cast(),
            base.wrapping_add(b.slot()).cast(),
            base.wrapping_add(c.slot()).cast(),
            1,
        );
    }
}

/// One cache line, which is also the largest alignment that vector code profits from.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

/// The registers of one group.
pub(crate) struct Registers {
    lines: Vec<CacheLine>,
    /// The address of the lines, and their bytes.
    first: *mut u8,
    bytes: usize,
    /// The lanes in a register: those of the group, rounded up to whole warps.
    lanes: usize,
}

// SAFETY: `first` points into `lines`, which moves with it.
unsafe impl Send for Registers {}

impl Registers {
    /// Creates a zeroed file of `bytes` bytes per lane, for `warps` warps.
    pub(crate) fn new(bytes: usize, warps: usize) -> Self {
        // Room after the last register: what an ill-typed kernel reads there is inside, too.
        let (bytes, lanes) = (bytes + 8, warps * 32);
        let mut lines = vec![CacheLine([0; 64]); (bytes * lanes).div_ceil(64)];
        Self { first: lines.as_mut_ptr().cast(), bytes: lines.len() * 64, lines, lanes }
    }

    /// Feeds all registers to a hasher.
    pub(crate) fn hash_lines(&self, hasher: &mut impl Hasher) {
        // SAFETY: the lines live as long as `self`, and are not written meanwhile.
        hasher.write(unsafe { std::slice::from_raw_parts(self.first, self.bytes) });
    }

    /// Returns a pointer to the lanes of `reg` from `lane` on.
    #[inline(always)]
    pub(crate) fn lane_ptr(&self, reg: Reg, lane: usize) -> *const u8 {
        let byte = reg.place() * self.lanes + lane * reg.size();
        debug_assert!(byte + 8 <= self.bytes);
        // Inside: translation made the file large enough for its registers.
        self.first.wrapping_add(byte)
    }

    /// Returns a pointer for writing, as [`lane_ptr`](Self::lane_ptr) does for reading.
    #[inline(always)]
    pub(crate) fn lane_ptr_mut(&mut self, reg: Reg, lane: usize) -> *mut u8 {
        let byte = reg.place() * self.lanes + lane * reg.size();
        debug_assert!(byte + 8 <= self.bytes);
        // Inside: translation made the file large enough for its registers.
        self.first.wrapping_add(byte)
    }

    /// Returns the bits of one lane, zero-extended.
    #[inline(always)]
    pub(crate) fn get(&self, reg: Reg, lane: usize) -> u64 {
        // SAFETY: a lane of that size is there.
        unsafe { read_word(self.lane_ptr(reg, lane), reg.size()) }
    }

    /// Returns the bits of all lanes of a warp, zero-extended.
    pub(crate) fn warp_bits(&self, reg: Reg, warp: usize) -> [u64; 32] {
        let at = self.lane_ptr(reg, warp * 32);
        // SAFETY: a register has 32 lanes of its size for each warp of the group.
        unsafe {
            match reg.size() {
                1 => at.cast::<[u8; 32]>().read().map(u64::from),
                2 => at.cast::<[u16; 32]>().read().map(u64::from),
                4 => at.cast::<[u32; 32]>().read().map(u64::from),
                _ => at.cast::<[u64; 32]>().read(),
            }
        }
    }

    /// Returns the bytes of all lanes of the first `warps` warps.
    pub(crate) fn warps(&self, reg: Reg, warps: usize) -> &[u8] {
        // SAFETY: a register has 32 lanes of its size for each warp of the group, and they are not
        // written meanwhile.
        unsafe { std::slice::from_raw_parts(self.lane_ptr(reg, 0), warps * 32 * reg.size()) }
    }

    /// Sets one lane.
    #[inline(always)]
    pub(crate) fn set(&mut self, reg: Reg, lane: usize, bits: u64) {
        let at = self.lane_ptr_mut(reg, lane);
        // SAFETY: a lane of that size is there.
        unsafe { scan::splat(at, reg.size(), 1, bits) };
    }

    /// Computes `d` from `a`, `b` and `c` in every lane of `runs`.
    #[inline(always)]
    pub(crate) fn map(&mut self, f: LaneFn, [d, a, b, c]: [Reg; 4], runs: &[Run]) {
        // The common case is all lanes, from the beginning of the registers.
        if let [run] = runs
            && run.first == 0
        {
            let to = self.lane_ptr_mut(d, 0);
            // SAFETY: as below.
            unsafe {
                f.call(to, self.lane_ptr(a, 0), self.lane_ptr(b, 0), self.lane_ptr(c, 0), run.len)
            };
            return;
        }
        self.map_runs(f, [d, a, b, c], runs);
    }

    /// Computes `d` in every lane of any runs.
    #[inline(never)]
    fn map_runs(&mut self, f: LaneFn, [d, a, b, c]: [Reg; 4], runs: &[Run]) {
        let mut next = 0;
        while next < runs.len() {
            let run = &runs[next];
            next += 1;
            let to = self.lane_ptr_mut(d, run.first);
            // SAFETY: the lanes of a run are inside; translation chose `f` for the types of these
            // registers, and the borrow of the file is exclusive.
            unsafe {
                f.call(
                    to,
                    self.lane_ptr(a, run.first),
                    self.lane_ptr(b, run.first),
                    self.lane_ptr(c, run.first),
                    run.len,
                );
            }
        }
    }

    /// Computes `d` in every lane of `runs`, with one operand that is a uniform value, of any type
    /// in 8 bytes.
    #[inline(always)]
    pub(crate) fn map_with_uniform(
        &mut self,
        f: LaneFn,
        [d, a, b, c]: [Reg; 4],
        (place, one): (OperandPosition, &u64),
        runs: &[Run],
    ) {
        let one = std::ptr::from_ref(one).cast();
        let mut next = 0;
        while next < runs.len() {
            let run = &runs[next];
            next += 1;
            let to = self.lane_ptr_mut(d, run.first);
            let a = if place == OperandPosition::A { one } else { self.lane_ptr(a, run.first) };
            let b = if place == OperandPosition::B { one } else { self.lane_ptr(b, run.first) };
            let c = if place == OperandPosition::C { one } else { self.lane_ptr(c, run.first) };
            // SAFETY: as for `map`; translation chose an `f` that takes this operand as a uniform
            // value.
            unsafe { f.call(to, a, b, c, run.len) };
        }
    }

    /// Computes an operation whose operands may be in memory, in one round.
    #[inline(always)]
    pub(crate) fn map_words(&mut self, words: &MapWords<'_>, round: u64) {
        // SAFETY: the lanes of a group are inside; translation chose the operation for the types of
        // registers and words.
        unsafe { words.call(round, |reg, lane| self.lane_ptr_mut(reg, lane)) };
    }

    /// Computes an operation whose operands are all in memory, in several rounds.
    pub(crate) fn map_dense_words(&mut self, words: &MapWords<'_>, rounds: Range<u64>) {
        // SAFETY: translation chose the operation for the types of words.
        unsafe { words.call_dense(rounds) };
    }

    /// Computes the first lanes of an operation whose operands may be in memory, in one round.
    #[inline(always)]
    pub(crate) fn map_first_words(&mut self, words: &MapWords<'_>, lanes: usize, round: u64) {
        // SAFETY: as for all lanes.
        unsafe { words.call_first(lanes, round, |reg, lane| self.lane_ptr_mut(reg, lane)) };
    }

    /// Runs compiled rounds.
    pub(crate) fn run_compiled(&mut self, compiled: &Rounds<'_>, rounds: Range<u64>) {
        // SAFETY: the lanes of a group are inside, and registers lie at their offsets.
        unsafe { compiled.run(rounds, self.first) };
    }

    /// Returns the offset in bytes of the lanes of a register in the file, if compiled rounds can
    /// encode it.
    pub(crate) fn offset(&self, reg: Reg) -> Option<i32> {
        i32::try_from(reg.place() * self.lanes).ok()
    }

    /// Sets every lane of `runs` to `bits`.
    pub(crate) fn splat(&mut self, reg: Reg, bits: u64, runs: &[Run]) {
        let mut next = 0;
        while next < runs.len() {
            let run = &runs[next];
            next += 1;
            // SAFETY: the lanes of a run are inside.
            unsafe { scan::splat(self.lane_ptr_mut(reg, run.first), reg.size(), run.len, bits) };
        }
    }

    /// Computes an affine value with this base in every lane of `runs`.
    pub(crate) fn spread(&mut self, to: Reg, slope: Reg, base: u64, runs: &[Run]) {
        let mut next = 0;
        while next < runs.len() {
            let run = &runs[next];
            next += 1;
            // SAFETY: the lanes of a run are inside; translation gave both registers one size.
            unsafe {
                let (d, a) = (self.lane_ptr_mut(to, run.first), self.lane_ptr(slope, run.first));
                scan::spread(d, a, to.size(), run.len, base);
            }
        }
    }

    /// Loads the lanes of a full run at their offsets; does nothing and returns false if one is
    /// outside.
    #[inline(always)]
    pub(crate) fn load_affine(
        &mut self,
        copy: CopyWords,
        to: Reg,
        (cells, at): &(Cells<'_>, i64),
        walk: &LaneOffsets,
        run: Run,
    ) -> bool {
        let lanes = (run.first, run.len);
        // SAFETY: the lanes of a run are inside; translation chose both for words of this size.
        unsafe { copy.load(*cells, *at, walk, lanes, self.lane_ptr_mut(to, run.first)) }
    }

    /// `d = a * b + c` of `f32` in the lanes of a full run, with `a` and `b` from memory.
    #[inline(always)]
    pub(crate) fn add_products(&mut self, [d, c]: [Reg; 2], products: &Products<'_>, run: Run) {
        let to = self.lane_ptr_mut(d, run.first);
        // SAFETY: the lanes of a run are inside; translation checked that the machine has AVX2 and
        // FMA, and that the registers are of `f32`.
        unsafe { products.add(to, self.lane_ptr(c, run.first)) };
    }

    /// Stores the lanes of a full run at their offsets; does nothing and returns false if one is
    /// outside.
    #[inline(always)]
    pub(crate) fn store_affine(
        &mut self,
        copy: CopyWords,
        from: Reg,
        (cells, at): &(Cells<'_>, i64),
        walk: &LaneOffsets,
        run: Run,
    ) -> bool {
        let lanes = (run.first, run.len);
        // SAFETY: as for loads.
        unsafe { copy.store(*cells, *at, walk, lanes, self.lane_ptr_mut(from, run.first)) }
    }

    /// Sets each of the first lanes to its value plus `more`.
    pub(crate) fn fill(&mut self, reg: Reg, values: &[u32], more: u64) {
        assert!(values.len() <= self.lanes);
        // SAFETY: a register has that many lanes, by the check.
        unsafe { scan::fill(self.lane_ptr_mut(reg, 0), reg.size(), values, more) };
    }

    /// Copies the lanes of a full run.
    pub(crate) fn copy(&mut self, to: Reg, from: Reg, run: Run) {
        // SAFETY: the lanes of a run are inside and the sizes equal; a copy from a register to
        // itself changes nothing.
        unsafe {
            let (d, a) = (self.lane_ptr_mut(to, run.first), self.lane_ptr(from, run.first));
            std::ptr::copy(a, d, run.len * to.size());
        }
    }

    /// Copies the lanes of `active`, which `runs` cover.
    pub(crate) fn masked_copy(&mut self, to: Reg, from: Reg, active: Mask, runs: &[Run]) {
        let mut next = 0;
        while next < runs.len() {
            let run = &runs[next];
            next += 1;
            if run.full {
                self.copy(to, from, *run);
            } else {
                let mut warp = run.first / 32;
                while warp * 32 < run.first + run.len {
                    // SAFETY: a run that is not full consists of whole warps.
                    unsafe {
                        let (d, a) =
                            (self.lane_ptr_mut(to, warp * 32), self.lane_ptr(from, warp * 32));
                        scan::masked_copy(d, a, to.size(), active.0[warp]);
                    }
                    warp += 1;
                }
            }
        }
    }

    /// Returns the lanes of `active` in which `reg`, a `bool`, is true.
    #[inline(always)]
    pub(crate) fn true_lanes(&self, reg: Reg, active: Mask) -> Mask {
        let mut truths = Mask::EMPTY;
        let mut warp = 0;
        while warp < WARPS {
            let lanes = active.0[warp];
            if lanes != 0 {
                // SAFETY: a register has 32 lanes for each warp of the group.
                truths.0[warp] = lanes & unsafe { scan::bool_word(self.lane_ptr(reg, warp * 32)) };
            }
            warp += 1;
        }
        truths
    }

    /// Returns true if the indices in `reg` are all below `limit`, in every lane of `runs`.
    pub(crate) fn all_below(&self, test: AllBelow, reg: Reg, limit: u64, runs: &[Run]) -> bool {
        let mut next = 0;
        while next < runs.len() {
            let run = &runs[next];
            next += 1;
            // SAFETY: the lanes of a run are inside; translation chose the test for the register.
            if !unsafe { test.holds(self.lane_ptr(reg, run.first), run.len, limit) } {
                return false;
            }
        }
        true
    }

    /// Loads every lane of a full run; does nothing and returns false if one is outside.
    pub(crate) fn load(
        &mut self,
        transfer: Transfer,
        to: Reg,
        from: Elements<'_>,
        run: Run,
    ) -> bool {
        let places = self.places(from, run);
        // SAFETY: the lanes of a run are inside; translation chose the transfer for the sizes of
        // these registers.
        unsafe { transfer.load(places, self.lane_ptr_mut(to, run.first), run.len) }
    }

    /// Stores every lane of a full run; does nothing and returns false if one is outside.
    pub(crate) fn store(
        &mut self,
        transfer: Transfer,
        from: Reg,
        to: Elements<'_>,
        run: Run,
    ) -> bool {
        let places = self.places(to, run);
        // SAFETY: as for loads.
        unsafe { transfer.store(places, self.lane_ptr_mut(from, run.first), run.len) }
    }

    /// Adds to the elements of the lanes of a full run, relaxed, and sets the lanes of `to` to the
    /// old values. Returns the number of lanes that are done: all, or the ones before the first
    /// that is outside.
    pub(crate) fn add_to_elements<W: Word>(
        &mut self,
        to: Reg,
        at: Elements<'_>,
        by: Result<Reg, u64>,
        run: Run,
    ) -> usize {
        let places = self.places(at, run);
        let by = match by {
            Ok(lanes) => Summand::Lanes(self.lane_ptr(lanes, run.first)),
            Err(bits) => Summand::Uniform(bits),
        };
        // SAFETY: the lanes of a run are inside; the caller's words have the size of both
        // registers, and translation made indices of 4 or 8 bytes.
        unsafe {
            add::add_in_order::<W>(
                places,
                at.index.size(),
                by,
                self.lane_ptr_mut(to, run.first),
                run.len,
            )
        }
    }

    /// Adds a number to the element of each lane of a full run, by indices of 1 or 2 bytes; does
    /// nothing if an index of that size can be outside.
    #[inline(always)]
    pub(crate) fn add_by_narrow_indices<W: Word>(&mut self, at: Elements<'_>, by: u64, run: Run) {
        let places = self.places(at, run);
        if holds_all::<W>(at) {
            // SAFETY: the lanes of a run are inside; so are all elements, by the check.
            unsafe {
                match at.index.size() {
                    1 => add::add_unchecked::<W, u8, false>(places, W::of_bits(by), run.len),
                    _ => add::add_unchecked::<W, u16, false>(places, W::of_bits(by), run.len),
                }
            }
        }
    }

    /// Adds a number to the elements of indices in memory, which need not be loaded into the
    /// register, in one round.
    #[inline(always)]
    pub(crate) fn add_by_indices_in_memory<W: Word>(
        at: Elements<'_>,
        (indices, round): (&Words<'_>, u64),
        by: u64,
    ) {
        let Elements { cells, base, stride, index } = at;
        if !holds_all::<W>(at) || indices.word() != index.size() {
            return;
        }
        indices.prefetch_round(round);
        for (index, n) in indices.rows(round) {
            let places = ElementAddresses { cells, base, stride, index };
            // SAFETY: words are inside and aligned; so are all elements, by the check.
            unsafe {
                match indices.word() {
                    1 => add::add_unchecked::<W, u8, true>(places, W::of_bits(by), n),
                    _ => add::add_unchecked::<W, u16, true>(places, W::of_bits(by), n),
                }
            }
        }
    }

    fn places<'a>(&self, elements: Elements<'a>, run: Run) -> ElementAddresses<'a> {
        let Elements { cells, base, stride, index } = elements;
        ElementAddresses { cells, base, stride, index: self.lane_ptr(index, run.first) }
    }
}

/// Returns true if every index that its register, of 1 or 2 bytes, can hold is that of an element
/// inside.
fn holds_all<W: Word>(at: Elements<'_>) -> bool {
    let (size, width) = (size_of::<W>() as u64, at.index.size());
    let greatest = if width == 1 { u64::from(u8::MAX) } else { u64::from(u16::MAX) };
    let last = greatest.checked_mul(at.stride);
    let is_inside = at.base == 0
        && at.stride.is_multiple_of(size)
        && last.is_some_and(|last| at.cells.covers::<W>(last, 1));
    debug_assert!(is_inside && width <= 2, "what is outside was not gone through");
    is_inside && width <= 2
}

/// Reads the bits of a word, zero-extended.
///
/// # Safety
/// There is a word of `size` bytes.
#[inline(always)]
unsafe fn read_word(at: *const u8, size: usize) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => u64::from(at.read()),
            2 => u64::from(at.cast::<u16>().read()),
            4 => u64::from(at.cast::<u32>().read()),
            _ => at.cast::<u64>().read(),
        }
    }
}

/// The addresses of lanes in memory: each at `(index - base) * stride`.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    pub(crate) cells: Cells<'a>,
    pub(crate) base: u64,
    pub(crate) stride: u64,
    pub(crate) index: Reg,
}
