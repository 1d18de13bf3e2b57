//! Calls that kernel code cannot make.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn functions(x: &mut [f32]) {
    x[0] = std::hint::black_box(x[1]);
    x[3] = Some(1.0f32).unwrap();
    let order = f32::total_cmp;
    x[5] = warp::shfl_xor_width::<7, _>(x[6], 1);
}

#[kernel]
fn methods(x: &mut [f32], y: &[u32]) {
    x[0] = x[1].gamma();
    x.sort_by(f32::total_cmp);
    let some = y.get(1..);
    let copies = y.to_vec();
}

#[kernel]
fn numbers(x: &mut [f32], y: &mut [u32]) {
    let class = x[0].classify();
    let text = y[0].to_string();
    let parsed = u32::from_str_radix("7", 8);
    y[1] = unsafe { y[2].unchecked_add(1) };
    y[3] = unsafe { x[1].to_int_unchecked() };
}

fn main() {}
