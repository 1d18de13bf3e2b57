//! Atomic sums of neighbouring lanes with elements of one buffer, one lane after the other.
use super::scan::ElementAddresses;
use crate::vector::memory::Word;

/// The source of the summands.
#[derive(Clone, Copy)]
pub(crate) enum Summand {
    /// One value for all lanes.
    Uniform(u64),
    /// The address of one value for each lane.
    Lanes(*const u8),
}

/// Adds each lane's summand to its element, and sets the lane to the old value. Returns the number
/// of lanes that are done; if lanes remain, the element of the next one is outside.
///
/// # Safety
/// There are `n` indices of `size` bytes, 4 or 8, at `places.index`, and as many words at the
/// summands and at the destination of the old values.
pub(crate) unsafe fn add_in_order<W: Word>(
    places: ElementAddresses<'_>,
    size: usize,
    summand: Summand,
    to: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (size, summand) {
            (4, Summand::Uniform(bits)) => {
                add_in_order_as::<W, u32>(places, |_| W::of_bits(bits), to.cast(), n)
            }
            (_, Summand::Uniform(bits)) => {
                add_in_order_as::<W, u64>(places, |_| W::of_bits(bits), to.cast(), n)
            }
            (4, Summand::Lanes(lanes)) => add_in_order_as::<W, u32>(
                places,
                |lane| lanes.cast::<W>().add(lane).read(),
                to.cast(),
                n,
            ),
            (_, Summand::Lanes(lanes)) => add_in_order_as::<W, u64>(
                places,
                |lane| lanes.cast::<W>().add(lane).read(),
                to.cast(),
                n,
            ),
        }
    }
}

/// Adds a number to the element of each index, which is a word of `I`; none is outside. The indices
/// are in registers or, with `IN_MEMORY`, in memory that others may access at the same time.
///
/// # Safety
/// There are `n` indices, aligned if they are in memory, and the element of the maximum value of
/// `I` is covered.
pub(crate) unsafe fn add_unchecked<W: Word, I: Word, const IN_MEMORY: bool>(
    places: ElementAddresses<'_>,
    by: W,
    n: usize,
) {
    let is_dense = places.base == 0 && places.stride == size_of::<W>() as u64;
    // One loop for each combination, so that the loop itself does not branch on the kind of
    // addition and
    // element.
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (places.cells.is_exclusive(), is_dense) {
            (true, true) => add_unchecked_as::<W, I, IN_MEMORY, true, true>(places, by, n),
            (true, false) => add_unchecked_as::<W, I, IN_MEMORY, true, false>(places, by, n),
            (false, _) => add_unchecked_as::<W, I, IN_MEMORY, false, false>(places, by, n),
        }
    }
}

/// The number of indices that are read together.
const CHUNK_INDICES: usize = 8;

/// Loads a chunk of words from memory that others may access at the same time; each load is atomic
/// by itself.
///
/// # Safety
/// They exist, and are aligned.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
unsafe fn load_chunk<I: Word>(from: *const I) -> [I; CHUNK_INDICES] {
    let mut words = [I::of_bits(0); CHUNK_INDICES];
    for at in (0..size_of_val(&words)).step_by(8) {
        let word: u64;
        // SAFETY: guaranteed by the caller; see `copy` for the reason why the instruction is
        // equivalent to a relaxed load of each word.
        unsafe {
            std::arch::asm!(
                "mov {word}, qword ptr [{from}]",
                word = lateout(reg) word,
                from = in(reg) from.cast::<u8>().add(at),
                options(nostack, preserves_flags, readonly)
            );
            words.as_mut_ptr().cast::<u8>().add(at).cast::<u64>().write_unaligned(word);
        }
    }
    words
}

/// Loads a chunk of words from memory that others may access at the same time, one by one.
///
/// # Safety
/// They exist, and are aligned.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline(always)]
unsafe fn load_chunk<I: Word>(from: *const I) -> [I; CHUNK_INDICES] {
    // SAFETY: guaranteed by the caller.
    std::array::from_fn(|lane| unsafe { I::load(from.add(lane).cast(), false) })
}

