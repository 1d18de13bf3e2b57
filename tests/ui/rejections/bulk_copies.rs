//! Bulk copies of values that are not aligned, and between other memories.
#![allow(unused)]
use warpwise::{F32x4, MBarrier, U8x4, prelude::*};

#[kernel(block = 64)]
fn alignment(x: &[f32], y: &mut [[f32; 64]]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([[f32; 64]; 2]);
    let pairs = shared!([U8x4; 64]);
    if thread_idx_x() == 0 && y.len() > 0 {
        full.bulk_copy(&mut tile[0], &y[0]);
        full.arrive();
    }
    full.wait_parity(false);
}

#[kernel(block = 64)]
fn of_any_type<T: Num>(x: &[[T; 64]], y: &mut [T]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([T; 64]);
    if x.len() > 0 {
        full.bulk_copy(tile, &x[0]);
    }
}

#[kernel(block = 64)]
fn other_memory(x: &[F32x4], y: &mut [F32x4]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([F32x4; 64]);
    let mut own = F32x4::splat(1.0);
    if x.len() > 0 && y.len() > 0 {
        full.bulk_copy(&mut y[0], &x[0]);
        full.bulk_copy(&mut own, &x[0]);
        full.bulk_copy(&mut tile[0], &own);
        let (to, from) = tile.split_at_mut(32);
        full.bulk_copy(&mut to[0], &from[0]);
    }
}

#[kernel(block = 64)]
fn other_types(x: &[F32x4], y: &mut [f32]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([[F32x4; 2]; 64]);
    if x.len() > 0 {
        full.bulk_copy(&mut tile[0], &x[0]);
        full.bulk_copy(tile[0], &x[0]);
    }
}

fn main() {}
