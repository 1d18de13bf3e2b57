//! Copies of words between lanes and memory that others may access at the same time.
//!
//! The memory model requires one relaxed atomic access for each word. Rust's compiler makes no
//! vector code of relaxed accesses. So on x86-64 neighbouring words are moved by `asm!`, with
//! exactly these semantics: for each word, in any order, one relaxed atomic load and one relaxed
//! atomic store. The instructions comply, as every word of 1, 2, 4 or 8 bytes is aligned to its
//! size, and no processor splits such a part of a vector access.
#[cfg(any(assembly, all(test, target_arch = "x86_64", not(miri))))]
use super::asm::lane_offsets as asm;
use super::{
    Isa,
    lane_offsets::{Arrangement, LaneOffsets},
    or_assembly,
};
use crate::vector::memory::{Cells, Word};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_mm256_zeroupper;
use std::fmt;

/// Moves the words of an access, at the lanes' offsets from the byte `at` of the memory, for `n`
/// lanes from the lane `first` on.
///
/// # Safety
/// All words of these lanes are inside the memory and aligned, and there are `n` lanes.
type MoveFn = unsafe fn(Cells<'_>, i64, &LaneOffsets, (usize, usize), *mut u8);

/// The load and the store of words of one size.
#[derive(Clone, Copy)]
pub(crate) struct CopyWords {
    load: MoveFn,
    store: MoveFn,
}

impl fmt::Debug for CopyWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CopyWords")
    }
}

impl CopyWords {
    /// Returns the functions for words of `size` bytes.
    pub(crate) fn pick(size: usize, isa: Isa) -> Self {
        match size {
            1 => for_words::<u8>(isa),
            2 => for_words::<u16>(isa),
            4 => for_words::<u32>(isa),
            _ => for_words::<u64>(isa),
        }
    }

    /// Loads the words of the lanes `first..first + n`, relative to the byte `at`; does nothing and
    /// returns false if one of them is outside.
    ///
    /// # Safety
    /// The functions are for the size of the words, and there is room for `n` of them at `to`.
    #[inline(always)]
    pub(crate) unsafe fn load(
        self,
        cells: Cells<'_>,
        at: i64,
        walk: &LaneOffsets,
        lanes: (usize, usize),
        to: *mut u8,
    ) -> bool {
        let inside = walk.is_inside(cells, at, lanes);
        if inside {
            // SAFETY: inside by the check; the rest is guaranteed by the caller.
            unsafe { (self.load)(cells, at, walk, lanes, to) };
        }
        inside
    }

    /// Stores the words of lanes, in order; does nothing and returns false if one of them is
    /// outside.
    ///
    /// # Safety
    /// The functions are for the size of the words, and there are `n` of them at `from`.
    #[inline(always)]
    pub(crate) unsafe fn store(
        self,
        cells: Cells<'_>,
        at: i64,
        walk: &LaneOffsets,
        lanes: (usize, usize),
        from: *mut u8,
    ) -> bool {
        let inside = walk.is_inside(cells, at, lanes);
        if inside {
            // SAFETY: inside by the check; the rest is guaranteed by the caller.
            unsafe { (self.store)(cells, at, walk, lanes, from) };
        }
        inside
    }
}

fn for_words<W: Word>(isa: Isa) -> CopyWords {
    or_assembly!(
        isa,
        Some(CopyWords { load: in_assembly::<W, false>, store: in_assembly::<W, true> })
    );
    match isa {
        Isa::Baseline => CopyWords { load: baseline::<W, false>, store: baseline::<W, true> },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => CopyWords { load: avx2::<W, false>, store: avx2::<W, true> },
    }
}

/// Moves words as `move_lanes` does, in assembly.
///
/// # Safety
/// As for [`MoveFn`], on a machine with AVX2.
#[cfg(any(assembly, all(test, target_arch = "x86_64", not(miri))))]
pub(super) unsafe fn in_assembly<W: Word, const STORE: bool>(
    cells: Cells<'_>,
    at: i64,
    walk: &LaneOffsets,
    (first, n): (usize, usize),
    values: *mut u8,
) {
    let lanes = asm::Lanes {
        first: cells.first().wrapping_add(at as usize),
        offsets: walk.offsets().as_ptr().wrapping_add(first),
        n,
    };
    // SAFETY: guaranteed by the caller.
    unsafe { asm::move_lanes::<STORE>(size_of::<W>(), walk.arrangement(), first, &lanes, values) };
}

