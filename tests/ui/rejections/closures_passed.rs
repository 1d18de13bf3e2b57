//! Closures as parameters of kernels, which the host cannot pass.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn by_impl(f: impl Fn(f32) -> f32, x: &mut [f32]) {
    x[0] = f(x[0]);
}

#[kernel]
fn by_bound<F: FnMut(f32) -> f32>(mut f: F, x: &mut [f32]) {
    x[0] = f(x[0]);
}

#[kernel]
fn by_clause<F>(f: F, x: &mut [f32])
where
    F: FnOnce(f32) -> f32 + Copy,
{
    x[0] = f(x[0]);
}

#[kernel]
fn by_reference(f: &impl Fn(f32) -> f32, x: &mut [f32]) {
    x[0] = f(x[0]);
}

#[kernel]
fn by_object(f: &dyn Fn(f32) -> f32, x: &mut [f32]) {
    x[0] = f(x[0]);
}

fn main() {}
