//! Operands of neighbouring lanes in memory or in registers, for operations that process them in
//! place.
use super::{
    InMemory, Isa,
    copy::load_neighbours,
    lane_offsets::{Arrangement, LaneOffsets},
};
use crate::vector::{memory::Cells, registers::Reg};
use std::ops::Range;

/// The words that lanes access in each of several rounds, all of them inside and aligned.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    cells: Cells<'a>,
    at: i64,
    step: i64,
    walk: &'a LaneOffsets,
    rounds: u64,
}

/// The place of an operand's lanes.
#[derive(Clone, Copy)]
pub(crate) enum OperandPlace<'a> {
    Register(Reg),
    Memory(Words<'a>),
}

/// An operation on lanes, some of whose operands are in memory.
#[derive(Clone, Copy)]
pub(crate) struct MapWords<'a> {
    f: InMemory,
    places: [OperandPlace<'a>; 4],
    lanes: usize,
    /// The number of lanes that are adjacent in all places.
    row: usize,
}

/// The minimum distance in bytes between rounds at which memory is prefetched: the host's own
/// prefetchers stop at pages.
const PAGE: u64 = 4096;

/// The number of rounds by which memory is prefetched ahead.
const PREFETCHED_ROUNDS: i64 = 4;

impl<'a> Words<'a> {
    /// Creates the words of all lanes that start at a byte and advance by `step` bytes per round.
    /// `None` if one of them is outside, or lanes are not in rows.
    pub(crate) fn new(
        (cells, at): (Cells<'a>, i64),
        step: i64,
        walk: &'a LaneOffsets,
        rounds: u64,
    ) -> Option<Self> {
        let Arrangement::Rows { .. } = walk.arrangement() else { return None };
        let lanes = (0, walk.offsets().len());
        let far = i64::try_from(rounds.checked_sub(1)?).ok()?.checked_mul(step)?;
        let last = at.checked_add(far)?;
        // The rounds between the first and the last are inside if these are, and as aligned, as
        // `step` is a multiple of a word.
        let inside = step % walk.word() as i64 == 0
            && walk.is_inside(cells, at, lanes)
            && walk.is_inside(cells, last, lanes);
        inside.then_some(Self { cells, at, step, walk, rounds })
    }

    /// Returns the address of a lane's word in a round, and its advance in bytes per round.
    #[inline(always)]
    pub(super) fn lane(&self, round: u64, lane: usize) -> (*mut u8, i64) {
        (self.start(round).wrapping_add(self.walk.offsets()[lane] as usize), self.step)
    }

    /// Returns the bytes in a word.
    pub(crate) fn word(&self) -> usize {
        self.walk.word()
    }

    /// Iterates over the runs of adjacent words in a round: the address of the first, and their
    /// number.
    #[inline(always)]
    pub(crate) fn rows(&self, round: u64) -> impl Iterator<Item = (*const u8, usize)> {
        let (row, lanes) = (self.row_lanes(), self.lanes());
        let mut next = 0;
        // `step_by` would divide, which takes as long as a short row.
        std::iter::from_fn(move || {
            let lane = next;
            next += row;
            let first = || self.lane(round, lane).0.cast_const();
            (lane < lanes).then(|| (first(), row.min(lanes - lane)))
        })
    }

    /// Loads the bytes of a round.
    #[inline(always)]
    pub(crate) fn load_bytes(&self, round: u64, mut to: &mut [u8]) {
        assert!(self.word() == 1 && to.len() == self.lanes(), "a byte for each lane");
        for (from, n) in self.rows(round) {
            let (row, rest) = to.split_at_mut(n);
            // SAFETY: the words are inside; the borrow of `to` is exclusive.
            unsafe { load_neighbours(Isa::detect(), row.as_mut_ptr(), from, n) };
            to = rest;
        }
    }

    /// Returns true if no word of any round is among the bytes of `cells`.
    pub(crate) fn is_disjoint_from(&self, cells: Cells<'_>) -> bool {
        let (mine, theirs) = (self.address_range(), cells.first().addr());
        mine.1 <= theirs || theirs + cells.len() as usize <= mine.0
    }

    /// Returns the number of adjacent lanes.
    pub(super) fn row_lanes(&self) -> usize {
        self.walk.row_lanes()
    }

    /// Returns true if rows of `row` lanes directly follow those of the round before, and the rows
    /// of all rounds are adjacent and precede those of the next row.
    pub(super) fn are_rows_dense(&self, row: usize) -> bool {
        let bytes = (row * self.walk.word()) as i64;
        let mut rows = self.walk.offsets().iter().step_by(row);
        let firsts: Vec<i64> = rows.by_ref().copied().collect();
        let all = bytes.saturating_mul(self.rounds as i64);
        self.step == bytes && firsts.is_sorted_by(|one, next| next.saturating_sub(*one) >= all)
    }

    /// Returns the number of lanes.
    pub(super) fn lanes(&self) -> usize {
        self.walk.offsets().len()
    }

    /// Returns true if an operation may load these words after it has stored words of other lanes
    /// to `other`: either both have the same words, lane for lane, or no words in common.
    pub(super) fn is_safe_operand_for(&self, other: &Self) -> bool {
        let same = self.cells.first().addr().wrapping_add_signed(self.at as isize)
            == other.cells.first().addr().wrapping_add_signed(other.at as isize)
            && self.step == other.step
            && std::ptr::eq(self.walk, other.walk);
        let (mine, theirs) = (self.address_range(), other.address_range());
        same || mine.1 <= theirs.0 || theirs.1 <= mine.0
    }

    /// Returns the range of addresses of the words of all rounds.
    pub(super) fn address_range(&self) -> (usize, usize) {
        let last = self.at + self.step * (self.rounds as i64 - 1);
        let reach = self.walk.reach();
        let first = self.cells.first().addr();
        let [from, to] = [self.at.min(last) + reach.min, self.at.max(last) + reach.max];
        (first + from as usize, first + to as usize + self.walk.word())
    }

    /// Returns the start address in a round.
    #[inline(always)]
    fn start(&self, round: u64) -> *mut u8 {
        assert!(round < self.rounds);
        let at = self.at.wrapping_add(self.step.wrapping_mul(round as i64));
        self.cells.first().wrapping_add(at as usize).cast_mut()
    }

    /// Prefetches the memory of a later round, if rounds are far apart.
    #[inline(always)]
    pub(crate) fn prefetch_round(&self, round: u64) {
        prefetch_round((self.cells, self.at), self.step, self.walk, round);
    }
}

impl<'a> MapWords<'a> {
    /// Creates `d = f(a, b, c)`, for places `[d, a, b, c]` of `lanes` lanes. `None` if the rows of
    /// the places differ in length, or if an operand of one round may be the result of another.
    pub(crate) fn new(f: InMemory, places: [OperandPlace<'a>; 4], lanes: usize) -> Option<Self> {
        let words = || {
            places.iter().filter_map(|place| match place {
                OperandPlace::Memory(words) => Some(words),
                OperandPlace::Register(_) => None,
            })
        };
        let row = words().map(Words::row_lanes).min()?;
        let fits = |words: &Words<'_>| {
            words.row_lanes().is_multiple_of(row) && words.walk.offsets().len() == lanes
        };
        let apart = match &places[0] {
            OperandPlace::Memory(to) => words().all(|words| words.is_safe_operand_for(to)),
            OperandPlace::Register(_) => true,
        };
        (apart && words().all(fits)).then_some(Self { f, places, lanes, row })
    }

