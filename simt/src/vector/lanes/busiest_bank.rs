//! The busiest bank of an access: the number of occurrences of the most frequent key of a warp.
//!
//! Atomic accesses to shared memory take a wavefront for each access to their busiest bank. Where
//! addresses come from memory, every access of every warp must be analysed. With AVX2, 32 warps are
//! processed together: their keys are transposed, so that a vector holds one lane of each warp, a
//! sorting network sorts the 32 lanes of all warps at once, and the longest run of equal keys is
//! the answer. The order of the lanes in a warp does not matter.
use warpwise_compiler::hardware::{LANES, shared};

/// Keys of the lanes of a warp, modulo [`KEY_COUNT`].
pub(crate) type WarpKeys = [u8; LANES];

/// The number of warps that are processed together.
pub(crate) const BATCH_WARPS: usize = 32;

/// The number of keys: one for each bank.
const KEY_COUNT: usize = shared::BANKS as usize;

/// Returns, for each row, the number of occurrences of its most frequent key.
pub(crate) fn count_most_frequent(rows: &[WarpKeys; BATCH_WARPS]) -> [u8; BATCH_WARPS] {
    #[cfg(all(target_arch = "x86_64", not(miri), not(unoptimized)))]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { avx2::count(rows) };
    }
    rows.map(|row| most_frequent(row, u32::MAX) as u8)
}

/// Returns the number of occurrences of the most frequent key of the active lanes.
#[inline]
pub(crate) fn most_frequent(row: WarpKeys, active: u32) -> u32 {
    let mut counts = [0_u8; KEY_COUNT];
    if active == u32::MAX {
        for key in row {
            counts[usize::from(key) % KEY_COUNT] += 1;
        }
    } else {
        for (lane, key) in row.into_iter().enumerate() {
            counts[usize::from(key) % KEY_COUNT] += (active >> lane & 1) as u8;
        }
    }
    counts.into_iter().fold(0, u8::max).into()
}

#[cfg(all(target_arch = "x86_64", not(miri), not(unoptimized)))]
mod avx2 {
    use super::{BATCH_WARPS, KEY_COUNT, LANES, WarpKeys};
    use std::arch::x86_64::*;

    /// Sorts pairs of vectors: the lesser bytes move into the first of each pair, the greater into
    /// the second.
    macro_rules! exchange {
        ($keys:ident: $($low:literal $high:literal,)*) => {$(
            let (a, b) = ($keys[$low], $keys[$high]);
            $keys[$low] = _mm256_min_epu8(a, b);
            $keys[$high] = _mm256_max_epu8(a, b);
        )*};
    }

    /// Computes [`super::count_most_frequent`].
    #[target_feature(enable = "avx2")]
    pub(super) fn count(rows: &[WarpKeys; BATCH_WARPS]) -> [u8; BATCH_WARPS] {
        let mut keys = transpose(rows);
        // Batcher's odd-even merge sort.
        exchange! { keys:
        0 1, 2 3, 0 2, 1 3, 1 2, 4 5, 6 7, 4 6, 5 7, 5 6, 0 4, 2 6, 2 4, 1 5, 3 7, 3 5, 1 2, 3 4,
        5 6, 8 9, 10 11, 8 10, 9 11, 9 10, 12 13, 14 15, 12 14, 13 15, 13 14, 8 12, 10 14, 10 12,
        9 13, 11 15, 11 13, 9 10, 11 12, 13 14, 0 8, 4 12, 4 8, 2 10, 6 14, 6 10, 2 4, 6 8,
        10 12, 1 9, 5 13, 5 9, 3 11, 7 15, 7 11, 3 5, 7 9, 11 13, 1 2, 3 4, 5 6, 7 8, 9 10,
        11 12, 13 14, 16 17, 18 19, 16 18, 17 19, 17 18, 20 21, 22 23, 20 22, 21 23, 21 22,
        16 20, 18 22, 18 20, 17 21, 19 23, 19 21, 17 18, 19 20, 21 22, 24 25, 26 27, 24 26,
        25 27, 25 26, 28 29, 30 31, 28 30, 29 31, 29 30, 24 28, 26 30, 26 28, 25 29, 27 31,
        27 29, 25 26, 27 28, 29 30, 16 24, 20 28, 20 24, 18 26, 22 30, 22 26, 18 20, 22 24,
        26 28, 17 25, 21 29, 21 25, 19 27, 23 31, 23 27, 19 21, 23 25, 27 29, 17 18, 19 20,
        21 22, 23 24, 25 26, 27 28, 29 30, 0 16, 8 24, 8 16, 4 20, 12 28, 12 20, 4 8, 12 16,
        20 24, 2 18, 10 26, 10 18, 6 22, 14 30, 14 22, 6 10, 14 18, 22 26, 2 4, 6 8, 10 12,
        14 16, 18 20, 22 24, 26 28, 1 17, 9 25, 9 17, 5 21, 13 29, 13 21, 5 9, 13 17, 21 25,
        3 19, 11 27, 11 19, 7 23, 15 31, 15 23, 7 11, 15 19, 23 27, 3 5, 7 9, 11 13, 15 17,
        19 21, 23 25, 27 29, 1 2, 3 4, 5 6, 7 8, 9 10, 11 12, 13 14, 15 16, 17 18, 19 20, 21 22,
        23 24, 25 26, 27 28, 29 30,
        }
        let one = _mm256_set1_epi8(1);
        let (mut run, mut most) = (one, one);
        for lane in 1..LANES {
            let goes_on = _mm256_cmpeq_epi8(keys[lane - 1], keys[lane]);
            run = _mm256_add_epi8(_mm256_and_si256(run, goes_on), one);
            most = _mm256_max_epu8(most, run);
        }
        let mut counts = [0; BATCH_WARPS];
        // SAFETY: the array has 32 bytes.
        unsafe { _mm256_storeu_si256(counts.as_mut_ptr().cast(), most) };
        counts
    }

