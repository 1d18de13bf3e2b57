//! Functions that are no kernels.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn returns(x: &[f32]) -> f32 {
    x[0]
}

#[kernel]
async fn waits(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel]
unsafe fn dangerous(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel]
extern "C" fn foreign(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel]
fn takes_apart((a, b): (f32, &f32), [c, d]: [f32; 2], x: &mut [f32]) {
    x[0] = a + b + c + d;
}

#[kernel]
fn unbounded<T>(x: &mut [T], value: T) {}

#[kernel]
fn letters<const C: char>(x: &mut [u32]) {}

#[device]
fn returns_a_slice(x: &[f32]) -> &[f32] {
    x
}

fn main() {}
