//! Bytes: SHA-256, CRC-32, edit distance by antidiagonals, word counts, and Knuth-Morris-Pratt.
use super::noise;
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![sha_256, crc_32: THREADS_MEET, distances: THREADS_MEET, words, patterns];

#[device]
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

#[device]
#[derive(Clone, Copy)]
struct Sha256 {
    state: [u32; 8],
}

#[device]
impl Sha256 {
    const START: Sha256 = Sha256 {
        state: [
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
            0x5be0cd19,
        ],
    };

    fn round(&mut self, block: [u32; 16]) {
        let mut w = block;
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = self.state;
        for i in 0..64 {
            if i >= 16 {
                let (x, y) = (w[(i + 1) % 16], w[(i + 14) % 16]);
                let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
                let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
                w[i % 16] =
                    w[i % 16].wrapping_add(s0).wrapping_add(w[(i + 9) % 16]).wrapping_add(s1);
            }
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let first = h + s1 + choice + K[i] + w[i % 16];
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            (h, g, f, e, d, c, b, a) = (g, f, e, d + first, c, b, a, first + s0 + majority);
        }
        for (state, v) in self.state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *state = state.wrapping_add(v);
        }
    }
}

/// Hashes one message of `len` bytes per thread.
#[kernel]
fn hash(len: usize, messages: &[u8], digests: &mut [[u32; 8]]) {
    let i = global_idx_x();
    if i >= digests.len() {
        return;
    }
    let message = &messages[i * len..(i + 1) * len];
    let byte = |at: usize, end: usize| {
        if at < len {
            message[at]
        } else if at == len {
            0x80
        } else if at + 8 >= end {
            ((len as u64 * 8) >> ((end - 1 - at) * 8)) as u8
        } else {
            0
        }
    };
    let mut sha = Sha256::START;
    let end = (len + 9).next_multiple_of(64);
    for start in (0..end).step_by(64) {
        let mut block = [0; 16];
        for (k, word) in block.iter_mut().enumerate() {
            for b in 0..4 {
                *word = *word << 8 | byte(start + 4 * k + b, end) as u32;
            }
        }
        sha.round(block);
    }
    digests[i] = sha.state;
}

fn sha_256(on: &Engine) -> Check {
    let (len, messages) = (3, b"abcxyz".to_vec());
    let mut digests = vec![[0; 8]; 2];
    let config = LaunchConfig::cover(2);
    launch!(on, hash(value len, read messages, write digests), config)?;
    let abc = [
        0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61,
        0xf20015ad,
    ];
    same("abc", &digests[0], &abc)?;
    let (len, messages) =
        (56, b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".to_vec());
    let mut digests = vec![[0; 8]];
    launch!(on, hash(value len, read messages, write digests), config)?;
    let two_blocks = [
        0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167, 0xf6ecedd4,
        0x19db06c1,
    ];
    same("two blocks", &digests[0], &two_blocks)
}

/// The block computes a table for one byte at a time; then each thread processes a message.
#[kernel(block = 256)]
fn crc(len: usize, messages: &[u8], sums: &mut [u32]) {
    let table = shared!([u32; 256]);
    let t = thread_idx_x();
    table[t] = (0..8).fold(t as u32, |v, _| if v & 1 == 1 { v >> 1 ^ 0xedb8_8320 } else { v >> 1 });
    sync_threads();
    let i = global_idx_x();
    if i < sums.len() {
        let message = &messages[i * len..][..len];
        sums[i] = !message
            .iter()
            .fold(!0, |crc, byte| crc >> 8 ^ table[((crc ^ *byte as u32) & 0xff) as usize]);
    }
}

fn crc_32(on: &Engine) -> Check {
    let (len, mut messages) = (9, b"123456789".to_vec());
    messages.extend(noise(50).into_iter().flat_map(|v| v.to_le_bytes()).take(27));
    let mut sums = vec![0; 4];
    launch!(on, crc(value len, read messages, write sums), LaunchConfig::cover(4))?;
    let bitwise = |message: &[u8]| {
        !message.iter().fold(!0u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |v, _| v >> 1 ^ 0xedb8_8320 * (v & 1))
        })
    };
    same("sums", &sums, &messages.chunks(9).map(bitwise).collect::<Vec<u32>>())?;
    same("check", &sums[..1], &[0xcbf4_3926])
}

/// Levenshtein's distance: a block has a pair of texts of at most `N` bytes, and follows
/// antidiagonals.
#[kernel(block = N)]
fn edits<const N: usize>(lens: &[[usize; 2]], texts: &[[u8; N]], out: &mut [u32]) {
    let diagonals = shared!([[u32; N]; 3]);
    let t = thread_idx_x();
    let pair = block_idx_x();
    let [rows, columns] = lens[pair];
    let (a, b) = (&texts[2 * pair], &texts[2 * pair + 1]);
    for d in 0..rows + columns - 1 {
        let [last, before] = [(d + 2) % 3, (d + 1) % 3];
        if t < rows && d >= t && d - t < columns {
            let column = d - t;
            let up = if t == 0 { column as u32 + 1 } else { diagonals[last][t - 1] };
            let left = if column == 0 { t as u32 + 1 } else { diagonals[last][t] };
            let corner = match (t, column) {
                (0, c) => c as u32,
                (r, 0) => r as u32,
                (r, _) => diagonals[before][r - 1],
            };
            let replaced = corner + (a[t] != b[column]) as u32;
            diagonals[d % 3][t] = replaced.min(up + 1).min(left + 1);
        }
        sync_threads();
    }
    if t + 1 == rows {
        out[pair] = diagonals[(rows + columns - 2) % 3][t];
    }
}

