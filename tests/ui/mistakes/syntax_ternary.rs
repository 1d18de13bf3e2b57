//! Syntax of other languages.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn ternary(x: &mut [f32]) {
    x[0] = x[0] > 0.0 ? 1.0 : 2.0;
}

fn main() {}
