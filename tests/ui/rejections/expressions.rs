//! Expressions that kernel code does not have, or does not have yet.
#![allow(unused)]
use warpwise::prelude::*;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[kernel]
fn values(x: &mut [f32], n: u32) {
    let i = global_idx_x();
    let local = [0.0f32; 4];
    let pair = (1.0f32, 2.0f32);
    let point = Point { x: 1.0 };
    let closure = |a: f32| a + 1.0;
    let range = 0..4;
    let constant = const { 1.0f32 };
    x[i] = match n {
        0 => 1.0,
        _ => 2.0,
    };
}

#[kernel]
fn letters(x: &mut [u32]) {
    let letter = 'x';
    let text = "text";
    let bytes = c"text";
    x[0] = u32::from(b'x');
}

#[kernel]
fn control(x: &mut [f32]) {
    let first = x.first();
    if let Some(value) = first {
        x[0] = *value;
    }
    let Some(last) = x.last() else { return };
    x[1] = unsafe { *x.as_ptr() };
}

fn main() {}
