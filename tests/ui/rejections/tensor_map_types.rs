//! Tensor maps with the wrong coordinates, and stores to maps that are read.
#![allow(unused)]
use warpwise::{MBarrier, TensorMap2, TensorMap3, prelude::*};

#[device]
#[repr(C, align(128))]
#[derive(Clone, Copy)]
struct Tile([[f32; 32]; 8]);

#[kernel(block = 64)]
fn coordinates(x: TensorMap2<f32, 8, 32, 0>, y: TensorMap3<f32, 1, 8, 32, 0>) {
    let full = shared!(MBarrier<1>);
    let tile = shared!(Tile);
    let t = thread_idx_x();
    full.tensor_copy(tile, &x, (0, t));
    full.tensor_copy(tile, &y, (0, 0));
}

#[kernel(block = 64)]
fn store(x: TensorMap2<f32, 8, 32, 0>) {
    x.store(shared!(Tile), (0, 0));
}

fn main() {}
