//! Syntax of other languages.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn c_for(x: &mut [u32]) {
    for (let i = 0; i < 4; i += 1) { x[i] = 1; }
}

fn main() {}
