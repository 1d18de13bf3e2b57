//! Cost formulas of constant memory, whose cache yields one word at a time.
//!
//! A request of a warp takes as many *wavefronts* as its active lanes read different words: 4
//! bytes, or all bytes of a lane if these are more. Lanes with the same word share it.
//!
//! ```text
//! taps[k]             1 wavefront       one word for all lanes
//! taps[lane]          32 wavefronts     32 words of 4 bytes
//! bytes[lane]         8 wavefronts      8 words with 4 bytes each
//! ```
//! This is the rule of the CUDA programming guide: a request is split into as many as there are
//! different addresses. `tests/hardware` has no measurements of it yet.
use super::{LANES, iter_lanes};

/// Bytes of a word.
pub const WORD_BYTES: u64 = 4;

/// The cost of one read of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wavefronts {
    /// The number of wavefronts.
    pub taken: u32,
    /// The number of wavefronts if all lanes read one word: 1, unless no lane is active.
    pub ideal: u32,
}

/// Returns the cost for the `active` lanes of a warp, each with `bytes` (1, 2, 4, 8 or 16) at its
/// address, which is a multiple of `bytes`.
pub fn count_wavefronts(bytes: u32, active: u32, addresses: &[u64; LANES]) -> Wavefronts {
    let word = u64::from(bytes).max(WORD_BYTES);
    let mut words = [0; LANES];
    let mut count = 0;
    for lane in iter_lanes(active) {
        words[count] = addresses[lane] / word;
        count += 1;
    }
    let words = &mut words[..count];
    words.sort_unstable();
    let changes = words.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let ideal = u32::from(active != 0);
    Wavefronts { taken: ideal + changes as u32, ideal }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bytes: u32, active: u32, address: impl Fn(u64) -> u64) -> u32 {
        let addresses = std::array::from_fn(|lane| address(lane as u64));
        count_wavefronts(bytes, active, &addresses).taken
    }

    #[test]
    fn lanes_with_one_word_share_a_wavefront() {
        assert_eq!(taken(4, u32::MAX, |_| 64), 1);
        assert_eq!(taken(1, u32::MAX, |lane| lane % 4), 1);
        assert_eq!(taken(4, 0, |lane| lane), 0);
    }

    #[test]
    fn each_different_word_takes_a_wavefront() {
        assert_eq!(taken(4, u32::MAX, |lane| 4 * lane), 32);
        assert_eq!(taken(4, 0xff, |lane| 4 * lane), 8);
        assert_eq!(taken(1, u32::MAX, |lane| lane), 8);
        assert_eq!(taken(16, u32::MAX, |lane| 16 * (lane / 2)), 16);
        assert_eq!(taken(4, u32::MAX, |lane| 4096 * (lane % 3)), 3);
    }
}
