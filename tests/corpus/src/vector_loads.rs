//! Loads of 8 and 16 bytes from shared memory: the published cases, with their measured wavefronts, and
//! what padding does to them.
use warpwise::{F32x2, F32x4, prelude::*};

/// Fills a table of a block of one warp and waits.
#[device]
fn filled(table: &mut [F32x4; 64], seed: f32) {
    let t = thread_idx_x();
    table[t] = F32x4::splat(seed + t as f32);
    table[t + 32] = F32x4::splat(seed - t as f32);
    sync_threads();
}

/// The same of pairs.
#[device]
fn filled_pairs(table: &mut [F32x2; 64], seed: f32) {
    let t = thread_idx_x();
    table[t] = F32x2::splat(seed + t as f32);
    table[t + 32] = F32x2::splat(seed - t as f32);
    sync_threads();
}

#[kernel(block = 32)]
fn pairs_in_half_a_warp(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x2; 64]);
    filled_pairs(table, seed);
    let l = thread_idx_x();
    if l < 16 && l < y.len() {
        y[l] = table[15 - l].x + table[15 - l].y;
    }
}

#[kernel(block = 32)]
fn pairs_that_neighbours_share(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x2; 64]);
    filled_pairs(table, seed);
    let l = thread_idx_x();
    let v = table[l / 2];
    if l < y.len() {
        y[l] = v.x + v.y;
    }
}

#[kernel(block = 32)]
fn pairs_that_half_warps_share(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x2; 64]);
    filled_pairs(table, seed);
    let l = thread_idx_x();
    let v = table[l % 16];
    if l < y.len() {
        y[l] = v.x + v.y;
    }
}

#[kernel(block = 32)]
fn quads_in_a_row(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x4; 64]);
    filled(table, seed);
    let l = thread_idx_x();
    let v = table[31 - l];
    if l < y.len() {
        y[l] = v.x + v.y + v.z + v.w;
    }
}

#[kernel(block = 32)]
fn one_quad_for_all(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x4; 64]);
    filled(table, seed);
    let l = thread_idx_x();
    let v = table[4];
    if l < y.len() {
        y[l] = v.x + v.y + v.z + v.w;
    }
}

#[kernel(block = 32)]
fn quads_that_neighbours_share(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x4; 64]);
    filled(table, seed);
    let l = thread_idx_x();
    // 0 0 1 1 0 0 1 1, 2 2 3 3 2 2 3 3, ..
    let v = table[l / 8 * 2 + l / 2 % 2];
    if l < y.len() {
        y[l] = v.x + v.y + v.z + v.w;
    }
}

#[kernel(block = 32)]
fn every_second_quad(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x4; 64]);
    filled(table, seed);
    let l = thread_idx_x();
    let v = table[2 * l]; //~ gpu_vector_bank_conflicts "8 wavefronts"
    if l < y.len() {
        y[l] = v.x + v.y + v.z + v.w;
    }
}

#[kernel(block = 32)]
fn every_second_pair(seed: f32, y: &mut [f32]) {
    let table = shared!([F32x2; 64]);
    filled_pairs(table, seed);
    let l = thread_idx_x();
    let v = table[2 * l]; //~ gpu_vector_bank_conflicts "4 wavefronts"
    if l < y.len() {
        y[l] = v.x + v.y;
    }
}

