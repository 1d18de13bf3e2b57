//! Atomic sums of neighbouring lanes with elements of one buffer, one lane after the other.
use super::scan::Places;
use crate::memory::Word;

/// What is added.
#[derive(Clone, Copy)]
pub(crate) enum Summand {
    /// The same in all lanes.
    One(u64),
    /// What stands there, each lane's own.
    Lanes(*const u8),
}

/// Adds each lane's summand to its element, and sets the lane to what was there; yields how many lanes
/// have: the element of the next one is outside, if there is a next one.
///
/// # Safety
/// There are `n` indices of `size` bytes, 4 or 8, at `places.index`, and as many words where the summands are and where
/// the old values go.
pub(crate) unsafe fn each<W: Word>(
    places: Places<'_>,
    size: usize,
    summand: Summand,
    to: *mut u8,
    n: usize,
) -> usize {
    // SAFETY: the caller's.
    unsafe {
        match (size, summand) {
            (4, Summand::One(bits)) => go::<W, u32>(places, |_| W::of_bits(bits), to.cast(), n),
            (_, Summand::One(bits)) => go::<W, u64>(places, |_| W::of_bits(bits), to.cast(), n),
            (4, Summand::Lanes(lanes)) => {
                go::<W, u32>(places, |lane| lanes.cast::<W>().add(lane).read(), to.cast(), n)
            }
            (_, Summand::Lanes(lanes)) => {
                go::<W, u64>(places, |lane| lanes.cast::<W>().add(lane).read(), to.cast(), n)
            }
        }
    }
}

/// Adds a number to the element of each index, which is a word of `I` and of which none is outside.
///
/// # Safety
/// There are `n` indices, and the greatest that `I` holds is that of a covered element.
pub(crate) unsafe fn inside<W: Word, I: Word>(places: Places<'_>, by: W, n: usize) {
    let is_dense = places.base == 0 && places.stride == size_of::<W>() as u64;
    // Each in a loop of its own, which says once how it adds, and where.
    // SAFETY: the caller's.
    unsafe {
        match (places.cells.is_mine(), is_dense) {
            (true, true) => inside_of::<W, I, true, true>(places, by, n),
            (true, false) => inside_of::<W, I, true, false>(places, by, n),
            (false, _) => inside_of::<W, I, false, false>(places, by, n),
        }
    }
}

/// Indices that are read together.
const CHUNK: usize = 8;

/// # Safety
/// As for [`inside`], of cells that are `MINE`, and of elements that are `DENSE` words from the first one on.
#[inline(always)]
unsafe fn inside_of<W: Word, I: Word, const MINE: bool, const DENSE: bool>(
    places: Places<'_>,
    by: W,
    n: usize,
) {
    let Places { cells, base, stride, index } = places;
    let index = index.cast::<I>();
    let add = |index: I| {
        let at = if DENSE {
            index.bits() * size_of::<W>() as u64
        } else {
            index.bits().wrapping_sub(base) * stride
        };
        // SAFETY: the caller's.
        unsafe {
            if MINE {
                let old: W = cells.load_covered(at);
                cells.store_covered(at, W::of_bits(old.bits().wrapping_add(by.bits())));
            } else {
                cells.add_covered(at, by);
            }
        }
    };
    let chunks = n / CHUNK;
    for chunk in 0..chunks {
        // SAFETY: the caller's: there are that many indices.
        let indices = unsafe { index.cast::<[I; CHUNK]>().add(chunk).read() };
        for index in indices {
            add(index);
        }
    }
    for lane in chunks * CHUNK..n {
        // SAFETY: as above.
        add(unsafe { index.add(lane).read() });
    }
}

/// # Safety
/// As for [`each`], of indices that are `I`.
#[inline(always)]
unsafe fn go<W: Word, I: Word>(
    places: Places<'_>,
    summand: impl Fn(usize) -> W,
    to: *mut W,
    n: usize,
) -> usize {
    let Places { cells, base, stride, index } = places;
    let size = size_of::<W>() as u64;
    if !cells.covers::<W>(0, 1) || stride == 0 || !stride.is_multiple_of(size) {
        return 0;
    }
    // The greatest number of strides that stays inside.
    let limit = (cells.len() - size) / stride;
    for lane in 0..n {
        // SAFETY: the caller's: there are `n` of all; an index up to the limit is covered.
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
    use crate::memory::{Memory, Use};

    fn added<W: Word, I: Word>(
        memory: &Memory,
        is_mine: bool,
        (base, stride): (u64, u64),
        indices: &[u64],
        summands: &[u64],
    ) -> (usize, Vec<u64>) {
        let to_use = Use::Words(size_of::<W>() as u32);
        let loan = memory.lend(to_use);
        let cells = if is_mine { memory.cells(to_use) } else { loan.cells(memory.len() as u64) };
        let index: Vec<I> = indices.iter().map(|index| I::of_bits(*index)).collect();
        let values: Vec<W> = summands.iter().map(|value| W::of_bits(*value)).collect();
        let summand = match summands {
            [one] => Summand::One(*one),
            _ => Summand::Lanes(values.as_ptr().cast()),
        };
        let mut old = vec![W::of_bits(77); index.len()];
        let places = Places { cells, base, stride, index: index.as_ptr().cast() };
        let to = old.as_mut_ptr().cast();
        // SAFETY: as many lanes of each.
        let done = unsafe { each::<W>(places, size_of::<I>(), summand, to, index.len()) };
        (done, old.into_iter().map(W::bits).collect())
    }

    fn words(memory: &Memory) -> Vec<u32> {
        let mut bytes = vec![0; memory.len()];
        memory.read_into(0, &mut bytes);
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    #[test]
    fn lanes_see_what_those_before_them_have_added() {
        for is_mine in [false, true] {
            let memory = Memory::zeroed(16);
            let indices = [2, 0, 2, 2, 3];
            let one = added::<u32, u64>(&memory, is_mine, (0, 4), &indices, &[1]);
            assert_eq!(one, (5, vec![0, 0, 1, 2, 0]));
            assert_eq!(words(&memory), [1, 0, 3, 1]);
            let own = [5, 6, u64::from(u32::MAX), 7, 8];
            let each = added::<u32, u32>(&memory, is_mine, (0, 4), &indices, &own);
            assert_eq!(each, (5, vec![3, 1, 8, 7, 1]));
            assert_eq!(words(&memory), [7, 0, 14, 9]);
        }
    }

    #[test]
    fn the_first_lane_outside_is_told_and_those_before_it_are_done() {
        let memory = Memory::zeroed(12);
        let wrong = added::<u32, u64>(&memory, true, (0, 4), &[1, 2, 3, 0], &[1]);
        assert_eq!(wrong, (2, vec![0, 0, 77, 77]));
        assert_eq!(words(&memory), [0, 1, 1]);
        let wraps = added::<u32, u64>(&memory, true, (0, 4), &[u64::MAX, 1 << 62], &[1]);
        assert_eq!(wraps.0, 0);
        assert_eq!(added::<u32, u64>(&Memory::zeroed(0), true, (0, 4), &[0], &[1]).0, 0);
        assert_eq!(added::<u32, u64>(&memory, true, (0, 4), &[], &[1]).0, 0);
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
