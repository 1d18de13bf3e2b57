//! Calls that kernel code cannot make.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn functions(x: &mut [f32]) {
    x[0] = std::mem::take(&mut x[1]);
    x[3] = Some(1.0f32).unwrap();
    x[4] = (f32::sqrt)(1.0);
    x[5] = warp::shfl_xor_width::<7, _>(x[6], 1);
}

#[kernel]
fn methods(x: &mut [f32], y: &[u32]) {
    x[0] = x[1].gamma();
    x[2] = x.iter().sum();
    x.swap(0, 1);
    x.fill(1.0);
    let part = &y[1..];
    x[3] = part[0] as f32;
    for value in x.iter_mut() {
        *value = 1.0;
    }
    let copies = y.to_vec();
}

fn main() {}