unsafe fn baseline<W: Word, const STORE: bool>(
    cells: Cells<'_>,
    at: i64,
    walk: &LaneOffsets,
    lanes: (usize, usize),
    values: *mut u8,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { move_lanes::<W, STORE>(cells, at, walk, lanes, values.cast(), neighbours::<W>) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<W: Word, const STORE: bool>(
    cells: Cells<'_>,
    at: i64,
    walk: &LaneOffsets,
    lanes: (usize, usize),
    values: *mut u8,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { move_lanes::<W, STORE>(cells, at, walk, lanes, values.cast(), neighbours_avx::<W>) };
    // The compiler does not add this after assembly. Without it, code that uses the lower halves of
    // vector registers would wait for the upper ones.
    _mm256_zeroupper();
}

/// Moves lane by lane, or rows of lanes at once; `neighbours` moves adjacent words.
#[inline(always)]
pub(super) unsafe fn move_lanes<W: Word, const STORE: bool>(
    cells: Cells<'_>,
    at: i64,
    walk: &LaneOffsets,
    (first, n): (usize, usize),
    values: *mut W,
    neighbours: unsafe fn(*mut u8, *const u8, usize),
) {
    let offsets = &walk.offsets()[first..first + n];
    let offset = |lane: usize| at.wrapping_add(offsets[lane]) as u64;
    match walk.arrangement() {
        Arrangement::Rows { lanes } => {
            let (mut lane, mut row) = (0, remaining_in_row(lanes, first).min(n));
            while lane < n {
                // SAFETY: guaranteed by the caller; the words of a row are adjacent.
                unsafe {
                    let memory = cells.byte_ptr(offset(lane));
                    let (to, from) = if STORE {
                        (memory.cast_mut(), values.add(lane).cast::<u8>().cast_const())
                    } else {
                        (values.add(lane).cast::<u8>(), memory)
                    };
                    neighbours(to, from, row);
                }
                lane += row;
                row = lanes.min(n - lane);
            }
        }
        Arrangement::Same { lanes } if !STORE => {
            let (mut lane, mut row) = (0, remaining_in_row(lanes, first).min(n));
            while lane < n {
                // SAFETY: guaranteed by the caller; a row has one word.
                unsafe {
                    let word = cells.load_covered::<W>(offset(lane));
                    fill_row(values.add(lane), word, row);
                }
                lane += row;
                row = lanes.min(n - lane);
            }
        }
        Arrangement::Same { .. } | Arrangement::Each => {
            for lane in 0..n {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    let value = values.add(lane);
                    if STORE {
                        cells.store_covered(offset(lane), value.read());
                    } else {
                        value.write(cells.load_covered(offset(lane)));
                    }
                }
            }
        }
    }
}

/// Returns the number of lanes of a row that remain from a lane on.
#[inline(always)]
fn remaining_in_row(lanes: usize, first: usize) -> usize {
    if first == 0 { lanes } else { lanes - first % lanes }
}

/// The number of lanes that are set together.
const CHUNK_LANES: usize = 8;

#[inline(always)]
unsafe fn fill_row<W: Word>(to: *mut W, word: W, n: usize) {
    let mut lane = 0;
    // SAFETY: guaranteed by the caller: `n` lanes.
    unsafe {
        while lane + CHUNK_LANES <= n {
            to.add(lane).cast::<[W; CHUNK_LANES]>().write([word; CHUNK_LANES]);
            lane += CHUNK_LANES;
        }
        while lane < n {
            to.add(lane).write(word);
            lane += 1;
        }
    }
}

/// Moves `n` words, each by one relaxed atomic access.
#[inline(always)]
pub(super) unsafe fn move_one_by_one<W: Word>(to: *mut u8, from: *const u8, n: usize) {
    let (to, from) = (to.cast::<W>(), from.cast::<W>());
    for i in 0..n {
        // SAFETY: guaranteed by the caller; the access to the lanes' side is exclusive.
        unsafe { W::store(to.add(i).cast(), W::load(from.add(i).cast(), false), false) };
    }
}

/// Loads `n` adjacent bytes.
///
/// # Safety
/// They are inside, and there is room for them.
#[inline(always)]
pub(super) unsafe fn load_neighbours(isa: Isa, to: *mut u8, from: *const u8, n: usize) {
    // SAFETY: guaranteed by the caller; the machine has the instruction set.
    unsafe {
        match isa {
            Isa::Baseline => neighbours::<u8>(to, from, n),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => load_neighbours_avx(to, from, n),
        }
    }
}

/// Loads `n` adjacent bytes, with AVX.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn load_neighbours_avx(to: *mut u8, from: *const u8, n: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { neighbours_avx::<u8>(to, from, n) };
    _mm256_zeroupper();
}

