//! Loops over lanes that combine several lanes: masks, and transfers of lanes to and from memory.
//!
//! [`Transfer`] moves a run of active lanes. One pass over the indices shows if they are adjacent;
//! they are checked against the buffer once, and copied. If a transfer is refused, the caller moves
//! lane by lane to find the lane that is wrong.
#[cfg(any(assembly, all(test, target_arch = "x86_64", not(miri))))]
use super::asm::scan as asm;
use super::{Isa, copy, or_assembly};
use crate::vector::memory::{Cells, Word};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_mm256_zeroupper;
use std::fmt;

/// The addresses of the lanes of a run: lane i is at `(index[i] - base) * stride`.
#[derive(Clone, Copy)]
pub(crate) struct ElementAddresses<'a> {
    pub(crate) cells: Cells<'a>,
    pub(crate) base: u64,
    pub(crate) stride: u64,
    /// Of the transfer's index type.
    pub(crate) index: *const u8,
}

type TransferFn = unsafe fn(ElementAddresses<'_>, *mut u8, usize) -> bool;

/// The load and the store of runs of values of one size, by indices of one size.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    load: TransferFn,
    store: TransferFn,
}

impl Transfer {
    /// Returns the functions for values of `value` bytes and indices of `index` bytes, 4 or 8.
    pub(crate) fn pick(value: usize, index: usize, isa: Isa) -> Self {
        match (value, index) {
            (1, 4) => for_words::<u8, u32>(isa),
            (2, 4) => for_words::<u16, u32>(isa),
            (4, 4) => for_words::<u32, u32>(isa),
            (_, 4) => for_words::<u64, u32>(isa),
            (1, _) => for_words::<u8, u64>(isa),
            (2, _) => for_words::<u16, u64>(isa),
            (4, _) => for_words::<u32, u64>(isa),
            (_, _) => for_words::<u64, u64>(isa),
        }
    }

    /// Loads `n` lanes; does nothing and returns false if one of them is outside.
    ///
    /// # Safety
    /// There are `n` indices at `places.index` and room for `n` values at `lanes`.
    #[inline(always)]
    pub(crate) unsafe fn load(
        self,
        places: ElementAddresses<'_>,
        lanes: *mut u8,
        n: usize,
    ) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.load)(places, lanes, n) }
    }

    /// Stores `n` lanes in order; does nothing and returns false if one of them is outside.
    ///
    /// # Safety
    /// There are `n` indices at `places.index` and `n` values at `lanes`.
    #[inline(always)]
    pub(crate) unsafe fn store(
        self,
        places: ElementAddresses<'_>,
        lanes: *mut u8,
        n: usize,
    ) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.store)(places, lanes, n) }
    }
}

impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transfer")
    }
}

fn for_words<W: Word, I: Word>(isa: Isa) -> Transfer {
    or_assembly!(
        isa,
        Some(Transfer { load: in_assembly::<W, I, false>, store: in_assembly::<W, I, true> })
    );
    match isa {
        Isa::Baseline => Transfer { load: baseline::<W, I, false>, store: baseline::<W, I, true> },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => Transfer { load: avx2::<W, I, false>, store: avx2::<W, I, true> },
    }
}

