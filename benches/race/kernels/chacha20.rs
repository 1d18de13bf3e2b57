//! The ChaCha20 key stream, one block of 64 bytes a thread.
use super::prelude::*;

#[device]
fn quarter_round(state: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(16);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(12);
    state[a] = state[a].wrapping_add(state[b]);
    state[d] = (state[d] ^ state[a]).rotate_left(8);
    state[c] = state[c].wrapping_add(state[d]);
    state[b] = (state[b] ^ state[c]).rotate_left(7);
}

#[device]
fn stream_block(initial: [u32; 16]) -> [u32; 16] {
    let mut state = initial;
    for _ in 0..10 {
        quarter_round(&mut state, 0, 4, 8, 12);
        quarter_round(&mut state, 1, 5, 9, 13);
        quarter_round(&mut state, 2, 6, 10, 14);
        quarter_round(&mut state, 3, 7, 11, 15);
        quarter_round(&mut state, 0, 5, 10, 15);
        quarter_round(&mut state, 1, 6, 11, 12);
        quarter_round(&mut state, 2, 7, 8, 13);
        quarter_round(&mut state, 3, 4, 9, 14);
    }
    for k in 0..16 {
        state[k] = state[k].wrapping_add(initial[k]);
    }
    state
}

#[kernel(block = 256)]
fn chacha20(key: &[u32], nonce: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() / 16 {
        let mut initial = [0; 16];
        initial[0] = 0x6170_7865;
        initial[1] = 0x3320_646e;
        initial[2] = 0x7962_2d32;
        initial[3] = 0x6b20_6574;
        for k in 0..8 {
            initial[4 + k] = key[k];
        }
        initial[12] = i as u32;
        for k in 0..3 {
            initial[13 + k] = nonce[k];
        }
        let state = stream_block(initial);
        for k in 0..16 {
            out[16 * i + k] = state[k];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(500, 1 << 21);
    let (key, nonce) = (inputs::words(1, 8), inputs::words(2, 3));
    let expected = || {
        let block = |i: usize| {
            let mut initial = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574].to_vec();
            initial.extend(&key);
            initial.push(i as u32);
            initial.extend(&nonce);
            stream_block(initial.try_into().expect("4, 8, 1 and 3 words"))
        };
        (0..n).flat_map(block).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (key_id, nonce_id) = (buffers.input(&key), buffers.input(&nonce));
    let out_id = buffers.output(&vec![0u32; 16 * n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![key_id, nonce_id, out_id],
        cuda: args![n as i32, key_id, nonce_id, out_id],
        buffers,
        work: Work::Bytes(64 * n),
    }
}

benchmark!(chacha20, "LOP3");
