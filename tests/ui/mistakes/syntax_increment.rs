//! Syntax of other languages.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn increment(x: &mut [u32]) {
    x[0]++;
}

fn main() {}
