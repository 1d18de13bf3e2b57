//! Types that no buffer holds and no kernel takes by value.
#![allow(unused)]
use warpwise::prelude::*;

/// Not `Copy`, and so for buffers only.
#[device]
struct Moved {
    x: f32,
}

/// With a field that is not plain.
#[device]
#[derive(Clone, Copy)]
struct Pair {
    both: (u8, u32),
}

/// Without `#[device]`.
#[derive(Clone, Copy)]
struct Foreign {
    x: f32,
}

/// It borrows.
#[device]
#[derive(Clone, Copy)]
struct View<'a> {
    x: &'a [f32],
}

#[kernel]
fn moved(x: Moved) {}

#[kernel]
fn pair(x: Pair) {}

#[kernel]
fn pairs(x: &mut [Pair]) {}

#[kernel]
fn tuples(x: &[(u8, u32)]) {}

fn main() {
    let device = Device::cpu();
    let foreign = device.upload(&[Foreign { x: 1.0 }]);
    let views = device.upload(&[View { x: &[] }]);
}
