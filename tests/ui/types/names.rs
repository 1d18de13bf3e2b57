//! Names that are nowhere.
use warpwise::prelude::*;

#[kernel]
fn variable(x: &mut [f32]) {
    x[0] = y;
}

#[kernel]
fn kept_and_passed(x: &mut [f32]) {
    let kept = y;
    x[0] = kept.max(z);
}

#[kernel]
fn method(x: &mut [f32]) {
    x[0] = x[0].square();
}

#[kernel]
fn ty(x: &mut [Real32]) {
    x[0] = 1.0;
}

fn main() {}
