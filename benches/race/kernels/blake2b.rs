//! BLAKE2b of messages of 128 bytes, each of which is a single block: a thread for each message.
use super::prelude::*;

#[device]
const START: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];
#[device]
const ORDER: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

#[device]
fn mix(v: &mut [u64; 16], a: usize, b: usize, c: usize, d: usize, x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

/// Returns the hash of a message of at most 128 bytes, which zeros follow.
#[device]
fn hash(message: [u64; 16], length: u64) -> [u64; 8] {
    let mut state = START;
    // A hash of 64 bytes, without a key.
    state[0] ^= 0x0101_0040;
    let mut v = [0; 16];
    for k in 0..8 {
        v[k] = state[k];
        v[k + 8] = START[k];
    }
    v[12] ^= length;
    v[14] = !v[14];
    for round in 0..12 {
        let order = ORDER[round % 10];
        mix(&mut v, 0, 4, 8, 12, message[order[0]], message[order[1]]);
        mix(&mut v, 1, 5, 9, 13, message[order[2]], message[order[3]]);
        mix(&mut v, 2, 6, 10, 14, message[order[4]], message[order[5]]);
        mix(&mut v, 3, 7, 11, 15, message[order[6]], message[order[7]]);
        mix(&mut v, 0, 5, 10, 15, message[order[8]], message[order[9]]);
        mix(&mut v, 1, 6, 11, 12, message[order[10]], message[order[11]]);
        mix(&mut v, 2, 7, 8, 13, message[order[12]], message[order[13]]);
        mix(&mut v, 3, 4, 9, 14, message[order[14]], message[order[15]]);
    }
    for k in 0..8 {
        state[k] ^= v[k] ^ v[k + 8];
    }
    state
}

#[kernel(block = 128)]
fn blake2b(messages: &[[u64; 16]], hashes: &mut [[u64; 8]]) {
    let i = global_idx_x();
    if i < messages.len() {
        hashes[i] = hash(messages[i], 128);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(300, 1 << 20);
    let halves = inputs::words(1, 32 * n);
    let word = |pair: &[u32]| u64::from(pair[0]) << 32 | u64::from(pair[1]);
    let words: Vec<u64> = halves.chunks_exact(2).map(word).collect();
    let messages: Vec<[u64; 16]> = words.as_chunks().0.to_vec();
    let expected = || {
        // The example of RFC 7693: the hash of "abc" begins with these bytes.
        let mut abc = [0; 16];
        abc[0] = u64::from_le_bytes(*b"abc\0\0\0\0\0");
        let first = u64::from_le_bytes([0xba, 0x80, 0xa5, 0x3f, 0x98, 0x1c, 0x4d, 0x0d]);
        assert_eq!(hash(abc, 3)[0], first, "RFC 7693");
        messages.iter().map(|message| hash(*message, 128)).collect()
    };
    let mut buffers = Buffers::new(scale);
    let messages_id = buffers.input(&messages);
    let hashes_id = buffers.output(&vec![[0u64; 8]; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 128),
        block: [128, 1, 1],
        rust: args![messages_id, hashes_id],
        cuda: args![n as i32, messages_id, hashes_id],
        buffers,
        work: Work::Bytes(128 * n),
    }
}

benchmark!(blake2b, "LOP3");
