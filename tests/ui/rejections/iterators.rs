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
    let large = y.iter().filter(|v| **v > 2).count();
    let (low, high): (u32, u32) = y.iter().copied().unzip();
}

#[kernel]
fn from_the_back(x: &mut [f32], y: &[u32]) {
    let mut steps = y.iter().step_by(2);
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

#[device]
fn either(x: &[f32], front: bool) -> impl Iterator<Item = f32> {
    let scale = 2.0f32;
    if front {
        return x.iter().map(move |v| v * scale);
    }
    x.iter().map(move |v| v * scale)
}

#[kernel]
fn chosen(x: &mut [f32], y: &[f32]) {
    x[0] = either(y, true).sum();
}

fn main() {}
