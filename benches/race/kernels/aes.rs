//! AES-128 of a block of 16 bytes per thread, by a table of 256 words and the S-box in shared
//! memory.
use super::prelude::*;

#[kernel(block = 256)]
fn aes(table: &[u32], s_box: &[u32], round_keys: &[u32], blocks: &[[u32; 4]], out: &mut [[u32; 4]]) {
    let rounds = shared!([u32; 256]);
    let last = shared!([u32; 256]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    rounds[t] = table[t];
    last[t] = s_box[t];
    sync_threads();
    if i < blocks.len() {
        let mut state = blocks[i];
        for k in 0..4 {
            state[k] ^= round_keys[k];
        }
        for round in 1..10 {
            let mut next = [0; 4];
            for k in 0..4 {
                next[k] = rounds[(state[k] >> 24) as usize]
                    ^ rounds[(state[(k + 1) % 4] >> 16 & 0xff) as usize].rotate_right(8)
                    ^ rounds[(state[(k + 2) % 4] >> 8 & 0xff) as usize].rotate_right(16)
                    ^ rounds[(state[(k + 3) % 4] & 0xff) as usize].rotate_right(24)
                    ^ round_keys[4 * round + k];
            }
            state = next;
        }
        for k in 0..4 {
            out[i][k] = (last[(state[k] >> 24) as usize] << 24
                | last[(state[(k + 1) % 4] >> 16 & 0xff) as usize] << 16
                | last[(state[(k + 2) % 4] >> 8 & 0xff) as usize] << 8
                | last[(state[(k + 3) % 4] & 0xff) as usize])
                ^ round_keys[40 + k];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(500, 1 << 22);
    let s_box = make_s_box();
    let table = s_box.map(|s| {
        let s = s as u8;
        u32::from_be_bytes([times_x(s), s, s, times_x(s) ^ s])
    });
    // The example of FIPS 197, appendix B.
    let round_keys = expand_key([0x2b7e_1516, 0x28ae_d2a6, 0xabf7_1588, 0x09cf_4f3c], &s_box);
    let mut blocks: Vec<[u32; 4]> = inputs::words(1, 4 * n).as_chunks().0.to_vec();
    blocks[0] = [0x3243_f6a8, 0x885a_308d, 0x3131_98a2, 0xe037_0734];
    let expected = || {
        let all: Vec<[u32; 4]> =
            blocks.iter().map(|block| encrypt(&s_box, &round_keys, *block)).collect();
        assert_eq!(all[0], [0x3925_841d, 0x02dc_09fb, 0xdc11_8597, 0x196a_0b32], "FIPS 197");
        all
    };
    let mut buffers = Buffers::new(scale);
    let (table_id, s_box_id) = (buffers.input(&table), buffers.input(&s_box));
    let (keys_id, blocks_id) = (buffers.input(&round_keys), buffers.input(&blocks));
    let out_id = buffers.output(&vec![[0u32; 4]; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![table_id, s_box_id, keys_id, blocks_id, out_id],
        cuda: args![n as i32, table_id, s_box_id, keys_id, blocks_id, out_id],
        buffers,
        work: Work::Bytes(16 * n),
    }
}

/// Multiplies by x in the field of AES.
const fn times_x(a: u8) -> u8 {
    a << 1 ^ if a & 0x80 == 0 { 0 } else { 0x1b }
}

/// Makes the S-box: an affine map of the inverses in the field.
fn make_s_box() -> [u32; 256] {
    let mut s_box = [0x63; 256];
    let (mut p, mut q) = (1u8, 1u8);
    loop {
        // p runs through all elements by factors of x + 1, and q through their inverses.
        p ^= times_x(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        q ^= if q & 0x80 == 0 { 0 } else { 0x09 };
        let affine =
            q ^ q.rotate_left(1) ^ q.rotate_left(2) ^ q.rotate_left(3) ^ q.rotate_left(4) ^ 0x63;
        s_box[usize::from(p)] = affine.into();
        if p == 1 {
            return s_box;
        }
    }
}

/// Applies the S-box to each byte of a word.
fn substitute_bytes(s_box: &[u32; 256], word: u32) -> u32 {
    u32::from_be_bytes(word.to_be_bytes().map(|byte| s_box[usize::from(byte)] as u8))
}

/// Returns the round keys.
fn expand_key(key: [u32; 4], s_box: &[u32; 256]) -> Vec<u32> {
    let mut words = key.to_vec();
    let mut constant = 1u8;
    for k in 4..44 {
        let mut word = words[k - 1];
        if k % 4 == 0 {
            word = substitute_bytes(s_box, word.rotate_left(8)) ^ u32::from(constant) << 24;
            constant = times_x(constant);
        }
        words.push(words[k - 4] ^ word);
    }
    words
}

/// Encrypts a block as in FIPS 197, step by step.
fn encrypt(s_box: &[u32; 256], round_keys: &[u32], block: [u32; 4]) -> [u32; 4] {
    let add_key = |state: [u32; 4], round: usize| -> [u32; 4] {
        std::array::from_fn(|k| state[k] ^ round_keys[4 * round + k])
    };
    let shift_rows = |state: [u32; 4]| -> [u32; 4] {
        std::array::from_fn(|k| {
            u32::from_be_bytes(std::array::from_fn(|row| state[(k + row) % 4].to_be_bytes()[row]))
        })
    };
    let mix = |word: u32| {
        let bytes = word.to_be_bytes();
        let all = bytes.iter().fold(0, |all, byte| all ^ byte);
        u32::from_be_bytes(std::array::from_fn(|row| {
            bytes[row] ^ all ^ times_x(bytes[row] ^ bytes[(row + 1) % 4])
        }))
    };
    let mut state = add_key(block, 0);
    for round in 1..=10 {
        state = shift_rows(state.map(|word| substitute_bytes(s_box, word)));
        if round < 10 {
            state = state.map(mix);
        }
        state = add_key(state, round);
    }
    state
}

benchmark!(aes, "LDS");