    /// Computes all lanes in a round; `register` returns the address of a register's lane.
    ///
    /// # Safety
    /// The lanes of the registers and the words exist, with the types that `f` is for.
    #[inline(always)]
    pub(crate) unsafe fn call(&self, round: u64, register: impl FnMut(Reg, usize) -> *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.call_first(self.lanes, round, register) };
        for place in &self.places[1..] {
            if let OperandPlace::Memory(words) = place {
                words.prefetch_round(round);
            }
        }
    }

    /// Returns true if all places are in memory, with [dense](Words::are_rows_dense) rows.
    pub(crate) fn is_dense(&self) -> bool {
        self.places.iter().all(|place| match place {
            OperandPlace::Memory(words) => words.are_rows_dense(self.row),
            OperandPlace::Register(_) => false,
        })
    }

    /// Computes all lanes in several rounds, row by row, with [dense](Self::is_dense) words.
    ///
    /// # Safety
    /// The words are of the types that `f` is for.
    pub(crate) unsafe fn call_dense(&self, rounds: Range<u64>) {
        let n = self.row * (rounds.end - rounds.start) as usize;
        for lane in (0..self.lanes).step_by(self.row) {
            let at = self.places.map(|place| match place {
                OperandPlace::Memory(words) => words.lane(rounds.start, lane).0,
                OperandPlace::Register(_) => unreachable!("dense words are in memory"),
            });
            // SAFETY: the words of all rounds are inside, and those of a row adjacent; the types
            // are guaranteed by the caller.
            unsafe { self.f.call(at, n) };
        }
    }

