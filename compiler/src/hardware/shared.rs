//! Cost formulas of shared memory, which has 32 banks with words of 4 bytes; a bank yields one word
//! at a time.
//!
//! The lanes of a warp are served in *groups*: all 32 at once up to 4 bytes a lane, halves at 8
//! bytes, quarters at 16. A group takes as many *wavefronts* as it accesses different words of the
//! busiest bank; lanes with the same word share it.
//!
//! ```text
//! pair(x)     every active lane l: lane l^x is inactive, or has the same address
//! loads       if pair(1) or pair(2) holds for the whole warp, the two halves of an 8-byte load
//!             are one group, and so are the two quarters of each half of a 16-byte load
//! atomics     every lane counts, the same word too
//! ```
//! With all lanes active and `s` elements from one lane to the next that is `gcd(s, 32)` wavefronts
//! at 4 bytes, `2 * gcd(s, 16)` at 8 and `4 * gcd(s, 8)` at 16; the ideals are 1, 2 and 4.
use super::{Kind, LANES, iter_lanes};

/// Number of banks.
pub const BANKS: u64 = 32;
/// Bytes of a bank's word.
pub const WORD_BYTES: u64 = 4;

/// The cost of one access of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wavefronts {
    /// The number of wavefronts.
    pub taken: u32,
    /// The number of wavefronts without conflicts: one for each group with an active lane.
    pub ideal: u32,
}

impl Wavefronts {
    /// Returns the wavefronts that conflicts add.
    pub fn conflicts(self) -> u32 {
        self.taken - self.ideal
    }
}

/// The busiest bank of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bank {
    /// The bank: 0 to 31.
    pub index: u32,
    /// The different words of the bank that one group accesses; for an atomic, the accesses.
    pub words: u32,
    /// The lanes of that group that access one of the words.
    pub lanes: u32,
}

/// Returns the cost for the `active` lanes of a warp, each with `bytes` (1, 2, 4, 8 or 16) at its
/// address, which is a multiple of `bytes`.
pub fn count_wavefronts(
    kind: Kind,
    bytes: u32,
    active: u32,
    addresses: &[u64; LANES],
) -> Wavefronts {
    let mut cost = Wavefronts::default();
    for group in
        serving_groups(kind, bytes, active, addresses).into_iter().filter(|&group| group != 0)
    {
        cost.taken += BankDemand::for_group(kind, bytes, group, addresses).max_words();
        cost.ideal += 1;
    }
    cost
}

/// Returns the bank that determines the cost: that of the first group with the greatest cost, and
/// in it the lowest of several. `None` if no lane is active.
pub fn busiest_bank(kind: Kind, bytes: u32, active: u32, addresses: &[u64; LANES]) -> Option<Bank> {
    let mut worst: Option<Bank> = None;
    for group in
        serving_groups(kind, bytes, active, addresses).into_iter().filter(|&group| group != 0)
    {
        let demand = BankDemand::for_group(kind, bytes, group, addresses);
        let words = demand.max_words();
        let index = demand.words.iter().position(|&of| u32::from(of) == words);
        let index = index.and_then(|index| u32::try_from(index).ok())?;
        if worst.is_none_or(|worst| worst.words < words) {
            let wants = |&lane: &usize| {
                let (first, behind) = word_range(bytes, addresses[lane]);
                (first..behind).any(|word| word % BANKS == u64::from(index))
            };
            let lanes = iter_lanes(group).filter(wants).count();
            worst = Some(Bank { index, words, lanes: u32::try_from(lanes).ok()? });
        }
    }
    worst
}

/// Returns the lanes that are served together, as masks; superfluous groups are 0.
fn serving_groups(kind: Kind, bytes: u32, active: u32, addresses: &[u64; LANES]) -> [u32; 4] {
    let merged = || {
        kind == Kind::Load && (lanes_pair(1, active, addresses) || lanes_pair(2, active, addresses))
    };
    match bytes {
        0..=4 => [active, 0, 0, 0],
        5..=8 if merged() => [active, 0, 0, 0],
        5..=8 => [active & 0xffff, active & 0xffff_0000, 0, 0],
        _ if merged() => [active & 0xffff, active & 0xffff_0000, 0, 0],
        _ => [0, 8, 16, 24].map(|first| active & 0xff << first),
    }
}

/// Returns true if every active lane `l` has the address of lane `l ^ x`, where that lane is
/// active.
fn lanes_pair(x: usize, active: u32, addresses: &[u64; LANES]) -> bool {
    iter_lanes(active).all(|lane| {
        let other = lane ^ x;
        active >> other & 1 == 0 || addresses[lane] == addresses[other]
    })
}

/// Returns the first word that `bytes` at `address` touch, and the word after the last.
fn word_range(bytes: u32, address: u64) -> (u64, u64) {
    let last = address.wrapping_add(u64::from(bytes.max(1)) - 1) / WORD_BYTES;
    (address / WORD_BYTES, last + 1)
}

