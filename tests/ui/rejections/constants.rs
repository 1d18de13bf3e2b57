//! Constants that the macro cannot see.
#![allow(unused)]
use warpwise::prelude::*;

const TILE: usize = 16;

#[kernel]
fn unnamed(x: &mut [f32]) {
    let tile = shared!([f32; TILE]);
    tile[0] = 1.0;
    x[TILE] = tile[0];
}

#[kernel(block = TILE)]
fn unnamed_block(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel]
fn computed(x: &mut [f32]) {
    let tile = shared!([f32; 16.5f32 as usize]);
    tile[0] = 1.0;
    x[0] = tile[0];
}

#[kernel]
fn too_long(x: &mut [f32]) {
    let tile = shared!([f32; 1 - 2]);
    tile[0] = 1.0;
    x[0] = tile[0];
}

fn main() {}