    /// Computes the first `lanes` lanes in a round, at most all.
    ///
    /// # Safety
    /// As for [`call`](Self::call).
    #[inline(always)]
    pub(crate) unsafe fn call_first(
        &self,
        lanes: usize,
        round: u64,
        mut register: impl FnMut(Reg, usize) -> *mut u8,
    ) {
        let lanes = lanes.min(self.lanes);
        let mut start = |place: usize| match &self.places[place] {
            OperandPlace::Register(reg) => (register(*reg, 0), Err(reg.size())),
            OperandPlace::Memory(words) => (words.start(round), Ok(words.walk.offsets())),
        };
        let [d, a, b, c] = [start(0), start(1), start(2), start(3)];
        let mut lane = 0;
        while lane < lanes {
            let n = self.row.min(lanes - lane);
            let at = [lane_ptr(d, lane), lane_ptr(a, lane), lane_ptr(b, lane), lane_ptr(c, lane)];
            // SAFETY: the lanes of words are inside, and adjacent in rows; the rest is guaranteed
            // by the caller.
            unsafe { self.f.call(at, n) };
            lane += n;
        }
    }
}

/// Returns the address of a lane, from the first one's and the offsets of all lanes or the size of
/// a lane.
#[inline(always)]
fn lane_ptr((start, lanes): (*mut u8, Result<&[i64], usize>), lane: usize) -> *mut u8 {
    match lanes {
        Ok(offsets) => start.wrapping_add(offsets[lane] as usize),
        Err(size) => start.wrapping_add(lane * size),
    }
}