/// Moves `n` adjacent words.
#[inline(always)]
pub(super) unsafe fn neighbours<W: Word>(to: *mut u8, from: *const u8, n: usize) {
    // SAFETY: guaranteed by the caller; the remaining words are moved one by one.
    unsafe {
        let moved = move_vectors::<W>(to, from, n);
        move_one_by_one::<W>(to.add(moved), from.add(moved), n - moved / size_of::<W>());
    }
}

/// Moves as many of `n` words as fill vectors; returns their bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn move_vectors<W>(to: *mut u8, from: *const u8, n: usize) -> usize {
    let bytes = n * size_of::<W>() / 16 * 16;
    if bytes > 0 {
        // SAFETY: see the module documentation: for each word one relaxed load and one relaxed
        // store, both of which the caller of `neighbours` may make.
        unsafe {
            std::arch::asm!(
                "2:",
                "movups {v}, [{from} + {i}]",
                "movups [{to} + {i}], {v}",
                "add {i}, 16",
                "jne 2b",
                from = in(reg) from.add(bytes),
                to = in(reg) to.add(bytes),
                i = inout(reg) -(bytes as isize) => _,
                v = out(xmm_reg) _,
                options(nostack),
            );
        }
    }
    bytes
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn move_vectors<W>(_to: *mut u8, _from: *const u8, _n: usize) -> usize {
    0
}

/// Moves `n` adjacent words, with AVX.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn neighbours_avx<W: Word>(to: *mut u8, from: *const u8, n: usize) {
    let bytes = n * size_of::<W>();
    let (many, some) = (bytes / 128 * 128, bytes / 32 * 32);
    // SAFETY: see the module documentation; the words are those that the caller names.
    unsafe {
        if many > 0 {
            std::arch::asm!(
                "2:",
                "vmovups {a}, [{from} + {i}]",
                "vmovups {b}, [{from} + {i} + 32]",
                "vmovups {c}, [{from} + {i} + 64]",
                "vmovups {d}, [{from} + {i} + 96]",
                "vmovups [{to} + {i}], {a}",
                "vmovups [{to} + {i} + 32], {b}",
                "vmovups [{to} + {i} + 64], {c}",
                "vmovups [{to} + {i} + 96], {d}",
                "add {i}, 128",
                "jne 2b",
                from = in(reg) from.add(many),
                to = in(reg) to.add(many),
                i = inout(reg) -(many as isize) => _,
                a = out(ymm_reg) _,
                b = out(ymm_reg) _,
                c = out(ymm_reg) _,
                d = out(ymm_reg) _,
                options(nostack),
            );
        }
        if some - many == 64 {
            std::arch::asm!(
                "vmovups {a}, [{from}]",
                "vmovups {b}, [{from} + 32]",
                "vmovups [{to}], {a}",
                "vmovups [{to} + 32], {b}",
                from = in(reg) from.add(many),
                to = in(reg) to.add(many),
                a = out(ymm_reg) _,
                b = out(ymm_reg) _,
                options(nostack, preserves_flags),
            );
        } else if some > many {
            std::arch::asm!(
                "2:",
                "vmovups {a}, [{from} + {i}]",
                "vmovups [{to} + {i}], {a}",
                "add {i}, 32",
                "jne 2b",
                from = in(reg) from.add(some),
                to = in(reg) to.add(some),
                i = inout(reg) -((some - many) as isize) => _,
                a = out(ymm_reg) _,
                options(nostack),
            );
        }
        if bytes > some {
            let left = (bytes - some) / size_of::<W>();
            move_one_by_one::<W>(to.add(some), from.add(some), left);
        }
    }
}
