//! Lengths that no launcher can compute, and elements that no block can share.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn of_the_thread(x: &mut [f32]) {
    let tile = shared_dyn!(f32, thread_idx_x() + 1);
    let other = shared_dyn!(f32, x.len() * block_idx_x());
}

#[kernel]
fn of_memory(n: &[u32], x: &mut [f32]) {
    let tile = shared_dyn!(f32, n[0] as usize);
}

#[kernel]
fn of_a_variable(n: usize, x: &mut [f32]) {
    let mut len = n;
    if n > 10 {
        len = 10;
    }
    let tile = shared_dyn!(f32, len);
}

#[device]
fn scratch(n: usize) -> f32 {
    let tile = shared_dyn!(f32, n);
    tile[0]
}

#[kernel]
fn of_a_call(x: &mut [f32]) {
    x[0] = scratch(x.len());
    x[1] = scratch(global_idx_x());
}

#[kernel]
fn elements(n: usize, x: &mut [f32]) {
    let references = shared_dyn!(&f32, n);
    let nothing = shared_dyn!((), n);
}

#[kernel]
fn forms(n: usize, x: &mut [f32]) {
    let tile = shared_dyn!([f32; 4]);
}

fn main() {}