    /// Returns vectors each of which holds one lane of every row; the order of the lanes is
    /// arbitrary.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose(rows: &[WarpKeys; BATCH_WARPS]) -> [__m256i; LANES] {
        let (first, last) = rows.split_at(BATCH_WARPS / 2);
        let (first, last) = (transpose_halves(first), transpose_halves(last));
        let mut lanes = [_mm256_setzero_si256(); LANES];
        for i in 0..LANES / 2 {
            lanes[i] = _mm256_permute2x128_si256::<0x20>(first[i], last[i]);
            lanes[i + LANES / 2] = _mm256_permute2x128_si256::<0x31>(first[i], last[i]);
        }
        lanes
    }

    /// Transposes two adjacent squares of 16 by 16 bytes: interleaving each row with the one eight
    /// rows below, four times, exchanges the bits of row and column in a byte's index.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn transpose_halves(rows: &[WarpKeys]) -> [__m256i; 16] {
        let mut now = [_mm256_setzero_si256(); 16];
        for (now, row) in now.iter_mut().zip(rows) {
            // SAFETY: a row has 32 bytes.
            let row = unsafe { _mm256_loadu_si256(row.as_ptr().cast()) };
            *now = _mm256_and_si256(row, _mm256_set1_epi8(KEY_COUNT as i8 - 1));
        }
        for _ in 0..4 {
            let before = now;
            for i in 0..8 {
                now[2 * i] = _mm256_unpacklo_epi8(before[i], before[i + 8]);
                now[2 * i + 1] = _mm256_unpackhi_epi8(before[i], before[i + 8]);
            }
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_count_the_same() {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 24
        };
        for keys in [1, 2, 3, 5, 17, 31, 32, 255] {
            let mut rows = [[0; LANES]; BATCH_WARPS];
            rows.as_flattened_mut().fill_with(|| (next() % keys) as u8);
            rows[7] = std::array::from_fn(|lane| lane as u8);
            rows[31] = [255; LANES];
            let counted = count_most_frequent(&rows);
            for (row, counted) in rows.into_iter().zip(counted) {
                let row = row.map(|key| usize::from(key) % KEY_COUNT);
                let count_of = |key| row.iter().filter(|other| **other == key).count();
                let most = row.into_iter().map(count_of).max();
                assert_eq!(most, Some(usize::from(counted)), "{row:?}");
                assert_eq!(
                    most_frequent(row.map(|key| key as u8), u32::MAX),
                    counted.into(),
                    "{row:?}"
                );
            }
        }
    }

    #[test]
    fn lanes_that_are_not_active_do_not_count() {
        assert_eq!(most_frequent([3; LANES], 0b101), 2);
        assert_eq!(most_frequent([3; LANES], 0), 0);
    }
}
