//! Names of CUDA C++: types.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn float4_type(x: &mut [float4]) {
    x[0].x = 1.0;
}

#[kernel]
fn float_type(x: &mut [float]) {
    x[0] = 1.0;
}

#[kernel]
fn half_type(x: &mut [half]) {
    x[0] = x[1];
}

#[kernel]
fn double_type(x: &mut [double]) {
    x[0] = 1.0;
}

#[kernel]
fn int_cast(x: &mut [f32], n: int) {
    x[0] = n as f32;
}

#[kernel]
fn uint32_cast(x: &mut [u32]) {
    x[0] = thread_idx_x() as uint32_t;
}

#[kernel]
fn uint32_variable(x: &mut [u32]) {
    let v: uint32_t = x[0] + 1;
    x[1] = v;
}

fn main() {}
