//! What looks like a bug that is made often, and is right. Silent are `gpu_index_overflows`, `gpu_missing_barriers`,
//! `gpu_negative_indices`, `gpu_nonatomic_updates`, `gpu_skipped_barriers` and `gpu_uninit_shared_reads`.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 256)]
fn bodies(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 256]);
    let mut acc = 0.0;
    for first in (0..x.len() / 256 * 256).step_by(256) {
        tile[t] = x[first + t];
        sync_threads();
        for q in 0..256 {
            acc += tile[q];
        }
        sync_threads();
    }
    y[i] = acc;
}

#[kernel(block = 64)]
fn a_row_for_each_thread(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let rows = shared!([[f32; 65]; 64]);
    for q in 0..65 {
        rows[t][q] = x[i + q];
    }
    let mut acc = 0.0;
    for q in 0..65 {
        acc += rows[t][64 - q];
    }
    y[i] = acc;
}

#[kernel(block = 256)]
fn all_rounds_but_the_last_wait(x: &[f32], y: &mut [f32], rounds: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 256]);
    let mut acc = 0.0;
    for round in 0..rounds {
        tile[t] = x[i + round];
        sync_threads();
        acc += tile[255 - t];
        if round + 1 < rounds {
            sync_threads();
        }
    }
    y[i] = acc;
}

#[kernel(block = 64)]
fn a_first_value_in_the_first_round(x: &[f32], y: &mut [f32], n: usize) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let sums = shared!([f32; 64]);
    for q in 0..n {
        if q == 0 {
            sums[t] = 0.0;
        }
        sums[t] += x[i + q];
    }
    sync_threads();
    y[i] = sums[63 - t];
}

#[kernel(block = 128)]
fn the_cell_before_or_none(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 128]);
    tile[t] = x[i];
    sync_threads();
    let before = if t > 0 { tile[t - 1] } else { 0.0 };
    y[i] = before + tile[(t - 1) & 127] + tile[t.saturating_sub(1)];
}

#[kernel(block = 256)]
fn scatter(place: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < place.len() && i < x.len() {
        y[place[i] as usize] = x[i];
    }
}

#[kernel(block = 256)]
fn particles(alive: &[u32], x: &mut [f32], v: &[f32]) {
    let i = global_idx_x();
    if i < alive.len() {
        let p = alive[i] as usize;
        x[p] += v[p];
    }
}

#[kernel(block = 64)]
fn a_histogram_for_each_thread(keys: &[u8], rows: &mut [u32], n: usize) {
    let i = global_idx_x();
    for q in 0..n {
        rows[keys[q] as usize * 16_384 + i] += 1;
    }
}

#[kernel(block = 256)]
fn elements_in_u32(y: &mut [f32]) {
    let i = block_idx_x() as u32 * 256 + thread_idx_x() as u32;
    y[i as usize] = 0.0;
}

fn main() {}
