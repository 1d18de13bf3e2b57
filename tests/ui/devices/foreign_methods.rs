//! Methods of traits in other files, which only rustc sees.
#![allow(unused)]
use geometry::host::Doubled;
use warpwise::prelude::*;

#[kernel]
fn of_numbers(#[constant] factors: &[f32; 2], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = factors[0].doubled() + 1.0_f32.doubled();
    }
}

#[kernel]
fn of_a_type_parameter<T: Num + Doubled>(y: &mut [T]) {
    y[0] = y[0].doubled();
}

#[kernel]
fn misspelt(y: &mut [f32]) {
    y[0] = y[0].dubled();
    y[1] = y[1].doubled();
}

fn main() {}
