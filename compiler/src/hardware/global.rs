//! Global memory: moved in sectors of 32 bytes, four of which form a line of 128.
//!
//! ```text
//! loads, stores   a sector for each 32 bytes of which an active lane accesses some
//! atomics         for each such sector, the number of lanes that access its most contended word
//! ```
//! One executed instruction of a warp is one request, whatever it touches. The formula for atomics
//! is measured for additions of 4 bytes whose result is unused.
use super::{Kind, LANES, iter_lanes};

/// Bytes of a sector.
pub const SECTOR_BYTES: u64 = 32;
/// Bytes of a line.
pub const LINE_BYTES: u64 = 128;

/// The sectors that one access of a warp moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sectors {
    /// The sectors that it moves; for an atomic, updates of sectors.
    pub taken: u32,
    /// The sectors that would hold the accessed bytes if they were contiguous: at least one.
    pub ideal: u32,
    /// The number of different lines that it touches.
    pub lines: u32,
}

impl Sectors {
    /// Returns the number of unnecessary sectors.
    pub fn excess(self) -> u32 {
        self.taken.saturating_sub(self.ideal)
    }
}

/// Returns the sectors that the `active` lanes of a warp move, each with `bytes` at its address.
pub fn count_sectors(kind: Kind, bytes: u32, active: u32, addresses: &[u64; LANES]) -> Sectors {
    let (mut sorted, mut count) = ([0; LANES], 0);
    for lane in iter_lanes(active) {
        sorted[count] = addresses[lane];
        count += 1;
    }
    let sorted = &mut sorted[..count];
    sorted.sort_unstable();
    let bytes = u64::from(bytes.max(1));
    let last = |address: u64| address.saturating_add(bytes - 1);
    let mut found = Sectors::default();
    let (mut unique, mut behind) = (0_u64, 0_u64);
    let (mut seen_sectors, mut seen_lines) = (UnitCounter::default(), UnitCounter::default());
    for &address in sorted.iter() {
        found.taken += seen_sectors.extend_to(address / SECTOR_BYTES, last(address) / SECTOR_BYTES);
        found.lines += seen_lines.extend_to(address / LINE_BYTES, last(address) / LINE_BYTES);
        unique += (last(address).saturating_add(1)).saturating_sub(address.max(behind));
        behind = last(address).saturating_add(1);
    }
    found.ideal = u32::try_from(unique.div_ceil(SECTOR_BYTES)).unwrap_or(u32::MAX);
    if kind == Kind::Atomic {
        found.taken = atomic_updates(bytes, sorted);
    }
    found
}

/// The progress of an ascending traversal of addresses: the first unit that has not been counted.
#[derive(Default)]
struct UnitCounter(u64);

impl UnitCounter {
    /// Counts the units from `first` to `last` that are new.
    fn extend_to(&mut self, first: u64, last: u64) -> u32 {
        let new = (last + 1).saturating_sub(first.max(self.0));
        self.0 = self.0.max(last + 1);
        u32::try_from(new).unwrap_or(u32::MAX)
    }
}

/// Returns the sum over sectors of the accesses to their most contended word.
fn atomic_updates(bytes: u64, sorted: &[u64]) -> u32 {
    const WORD: u64 = 4;
    let unit = bytes.max(WORD);
    let mut sum = 0;
    for sector in sorted.chunk_by(|a, b| a / SECTOR_BYTES == b / SECTOR_BYTES) {
        let words = sector.chunk_by(|a, b| a / unit == b / unit);
        sum += words.map(<[u64]>::len).max().unwrap_or(0);
    }
    u32::try_from(sum).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(base: u64, stride: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| base + lane as u64 * stride)
    }

    fn load(bytes: u32, addresses: [u64; LANES]) -> (u32, u32, u32) {
        let Sectors { taken, ideal, lines } =
            count_sectors(Kind::Load, bytes, u32::MAX, &addresses);
        (taken, ideal, lines)
    }

    #[test]
    fn strides_move_what_they_touch() {
        assert_eq!(load(4, strided(0, 4)), (4, 4, 1));
        assert_eq!(load(4, strided(4, 4)), (5, 4, 2));
        assert_eq!(load(4, strided(0, 8)), (8, 4, 2));
        assert_eq!(load(4, strided(0, 12)), (12, 4, 3));
        assert_eq!(load(4, strided(0, 4096)), (32, 4, 32));
        assert_eq!(load(8, strided(0, 8)), (8, 8, 2));
        assert_eq!(load(16, strided(0, 16)), (16, 16, 4));
        assert_eq!(load(1, strided(0, 1)), (1, 1, 1));
        assert_eq!(load(2, strided(0, 6)), (6, 2, 2));
        assert_eq!(load(4, [0x1000; LANES]), (1, 1, 1));
        for stride in 1..=64 {
            let span = (31 * 4 * stride + 4_u64).div_ceil(SECTOR_BYTES);
            assert_eq!(u64::from(load(4, strided(0, 4 * stride)).0), span.min(32));
        }
    }

    #[test]
    fn the_order_of_lanes_does_not_matter() {
        let mut reversed = strided(64, 4);
        reversed.reverse();
        assert_eq!(load(4, reversed), load(4, strided(64, 4)));
        assert_eq!(load(4, std::array::from_fn(|lane| (lane as u64 ^ 5) * 4)), (4, 4, 1));
    }

    #[test]
    fn only_active_lanes_count() {
        let half = count_sectors(Kind::Store, 4, 0xffff, &strided(0, 4));
        assert_eq!(half, Sectors { taken: 2, ideal: 2, lines: 1 });
        assert_eq!(count_sectors(Kind::Atomic, 4, 0, &[0; LANES]), Sectors::default());
    }

    #[test]
    fn atomics_meet_at_their_words() {
        let atomic = |addresses| count_sectors(Kind::Atomic, 4, u32::MAX, &addresses).taken;
        assert_eq!(atomic([64; LANES]), 32);
        assert_eq!(atomic(strided(0, 4)), 4);
        assert_eq!(atomic(std::array::from_fn(|lane| lane as u64 / 8 * 4)), 8);
        assert_eq!(atomic(std::array::from_fn(|lane| lane as u64 % 2 * 32)), 32);
    }
}
