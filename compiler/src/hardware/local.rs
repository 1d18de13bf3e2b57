//! Local memory: each thread's own arrays, interleaved word by word, so that the 32 lanes of a warp
//! that access one index share a line of 128 bytes.
//!
//! ```text
//! word w of lane l      at byte 128 w + 4 l
//! one index for all     a line, which is 4 sectors for each word
//! different indices     like global memory: up to a sector for each lane and word
//! ```
//! This is the layout of the CUDA programming guide; `tests/hardware` has no measurements of it.
use super::{Kind, LANES, global};

/// Bytes of a word.
const WORD_BYTES: u64 = 4;
/// Bytes of a word of all lanes.
const LINE_BYTES: u64 = WORD_BYTES * LANES as u64;

/// Returns the sectors that the `active` lanes of a warp move, each `bytes` bytes at an offset in
/// its own memory.
///
/// ```
/// use warpwise_compiler::hardware::local::count_sectors;
///
/// let same_index = [8; 32];
/// assert_eq!(count_sectors(4, u32::MAX, &same_index).taken, 4);
/// let by_lane = std::array::from_fn(|lane| 4 * lane as u64);
/// assert_eq!(count_sectors(4, u32::MAX, &by_lane).taken, 32);
/// ```
pub fn count_sectors(bytes: u32, active: u32, offsets: &[u64; LANES]) -> global::Sectors {
    let mut all = global::Sectors::default();
    let bytes = u64::from(bytes.max(1));
    for word in 0..bytes.div_ceil(WORD_BYTES) {
        let place = |lane: usize| {
            let at = offsets[lane].saturating_add(WORD_BYTES * word);
            let line = (at / WORD_BYTES).saturating_mul(LINE_BYTES);
            line.saturating_add(WORD_BYTES * lane as u64 + at % WORD_BYTES)
        };
        let bytes = (bytes - WORD_BYTES * word).min(WORD_BYTES) as u32;
        let found = global::count_sectors(Kind::Load, bytes, active, &std::array::from_fn(place));
        all.taken += found.taken;
        all.ideal += found.ideal;
        all.lines += found.lines;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_indices_share_lines() {
        let found = |bytes, active, offset: &dyn Fn(u64) -> u64| {
            let found =
                count_sectors(bytes, active, &std::array::from_fn(|lane| offset(lane as u64)));
            (found.taken, found.ideal)
        };
        assert_eq!(found(4, u32::MAX, &|_| 40), (4, 4));
        assert_eq!(found(8, u32::MAX, &|_| 40), (8, 8));
        assert_eq!(found(4, 1, &|_| 40), (1, 1));
        assert_eq!(found(1, u32::MAX, &|_| 3), (4, 1));
        assert_eq!(found(6, u32::MAX, &|_| 40), (8, 6));
        assert_eq!(found(4, u32::MAX, &|lane| 4 * (lane % 2)), (8, 4));
        assert_eq!(found(4, u32::MAX, &|lane| 4 * lane), (32, 4));
    }
}
