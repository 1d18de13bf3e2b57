//! Shared memory holds numbers and atomics.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn what(x: &mut [f32]) {
    let pairs = shared!([(f32, f32); 4]);
    let text = shared!([char; 4]);
    x[0] = 1.0;
}

#[kernel]
fn no_type(x: &mut [f32]) {
    let number = shared!(16);
    x[0] = 1.0;
}

fn main() {}
