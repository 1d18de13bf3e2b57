//! Mistakes that rustc finds after it knows all types.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn match_missing_arm(x: &mut [u32]) {
    x[0] = match x[1] {
        0 => 1,
        1 => 2,
    };
}

fn slice_mut_twice(y: &mut Buffer<f32>) -> warpwise::Result<()> {
    let mut left = y.slice_mut(0..5)?;
    let mut right = y.slice_mut(5..10)?;
    left.copy_from(&[1.0; 5])?;
    right.copy_from(&[1.0; 5])
}

fn buffer_moved(y: Buffer<f32>) -> warpwise::Result<Vec<f32>> {
    drop(y);
    y.to_vec()
}

#[kernel]
fn awaited(x: &mut [f32]) {
    x[0] = async { 1.0f32 }.await;
}

#[kernel]
fn text_pattern(x: &mut [u32]) {
    x[0] = match x[1] {
        "one" => 1,
        _ => 2,
    };
}

fn main() {}
