//! Hamming distances of codes of several words to a query.
use super::prelude::*;

#[kernel(block = 256)]
fn hamming(words: usize, codes: &[u64], query: &[u64], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut count = 0;
        for w in 0..words {
            count += (codes[i * words + w] ^ query[w]).count_ones();
        }
        out[i] = count;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (n, words) = (scale.pick(300, 1 << 22), 8usize);
    let random = |seed, n: usize| -> Vec<u64> {
        let halves = inputs::words(seed, 2 * n);
        let word = |pair: &[u32]| u64::from(pair[0]) << 32 | u64::from(pair[1]);
        halves.chunks_exact(2).map(word).collect()
    };
    let (codes, query) = (random(1, n * words), random(2, words));
    let expected = || {
        let distance = |code: &[u64]| code.iter().zip(&query).map(|(a, b)| (a ^ b).count_ones()).sum();
        codes.chunks_exact(words).map(distance).collect()
    };
    let (codes_id, query_id) = (buffers.input(&codes), buffers.input(&query));
    let out_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    Problem {
        grid: [n.div_ceil(256) as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![words, codes_id, query_id, out_id],
        cuda: args![n as i32, words as i32, codes_id, query_id, out_id],
        buffers,
        work: Work::Bytes(8 * n * words),
    }
}

benchmark!(hamming, "POPC");