/// Adds in one of the loops.
///
/// # Safety
/// As for [`add_unchecked`], with cells that are `MINE`, and elements that are `DENSE` words from
/// the first one on.
#[inline(always)]
unsafe fn add_unchecked_as<
    W: Word,
    I: Word,
    const IN_MEMORY: bool,
    const MINE: bool,
    const DENSE: bool,
>(
    places: ElementAddresses<'_>,
    by: W,
    n: usize,
) {
    let ElementAddresses { cells, base, stride, index } = places;
    let index = index.cast::<I>();
    let add = |index: I| {
        let at = if DENSE {
            index.bits() * size_of::<W>() as u64
        } else {
            index.bits().wrapping_sub(base) * stride
        };
        // SAFETY: guaranteed by the caller.
        unsafe {
            if MINE {
                let old: W = cells.load_covered(at);
                cells.store_covered(at, W::of_bits(old.bits().wrapping_add(by.bits())));
            } else {
                cells.add_covered(at, by);
            }
        }
    };
    let chunks = n / CHUNK_INDICES;
    for first in (0..chunks * CHUNK_INDICES).step_by(CHUNK_INDICES) {
        // SAFETY: guaranteed by the caller: there are that many indices.
        let indices: [I; CHUNK_INDICES] = unsafe {
            let from = index.add(first);
            if IN_MEMORY { load_chunk(from) } else { from.cast::<[I; CHUNK_INDICES]>().read() }
        };
        for index in indices {
            add(index);
        }
    }
    for lane in chunks * CHUNK_INDICES..n {
        // SAFETY: as above.
        add(unsafe {
            let from = index.add(lane);
            if IN_MEMORY { I::load(from.cast(), false) } else { from.read() }
        });
    }
}

