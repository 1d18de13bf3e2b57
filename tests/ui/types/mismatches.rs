//! Type errors are rustc's, at the user's tokens, once.
use warpwise::prelude::*;

#[kernel]
fn annotated(x: &mut [f32]) {
    let count: u32 = 1.5;
    x[0] = count as f32;
}

#[kernel]
fn element(x: &mut [f32], n: u32) {
    x[0] = n;
}

#[kernel]
fn condition(x: &mut [f32], n: u32) {
    if n {
        x[0] = 1.0;
    }
}

fn main() {}
