//! Lanes that want different words of one bank, with the layout that helps.
#![deny(warnings)]
use warpwise::{F32x2, U32x4, prelude::*};

#[kernel(block = (32, 32))]
fn columns(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 32]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 32 + ty) * 1024 + block_idx_x() * 32 + tx];
    sync_threads();
    y[(block_idx_x() * 32 + ty) * 1024 + block_idx_y() * 32 + tx] = tile[tx][ty];
}

#[kernel(block = (16, 16))]
fn two_rows_a_warp(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 16]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[(block_idx_y() * 16 + ty) * 1024 + block_idx_x() * 16 + tx];
    sync_threads();
    y[(block_idx_x() * 16 + ty) * 1024 + block_idx_y() * 16 + tx] = tile[tx][ty];
}

#[kernel(block = 32)]
fn every_second_pair(y: &mut [f32]) {
    let table = shared!([F32x2; 64]);
    let l = thread_idx_x();
    table[l] = F32x2::splat(1.0);
    table[l + 32] = F32x2::splat(2.0);
    sync_threads();
    let v = table[2 * l];
    y[global_idx_x()] = v.x + v.y;
}

/// Elements of 8 bytes, which no gap of whole elements frees.
#[kernel(block = 32)]
fn options(x: &[Option<u32>], y: &mut [u32]) {
    let t = thread_idx_x();
    let tile = shared!([Option<u32>; 32]);
    tile[t] = x[t];
    sync_threads();
    y[t] = tile[31 - t].unwrap_or(0);
}

/// Loads through views: all of them in vectors, or in words, too.
#[kernel(block = 32)]
fn views(out: &mut [U32x4]) {
    let vectors = shared!([u32; 1024]);
    let mixed = shared!([u32; 1024]);
    let t = thread_idx_x();
    for i in 0..8 {
        vectors.as_vectors_mut::<U32x4>()[i * 32 + t] = U32x4::ONE;
        for k in 0..4 {
            mixed[(4 * i + k) * 32 + t] = 1;
        }
    }
    sync_threads();
    out[t] = vectors.as_vectors::<U32x4>()[8 * t] + mixed.as_vectors::<U32x4>()[2 * t];
}

/// The padding that a tile of 32 columns needs is one too many for a tile of 16.
#[kernel(block = (16, 16), requires(x.len() >= 256, y.len() >= 256))]
fn padded_in_vain(x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 17]; 16]);
    let (row, column) = (thread_idx_y(), thread_idx_x());
    tile[row][column] = x[row * 16 + column];
    sync_threads();
    let mut sum = 0.0;
    for k in 0..16 {
        sum += tile[row][k] * tile[k][column];
    }
    y[row * 16 + column] = sum;
}

fn main() {}
