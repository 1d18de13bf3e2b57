//! What function pointers cannot be.
#![allow(unused, unpredictable_function_pointer_comparisons)]
use warpwise::prelude::*;

#[kernel]
fn passed(x: &mut [f32], op: fn(f32) -> f32) {
    x[0] = op(x[0]);
}

#[device]
fn again(f: fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[device]
fn halved(x: f32) -> f32 {
    if x < 1.0 { x } else { again(chosen(x > 3.0), x / 2.0) }
}

#[device]
fn thirded(x: f32) -> f32 {
    x / 3.0
}

#[device]
fn chosen(half: bool) -> fn(f32) -> f32 {
    if half { halved } else { thirded }
}

#[kernel]
fn recursing(x: &mut [f32]) {
    x[0] = chosen(x[0] > 1.0)(x[0]);
}

#[device]
fn picked(x: f32) -> fn(f32) -> f32 {
    if x > 1.0 { |v| v } else { |v| v + 1.0 }
}

#[kernel]
fn perhaps_recursing(x: &mut [f32]) {
    let op: fn(f32) -> f32 = |v| picked(v)(v);
    x[0] = op(x[0]);
}

#[kernel]
fn by_closure(x: &mut [f32]) {
    let ops: [fn(f32, usize) -> f32; 2] = [|v, _| v, |v, _| v + 1.0];
    let mut last = ops[x.len() % 2];
    last = |v, _| v * 2.0;
    x[0] = last(x[0], 1);
}

#[kernel]
fn addresses(x: &mut [f32]) {
    let op: fn(f32) -> f32 = thirded;
    let address = op as usize;
    if op == thirded as fn(f32) -> f32 {
        println!("{:?}", op);
    }
    let shared = shared!([fn(f32) -> f32; 4]);
}

#[kernel]
fn capturing(x: &mut [f32], scale: f32) {
    let op: fn(f32) -> f32 = |v| v * scale;
    x[0] = op(x[0]);
}

fn main() {}