/// The accesses of a group to each bank.
struct BankDemand {
    words: [u8; BANKS as usize],
}

impl BankDemand {
    fn for_group(kind: Kind, bytes: u32, group: u32, addresses: &[u64; LANES]) -> Self {
        let mut demand = Self { words: [0; BANKS as usize] };
        // The words of each bank so far, as a list through `next`.
        const NONE: u8 = u8::MAX;
        const MOST: usize = 2 * LANES;
        let (mut first, mut next) = ([NONE; BANKS as usize], [NONE; MOST]);
        let (mut seen, mut count) = ([0_u64; MOST], 0_usize);
        // Plain loops: this runs for every access, in a macro that is built without optimization.
        let mut lane = 0;
        while lane < LANES {
            let (mut word, behind) = match group >> lane & 1 {
                1 => word_range(bytes, addresses[lane]),
                _ => (0, 0),
            };
            while word < behind {
                let bank = (word % BANKS) as usize;
                let mut at = first[bank];
                while kind != Kind::Atomic && at != NONE && seen[usize::from(at)] != word {
                    at = next[usize::from(at)];
                }
                if kind == Kind::Atomic || at == NONE {
                    demand.words[bank] = demand.words[bank].saturating_add(1);
                    if count < MOST {
                        seen[count] = word;
                        (next[count], first[bank]) = (first[bank], count as u8);
                        count += 1;
                    }
                }
                word += 1;
            }
            lane += 1;
        }
        demand
    }

    fn max_words(&self) -> u32 {
        u32::from(self.words.iter().copied().max().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strided(bytes: u32, stride: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| lane as u64 * stride * u64::from(bytes))
    }

    fn gcd(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }

    #[test]
    fn strides_cost_what_their_common_divisor_with_the_banks_says() {
        for stride in 1..=1024 {
            for (bytes, ideal, banks) in [(4, 1, 32), (8, 2, 16), (16, 4, 8)] {
                for kind in [Kind::Load, Kind::Store] {
                    let cost =
                        count_wavefronts(kind, bytes, u32::MAX, &strided(bytes, stride.into()));
                    let taken = ideal * gcd(stride, banks);
                    assert_eq!(cost, Wavefronts { taken, ideal }, "{bytes} bytes, stride {stride}");
                }
            }
        }
    }

    #[test]
    fn lanes_that_want_one_word_share_it_but_for_atomics() {
        let cost = |kind, bytes| {
            let Wavefronts { taken, ideal } =
                count_wavefronts(kind, bytes, u32::MAX, &[0x400; LANES]);
            (taken, ideal)
        };
        assert_eq!([4, 8, 16].map(|bytes| cost(Kind::Load, bytes)), [(1, 1), (1, 1), (2, 2)]);
        assert_eq!([4, 8, 16].map(|bytes| cost(Kind::Store, bytes)), [(1, 1), (2, 2), (4, 4)]);
        assert_eq!(cost(Kind::Atomic, 4), (32, 1));
        assert_eq!(count_wavefronts(Kind::Load, 4, 0, &[0; LANES]), Wavefronts::default());
    }

    #[test]
    fn where_the_array_lies_does_not_matter() {
        for bytes in [1, 2, 4, 8, 16] {
            for stride in [1, 3, 8, 33] {
                let at = |base: u64| strided(bytes, stride).map(|address| address + base);
                let cost = |base| count_wavefronts(Kind::Load, bytes, 0x7fff_0ff1, &at(base));
                let step = u64::from(bytes.max(4));
                assert!((1..40).all(|n| cost(n * step) == cost(0)), "{bytes} bytes, {stride}");
            }
        }
    }

    #[test]
    fn the_busiest_bank_is_named_with_its_lanes() {
        let column = strided(4, 32).map(|address| address + 12);
        let bank = busiest_bank(Kind::Load, 4, u32::MAX, &column);
        assert_eq!(bank, Some(Bank { index: 3, words: 32, lanes: 32 }));
        let two = strided(4, 2);
        let bank = busiest_bank(Kind::Load, 4, u32::MAX, &two);
        assert_eq!(bank, Some(Bank { index: 0, words: 2, lanes: 2 }));
        let rows = strided(16, 8);
        let bank = busiest_bank(Kind::Store, 16, u32::MAX, &rows);
        assert_eq!(bank, Some(Bank { index: 0, words: 8, lanes: 8 }));
        let one = busiest_bank(Kind::Atomic, 4, 0xff, &[4; LANES]);
        assert_eq!(one, Some(Bank { index: 1, words: 8, lanes: 8 }));
        assert_eq!(busiest_bank(Kind::Load, 4, 0, &column), None);
    }
}
