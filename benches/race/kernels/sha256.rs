//! SHA-256 of a message block of 64 bytes a thread, without padding.
use super::prelude::*;

#[device]
const ROUND: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
];

#[device]
const START: [u32; 8] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
];

#[device]
fn compress(words: &[u32]) -> [u32; 8] {
    let mut w = [0u32; 64];
    for t in 0..16 {
        w[t] = words[t];
    }
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = START;
    for t in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(ROUND[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(majority);
        h = g;
        g = f;
        f = e;
        e = d.wrapping_add(t1);
        d = c;
        c = b;
        b = a;
        a = t1.wrapping_add(t2);
    }
    let mut hash = [a, b, c, d, e, f, g, h];
    for k in 0..8 {
        hash[k] = hash[k].wrapping_add(START[k]);
    }
    hash
}

#[kernel(block = 128)]
fn sha256(messages: &[u32], hashes: &mut [u32]) {
    let i = global_idx_x();
    if i < hashes.len() / 8 {
        let hash = compress(&messages[16 * i..16 * i + 16]);
        for k in 0..8 {
            hashes[8 * i + k] = hash[k];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(300, 1 << 20);
    let messages = inputs::words(1, 16 * n);
    let expected = || messages.chunks_exact(16).flat_map(compress).collect();
    let mut buffers = Buffers::new(scale);
    let messages_id = buffers.input(&messages);
    let hashes_id = buffers.output(&vec![0u32; 8 * n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 128),
        block: [128, 1, 1],
        rust: args![messages_id, hashes_id],
        cuda: args![n as i32, messages_id, hashes_id],
        buffers,
        work: Work::Bytes(64 * n),
    }
}

benchmark!(sha256, "LOP3");