unsafe fn baseline<W: Word, I: Word, const STORE: bool>(
    places: ElementAddresses<'_>,
    lanes: *mut u8,
    n: usize,
) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { transfer::<W, I, STORE>(places, lanes, n, copy::neighbours::<W>) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<W: Word, I: Word, const STORE: bool>(
    places: ElementAddresses<'_>,
    lanes: *mut u8,
    n: usize,
) -> bool {
    // SAFETY: guaranteed by the caller.
    let is_done = unsafe { transfer::<W, I, STORE>(places, lanes, n, copy::neighbours_avx::<W>) };
    // For the reason that `copy` gives where it copies rows.
    _mm256_zeroupper();
    is_done
}

/// Transfers lanes as `transfer` does, with few calls.
///
/// # Safety
/// There are `n` indices, and room for `n` values, on a machine with AVX2.
#[cfg(any(assembly, all(test, target_arch = "x86_64", not(miri))))]
pub(super) unsafe fn in_assembly<W: Word, I: Word, const STORE: bool>(
    places: ElementAddresses<'_>,
    lanes: *mut u8,
    n: usize,
) -> bool {
    let ElementAddresses { cells, base, stride, index } = places;
    let size = size_of::<W>() as u64;
    if stride == 0 || n == 0 || !cells.covers::<W>(0, 1) {
        return n == 0;
    }
    let room = cells.len() - size;
    let limit = if stride == size { room / size } else { room / stride };
    // SAFETY: there are `n` indices.
    let even = size.is_multiple_of(stride)
        && unsafe {
            if size_of::<I>() == 4 {
                asm::evenly_4(index, n, size / stride)
            } else {
                asm::evenly_8(index, n, size / stride)
            }
        };
    let places = asm::Scattered { first: cells.first(), index, base, stride };
    if even {
        // SAFETY: there are `n` indices.
        let (first, last) = unsafe { (places.at::<I>(0), places.at::<I>(n - 1)) };
        if first > last || last > limit || !(first * stride).is_multiple_of(size) {
            return false;
        }
        let memory = places.first.wrapping_add((first * stride) as usize);
        // SAFETY: the first and the last are inside, hence all; there are `n` values.
        unsafe {
            if STORE {
                asm::copy(memory.cast_mut(), lanes, size_of::<W>(), n);
            } else {
                asm::copy(lanes, memory, size_of::<W>(), n);
            }
        }
        return true;
    }
    let odd = if stride.is_multiple_of(size) { 0 } else { size - 1 };
    // SAFETY: there are `n` indices, and `n` values; where values are moved, no index is above the
    // limit, and all are aligned.
    unsafe {
        let inside = if size_of::<I>() == 4 {
            asm::inside_4(&places, n, limit, odd)
        } else {
            asm::inside_8(&places, n, limit, odd)
        };
        if inside {
            asm::exchange::<STORE>(size_of::<W>(), size_of::<I>())(&places, lanes, n);
        }
        inside
    }
}

/// Moves lanes; adjacent ones are moved by `neighbours`.
#[inline(always)]
pub(super) unsafe fn transfer<W: Word, I: Word, const STORE: bool>(
    places: ElementAddresses<'_>,
    lanes: *mut u8,
    n: usize,
    neighbours: unsafe fn(*mut u8, *const u8, usize),
) -> bool {
    let ElementAddresses { cells, base, stride, index } = places;
    let (index, lanes) = (index.cast::<I>(), lanes.cast::<W>());
    let size = size_of::<W>() as u64;
    if !cells.covers::<W>(0, 1) || stride == 0 || n == 0 {
        return n == 0;
    }
    let room = cells.len() - size;
    // The largest multiple of the stride that is inside.
    let limit = if stride == size { room / size } else { room / stride };
    // SAFETY: there are `n` indices.
    let (first, last) = unsafe {
        (index.read().bits().wrapping_sub(base), index.add(n - 1).read().bits().wrapping_sub(base))
    };
    // SAFETY: there are `n` indices.
    if size.is_multiple_of(stride) && unsafe { is_arithmetic::<I>(index, n, size / stride) } {
        let inside = first <= last && last <= limit;
        if !inside || !(first * stride).is_multiple_of(size) {
            return false;
        }
        // SAFETY: the first and the last are inside, hence all; there are `n` values.
        unsafe {
            let memory = cells.byte_ptr(first * stride);
            if STORE {
                neighbours(memory.cast_mut(), lanes.cast(), n);
            } else {
                neighbours(lanes.cast(), memory, n);
            }
        }
        return true;
    }
    let aligned = stride.is_multiple_of(size);
    // SAFETY: there are `n` indices.
    if !unsafe {
        all_inside::<I>(index, n, base, limit, if aligned { 0 } else { size - 1 }, stride)
    } {
        return false;
    }
    for lane in 0..n {
        // SAFETY: no index is above the limit, and all are aligned; there are `n` values.
        unsafe {
            let offset = index.add(lane).read().bits().wrapping_sub(base) * stride;
            exchange::<W, STORE>(cells, offset, lanes.add(lane));
        }
    }
    true
}

#[inline(always)]
unsafe fn exchange<W: Word, const STORE: bool>(cells: Cells<'_>, offset: u64, lane: *mut W) {
    // SAFETY: guaranteed by the caller: the offset is covered, and the lane there.
    unsafe {
        if STORE {
            cells.store_covered(offset, lane.read());
        } else {
            lane.write(cells.load_covered(offset));
        }
    }
}

/// The number of indices that are processed together.
const CHUNK_INDICES: usize = 16;

/// Returns true if each index is `step` above the one before, wrapping.
#[inline(always)]
unsafe fn is_arithmetic<I: Word>(index: *const I, n: usize, step: u64) -> bool {
    // SAFETY: guaranteed by the caller: `n` indices.
    let first = unsafe { index.read() }.bits();
    let mut lane = 0;
    while lane + CHUNK_INDICES <= n {
        // SAFETY: guaranteed by the caller: `n` indices.
        let chunk = unsafe { index.add(lane).cast::<[I; CHUNK_INDICES]>().read() };
        let mut same = true;
        for (i, one) in chunk.into_iter().enumerate() {
            same &= one == I::of_bits(first.wrapping_add((lane + i) as u64 * step));
        }
        if !same {
            return false;
        }
        lane += CHUNK_INDICES;
    }
    while lane < n {
        // SAFETY: guaranteed by the caller: `n` indices.
        let one = unsafe { index.add(lane).read() };
        if one != I::of_bits(first.wrapping_add(lane as u64 * step)) {
            return false;
        }
        lane += 1;
    }
    true
}

/// Returns true if no index minus `base` is above `limit`, and no index times `stride` has one of
/// the bits `odd`.
#[inline(always)]
unsafe fn all_inside<I: Word>(
    index: *const I,
    n: usize,
    base: u64,
    limit: u64,
    odd: u64,
    stride: u64,
) -> bool {
    let mut well = true;
    for lane in 0..n {
        // SAFETY: guaranteed by the caller: `n` indices.
        let index = unsafe { index.add(lane).read() }.bits().wrapping_sub(base);
        well &= (index <= limit) & (index.wrapping_mul(stride) & odd == 0);
    }
    well
}

/// A test of the indices of a run against a limit.
#[derive(Clone, Copy)]
pub(crate) struct AllBelow(unsafe fn(*const u8, usize, u64) -> bool);

impl AllBelow {
    /// Returns the test for indices of `size` bytes.
    pub(crate) fn pick(size: usize, isa: Isa) -> Self {
        match size {
            1 => all_below::<u8>(isa),
            2 => all_below::<u16>(isa),
            4 => all_below::<u32>(isa),
            _ => all_below::<u64>(isa),
        }
    }

    /// Returns true if each of `n` indices is below `limit`.
    ///
    /// # Safety
    /// There are `n` indices, of the size of the test.
    #[inline(always)]
    pub(crate) unsafe fn holds(self, index: *const u8, n: usize, limit: u64) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.0)(index, n, limit) }
    }
}

