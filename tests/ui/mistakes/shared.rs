//! Lengths in constants, and shared memory.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn array_len_dyn(x: &mut [f32], n: usize) {
    let mut a = [0.0f32; n];
    x[0] = a[0];
}

#[kernel]
fn shared_dyn_n(x: &mut [f32], n: usize) {
    let t = shared!([f32; n]);
    t[0] = 1.0;
    x[0] = t[0];
}

#[kernel]
fn shared_init(x: &mut [f32]) {
    let mut t = shared!([0.0f32; 32]);
    x[0] = t[0];
}

#[kernel]
fn shared_turbofish(x: &mut [f32]) {
    let t = shared::<[f32; 32]>();
    x[0] = t[0];
}

#[kernel]
fn shared_vec_type(x: &mut [f32]) {
    let t = shared!(Vec<f32>);
    x[0] = t[0];
}

#[kernel(block = 64)]
fn shared_type_and_length(x: &mut [f32]) {
    let t = shared!(f32, 64);
    t[thread_idx_x()] = 1.0;
    x[0] = t[0];
}

#[kernel(block = 64)]
fn shared_without_type(x: &mut [f32]) {
    let t: [f32; 64] = shared!();
    t[thread_idx_x()] = 1.0;
    x[0] = t[0];
}

#[kernel]
fn shared_dyn_array(x: &mut [f32], n: usize) {
    let t = shared_dyn!([f32; 2 * n]);
    t[thread_idx_x()] = 1.0;
    x[0] = t[0];
}

#[kernel]
fn shared_block_dim(x: &mut [f32]) {
    let tile = shared!([f32; 2 * block_dim_x()]);
    tile[0] = x[0];
}

#[kernel]
fn array_block_dim(x: &mut [f32]) {
    let mut v = [0.0; block_dim_x()];
    v[0] = x[0];
    x[1] = v[0];
}

#[device]
const fn padded(n: usize) -> usize {
    n + 1
}

#[kernel]
fn array_len_computed(x: &mut [f32], n: usize) {
    let mut a = [0.0f32; padded(n)];
    x[0] = a[0];
}

fn main() {}
