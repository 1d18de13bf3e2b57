//! Boxes that hardware does not copy, tiles that do not fit them, and tensor maps that are chosen.
#![allow(unused)]
use warpwise::{F32x4, MBarrier, TensorMap2, TensorMap2Mut, prelude::*};

#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Tile([[f32; 32]; 8]);

#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Vectors([F32x4; 64]);

#[kernel(block = 64)]
fn alignment(x: TensorMap2<f32, 8, 32, 0>, y: TensorMap2<f32, 8, 32, 128>) {
    let full = shared!(MBarrier<1>);
    let plain = shared!([[f32; 32]; 8]);
    let tile = shared!(Tile);
    full.tensor_copy(plain, &x, (0, 0));
    full.tensor_copy(tile, &y, (0, 0));
}

#[kernel(block = 64)]
fn sizes(x: TensorMap2<f32, 4, 32, 0>, y: TensorMap2Mut<f64, 8, 32, 0>) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    full.tensor_copy(tile, &x, (0, 0));
    y.store(tile, (0, 0));
}

#[kernel(block = 64)]
fn boxes(
    large: TensorMap2<u8, 4, 512, 0>,
    narrow: TensorMap2<u8, 128, 8, 0>,
    vectors: TensorMap2<F32x4, 8, 8, 0>,
    swizzled: TensorMap2<f32, 8, 32, 64>,
    odd: TensorMap2<f32, 8, 32, 16>,
) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Vectors);
    full.tensor_copy(tile, &large, (0, 0));
    full.tensor_copy(tile, &narrow, (0, 0));
    full.tensor_copy(tile, &vectors, (0, 0));
    full.tensor_copy(tile, &swizzled, (0, 0));
    full.tensor_copy(tile, &odd, (0, 0));
}

#[kernel(block = 64)]
fn other_memory(x: TensorMap2<f32, 8, 32, 0>, y: TensorMap2Mut<f32, 8, 32, 0>, z: &mut [[F32x4; 8]]) {
    let full = shared!(MBarrier<1>);
    let (line, other) = (shared!([F32x4; 8]), shared!([F32x4; 8]));
    let mut own = Tile([[0.0; 32]; 8]);
    full.tensor_copy(&mut own, &x, (0, 0));
    y.store(&own, (0, 0));
    if z.len() > 1 {
        bulk_store::store(other, line);
        let (to, from) = z.split_at_mut(1);
        bulk_store::store(&mut to[0], &from[0]);
    }
}

#[kernel(block = 64)]
fn chosen(a: TensorMap2<f32, 8, 32, 0>, b: TensorMap2<f32, 8, 32, 0>) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    let map = if thread_idx_x() == 0 { &a } else { &b };
    full.tensor_copy(tile, map, (0, 0));
}

#[kernel(block = 64)]
fn groups(y: &mut [F32x4]) {
    bulk_store::wait();
}

#[kernel(block = 64)]
fn without_clusters(x: TensorMap2<f32, 8, 32, 0>) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    full.tensor_copy_multicast(tile, &x, (0, 0), 0b11);
    full.arrive_expect_tx(size_of::<Tile>());
}

#[kernel(block = 64, cluster = 2)]
fn wrong_multicasts(x: TensorMap2<f32, 4, 32, 0>) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    let mut own = Tile([[0.0; 32]; 8]);
    full.tensor_copy_multicast(tile, &x, (0, 0), 0b11);
    full.tensor_copy_multicast(&mut own, &x, (0, 0), 0b11);
}

fn main() {}