impl fmt::Debug for AllBelow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AllBelow")
    }
}

fn all_below<I: Word>(isa: Isa) -> AllBelow {
    or_assembly!(isa, Some(AllBelow(below_in_assembly::<I>)));
    match isa {
        Isa::Baseline => AllBelow(below_baseline::<I>),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => AllBelow(below_avx2::<I>),
    }
}

/// Tests indices in assembly.
///
/// # Safety
/// There are `n` indices, on a machine with AVX2.
#[cfg(any(assembly, all(test, target_arch = "x86_64", not(miri))))]
pub(super) unsafe fn below_in_assembly<I: Word>(index: *const u8, n: usize, limit: u64) -> bool {
    if limit == 0 {
        return n == 0;
    }
    // A limit beyond the type is reached by no index.
    let greatest = (limit - 1).min(u64::MAX >> (64 - 8 * size_of::<I>()));
    // SAFETY: guaranteed by the caller.
    unsafe { asm::none_above(size_of::<I>())(index, n, greatest) }
}

unsafe fn below_baseline<I: Word>(index: *const u8, n: usize, limit: u64) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { below::<I>(index.cast(), n, limit) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn below_avx2<I: Word>(index: *const u8, n: usize, limit: u64) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { below::<I>(index.cast(), n, limit) }
}

