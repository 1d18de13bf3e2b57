//! Syntax of other languages.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn suffix_f(x: &mut [f32]) {
    x[0] = 1.0f;
}

fn main() {}
