//! Iterators that kernel code cannot run.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn around(x: &mut [f32], y: &[u32]) {
    for v in y.iter().cycle().take(9) {
        x[2] += *v as f32;
    }
}

#[kernel]
fn collected(x: &mut [f32], y: &[u32]) {
    let large: Vec<u32> = y.iter().copied().collect();
}

#[kernel]
fn from_the_back(x: &mut [f32], y: &[u32]) {
    let mut steps = y.iter().map(|v| v / 2).peekable();
    steps.next_back();
}

#[kernel]
fn sources(x: &mut [f32]) {
    for value in std::iter::repeat(3).take(2) {
        x[0] += value as f32;
    }
    x[1] = std::iter::empty::<f32>().sum();
}

#[kernel]
fn in_order(x: &mut [f32], y: &[u32]) {
    if y.iter().map(|v| v % 7).is_sorted() {
        x[0] = 1.0;
    }
}

fn main() {}
