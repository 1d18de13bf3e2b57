//! Views of shared memory as vectors: of other memory, with a rest, or between two vectors.
use warpwise::{F32x2, F32x4, U32x2, U32x4, prelude::*};

#[kernel(block = 32)]
fn rest(out: &mut [u32]) {
    let tile = shared!([u32; 34]);
    tile[thread_idx_x()] = 1;
    sync_threads();
    out[0] = tile.as_vectors::<U32x4>()[0].x;
}

#[kernel(block = 32)]
fn rows_with_rest(out: &mut [u32]) {
    let tile = shared!([[u32; 33]; 32]);
    tile[thread_idx_x()][0] = 1;
    sync_threads();
    out[0] = tile[thread_idx_x()].as_vectors::<U32x2>()[0].x;
}

#[kernel]
fn global(x: &[f32], out: &mut [f32]) {
    out[0] = x.as_vectors::<F32x4>()[0].x;
}

#[kernel]
fn own(out: &mut [u32]) {
    let mut own = [0u32; 4];
    own[thread_idx_x() % 4] = 1;
    out[0] = own.as_vectors::<U32x4>()[0].x;
}

#[device]
fn second(numbers: &mut [u32]) {
    numbers.as_vectors_mut::<U32x2>()[0] = U32x2::ONE;
}

#[kernel(block = 32)]
fn between(out: &mut [u32]) {
    let tile = shared!([u32; 64]);
    tile[thread_idx_x()] = 1;
    sync_threads();
    second(&mut tile[1..33]);
    out[0] = tile[0];
}

#[kernel(block = 32)]
fn anywhere(start: usize, out: &mut [u32]) {
    let tile = shared!([u32; 64]);
    tile[thread_idx_x()] = 1;
    sync_threads();
    let part = &tile[start..start + 4];
    out[0] = part.as_vectors::<U32x4>()[0].x;
}

#[kernel(block = 32)]
fn other_lanes(out: &mut [f32]) {
    let tile = shared!([u32; 64]);
    tile[thread_idx_x()] = 1;
    sync_threads();
    out[0] = tile.as_vectors::<F32x2>()[0].x;
}

fn main() {}
