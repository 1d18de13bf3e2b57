//! Kernels that kernel code calls or launches as if they were device functions.
#![allow(unused)]
use geometry::halve;
use warpwise::prelude::*;

#[kernel]
fn inner(x: &mut [f32]) {
    x[0] = 1.0;
}

mod deeper {
    use warpwise::prelude::*;

    #[kernel]
    pub fn nested(x: &mut [f32]) {
        super::inner(x);
    }
}

#[kernel]
fn outer(x: &mut [f32]) {
    inner(x);
    deeper::nested(x);
    geometry::halve(x);
    halve(x);
}

#[device]
fn function(x: &mut [f32]) {
    inner(x);
    geometry::halve(x);
}

#[kernel]
fn calls_function(x: &mut [f32]) {
    function(x);
}

#[kernel]
fn again(x: &mut [f32]) {
    again(x);
}

#[kernel]
fn launches(x: &mut [f32]) {
    inner::launch(x);
}

fn main() {}
