//! Errors that rustc finds only after types, in the function and in the copy of it that checks
//! what was inferred: each is shown once.
use warpwise::prelude::*;

#[kernel]
fn borrowed_twice(x: &mut [f32]) {
    let first = &mut *x;
    let second = &mut *x;
    first[0] = 1.0;
    second[0] = 2.0;
}

#[kernel]
fn not_initialized(x: &mut [f32], n: u32) {
    let value: f32;
    if n > 1 {
        value = 1.0;
    }
    x[0] = value;
}

#[kernel]
fn overflowing(x: &mut [u8]) {
    x[0] = 256;
    x[1] = 255u8 + 1;
    x[2] = 1 / 0;
}

#[kernel]
fn unreachable(x: &mut [f32]) {
    let i = global_idx_x();
    return;
    x[i] = 1.0;
}

#[kernel]
fn unused(x: &mut [f32], n: u32) {
    let mut i = global_idx_x();
    let j = 1;
    x[i] = 1.0;
}

fn main() {}