#[kernel(block = 32)]
fn a_column_of_quads(x: &[F32x4], y: &mut [f32]) {
    let tile = shared!([[F32x4; 8]; 32]);
    let l = thread_idx_x();
    for k in 0..8 {
        tile[k * 4 + l / 8][l % 8] = x[k * 32 + l];
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..8 {
        let v = tile[l][k]; //~ gpu_vector_bank_conflicts "32 wavefronts"
        sum += v.x + v.y + v.z + v.w;
    }
    if l < y.len() {
        y[l] = sum;
    }
}

#[kernel(block = 32)]
fn a_column_of_padded_quads(x: &[F32x4], y: &mut [f32]) {
    let tile = shared!([[F32x4; 9]; 32]);
    let l = thread_idx_x();
    for k in 0..8 {
        tile[k * 4 + l / 8][l % 8] = x[k * 32 + l];
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..8 {
        let v = tile[l][k];
        sum += v.x + v.y + v.z + v.w;
    }
    if l < y.len() {
        y[l] = sum;
    }
}

#[kernel(block = 32)]
fn doubles_by_an_odd_stride(seed: f64, y: &mut [f64]) {
    let table = shared!([f64; 96]);
    let l = thread_idx_x();
    for k in 0..3 {
        table[k * 32 + l] = seed + l as f64;
    }
    sync_threads();
    let v = table[3 * l];
    if l < y.len() {
        y[l] = v;
    }
}

#[kernel(block = 32)]
fn doubles_by_an_even_stride(seed: f64, y: &mut [f64]) {
    let table = shared!([f64; 128]);
    let l = thread_idx_x();
    for k in 0..4 {
        table[k * 32 + l] = seed + l as f64;
    }
    sync_threads();
    let v = table[4 * l]; //~ gpu_vector_bank_conflicts "8 wavefronts"
    if l < y.len() {
        y[l] = v;
    }
}

// Four bytes, by strides.

#[kernel(block = 64)]
fn stride_two(x: &[f32], y: &mut [f32]) {
    let table = shared!([f32; 128]);
    let t = thread_idx_x();
    table[t] = x[t];
    table[t + 64] = x[t + 64];
    sync_threads();
    let v = table[2 * t]; //~ gpu_bank_conflicts "2 wavefronts"
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 64)]
fn stride_three(x: &[f32], y: &mut [f32]) {
    let table = shared!([f32; 192]);
    let t = thread_idx_x();
    for k in 0..3 {
        table[t + k * 64] = x[t + k * 64];
    }
    sync_threads();
    let v = table[3 * t];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn stride_thirty_two(x: &[f32], y: &mut [f32]) {
    let table = shared!([[f32; 32]; 32]);
    let t = thread_idx_x();
    for k in 0..32 {
        table[k][t] = x[k * 32 + t];
    }
    sync_threads();
    let v = table[t][3]; //~ gpu_bank_conflicts "32 wavefronts"
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn stride_thirty_three(x: &[f32], y: &mut [f32]) {
    let table = shared!([[f32; 33]; 32]);
    let t = thread_idx_x();
    for k in 0..32 {
        table[k][t] = x[k * 32 + t];
    }
    sync_threads();
    let v = table[t][3];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn backwards_in_shared_memory(x: &[f32], y: &mut [f32]) {
    let table = shared!([f32; 32]);
    let t = thread_idx_x();
    table[t] = x[t];
    sync_threads();
    let v = table[31 - t];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn one_word_for_all(x: &[f32], y: &mut [f32]) {
    let table = shared!([f32; 32]);
    let t = thread_idx_x();
    table[t] = x[t];
    sync_threads();
    let v = table[7];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn bytes_in_a_row(x: &[u8], y: &mut [u8]) {
    let table = shared!([u8; 32]);
    let t = thread_idx_x();
    table[t] = x[t];
    sync_threads();
    let v = table[(t + 5) % 32];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn halves_in_a_row(x: &[u16], y: &mut [u16]) {
    let table = shared!([u16; 64]);
    let t = thread_idx_x();
    table[2 * t] = x[2 * t];
    table[2 * t + 1] = x[2 * t + 1];
    sync_threads();
    let v = table[t + 32];
    if t < y.len() {
        y[t] = v;
    }
}

#[kernel(block = 32)]
fn structs_in_shared_memory(x: &[f32], y: &mut [f32]) {
    let table = shared!([[f32; 8]; 32]);
    let t = thread_idx_x();
    for k in 0..8 {
        table[t][k] = x[k * 32 + t]; //~ gpu_bank_conflicts "8 wavefronts"
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..32 {
        sum += table[k][t % 8];
    }
    if t < y.len() {
        y[t] = sum;
    }
}

crate::corpus![
    pairs_in_half_a_warp,
    pairs_that_neighbours_share,
    pairs_that_half_warps_share,
    quads_in_a_row,
    one_quad_for_all,
    quads_that_neighbours_share,
    every_second_quad,
    every_second_pair,
    a_column_of_quads,
    a_column_of_padded_quads,
    doubles_by_an_odd_stride,
    doubles_by_an_even_stride,
    stride_two,
    stride_three,
    stride_thirty_two,
    stride_thirty_three,
    backwards_in_shared_memory,
    one_word_for_all,
    bytes_in_a_row,
    halves_in_a_row,
    structs_in_shared_memory,
];
