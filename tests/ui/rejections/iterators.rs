//! Iterators that kernel code cannot run.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn in_step(x: &mut [f32], y: &[u32]) {
    let (a, b) = (y.iter().filter(|v| **v > 1), y.iter().filter(|v| **v > 2));
    for (a, b) in a.zip(b) {
        x[2] += (a + b) as f32;
    }
}

#[kernel]
fn backwards(x: &mut [f32]) {
    for value in (0..3).flat_map(|k| [k, k + 1]).rev() {
        x[value] = 1.0;
    }
}

fn main() {}