#[inline(always)]
unsafe fn below<I: Word>(index: *const I, n: usize, limit: u64) -> bool {
    // A limit beyond the type is reached by no index.
    let Some(greatest) = limit.checked_sub(1) else { return n == 0 };
    let greatest = I::of_bits(greatest.min(I::of_bits(u64::MAX).bits()));
    let mut lane = 0;
    while lane + CHUNK_INDICES <= n {
        // SAFETY: guaranteed by the caller: `n` indices.
        let chunk = unsafe { index.add(lane).cast::<[I; CHUNK_INDICES]>().read() };
        let mut well = true;
        for one in chunk {
            well &= one <= greatest;
        }
        if !well {
            return false;
        }
        lane += CHUNK_INDICES;
    }
    while lane < n {
        // SAFETY: guaranteed by the caller: `n` indices.
        if unsafe { index.add(lane).read() } > greatest {
            return false;
        }
        lane += 1;
    }
    true
}

/// Returns 32 lanes of `bool` as bits.
///
/// # Safety
/// There are 32.
#[inline(always)]
pub(crate) unsafe fn bool_word(lanes: *const u8) -> u32 {
    #[cfg(assembly)]
    // SAFETY: guaranteed by the caller.
    return unsafe { asm::bool_word(lanes) };
    #[cfg(all(not(assembly), target_arch = "x86_64"))]
    // SAFETY: guaranteed by the caller; SSE2 is part of x86-64.
    unsafe {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8, _mm_slli_epi16};
        let low = _mm_slli_epi16::<7>(_mm_loadu_si128(lanes.cast()));
        let high = _mm_slli_epi16::<7>(_mm_loadu_si128(lanes.add(16).cast()));
        _mm_movemask_epi8(low) as u32 | (_mm_movemask_epi8(high) as u32) << 16
    }
    #[cfg(all(not(assembly), not(target_arch = "x86_64")))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        bool_word_in_rust(lanes)
    }
}

/// Returns 32 lanes of `bool` as bits, without assembly.
///
/// # Safety
/// There are 32.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
pub(super) unsafe fn bool_word_in_rust(lanes: *const u8) -> u32 {
    let mut word = 0;
    for byte in 0..4 {
        // SAFETY: guaranteed by the caller.
        let eight = unsafe { lanes.add(byte * 8).cast::<[u8; 8]>().read() };
        // Gathers the low bits of eight bytes in the top byte, without carries.
        let bits = (u64::from_le_bytes(eight) & 0x0101_0101_0101_0101)
            .wrapping_mul(0x0102_0408_1020_4080)
            >> 56;
        word |= (bits as u32) << (byte * 8);
    }
    word
}

/// Copies the lanes in `mask` of 32 lanes of `size` bytes.
///
/// # Safety
/// There are 32 at both places.
#[inline(always)]
pub(crate) unsafe fn masked_copy(to: *mut u8, from: *const u8, size: usize, mask: u32) {
    #[cfg(assembly)]
    // SAFETY: guaranteed by the caller.
    return unsafe { asm::masked_copy(to, from, size, mask) };
    #[cfg(not(assembly))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        masked_copy_in_rust(to, from, size, mask);
    }
}

/// Copies masked lanes without assembly.
///
/// # Safety
/// There are 32 at both places.
#[cfg(any(test, not(assembly)))]
#[inline(always)]
pub(super) unsafe fn masked_copy_in_rust(to: *mut u8, from: *const u8, size: usize, mask: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => blend::<u8>(to.cast(), from.cast(), mask),
            2 => blend::<u16>(to.cast(), from.cast(), mask),
            4 => blend::<u32>(to.cast(), from.cast(), mask),
            _ => blend::<u64>(to.cast(), from.cast(), mask),
        }
    }
}

#[cfg(any(test, not(assembly)))]
#[inline(always)]
unsafe fn blend<W: Word>(to: *mut W, from: *const W, mask: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let (old, new) = (to.cast::<[W; 32]>().read(), from.cast::<[W; 32]>().read());
        let mut out = old;
        for lane in 0..32 {
            out[lane] = if mask & (1 << lane) != 0 { new[lane] } else { old[lane] };
        }
        to.cast::<[W; 32]>().write(out);
    }
}

/// Sets `n` lanes of `size` bytes to the sums of `own` and `base`, wrapping.
///
/// # Safety
/// There are that many at both places.
pub(crate) unsafe fn spread(to: *mut u8, own: *const u8, size: usize, n: usize, base: u64) {
    #[cfg(assembly)]
    // SAFETY: guaranteed by the caller.
    return unsafe { asm::spread(to, own, size, n, base) };
    #[cfg(not(assembly))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        spread_in_rust(to, own, size, n, base);
    }
}

