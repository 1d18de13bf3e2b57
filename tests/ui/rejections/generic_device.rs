//! What only a call says of a generic device function is reported at the call.
#![allow(unused)]
use warpwise::prelude::*;

#[device]
fn first<T: Num, const N: usize>(x: &[T]) -> T {
    x[N]
}

#[kernel]
fn few(x: &mut [f32]) {
    x[0] = first(x);
}

#[kernel]
fn many(x: &mut [f32]) {
    x[0] = first::<f32, 1>(x, 2);
}

fn main() {}
