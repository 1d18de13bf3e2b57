//! What is wrong in a device function is reported there, and not at every kernel that calls it.
use warpwise::prelude::*;

#[device]
fn boxed(x: f32) -> f32 {
    *Box::new(x)
}

#[device]
fn caller(x: f32) -> f32 {
    boxed(x)
}

#[kernel]
fn first(x: &mut [f32]) {
    x[0] = boxed(x[0]) + caller(x[0]);
}

#[kernel]
fn second(x: &mut [f32]) {
    x[0] = caller(x[0]);
}

fn main() {}
