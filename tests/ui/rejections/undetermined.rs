//! Types that nothing determines, which rustc reports at the value.
use warpwise::prelude::*;

#[kernel]
fn nothing(x: &mut [f32]) {
    let a = None;
    x[0] = 1.0;
}

#[kernel]
fn good(x: &mut [f32]) {
    let a = Ok(1);
    x[0] = 1.0;
}

#[kernel]
fn empty(x: &mut [f32]) {
    let a = [];
    x[0] = 1.0;
}

fn main() {}
