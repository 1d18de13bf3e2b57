//! What rustc does not let a function do, a kernel does not do either.
use warpwise::prelude::*;

#[kernel]
fn read_only(x: &[f32]) {
    x[0] = 1.0;
}

#[kernel]
fn immutable(x: &mut [f32]) {
    let i = 0;
    i += 1;
    x[i] = 1.0;
}

fn main() {}
