//! Macros of std's that kernel code does not have.
#![allow(unused)]
use std::mem::offset_of;
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: f32,
}

#[kernel]
fn pointers(x: &mut [f32]) {
    let place = core::ptr::addr_of!(x[0]);
    let place = std::ptr::addr_of_mut!(x[0]);
    let offset = offset_of!(Pair, b);
}

#[kernel]
fn others(x: &mut [f32]) {
    let future = std::pin::pin!(x[0]);
    let fast = is_x86_feature_detected!("avx2");
}

fn main() {}
