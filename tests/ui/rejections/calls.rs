//! Calls that kernel code cannot make.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn functions(x: &mut [f32]) {
    x[0] = std::hint::black_box(x[1]);
    x[3] = Some(1.0f32).unwrap();
    x[4] = (f32::sqrt)(1.0);
    x[5] = warp::shfl_xor_width::<7, _>(x[6], 1);
}

#[kernel]
fn methods(x: &mut [f32], y: &[u32]) {
    x[0] = x[1].gamma();
    x.sort_by(f32::total_cmp);
    let mut values = y.iter();
    let first = values.next();
    let any = values.any(|v| *v == 0);
    for value in y.iter().peekable() {
        x[1] = *value as f32;
    }
    let some = y.get(1..);
    let copies = y.to_vec();
}

fn main() {}
