//! Inputs: the same pseudo-random numbers on every machine.

/// Returns the 64 bits of `index` in the sequence `seed` (SplitMix64).
fn hash(seed: u64, index: usize) -> u64 {
    let mut z = (index as u64).wrapping_add(seed << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns `n` integers below 2^32.
pub(crate) fn words(seed: u64, n: usize) -> Vec<u32> {
    (0..n).map(|index| (hash(seed, index) >> 32) as u32).collect()
}

/// Returns `n` integers below `limit`.
pub(crate) fn below(limit: u32, seed: u64, n: usize) -> Vec<u32> {
    (0..n).map(|index| (((hash(seed, index) >> 32) * u64::from(limit)) >> 32) as u32).collect()
}

/// Returns `n` bytes.
pub(crate) fn bytes(seed: u64, n: usize) -> Vec<u8> {
    (0..n).map(|index| (hash(seed, index) >> 56) as u8).collect()
}

/// Returns `n` floats from `low` up to `high`.
pub(crate) fn floats(low: f32, high: f32, seed: u64, n: usize) -> Vec<f32> {
    let unit = |index| (hash(seed, index) >> 40) as f32 / (1 << 24) as f32;
    (0..n).map(|index| low + (high - low) * unit(index)).collect()
}