/// Prefetches the memory of a later round, if rounds are far apart.
#[inline(always)]
pub(crate) fn prefetch_round(
    (cells, at): (Cells<'_>, i64),
    step: i64,
    walk: &LaneOffsets,
    round: u64,
) {
    let later = at.wrapping_add(step.wrapping_mul((round as i64).wrapping_add(PREFETCHED_ROUNDS)));
    if step.unsigned_abs() >= PAGE
        && let Some(bytes) = walk.bytes(later)
    {
        cells.prefetch(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::memory::{AccessMode, Memory};

    /// Returns four rows of 16 numbers, `pitch` bytes apart.
    fn rows(pitch: i64) -> LaneOffsets {
        let own: Vec<i64> = (0..64).map(|lane| lane / 16 * (pitch / 4) + lane % 16).collect();
        LaneOffsets::new(&own, 4, 4)
    }

    fn numbers(n: u32) -> Memory {
        Memory::from_bytes(&(0..n).flat_map(u32::to_le_bytes).collect::<Vec<_>>())
    }

    fn cells(memory: &Memory) -> Cells<'_> {
        memory.cells(AccessMode::Alone)
    }

    /// `d = a + b`.
    unsafe fn add(d: *mut u8, a: *const u8, b: *const u8, _: *const u8, n: usize) {
        let (d, a, b) = (d.cast::<u32>(), a.cast::<u32>(), b.cast::<u32>());
        for lane in 0..n {
            // SAFETY: guaranteed by the caller.
            unsafe { *d.add(lane) = *a.add(lane) + *b.add(lane) };
        }
    }

    #[test]
    fn words_are_inside_and_aligned_in_each_round() {
        let (memory, walk) = (numbers(96), rows(64));
        let words =
            |at, step, rounds| Words::new((cells(&memory), at), step, &walk, rounds).is_some();
        // 256 bytes of 384.
        assert!(words(0, 64, 3) && !words(0, 64, 4));
        assert!(words(128, -64, 3) && !words(128, -64, 4));
        assert!(words(128, 0, u64::MAX >> 1) && !words(132, 0, 1) && !words(-4, 0, 1));
        assert!(!words(2, 0, 1), "words between two");
        assert!(!words(0, 2, 2), "rounds between two");
        assert!(!words(0, i64::MAX - 3, 3) && !words(0, 4, u64::MAX), "sums that wrap");
        assert!(!words(0, 64, 0), "no round");
        let columns = LaneOffsets::new(&(0..64).collect::<Vec<_>>(), 8, 4);
        assert!(Words::new((cells(&numbers(128)), 0), 0, &columns, 1).is_none(), "no rows");
    }

    #[test]
    fn results_do_not_overlap_operands_of_other_rounds() {
        let (memory, other) = (numbers(200), numbers(200));
        let (walk, like) = (rows(64), rows(64));
        let words = |memory, at, step, walk| {
            OperandPlace::Memory(Words::new((cells(memory), at), step, walk, 2).unwrap())
        };
        let goes = |to, from| MapWords::new(InMemory(add), [to, from, from, from], 64).is_some();
        let to = words(&memory, 0, 256, &walk);
        assert!(goes(to, words(&memory, 0, 256, &walk)), "the same");
        assert!(goes(to, words(&other, 0, 256, &walk)), "another buffer");
        assert!(goes(to, words(&memory, 512, 0, &walk)), "behind it");
        assert!(!goes(to, words(&memory, 4, 256, &walk)), "a word further on");
        assert!(!goes(to, words(&memory, 0, 0, &walk)), "the first round's in the second");
        assert!(!goes(to, words(&memory, 508, 0, &walk)), "the last word");
        assert!(!goes(to, words(&memory, 0, 256, &like)), "another walk, as far as is known");
        assert!(!goes(words(&memory, 0, 0, &walk), words(&memory, 0, 256, &walk)));
    }

    #[test]
    fn places_agree_in_how_many_lanes_they_have() {
        let memory = numbers(200);
        let walk = rows(64);
        let words = OperandPlace::Memory(Words::new((cells(&memory), 0), 0, &walk, 1).unwrap());
        let register = OperandPlace::Register(Reg::new(0, 4));
        let has = |places, lanes| MapWords::new(InMemory(add), places, lanes).is_some();
        assert!(has([register, words, words, words], 64));
        assert!(!has([register, words, words, words], 63));
        assert!(!has([register; 4], 64), "nothing is in memory");
    }

    #[test]
    fn dense_rounds_are_computed_at_once() {
        // Rows of 16; three rounds of them are adjacent.
        let (to, from, walk, far) = (numbers(512), numbers(512), rows(256), rows(128));
        let words = |memory, walk| Words::new((cells(memory), 0), 64, walk, 3).unwrap();
        let map = |walk| {
            let [d, a] = [words(&to, walk), words(&from, walk)].map(OperandPlace::Memory);
            MapWords::new(InMemory(add), [d, a, a, a], 64).unwrap()
        };
        assert!(map(&walk).is_dense() && !map(&far).is_dense(), "rounds overlap");
        // SAFETY: the words are of 4 bytes.
        unsafe { map(&walk).call_dense(1..3) };
        let mut left = vec![0; 2048];
        to.read_into(0, &mut left);
        let is_computed = |at: &u32| (16..48).contains(&(at % 64)) && *at < 256;
        let expected = (0..512).map(|at| if is_computed(&at) { 2 * at } else { at });
        assert_eq!(left, expected.flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    }

    #[test]
    fn each_round_takes_its_words_and_leaves_its_own() {
        // Rows of 16, and one row of 64.
        for (pitch, register) in [(128, false), (64, false), (128, true)] {
            let (to, from, walk) = (numbers(512), numbers(512), rows(pitch));
            let dense = rows(64);
            let words = |memory, step, walk| Words::new((cells(memory), 0), step, walk, 3);
            let (d, a) = (words(&to, 512, &walk).unwrap(), words(&from, 256, &dense).unwrap());
            let mut lanes = vec![7_u32; 64];
            let b = if register {
                OperandPlace::Register(Reg::new(0, 4))
            } else {
                OperandPlace::Memory(a)
            };
            let [d, a] = [d, a].map(OperandPlace::Memory);
            let map = MapWords::new(InMemory(add), [d, a, b, b], 64).unwrap();
            for round in 0..3 {
                let at = lanes.as_mut_ptr();
                // SAFETY: there are 64 lanes of the register.
                unsafe { map.call(round, |_, lane| at.wrapping_add(lane).cast()) };
            }
            let mut left = vec![0; 2048];
            to.read_into(0, &mut left);
            let mut expected: Vec<u32> = (0..512).collect();
            for (round, lane) in (0..3).flat_map(|round| (0..64).map(move |lane| (round, lane))) {
                let from = round * 64 + lane;
                let to = round * 128 + lane / 16 * (pitch as usize / 4) + lane % 16;
                expected[to] = from as u32 + if register { 7 } else { from as u32 };
            }
            let expected: Vec<u8> = expected.into_iter().flat_map(u32::to_le_bytes).collect();
            assert_eq!(left, expected, "{pitch} {register}");
        }
    }
}
