//! Bugs that are made often: no barrier around the tile of an n-body kernel, a barrier on one path, a sum without a first
//! value, the element before the first, a plain histogram, and an index that wraps in a large grid.
#![deny(warnings)]
use warpwise::prelude::*;

#[kernel(block = 256)]
fn bodies(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 256]);
    let mut acc = 0.0;
    for first in (0..x.len() / 256 * 256).step_by(256) {
        tile[t] = x[first + t];
        for q in 0..256 {
            acc += tile[q];
        }
        sync_threads();
    }
    y[i] = acc;
}

#[kernel(block = 256)]
fn one_path(x: &[f32], y: &mut [f32], mode: u32) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 256]);
    tile[t] = x[i];
    if mode != 0 {
        sync_threads();
    }
    y[i] = tile[255 - t];
}

#[kernel(block = 64)]
fn no_first_value(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let sums = shared!([f32; 64]);
    sums[t] += x[i];
    sync_threads();
    y[i] = sums[63 - t];
}

#[kernel(block = 128)]
fn the_cell_before(x: &[f32], y: &mut [f32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let tile = shared!([f32; 128]);
    tile[t] = x[i];
    sync_threads();
    y[i] = tile[t] - tile[t - 1];
}

#[kernel(block = 256)]
fn histogram(keys: &[u32], bins: &mut [u32]) {
    let i = global_idx_x();
    if i < keys.len() {
        bins[keys[i] as usize] += 1;
    }
}

#[kernel(block = 256, allow(gpu_uncoalesced_accesses))]
fn rows(y: &mut [f32]) {
    let i = global_idx_x();
    y[((i as u32) * 4096) as usize] = 0.0;
}

/// Each thread has an array of its own, where the block should share one.
#[kernel(block = 256, requires(x.len() >= 256, y.len() >= 256))]
fn array_that_is_not_shared(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let mut cells = [0.0f32; 256];
    cells[t] = x[t];
    sync_threads();
    y[t] = cells[255 - t];
}

fn main() {}
