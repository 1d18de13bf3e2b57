//! Fused multiply-adds whose factors come from memory: what is loaded never goes through a register
//! of the interpreter.
//!
//! Inner loops of matrix products are little else. Both factors are loaded as their walks say: a
//! row of neighbouring words, or one word for a row of lanes. How memory is accessed is told at
//! [`copy`](mod@super::copy).
use super::walk::{Form, Walk};
use crate::memory::Cells;

/// Where the lanes of a factor come from.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a> {
    pub(crate) cells: Cells<'a>,
    /// The byte that the walk starts from.
    pub(crate) at: i64,
    pub(crate) walk: &'a Walk,
}

/// Lanes that a vector has.
const VECTOR: usize = 8;

impl Factor<'_> {
    /// How many lanes are a row, and whether all of one have the same word.
    fn row(&self) -> Option<(usize, bool)> {
        match self.walk.form() {
            Form::Rows { lanes } => Some((lanes, false)),
            Form::Same { lanes } => Some((lanes, true)),
            Form::Each => None,
        }
    }

    /// Where a lane's word is.
    ///
    /// # Safety
    /// It is inside.
    #[inline(always)]
    unsafe fn word(&self, lane: usize) -> *const u8 {
        let offset = self.at.wrapping_add(self.walk.offsets()[lane]);
        // SAFETY: the caller's.
        unsafe { self.cells.at(offset as u64) }
    }
}

/// `d = a * b + c` of `f32`, for lanes `first..first + n` of the walks; false, and nothing is done,
/// if a word is outside, or the walks do not go together.
///
/// # Safety
/// The machine has AVX2 and FMA. There are `n` lanes of `f32` at `c` and `d`, which are the same or
/// do not overlap, and none of them are in the memory.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn fma(
    d: *mut u8,
    [a, b]: [Factor<'_>; 2],
    c: *const u8,
    lanes: (usize, usize),
) -> bool {
    let (Some((of_a, a_is_one)), Some((of_b, b_is_one))) = (a.row(), b.row()) else {
        return false;
    };
    let row = of_a.min(of_b);
    let whole = |count: usize| count.is_multiple_of(row);
    let fits = row.is_multiple_of(VECTOR) && [of_a, of_b, lanes.0, lanes.1].into_iter().all(whole);
    let inside = |factor: Factor<'_>| factor.walk.is_inside(factor.cells, factor.at, lanes);
    if !fits || !inside(a) || !inside(b) {
        return false;
    }
    let (c, d) = (c.cast::<f32>(), d.cast::<f32>());
    // SAFETY: all words are inside, and the caller's.
    unsafe {
        match (a_is_one, b_is_one) {
            (false, false) => rows::<false, false>(d, [a, b], c, lanes, row),
            (false, true) => rows::<false, true>(d, [a, b], c, lanes, row),
            (true, false) => rows::<true, false>(d, [a, b], c, lanes, row),
            (true, true) => rows::<true, true>(d, [a, b], c, lanes, row),
        }
    }
    true
}

/// Elsewhere nothing is done.
///
/// # Safety
/// None.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn fma(
    _d: *mut u8,
    _factors: [Factor<'_>; 2],
    _c: *const u8,
    _lanes: (usize, usize),
) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn rows<const A_IS_ONE: bool, const B_IS_ONE: bool>(
    d: *mut f32,
    [a, b]: [Factor<'_>; 2],
    c: *const f32,
    (first, n): (usize, usize),
    row: usize,
) {
    use std::arch::x86_64::{_mm256_fmadd_ps, _mm256_loadu_ps, _mm256_storeu_ps};
    let mut lane = 0;
    while lane < n {
        // SAFETY: the caller's.
        unsafe {
            let (from_a, from_b) = (a.word(first + lane), b.word(first + lane));
            let (one_a, one_b) = (one::<A_IS_ONE>(from_a), one::<B_IS_ONE>(from_b));
            let mut i = 0;
            while i < row {
                let x = if A_IS_ONE { one_a } else { vector(from_a.add(i * 4)) };
                let y = if B_IS_ONE { one_b } else { vector(from_b.add(i * 4)) };
                let sum = _mm256_fmadd_ps(x, y, _mm256_loadu_ps(c.add(lane + i)));
                _mm256_storeu_ps(d.add(lane + i), sum);
                i += VECTOR;
            }
        }
        lane += row;
    }
}

/// One word for all lanes, if that is what is wanted.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn one<const WANTED: bool>(from: *const u8) -> std::arch::x86_64::__m256 {
    use crate::memory::Word;
    // SAFETY: the caller's: the word is inside.
    let bits = if WANTED { unsafe { u32::load(from, false) } } else { 0 };
    std::arch::x86_64::_mm256_set1_ps(f32::from_bits(bits))
}

/// Neighbouring words: for each, one relaxed atomic load.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn vector(from: *const u8) -> std::arch::x86_64::__m256 {
    let lanes;
    // SAFETY: the words are inside.
    unsafe {
        std::arch::asm!(
            "vmovups {lanes}, [{from}]",
            lanes = out(ymm_reg) lanes,
            from = in(reg) from,
            options(nostack, preserves_flags, readonly),
        );
    }
    lanes
}