/// Adds a base without assembly.
///
/// # Safety
/// There are that many at both places.
#[cfg(any(test, not(assembly)))]
pub(super) unsafe fn spread_in_rust(to: *mut u8, own: *const u8, size: usize, n: usize, base: u64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => add::<u8>(to.cast(), own.cast(), n, base),
            2 => add::<u16>(to.cast(), own.cast(), n, base),
            4 => add::<u32>(to.cast(), own.cast(), n, base),
            _ => add::<u64>(to.cast(), own.cast(), n, base),
        }
    }
}

#[cfg(any(test, not(assembly)))]
#[inline(always)]
unsafe fn add<W: Word>(to: *mut W, own: *const W, n: usize, base: u64) {
    for lane in 0..n {
        // SAFETY: guaranteed by the caller.
        unsafe { to.add(lane).write(W::of_bits(own.add(lane).read().bits().wrapping_add(base))) };
    }
}

/// Sets `n` lanes of `size` bytes to `bits`.
///
/// # Safety
/// There are that many.
#[inline(always)]
pub(crate) unsafe fn splat(to: *mut u8, size: usize, n: usize, bits: u64) {
    #[cfg(assembly)]
    // SAFETY: guaranteed by the caller.
    return unsafe { asm::splat(to, size, n, bits) };
    #[cfg(not(assembly))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        splat_in_rust(to, size, n, bits);
    }
}

/// Sets lanes without assembly.
///
/// # Safety
/// There are that many.
#[cfg(any(test, not(assembly)))]
#[inline(always)]
pub(super) unsafe fn splat_in_rust(to: *mut u8, size: usize, n: usize, bits: u64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => repeat::<u8>(to.cast(), n, bits),
            2 => repeat::<u16>(to.cast(), n, bits),
            4 => repeat::<u32>(to.cast(), n, bits),
            _ => repeat::<u64>(to.cast(), n, bits),
        }
    }
}

#[cfg(any(test, not(assembly)))]
#[inline(always)]
unsafe fn repeat<W: Word>(to: *mut W, n: usize, bits: u64) {
    for lane in 0..n {
        // SAFETY: guaranteed by the caller.
        unsafe { to.add(lane).write(W::of_bits(bits)) };
    }
}

/// Sets each lane of `size` bytes to its value plus `more`.
///
/// # Safety
/// There are as many as values.
#[inline(always)]
pub(crate) unsafe fn fill(to: *mut u8, size: usize, values: &[u32], more: u64) {
    #[cfg(assembly)]
    // SAFETY: guaranteed by the caller.
    return unsafe { asm::fill(to, size, values, more) };
    #[cfg(not(assembly))]
    // SAFETY: guaranteed by the caller.
    unsafe {
        fill_in_rust(to, size, values, more);
    }
}

/// Sets lanes to values without assembly.
///
/// # Safety
/// There are as many as values.
#[cfg(any(test, not(assembly)))]
#[inline(always)]
pub(super) unsafe fn fill_in_rust(to: *mut u8, size: usize, values: &[u32], more: u64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match size {
            1 => fill_words::<u8>(to.cast(), values, more),
            2 => fill_words::<u16>(to.cast(), values, more),
            4 => fill_words::<u32>(to.cast(), values, more),
            _ => fill_words::<u64>(to.cast(), values, more),
        }
    }
}

#[cfg(any(test, not(assembly)))]
#[inline(always)]
unsafe fn fill_words<W: Word>(to: *mut W, values: &[u32], more: u64) {
    for (lane, value) in values.iter().enumerate() {
        // SAFETY: guaranteed by the caller.
        unsafe { to.add(lane).write(W::of_bits(u64::from(*value).wrapping_add(more))) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bools_become_bits() {
        for seed in 0..200_u32 {
            let mask = seed.wrapping_mul(0x9e37_79b9).rotate_left(seed % 32) ^ (seed << 20);
            let lanes: [u8; 32] = std::array::from_fn(|lane| (mask >> lane & 1) as u8);
            // SAFETY: 32 lanes.
            let both = unsafe { (bool_word(lanes.as_ptr()), bool_word_in_rust(lanes.as_ptr())) };
            assert_eq!(both, (mask, mask));
        }
    }
}