/// Adds with indices of type `I`.
///
/// # Safety
/// As for [`add_in_order`], with indices of type `I`.
#[inline(always)]
unsafe fn add_in_order_as<W: Word, I: Word>(
    places: ElementAddresses<'_>,
    summand: impl Fn(usize) -> W,
    to: *mut W,
    n: usize,
) -> usize {
    let ElementAddresses { cells, base, stride, index } = places;
    let size = size_of::<W>() as u64;
    if !cells.covers::<W>(0, 1) || stride == 0 || !stride.is_multiple_of(size) {
        return 0;
    }
    // The largest multiple of the stride that is inside.
    let limit = (cells.len() - size) / stride;
    for lane in 0..n {
        // SAFETY: guaranteed by the caller: there are `n` of all; an index up to the limit is
        // covered.
        unsafe {
            let index = index.cast::<I>().add(lane).read().bits().wrapping_sub(base);
            if index > limit {
                return lane;
            }
            let old = cells.add_covered(index * stride, summand(lane));
            to.add(lane).write(old);
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::memory::{AccessMode, Memory};

    fn added<W: Word, I: Word>(
        memory: &Memory,
        is_exclusive: bool,
        (base, stride): (u64, u64),
        indices: &[u64],
        summands: &[u64],
    ) -> (usize, Vec<u64>) {
        let to_use = AccessMode::Words(size_of::<W>() as u32);
        let loan = memory.lend(to_use);
        let cells = if is_exclusive {
            memory.cells(to_use)
        } else {
            loan.cells((0, memory.len() as u64), to_use)
        };
        let index: Vec<I> = indices.iter().map(|index| I::of_bits(*index)).collect();
        let values: Vec<W> = summands.iter().map(|value| W::of_bits(*value)).collect();
        let summand = match summands {
            [one] => Summand::Uniform(*one),
            _ => Summand::Lanes(values.as_ptr().cast()),
        };
        let mut old = vec![W::of_bits(77); index.len()];
        let places = ElementAddresses { cells, base, stride, index: index.as_ptr().cast() };
        let to = old.as_mut_ptr().cast();
        // SAFETY: as many lanes of each.
        let done = unsafe { add_in_order::<W>(places, size_of::<I>(), summand, to, index.len()) };
        (done, old.into_iter().map(W::bits).collect())
    }

    fn words(memory: &Memory) -> Vec<u32> {
        let mut bytes = vec![0; memory.len()];
        memory.read_into(0, &mut bytes);
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    #[test]
    fn lanes_see_what_those_before_them_have_added() {
        for is_exclusive in [false, true] {
            let memory = Memory::zeroed(16);
            let indices = [2, 0, 2, 2, 3];
            let one = added::<u32, u64>(&memory, is_exclusive, (0, 4), &indices, &[1]);
            assert_eq!(one, (5, vec![0, 0, 1, 2, 0]));
            assert_eq!(words(&memory), [1, 0, 3, 1]);
            let own = [5, 6, u64::from(u32::MAX), 7, 8];
            let each = added::<u32, u32>(&memory, is_exclusive, (0, 4), &indices, &own);
            assert_eq!(each, (5, vec![3, 1, 8, 7, 1]));
            assert_eq!(words(&memory), [7, 0, 14, 9]);
        }
    }

    #[test]
    fn the_first_lane_outside_is_returned_after_adding_for_those_before_it() {
        let memory = Memory::zeroed(12);
        let wrong = added::<u32, u64>(&memory, true, (0, 4), &[1, 2, 3, 0], &[1]);
        assert_eq!(wrong, (2, vec![0, 0, 77, 77]));
        assert_eq!(words(&memory), [0, 1, 1]);
        let wraps = added::<u32, u64>(&memory, true, (0, 4), &[u64::MAX, 1 << 62], &[1]);
        assert_eq!(wraps.0, 0);
        assert_eq!(added::<u32, u64>(&Memory::zeroed(0), true, (0, 4), &[0], &[1]).0, 0);
        assert_eq!(added::<u32, u64>(&memory, true, (0, 4), &[], &[1]).0, 0);
    }

    fn added_inside<I: Word, const IN_MEMORY: bool>(
        is_exclusive: bool,
        stride: u64,
        n: u64,
    ) -> Vec<u32> {
        let memory = Memory::zeroed(256 * stride as usize);
        let loan = memory.lend(AccessMode::Words(4));
        let cells = if is_exclusive {
            memory.cells(AccessMode::Words(4))
        } else {
            loan.cells((0, 256 * stride), AccessMode::Words(4))
        };
        // Each index occurs several times.
        let index: Vec<I> = (0..n).map(|lane| I::of_bits(lane * lane % 7)).collect();
        let places = ElementAddresses { cells, base: 0, stride, index: index.as_ptr().cast() };
        // SAFETY: there are as many indices, and elements up to the greatest of them.
        unsafe { add_unchecked::<u32, I, IN_MEMORY>(places, 3, index.len()) };
        drop(loan);
        words(&memory)
    }

    #[test]
    fn indices_in_memory_add_as_those_in_registers() {
        for (is_exclusive, stride, n) in [(true, 4, 37), (true, 8, 16), (false, 4, 5)] {
            let mut expected = vec![0; 64 * stride as usize];
            for lane in 0..n {
                expected[(lane * lane % 7 * stride / 4) as usize] += 3;
            }
            assert_eq!(added_inside::<u8, false>(is_exclusive, stride, n), expected);
            assert_eq!(added_inside::<u8, true>(is_exclusive, stride, n), expected);
            assert_eq!(added_inside::<u16, true>(is_exclusive, stride, n), expected);
        }
    }

    #[test]
    fn addresses_count_bytes_from_a_base() {
        let memory = Memory::zeroed(16);
        let structs = added::<u32, u64>(&memory, true, (0, 8), &[1, 0, 2], &[9]);
        assert_eq!(structs.0, 2, "the third begins behind the end");
        assert_eq!(words(&memory), [9, 0, 9, 0]);
        let based =
            added::<u64, u64>(&Memory::zeroed(16), false, (1 << 48, 8), &[(1 << 48) + 1], &[3]);
        assert_eq!(based, (1, vec![0]));
        let odd = added::<u32, u64>(&memory, true, (0, 6), &[0], &[9]);
        assert_eq!(odd.0, 0, "words that are not at multiples of their size are left to others");
    }
}
