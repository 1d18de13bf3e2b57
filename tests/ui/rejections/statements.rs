//! Items and macros inside kernels.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn items(x: &mut [f32]) {
    const TWO: f32 = 2.0;
    static THREE: f32 = 3.0;
    struct Point;
    use std::cmp::*;
    x[0] = TWO + THREE;
}

#[kernel]
fn macros(x: &mut [f32]) {
    eprintln!("{}", x[0]);
    let on = cfg!(debug_assertions);
    let list = vec![1.0f32];
    let found = matches!(x.len(), 1 | 2);
    dbg!(x[0]);
    if cfg!(debug_assertions) {
        x[0] = 1.0;
    }
}

#[kernel]
fn configuration(x: &mut [f32]) {
    #[cfg(debug_assertions)]
    {
        x[0] = 1.0;
    }
}

fn main() {}
