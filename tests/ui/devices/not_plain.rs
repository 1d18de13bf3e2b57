//! Types that no buffer holds and no kernel takes by value.
#![allow(unused)]
use warpwise::prelude::*;

/// Not `Copy`, and so for buffers only.
#[device]
struct Moved {
    x: f32,
}

/// With a part of a field that is not plain.
#[device]
#[derive(Clone, Copy)]
struct Step {
    both: (u8, Option<fn(u32) -> u32>),
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
fn step(x: Step) {}

#[kernel]
fn steps(x: &mut [Step]) {}

#[kernel]
fn tuples(x: &[(u8, &u32)]) {}

#[kernel]
fn options(x: Option<&u32>, y: &mut [Option<std::ops::Range<u32>>]) {}

#[kernel]
fn counters(x: Option<AtomicU32>, y: &mut [u32]) {}

#[kernel]
fn nothing(x: &[()]) {}

#[kernel]
fn open<const N: usize>(x: [Option<u32>; N], y: &mut [u32]) {}

fn main() {
    let device = Device::cpu();
    let foreign = device.upload(&[Foreign { x: 1.0 }]);
    let views = device.upload(&[View { x: &[] }]);
    let texts = device.upload(&[Some((1u8, "text"))]);
}