fn distances(on: &Engine) -> Check {
    let pairs = [("kitten", "sitting"), ("saturday", "sunday"), ("a", "warp"), ("block", "block")];
    let lens: Vec<[usize; 2]> = pairs.iter().map(|(a, b)| [a.len(), b.len()]).collect();
    let texts: Vec<[u8; 8]> = pairs
        .iter()
        .flat_map(|(a, b)| [a, b])
        .map(|text| std::array::from_fn(|k| *text.as_bytes().get(k).unwrap_or(&0)))
        .collect();
    let mut out = vec![99; 4];
    launch!(on, edits::<8>(read lens, read texts, write out), LaunchConfig::grid(4))?;
    same("out", &out, &[3, 3, 3, 0])
}

#[device]
fn is_letter(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z')
}

/// Counts words, and the words that begin with each letter.
#[kernel]
fn count_words(text: &[u8], words: &[AtomicU32], letters: &[AtomicU32]) {
    let i = global_idx_x();
    let Some(&byte) = text.get(i) else { return };
    let starts = is_letter(byte) && (i == 0 || !is_letter(text[i - 1]));
    if starts {
        words[0].fetch_add(1, Ordering::Relaxed);
        letters[((byte | 32) - b'a') as usize].fetch_add(1, Ordering::Relaxed);
    }
}

fn words(on: &Engine) -> Check {
    let text = b"The quick brown fox; the lazy Dog -- and 2 more, they say.".to_vec();
    let (mut words, mut letters) = (vec![0], vec![0; 26]);
    let config = LaunchConfig::cover(text.len());
    launch!(on, count_words(read text, atomic words, atomic letters), config)?;
    let mut want = vec![0; 26];
    for letter in b"tqbftldamts" {
        want[(letter - b'a') as usize] += 1;
    }
    same("words", &words, &[11])?;
    same("letters", &letters, &want)
}

#[device]
struct Kmp<'a, const N: usize> {
    pattern: &'a [u8],
    failure: [usize; N],
}
#[device]
impl<'a, const N: usize> Kmp<'a, N> {
    fn new(pattern: &'a [u8]) -> Self {
        assert!(pattern.len() <= N, "a pattern of {} bytes", pattern.len());
        let mut failure = [0; N];
        let mut k = 0;
        for (i, &byte) in pattern.iter().enumerate().skip(1) {
            while k > 0 && pattern[k] != byte {
                k = failure[k - 1];
            }
            k += usize::from(pattern[k] == byte);
            failure[i] = k;
        }
        Self { pattern, failure }
    }
    fn find_all<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = usize> {
        let mut k = 0;
        text.iter().enumerate().filter_map(move |(i, &byte)| {
            while k > 0 && (k == self.pattern.len() || self.pattern[k] != byte) {
                k = self.failure[k - 1];
            }
            if self.pattern[k] == byte {
                k += 1;
            }
            (k == self.pattern.len()).then(|| i + 1 - k)
        })
    }
}
#[kernel]
fn count_matches(
    texts: &[u8],
    pattern: &[u8],
    each: usize,
    counts: &mut [u32],
    firsts: &mut [i32],
) {
    let i = global_idx_x();
    let Some(text) = texts.chunks(each).nth(i) else { return };
    let kmp = Kmp::<16>::new(pattern);
    counts[i] = kmp.find_all(text).count() as u32;
    firsts[i] = kmp.find_all(text).next().map_or(-1, |at| at as i32);
}

fn patterns(on: &Engine) -> Check {
    let texts: Vec<u8> = noise(1000).into_iter().map(|v| b'a' + (v >> 9) as u8 % 2).collect();
    let (pattern, each) = (b"abaab".to_vec(), 100);
    let (mut counts, mut firsts) = (vec![0; 10], vec![0; 10]);
    launch!(
        on,
        count_matches(read texts, read pattern, value each, write counts, write firsts),
        LaunchConfig::cover(10)
    )?;
    let places = |text: &[u8]| {
        let found = text.windows(5).enumerate().filter(|(_, part)| *part == pattern);
        found.map(|(at, _)| at as i32).collect::<Vec<_>>()
    };
    let found: Vec<Vec<i32>> = texts.chunks(100).map(places).collect();
    let want: Vec<u32> = found.iter().map(|places| places.len() as u32).collect();
    same("counts", &counts, &want)?;
    let want: Vec<i32> = found.iter().map(|places| places.first().copied().unwrap_or(-1)).collect();
    same("firsts", &firsts, &want)
}
